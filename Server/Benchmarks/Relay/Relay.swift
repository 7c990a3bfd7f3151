import Foundation
import HTTPStreaming
import Hummingbird
import Logging
import NIOCore

/// The same model calls as the coach's, streamed on without an engine or a store: what a turn costs
/// anyhow.
///
///     relay PORT MODEL REQUESTS
@main
struct Relay {
  let model: Model

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let port = Int(arguments[1]) else {
      print("usage: relay PORT MODEL REQUESTS")
      exit(64)
    }
    let relay = Relay(model: try Model(url: arguments[2], requests: arguments[3]))
    let router = Router()
    router.post("chat-stream") { request, context in
      relay.answer(try await request.decode(as: Question.self, context: context))
    }
    var logger = Logger(label: "relay")
    logger.logLevel = .warning
    let application = Application(
      router: router,
      configuration: .init(address: .hostname("127.0.0.1", port: port), backlog: 4_096),
      logger: logger)
    try await application.runService()
  }

  private func answer(_ question: Question) -> Response {
    Response(
      status: .ok, headers: [.contentType: "text/event-stream"],
      body: ResponseBody { writer in
        // A conversation is known by its next turn: nothing is stored.
        let turn = question.conversation.flatMap { Int($0) } ?? 1
        let evidence = try await text("evidence-\(turn)")
        if !evidence.isEmpty { _ = try JSONSerialization.jsonObject(with: Data(evidence.utf8)) }
        try await model.words("reply-\(turn)") { word in
          try await writer.write(event("delta", ["text": word]))
        }
        try await writer.write(event("done", ["conversation_id": "\(turn + 1)"]))
        let starters = try await text("starters-\(turn)")
        if !starters.isEmpty {
          try await writer.write(event("starters", ["categories": starters]))
        }
        try await writer.finish(nil)
      })
  }

  private func text(_ request: String) async throws -> String {
    var text = ""
    try await model.words(request) { text += $0 }
    return text
  }

  private func event(_ type: String, _ members: [String: String]) throws -> ByteBuffer {
    let data = try JSONEncoder().encode(members.merging(["type": type]) { first, _ in first })
    return ByteBuffer(string: "event: \(type)\ndata: \(String(decoding: data, as: UTF8.self))\n\n")
  }
}

struct Question: Decodable {
  enum CodingKeys: String, CodingKey {
    case message
    case conversation = "conversation_id"
  }

  var message: String
  var conversation: String?
}

struct Model {
  private let requests: [String: HTTPStreaming.HTTPRequest]
  private let client = HTTPClient(
    configuration: .init(maximumConnectionsPerHost: 10_000, keptConnections: 10_000))

  /// - Parameter folder: The bodies of the requests as the coach sends them, by kind and turn, such as
  ///   `reply-2.json`. A kind that's missing in a turn isn't asked for in it.
  init(url: String, requests folder: String) throws {
    let files = try FileManager.default.contentsOfDirectory(
      at: URL(filePath: folder), includingPropertiesForKeys: nil)
    requests = try Dictionary(
      uniqueKeysWithValues: files.filter { $0.pathExtension == "json" }.map { file in
        let body = try Data(contentsOf: file)
        return (
          file.deletingPathExtension().lastPathComponent,
          HTTPStreaming.HTTPRequest(
            method: .post, url: url + "/chat/completions",
            headers: ["content-type": "application/json"], body: Array(body))
        )
      })
  }

  func words(_ name: String, _ take: (String) async throws -> Void) async throws {
    guard let request = requests[name] else { return }
    let decoder = JSONDecoder()
    var parser = ServerSentEventParser()
    for try await bytes in try await client.send(request).body {
      for event in try parser.receive(bytes) where event.data.first == UInt8(ascii: "{") {
        let part = try decoder.decode(Part.self, from: Data(event.data))
        if let text = part.choices.first?.delta.content, !text.isEmpty { try await take(text) }
      }
    }
  }

  private struct Part: Decodable {
    struct Choice: Decodable {
      struct Delta: Decodable { var content: String? }
      var delta: Delta
    }
    var choices: [Choice]
  }
}
