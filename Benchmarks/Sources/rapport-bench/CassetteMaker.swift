import Cassettes
import ContextQuality
import Foundation
import HTTPStreaming
import IncrementalJSON
import Intake
import LanguageModels
import RapportTesting
import Synchronization
import WireFormats

/// Makes cassettes of a given size from the labeled conversations: the users' words one
/// conversation after the other, with the labels as the scorer's evidence.
struct CassetteMaker {
  /// A labeled user turn: what was said, and the facets it makes known with their quotes.
  private struct Said {
    var text: String
    var evidence: [(facet: String, quote: String)]
  }

  private let said: [Said]
  private let pack: PromptPack

  init(labels path: String) throws {
    pack = try PromptPack.embedded()
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    said = try lines.flatMap { line in
      let record = try JSONValue(parsing: String(line))
      let facets = record["facets"]?.objectValue ?? [:]
      let texts = (record["messages"]?.arrayValue ?? [])
        .filter { $0["role"]?.stringValue == "user" }
        .compactMap { $0["content"]?.stringValue }
      return texts.enumerated().map { index, text in
        Said(
          text: text,
          evidence: facets.compactMap { facet, label in
            guard label["turn"]?.intValue == index + 1, let quote = label["quote"]?.stringValue
            else {
              return nil
            }
            return (facet, quote)
          })
      }
    }
  }

  /// Writes so many conversations, which have so many user turns between them.
  func write(to folder: String, conversations: Int, turns: Int) async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var next = 0
    for number in 0..<conversations {
      let count = turns * (number + 1) / conversations - turns * number / conversations
      let script = (0..<count).map { said[(next + $0) % said.count] }
      next += count
      let cassette = try await cassette(script, "Conversation \(number + 1)")
      try Data(cassette.text.utf8).write(
        to: URL(filePath: folder + "/conversation-\(number + 1).json"))
    }
  }

  private func cassette(_ script: [Said], _ title: String) async throws -> Cassette {
    // Never ready and never at an end, so that every turn is scored and answered.
    var settings = Cassette.Settings()
    (settings.readyAbove, settings.maxTurns, settings.timeLimit) = (10_000, 10_000, 1_000_000)
    let server = LabelServer(script.map(\.evidence))
    let draft = Cassette(
      title: title, tags: ["benchmark"], rubricVersion: pack.rubric.version, settings: settings,
      script: script.map { Cassette.Step(.say($0.text)) })
    let runner = ConversationRunner(pack: pack, matching: .purpose)
    _ = await runner.run(draft, over: server)
    var played = draft
    played.exchanges = server.exchanges
    let keyed = played.completed(by: await runner.run(played), pack: pack)
    return keyed.expecting(await ConversationRunner(pack: pack).run(keyed))
  }
}

/// Answers as the labels say, and keeps its answers.
private final class LabelServer: HTTPTransport {
  private let labels: [[(facet: String, quote: String)]]
  private let answered = Mutex<[Exchange]>([])

  init(_ labels: [[(facet: String, quote: String)]]) { self.labels = labels }

  var exchanges: [Exchange] { answered.withLock(\.self) }

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let purpose = request.purpose.flatMap(RequestPurpose.init(rawValue:))
    let content: RequestContent
    do { content = try RequestContent(parsing: request.body, format: .openAI) } catch {
      throw HTTPError(.refusedURL, "\(error)")
    }
    let exchange = Exchange(
      purpose: purpose, response: RecordedResponse(content: .answer(answer(purpose, content))))
    answered.withLock { $0.append(exchange) }
    let cassette = Cassette(title: "", rubricVersion: 1, exchanges: [exchange])
    return try await ReplayTransport(CassettePlayer(cassette, matching: .purpose)).send(request)
  }

  private func answer(_ purpose: RequestPurpose?, _ content: RequestContent) -> ModelAnswer {
    guard purpose == .score else {
      return ModelAnswer(
        .text(
          "That helps, thank you. When in a normal week could you make room for it, and what "
            + "would you rather never do again, however good it is said to be?"))
    }
    let turn = content.userWords.count
    let items = labels[turn - 1].map { label -> JSONValue in
      [
        "facet": .string(label.facet), "turn": JSONValue(turn), "quote": .string(label.quote),
        "mark": "none", "corrects": "",
      ]
    }
    return ModelAnswer(
      .json([
        "evidence": .array(items), "stated": [], "care": ["kind": "none", "quote": ""], "acts": [],
      ]))
  }
}
