import Cassettes
import Foundation
import IncrementalJSON
import LanguageModels
import MockServer
import Synchronization
import Terminal
import TestSupport
import Testing
import WireFormats

/// `rapport test --live`, as a process against a real socket.
@Suite(.integration)
struct LiveTestTests {
  @Test func theTableSaysWhatChangedAndTheTotalsWhatItComesTo() async throws {
    let server = try await Coach.server()
    let household = try Household()
    let run = try household.run(Coach.arguments(server, "--filter", "organ-loft"))
    await server.shutdown()
    #expect(run.status == 0, "\(run.errors)")
    let row = try #require(run.output.split(separator: "\n").first { $0.hasPrefix("happy-path/") })
    #expect(row.contains("4 → –"))
    #expect(run.output.contains("left: recorded   right: coach-1"))
    #expect(run.output.contains("1 conversation compared"))
    #expect(run.output.contains("turns to ready (median)   4         –"))
  }

  @Test func detailsLayQuestionsAndSynthesesBesideEachOther() async throws {
    let server = try await Coach.server()
    let household = try Household()
    let run = try household.run(Coach.arguments(server, "--filter", "organ-loft", "--verbose"))
    await server.shutdown()
    #expect(run.output.contains("− goalClarity.outcome"))
    #expect(run.output.contains("│ goalClarity + obstacles: Question of coach-1"))
    #expect(run.output.contains("(none was made)"))
  }

  @Test(arguments: [40, 60, 80, 132])
  func noLineIsWiderThanTheWindow(columns: UInt16) async throws {
    let server = try await Coach.server()
    let household = try Household()
    let terminal = try PseudoTerminal(
      Coach.arguments(server, "--tag", "correction", "--verbose"),
      environment: household.environment.merging(["NO_COLOR": "1"]) { $1 }, program: "rapport",
      folder: household.folder, columns: columns)
    #expect(try terminal.expectExit() == 0)
    await server.shutdown()
    let lines = terminal.screen.split(separator: "\r\n").map(String.init)
    #expect(lines.contains { $0.hasPrefix("corr") })
    #expect(lines.filter { displayWidth(of: $0) > Int(columns) } == [])
  }

  @Test func recordsAreWholeAndASummaryComesLast() async throws {
    let server = try await Coach.server()
    let household = try Household()
    let run = try household.run(
      Coach.arguments(server, "--tag", "happy-path", "--json", "-j", "2"))
    await server.shutdown()
    let records = try run.output.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
    #expect(records.count == 3)
    #expect(records.dropLast().allSatisfy { $0["status"]?.stringValue == "compared" })
    #expect(records.first?["right"]?["questions"]?[0]?["components"]?.arrayValue?.isEmpty == false)
    #expect(records.last?["compared"]?.intValue == 2)
    #expect(records.last?["right"]?["ready"]?.intValue == 0)
  }

  @Test func thePageHoldsBothSidesAndNothingThatTheModelSaysBecomesMarkup() async throws {
    let server = try await Coach.server(remark: "<script>alert(1)</script>")
    let household = try Household()
    let run = try household.run(
      Coach.arguments(server, "--filter", "organ-loft", "--html", "out.html"))
    await server.shutdown()
    #expect(run.status == 0, "\(run.errors)")
    let page = try String(contentsOfFile: household.folder + "/out.html", encoding: .utf8)
    #expect(!page.contains("<script"))
    #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
    #expect(page.contains("Eighty-four steps"))
    #expect(page.contains("prefers-color-scheme:dark"))
    #expect(!page.contains("http://") && !page.contains("https://"))
  }

  @Test func twoModelsAreHeldAgainstEachOther() async throws {
    let server = try await Coach.server()
    let household = try Household()
    let run = try household.run(
      Coach.arguments(server, "--filter", "organ-loft", "--against-model", "coach-2", "--verbose"))
    await server.shutdown()
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("left: coach-1   right: coach-2"))
    #expect(run.output.contains("Question of coach-1"))
    #expect(run.output.contains("Question of coach-2"))
  }

  @Test func twoPromptVersionsAreHeldAgainstEachOther() async throws {
    let systems = Mutex<Set<String>>([])
    let server = try await Coach.server { content in
      if content.system.contains("ONE question") { systems.withLock { _ = $0.insert("old") } }
      if content.system.contains("SINGLE question") { systems.withLock { _ = $0.insert("new") } }
    }
    let household = try Household()
    let shipped = try CaseFile.packageRoot().appending(path: "Prompts/fitness").path
    try FileManager.default.copyItem(atPath: shipped, toPath: household.folder + "/mine")
    let ask = try CaseFile.packageRoot().appending(path: "Prompts/shared/prompts/ask.mustache").path
    let text = try String(contentsOfFile: ask, encoding: .utf8)
    try household.write(
      text.replacingOccurrences(of: "ONE question", with: "SINGLE question"),
      to: "mine/prompts/ask.mustache")
    let run = try household.run(
      Coach.arguments(server, "--filter", "organ-loft", "--prompts", shipped, "--against", "mine"))
    await server.shutdown()
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("right: mine"))
    #expect(systems.withLock { $0 } == ["old", "new"])
  }

  @Test func oneFailureIsToldAndTheOthersGoOn() async throws {
    let server = try await Coach.server(refusing: "84 steps")
    let household = try Household()
    let run = try household.run(Coach.arguments(server, "--tag", "happy-path"))
    await server.shutdown()
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("✗ happy-path/organ-loft  coach-1: "))
    #expect(run.output.contains("1 conversation compared, 1 not completed"))
  }

  @Test func whereNoConversationCanBeHadTheExitCodeSaysSo() async throws {
    let server = try await Coach.server(refusing: "")
    let household = try Household()
    let run = try household.run(Coach.arguments(server, "--filter", "organ-loft"))
    await server.shutdown()
    #expect(run.status == 69, "\(run.errors)")
  }

  @Test func withoutAKeyItSaysHowToSetOne() throws {
    let household = try Household()
    let run = try household.run(["test", "--live", try Coach.fixtures()])
    #expect(run.status == 78)
    #expect(run.errors.contains("rapport setup"))
  }

  @Test func nothingIsStored() async throws {
    let server = try await Coach.server()
    let household = try Household()
    _ = try household.run(Coach.arguments(server, "--filter", "organ-loft"))
    await server.shutdown()
    #expect(try household.files().isEmpty)
  }

  @Test(arguments: [
    ["--against", "x"], ["--against-model", "m"], ["--html", "x"], ["--model", "m"],
    ["--live", "--wire"], ["--live", "--update"], ["--live", "--strict"],
    ["--live", "--repeat", "2"], ["--live", "--junit", "x"], ["--live", "--speed", "recorded"],
    ["--live", "--watch"], ["--live", "--check-secrets"], ["--live", "--fail-fast"],
    ["--live", "--against", "x", "--against-model", "m"], ["--live", "--json", "--verbose"],
  ])
  func whatMeansNothingTogetherIsRefused(_ options: [String]) throws {
    let run = try Household().run(["test"] + options)
    #expect(run.status == 64, "\(run.errors)")
  }

  @Test func controlCEndsWithWhatThereIs() async throws {
    let hangs = Counter()
    let server = try await Coach.server(hangingOn: "84 steps", hangs)
    let household = try Household()
    let child = try household.start(
      Coach.arguments(server, "--tag", "happy-path", "--json", "-j", "2"))
    // The other one is whole by the time its record can be read.
    let record = try JSONValue(parsing: try #require(child.readLine()))
    await hangs.reaches(1)
    kill(child.pid, SIGINT)
    let rest = child.readRest()
    #expect(child.wait() == 130)
    await server.shutdown()
    #expect(record["name"]?.stringValue == "happy-path/bell-ringer-and-the-bluff")
    #expect(try JSONValue(parsing: rest)["compared"]?.intValue == 1)
  }
}

/// A coach that finds nothing and asks its question.
private enum Coach {
  static func fixtures() throws -> String {
    try CaseFile.packageRoot().appending(path: "Fixtures/conversations").path
  }

  static func arguments(_ server: MockServer, _ more: String...) throws -> [String] {
    [
      "test", "--live", try fixtures(), "--base-url", server.baseURL, "--model", "coach-1",
    ] + more
  }

  static func server(
    remark: String = "", refusing word: String? = nil, hangingOn silent: String? = nil,
    _ hangs: Counter = Counter(), seen: @escaping @Sendable (RequestContent) -> Void = { _ in }
  ) async throws -> MockServer {
    try await MockServer { request in
      guard let content = try? RequestContent(parsing: request.body, format: .openAI) else {
        return answer(RecordedResponse(status: 404, content: .body("{}")), "")
      }
      seen(content)
      let said = content.conversation.joined(separator: "\n")
      if let word, word.isEmpty || said.contains(word) {
        return answer(RecordedResponse(status: 401, content: .body("{}")), "")
      }
      if let silent, said.contains(silent) {
        hangs.increment()
        return answer(
          RecordedResponse(content: .frames([]), ending: .held), content.model)
      }
      let text =
        content.structure == nil
        ? "Question of \(content.model)? \(remark)"
        : #"{"evidence":[],"retracted":[],"care":"none"}"#
      return .delivery(
        Delivery(
          RecordedResponse(content: .answer(ModelAnswer(.text(text)))), format: .openAI,
          model: content.model, isStreaming: content.isStreaming))
    }
  }

  private static func answer(_ response: RecordedResponse, _ model: String) -> MockAnswer {
    .delivery(Delivery(response, format: .openAI, model: model))
  }
}
