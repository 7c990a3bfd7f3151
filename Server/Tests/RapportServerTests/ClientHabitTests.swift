import Foundation
import IncrementalJSON
import NIOHTTP1
import SessionStore
import Testing

@testable import RapportServer

/// The requests of chat clients, recorded or written from their public source, in the order in which they
/// send them.
struct ClientRecording: Sendable, CustomTestStringConvertible {
  struct Request: Sendable {
    var method: HTTPMethod
    var path: String
    var headers: [(String, String)]
    var body: JSONValue?
    /// `turn`, `new`, `repeat`, `task` or `model`.
    var kind: String
  }

  var name: String
  var requests: [Request]
  var testDescription: String { name }

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Fixtures/clients")

  static func all() throws -> [ClientRecording] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { file in
      let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      let json = try JSONValue(parsing: text)
      return ClientRecording(
        name: file,
        requests: (json["requests"]?.arrayValue ?? []).map { request in
          Request(
            method: HTTPMethod(rawValue: request["method"]?.stringValue ?? ""),
            path: request["path"]?.stringValue ?? "",
            headers: (request["headers"]?.objectValue ?? [:]).map {
              ($0.name, $0.value.stringValue ?? "")
            },
            body: request["body"], kind: request["is"]?.stringValue ?? "")
        })
    }
  }
}

@Suite struct ClientHabitTests {
  /// A server, and the replies that its client got.
  private struct Chat {
    let server: TestServer
    let model: MockModel
    var replies: [String] = []
    var conversations: [String] = []

    init() async throws {
      model = try await MockModel()
      server = try await TestServer(TestFolder(), models: model.roles)
    }

    func turns() throws -> [Int] {
      try server.store.sessions().map { session in
        try server.store.events(of: session.id).count { recorded in
          StoredMessage(recorded)?.isFromCoach == false
        }
      }
    }

    /// A body with the replies that the client got in the places for them.
    func filled(_ body: JSONValue?) throws -> [UInt8]? {
      guard var text = body?.serialized() else { return nil }
      for (index, reply) in replies.enumerated() {
        let json = JSONValue.string(reply).serialized().dropFirst().dropLast()
        let beginning = JSONValue.string(String(reply.prefix(12))).serialized().dropFirst()
          .dropLast()
        text = text.replacing("REPLY\(index + 1) begins", with: beginning)
          .replacing("REPLY\(index + 1)", with: json)
      }
      return Array(text.utf8)
    }

    mutating func send(_ request: ClientRecording.Request) async throws -> Client.Answer {
      let answer = try await server.client.send(
        request.method, request.path, request.headers, body: filled(request.body)
      ) { reply in
        let text = try await reply.text()
        return Client.Answer(status: reply.status, headers: reply.headers, text: text)
      }
      #expect(answer.status == 200, "\(answer.text)")
      return answer
    }

    static func content(_ answer: Client.Answer) throws -> String {
      guard answer.text.hasPrefix("data:") || answer.text.hasPrefix(":") else {
        return answer.json["choices"]?[0]?["message"]?["content"]?.stringValue ?? ""
      }
      return try answer.text.split(separator: "\n").filter { $0.hasPrefix("data: {") }.map { line in
        let chunk = try JSONValue(parsing: String(line.dropFirst("data: ".count)))
        return chunk["choices"]?[0]?["delta"]?["content"]?.stringValue ?? ""
      }.joined()
    }
  }

  @Test(arguments: try ClientRecording.all())
  func aClientsRequestsMeanWhatItMeansByThem(recording: ClientRecording) async throws {
    var chat = try await Chat()
    #expect(recording.requests.count > 2)
    for (number, request) in recording.requests.enumerated() {
      let (before, asked) = (try chat.turns().sorted(), chat.model.requests)
      let answer = try await chat.send(request)
      let (after, said) = (try chat.turns().sorted(), try Chat.content(answer))
      let place = Comment(rawValue: "request \(number + 1): \(said)")
      switch request.kind {
      case "turn":
        let (now, earlier): (Int, Int) = (after.reduce(0, +), before.reduce(0, +))
        #expect(now == earlier + 1, place)
        #expect(after.count == max(1, before.count) && !said.isEmpty, place)
        chat.replies.append(said)
      case "new": #expect(after == (before + [1]).sorted() && !said.isEmpty, place)
      case "repeat": #expect(after == before && said == chat.replies.last, place)
      case "task":
        #expect(after == before && chat.model.requests == asked && !said.isEmpty, place)
        #expect(answer.headers["x-conversation-id"].isEmpty, place)
      default: #expect(answer.json["id"] == "rapport-coach", place)
      }
    }
  }

  // Tasks.

  @Test func aTitleIsThePersonsFirstWordsInTheFormThatIsAskedFor() async throws {
    var chat = try await Chat()
    let webUI = try #require(try ClientRecording.all().first { $0.name == "open-webui.json" })
    _ = try await chat.send(webUI.requests[0])
    chat.replies = ["What gets in the way?"]
    let titles = try await webUI.requests[1...3].asyncMap { request in
      try Chat.content(try await chat.send(request))
    }
    #expect(titles[0] == #"{"title":"I want to run a 10k"}"#)
    #expect(titles[1] == #"{"tags":[]}"# && titles[2] == #"{"follow_ups":[]}"#)
  }

  /// Words of a person that look a little like a task are said to the coach.
  @Test(arguments: [
    "Another coach told me this:\nUSER: I want to swim\nASSISTANT: Buy fins.\nIs that right for me?",
    "What would be a good title for my plan?", "My doctor said: \"title\": [\"rest\"]",
    "Please keep this conversation short, I like answers in ten words",
    "I noted `run a 10k` in my diary", "user: that is what my gym calls me",
    "<b>I want to run</b>",
    "Summarize my week in 50 words, I ran twice in this conversation's time",
  ])
  func whatAPersonSaysIsNoTask(text: String) async throws {
    let chat = try await Chat()
    let first = try await chat.server.client.json(
      .POST, "/v1/chat/completions",
      ["messages": [["role": "user", "content": "I want to run a 10k"]]])
    let reply = try #require(first.json["choices"]?[0]?["message"]?["content"])
    let second = try await chat.server.client.json(
      .POST, "/v1/chat/completions",
      [
        "messages": [
          ["role": "user", "content": "I want to run a 10k"],
          ["role": "assistant", "content": reply], ["role": "user", "content": .string(text)],
        ]
      ])
    #expect(second.status == 200)
    #expect(try chat.turns() == [2])
  }

  // Repeats.

  /// A connection that breaks after its first bytes; the client sends the same again.
  @Test(arguments: [false, true])
  func aMessageThatIsSentAgainIsStoredOnce(isFirst: Bool) async throws {
    let chat = try await Chat()
    var messages: [JSONValue] = [["role": "user", "content": "I want to run a 10k"]]
    if !isFirst {
      let answer = try await chat.server.client.json(
        .POST, "/v1/chat/completions", ["messages": .array(messages)])
      messages.append([
        "role": "assistant",
        "content": answer.json["choices"]?[0]?["message"]?["content"] ?? .null,
      ])
      messages.append(["role": "user", "content": "No time before work"])
    }
    let body: JSONValue = ["stream": true, "messages": .array(messages)]
    chat.model.gate.close()
    try await chat.server.client.send(
      .POST, "/v1/chat/completions", [("content-type", "application/json")],
      body: Array(body.serialized().utf8)
    ) { reply in
      _ = try await reply.next()
      await reply.hangUp()
    }
    // While the reply is being written, and after that.
    async let during = chat.server.client.json(.POST, "/v1/chat/completions", body)
    chat.model.gate.open()
    let first = try await Chat.content(during)
    #expect(!first.isEmpty)
    if !isFirst {
      let after = try await chat.server.client.json(.POST, "/v1/chat/completions", body)
      #expect(try Chat.content(after) == first)
    }
    #expect(try chat.turns() == [isFirst ? 1 : 2])
  }

  @Test func theSameFirstWordsInANewChatBeginANewConversation() async throws {
    let chat = try await Chat()
    for _ in 0..<2 {
      let body: JSONValue = ["messages": [["role": "user", "content": "I want to run a 10k"]]]
      #expect(try await chat.server.client.json(.POST, "/v1/chat/completions", body).status == 200)
    }
    #expect(try chat.turns() == [1, 1])
  }

  @Test func aNamedConversationTakesAnyHistory() async throws {
    let chat = try await Chat()
    let first = try await chat.server.client.json(
      .POST, "/v1/chat/completions",
      ["messages": [["role": "user", "content": "I want to run a 10k"]]])
    let id = try #require(first.headers["x-conversation-id"].first)
    let second = try await chat.server.client.json(
      .POST, "/v1/chat/completions",
      [
        "messages": [
          ["role": "user", "content": "something else"], ["role": "assistant", "content": .null],
          ["role": "function", "content": "x"], ["role": "user", "content": "No time before work"],
        ]
      ], [("x-conversation-id", id)])
    #expect(second.status == 200)
    #expect(try chat.turns() == [2])
  }

  // Ids.

  /// Care is never swallowed: other words under a known id are another message.
  @Test(arguments: ["/ag-ui", "/chat-stream"])
  func otherWordsUnderOneIDAreAnotherMessage(path: String) async throws {
    let chat = try await Chat()
    let conversation = SessionID(rawValue: "c1")
    _ = try await chat.server.store.beginSession(conversation, at: Date())
    func say(_ text: String) async throws -> String {
      let body: JSONValue =
        path == "/ag-ui"
        ? [
          "threadId": "c1", "runId": "r", "state": [:], "tools": [], "context": [],
          "forwardedProps": [:],
          "messages": [["id": "1", "role": "user", "content": .string(text)]],
        ] : ["conversation_id": "c1", "message": .string(text), "client_message_id": "1"]
      let answer = try await chat.server.client.json(.POST, path, body)
      #expect(answer.status == 200, "\(answer.text)")
      return answer.text
    }
    _ = try await say("I want to run a 10k")
    let care = try await say("I don't want to live any more")
    #expect(care.contains("988") || care.contains("emergency"), "\(care)")
    _ = try await say("I want to run a 10k")
    _ = try await say("I don't want to live any more")
    #expect(try chat.turns() == [2])
  }

  @Test func aCountedIDBeginsAnotherConversationWithOtherWords() async throws {
    let chat = try await Chat()
    let first = try await chat.server.client.chat([
      "message": "I want to run a 10k", "client_message_id": "1",
    ])
    let second = try await chat.server.client.chat([
      "message": "I want to swim", "client_message_id": "1",
    ])
    #expect(first.conversation != second.conversation)
    let again = try await chat.server.client.chat([
      "message": "I want to swim", "client_message_id": "1",
    ])
    #expect(again.conversation == second.conversation)
    #expect(try chat.turns() == [1, 1])
  }

  @Test func theFirstMessageMayComeWithAnEmptyOne() async throws {
    let server = try await TestServer(TestFolder())
    let events = try await server.client.chat(["message": "", "first_message": true])
    #expect(events.first("message")?["purpose"] == "greeting")
    let answer = try await server.client.json(
      .POST, "/chat-stream", ["message": "hi", "first_message": true])
    #expect(answer.status == 400)
  }

  // Models and browsers.

  @Test func modelsAreLookedUpByName() async throws {
    let server = try await TestServer(TestFolder())
    let list = try await server.client.json(.GET, "/v1/models")
    let one = try await server.client.json(.GET, "/v1/models/rapport-coach")
    #expect(one.status == 200 && one.json == list.json["data"]?[0])
    let other = try await server.client.json(.GET, "/v1/models/gpt-5")
    #expect(other.status == 404 && other.code == "model_not_found")
    #expect(other.json["error"]?["type"] == "invalid_request_error")
  }

  @Test func aListedPageMaySendTheHeadersThatItsLibraryAdds() async throws {
    var options = ServerOptions.forTests
    options.allowedOrigins = ["http://localhost:3000"]
    let server = try await TestServer(TestFolder(), options: options)
    let asked = "authorization,content-type,x-stainless-lang,x-stainless-retry-count"
    let allowed = try await server.client.json(
      .OPTIONS, "/v1/chat/completions", nil,
      [("origin", "http://localhost:3000"), ("access-control-request-headers", asked)])
    let names = allowed.headers["access-control-allow-headers"].joined()
    #expect(allowed.status == 204 && names.contains("x-stainless-retry-count"))
    #expect(allowed.headers["vary"].joined().contains("Access-Control-Request-Headers"))
    let other = try await server.client.json(
      .OPTIONS, "/v1/chat/completions", nil,
      [("origin", "http://evil.example"), ("access-control-request-headers", asked)])
    #expect(other.status == 403)
  }
}

extension Collection {
  fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows
    -> [Value]
  {
    var values: [Value] = []
    for element in self { values.append(try await transform(element)) }
    return values
  }
}
