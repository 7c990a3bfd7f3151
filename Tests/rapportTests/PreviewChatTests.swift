import Cassettes
import Foundation
import HTTPStreaming
import Intake
import LanguageModels
import MockServer
import Synchronization
import TestSupport
import Testing

/// Drafts that are read while they are typed, through the built program on a terminal.
@Suite(.serialized, .integration)
struct PreviewChatTests {
  private static let words =
    "drop about 20 lbs by june so i can keep up with my kids. no time though"

  private func start(
    _ household: Household, _ model: WatchedCoach, _ options: String...
  ) throws -> PseudoTerminal {
    let terminal = try PseudoTerminal(
      ["chat", "--no-health", "--base-url", model.baseURL, "--model", BuiltInCoach.modelName]
        + options,
      environment: household.environment.merging(["TERM": "xterm"]) { $1 }, program: "rapport",
      folder: household.folder, columns: 500)
    try terminal.expect("lose fat")
    try terminal.expect("You")
    return terminal
  }

  private func leave(_ terminal: PseudoTerminal) throws {
    try terminal.expect("Coach")
    try terminal.expect("You")
    terminal.type("\u{4}")
    #expect(try terminal.expectExit() == 0)
  }

  @Test func insightShowsWhatADraftSaysAndNoRequestGoesOut() async throws {
    let model = try await WatchedCoach()
    defer { model.stop() }
    let household = try Household()
    let terminal = try start(household, model, "--insight")
    terminal.type(Self.words)
    // In the right margin, before anything is sent.
    try terminal.expect("+ what you want to achieve")
    #expect(try Walkthrough.inputs(household) == 0)
    #expect(model.scorings == 0)
    terminal.type("\r")
    try leave(terminal)
    #expect(model.scorings == 1)
  }

  @Test func theMarginIsOfTheLineAsItStands() async throws {
    let model = try await WatchedCoach()
    defer { model.stop() }
    let household = try Household()
    let terminal = try start(household, model, "--insight")
    terminal.type(Self.words)
    try terminal.expect("+ what you want to achieve")
    terminal.type("\u{15}hm")
    try terminal.expect("hm")
    let shown = terminal.screen
    let cleared = try #require(shown.ranges(of: "\u{1B}[J").last)
    #expect(!shown[cleared.upperBound...].contains("what you want"))
    terminal.type("\u{15}\u{4}")
    #expect(try terminal.expectExit() == 0)
  }

  @Test func itCanBeSwitchedOff() async throws {
    let model = try await WatchedCoach()
    defer { model.stop() }
    let household = try Household()
    household.environment["RAPPORT_PREVIEW"] = "maybe"
    let refused = try household.run("chat", "--no-health", "--offline", typing: "")
    #expect(refused.status == 78)
    #expect(refused.errors.contains("must be on or off"))
    household.environment["RAPPORT_PREVIEW"] = "off"
    #expect(try household.run("config").output.contains("RAPPORT_PREVIEW"))
  }
}

/// The scripted coach, which counts how often it is asked to score.
private final class WatchedCoach: Sendable {
  private let server: MockServer

  init() async throws {
    var options = ModelAPI.Options()
    options.takesAnyModel = true
    let api = ModelAPI(script: try BuiltInCoach.script(), options: options)
    let seen = Counter()
    server = try await MockServer { request in
      if String(decoding: request.body, as: UTF8.self).contains("newUserTurns") {
        seen.increment()
      }
      return api.answer(request)
    }
    count = seen
  }

  private final class Counter: Sendable {
    private let value = Mutex(0)
    func increment() { value.withLock { $0 += 1 } }
    var now: Int { value.withLock(\.self) }
  }

  private let count: Counter

  var baseURL: String { server.baseURL }
  var scorings: Int { count.now }
  func stop() { server.stop() }
}
