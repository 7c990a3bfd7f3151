import CoachServer
import Foundation
import IncrementalJSON
import Intake
import TestSupport
import Testing

/// Suggestions in `rapport chat`, on a terminal and for programs.
@Suite(.serialized, .integration)
struct StarterChatTests {
  private func start(_ household: Household, term: String = "xterm") throws -> PseudoTerminal {
    let terminal = try household.startOnTerminal(
      "chat", "--no-health", "--offline", setting: ["TERM": term])
    try terminal.expect("lose fat · get stronger")
    try terminal.expect("limited time")
    try terminal.expect("You")
    return terminal
  }

  @Test func tabPutsOneSentenceIntoTheLineAndSendsNothing() throws {
    let household = try Household()
    let terminal = try start(household)
    terminal.type("\t")
    try terminal.expect("I want to lose fat")
    // Shift-Tab begins with the last one, and a space keeps it.
    terminal.type(" \u{1B}[Z")
    try terminal.expect("but have an old injury")
    #expect(try Walkthrough.said(household) == [])
    terminal.type(" by june\r")
    try terminal.expect("Coach")
    try terminal.expect("You")
    terminal.type("\u{4}")
    #expect(try terminal.expectExit() == 0)
    #expect(terminal.hasItsModesBack)
    #expect(
      try Walkthrough.said(household) == [
        "I want to lose fat but have an old injury by june"
      ])
  }

  @Test(arguments: [" and I hate running", ", I'm 42"])
  func wordsTypedBehindAPickBelongToIt(words: String) throws {
    let household = try Household()
    let terminal = try start(household)
    terminal.type("\t")
    try terminal.expect("I want to lose fat")
    terminal.type(words + "\r")
    try terminal.expect("Coach")
    try terminal.expect("You")
    terminal.type("\u{4}")
    _ = try terminal.expectExit()
    #expect(try Walkthrough.said(household) == ["I want to lose fat" + words])
  }

  @Test func backspaceWorksOnTheSameLine() throws {
    let household = try Household()
    let terminal = try start(household)
    terminal.type("\t")
    try terminal.expect("I want to lose fat")
    terminal.type("\u{7F}\u{7F}\u{7F}weight\r")
    try terminal.expect("Coach")
    try terminal.expect("for a suggestion")
    try terminal.expect("You")
    terminal.type("3\u{1B}[Z\u{15}4 days\r")
    try terminal.expect("Coach")
    try terminal.expect("You")
    terminal.type("\u{4}")
    _ = try terminal.expectExit()
    #expect(try Walkthrough.said(household) == ["I want to lose weight", "4 days"])
  }

  @Test(arguments: ["xterm", "dumb"])
  func digitsAreTyped(term: String) throws {
    let household = try Household()
    let terminal = try start(household, term: term)
    terminal.type("3 times a week\r")
    try terminal.expect("Coach")
    try terminal.expect("You")
    terminal.type("\u{4}")
    _ = try terminal.expectExit()
    #expect(try Walkthrough.said(household) == ["3 times a week"])
  }

  @Test func keysThatDoNothingTypeNothing() throws {
    let household = try Household()
    let terminal = try start(household)
    let words = String(repeating: "a", count: 40)
    // Shift-Tab with no suggestion left; Alt with a digit repeats no key and types none.
    terminal.type(words + "\u{1B}[Z\u{1B}2b\r")
    try terminal.expect("Coach")
    try terminal.expect("You")
    terminal.type("\u{4}")
    _ = try terminal.expectExit()
    #expect(try Walkthrough.said(household) == [words + "b"])
  }

  @Test func aNewWindowSizeFitsThemAnew() throws {
    let household = try Household()
    let terminal = try start(household)
    for columns in [40, 80] {
      let before = terminal.output.count
      terminal.resize(columns: UInt16(columns), rows: 24)
      try terminal.expect("always tired")
      try terminal.expect("You")
      let drawn = String(decoding: terminal.output[before...], as: UTF8.self)
        .replacing(/\u{1B}\[[0-9;?]*[A-Za-z]/, with: "")
      let widest = drawn.split(whereSeparator: \.isNewline).map(\.count).max() ?? 0
      #expect(widest < columns && widest > columns / 2, "\(drawn)")
    }
  }

  @Test func theyGoWhenSomebodyHasTheirOwnWords() throws {
    let household = try Household()
    let terminal = try start(household)
    terminal.type(String(repeating: "a", count: 39))
    try terminal.expect("a")
    terminal.type("b")
    // The lines above the prompt are cleared: up over five of them.
    try terminal.expect("\u{1B}[5A\u{1B}[K\u{1B}[B\u{1B}[J\u{1B}[A")
    terminal.type("\t\r")
    try terminal.expect("Coach")
    terminal.type("\u{4}")
    _ = try terminal.expectExit()
    #expect(try Walkthrough.said(household) == [String(repeating: "a", count: 39) + "b"])
  }

  @Test func menusKeepTheirNumbers() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    let terminal = try household.startOnTerminal(
      "chat", "--no-health", "--base-url", model.baseURL, "--model", CoachServer.modelName)
    try terminal.expect("lose fat")
    for line in Walkthrough.lines.prefix(4) {
      try terminal.expect("You")
      terminal.type(line + "\r")
    }
    try terminal.expect("[1] Let's go")
    try terminal.expect("You")
    terminal.type("1\r")
    try terminal.expect("[1] Continue")
    for slip in ["3", "contineu"] {
      try terminal.expect("You")
      terminal.type(slip + "\r")
      try terminal.expect("[1] Continue")
    }
    try terminal.expect("You")
    terminal.type("1\r")
    try terminal.expect("Coach")
    terminal.type("\u{4}")
    _ = try terminal.expectExit()
    #expect(try Walkthrough.said(household).suffix(3) == ["Let's go", "3", "contineu"])
  }

  @Test func whatIsNoAnswerToThePaywallIsKept() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    let lines = Walkthrough.lines.prefix(4) + ["1", "keep this", "not today, thanks", "and this"]
    let result = try household.run(
      "chat", "--no-health", "--base-url", model.baseURL, "--model", CoachServer.modelName,
      typing: lines.joined(separator: "\n") + "\n")
    #expect(result.status == 0, "\(result.errors)")
    let held = try Walkthrough.events(household).compactMap { recorded in
      if case .messageHeld(let message) = recorded.event { message.text } else { nil }
    }
    #expect(held == ["keep this", "and this"])
  }

  @Test func programsGetRecordsThatBelongToTheLastMessage() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    let child = try household.start([
      "chat", "--no-health", "--json", "--base-url", model.baseURL, "--model",
      CoachServer.modelName,
    ])
    func starters() throws -> JSONValue {
      while let line = child.readLine() {
        let record = try JSONValue(parsing: line)
        if record["type"]?.stringValue == "starters" { return record }
      }
      throw ChildProcess.Failure(description: "no starters")
    }
    let first = try starters()
    #expect(first["source"]?.stringValue == "generic" && first["turn"]?.intValue == 0)
    #expect(first["categories"]?.arrayValue?.count == 3)
    child.write("I want to lose weight\n")
    // The server knows nothing of suggestions, so its answer is of no use.
    let second = try starters()
    #expect(second["turn"]?.intValue == 1)
    child.closeInput()
    _ = child.readRest()
    #expect(child.wait() == 0)
    #expect(try Walkthrough.said(household) == ["I want to lose weight"])
    let pipe = try household.run(
      "chat", "--no-health", "--new", "--base-url", model.baseURL, "--model", CoachServer.modelName,
      typing: "hi\n"
    )
    #expect(!pipe.output.contains("lose fat") && !pipe.errors.contains("lose fat"))
  }
}
