import CoachServer
import Foundation
import IncrementalJSON
import TestSupport
import Testing

/// `chat --log`, `--verbose` and `--quiet`.
@Suite(.serialized, .integration)
struct LogTests {
  private static let key = "sk-log-abcdefghijklmnopqrstuvwxyz"
  private static let words = "I want to run a 10k by June"

  private func talk(_ household: Household, _ model: CoachServer, _ options: String...) throws
    -> RunResult
  {
    household.environment["RAPPORT_API_KEY"] = Self.key
    household.environment["RAPPORT_BASE_URL"] = model.baseURL
    household.environment["RAPPORT_MODEL"] = CoachServer.modelName
    return try household.run(
      ["chat", "--no-health"] + options, typing: "\(Self.words), my key is \(Self.key)\n")
  }

  private func records(_ household: Household) throws -> [JSONValue] {
    try String(contentsOfFile: household.folder + "/log.jsonl", encoding: .utf8)
      .split(separator: "\n").map { try JSONValue(parsing: String($0)) }
  }

  @Test func aLogTellsOfEveryRequestButNoWords() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    let result = try talk(household, model, "--log", "log.jsonl")
    #expect(result.status == 0, "\(result.errors)")
    let records = try records(household)
    let sent = records.filter { $0["event"]?.stringValue == "sent" }
    let answered = records.filter { $0["event"]?.stringValue == "answered" }
    // The question begins while the message is being read.
    #expect(sent.compactMap { $0["purpose"]?.stringValue }.sorted() == ["ask", "greet", "score"])
    #expect(answered.compactMap { $0["request"]?.intValue }.sorted() == [1, 2, 3])
    for record in answered {
      #expect(record["status"]?.intValue == 200)
      #expect(record["requestID"]?.stringValue?.isEmpty == false)
      #expect(record["inputTokens"]?.intValue != nil && record["outputTokens"]?.intValue != nil)
      #expect(record["time"]?.stringValue?.hasSuffix("Z") == true)
    }
    let text = records.map { $0.serialized() }.joined()
    for secret in [Self.key, Self.words, "10k"] { #expect(!text.contains(secret)) }
    let attributes = try FileManager.default.attributesOfItem(
      atPath: household.folder + "/log.jsonl")
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func wordsAreLoggedOnRequestAndTheKeyNever() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    _ = try talk(household, model, "--log", "log.jsonl", "--log-content")
    let text = try records(household).map { $0.serialized() }.joined()
    #expect(
      text.contains(Self.words) && text.contains("What would you like to change?"),
      "\(text.suffix(2_000))")
    #expect(!text.contains(Self.key))
  }

  @Test func aFailureIsLoggedWithItsKind() async throws {
    let model = try await CoachServer()
    let household = try Household()
    model.stop()
    let result = try talk(household, model, "--log", "log.jsonl")
    #expect(result.status == 69)
    let failed = try records(household).filter { $0["event"]?.stringValue == "failed" }
    #expect(failed.first?["kind"]?.stringValue == "unreachable")
  }

  @Test func aLogThatCannotBeWrittenIsSaidBeforeAnythingIsSent() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    let result = try talk(household, model, "--log", "missing/log.jsonl")
    #expect(result.status == 73)
    #expect(result.errors.contains("Nothing has been said or sent yet."))
    #expect(model.requests.isEmpty)
  }

  @Test func verboseShowsEachRequestAndQuietNothingBesideTheConversation() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let verbose = try talk(try Household(), model, "--verbose")
    #expect(verbose.errors.contains("[greet, \(CoachServer.modelName), "), "\(verbose.errors)")
    #expect(verbose.errors.contains(" tokens in, "))
    let quiet = try talk(try Household(), model, "--quiet")
    #expect(quiet.errors == "")
    #expect(quiet.output == verbose.output)
  }
}
