import Foundation
import IncrementalJSON
import TestSupport
import Testing

/// `rapport start` on a terminal, key by key.
@Suite(.serialized, .integration)
struct StartKeysTests {
  /// Where a process that was just started shows the journey.
  private func step(_ household: Household) throws -> String? {
    let shown = try household.run(["start", "--json"], typing: "")
    return try JSONValue(parsing: shown.output)["step"]?.stringValue
  }

  @Test func keysChooseStepAndGoBack() throws {
    let household = try Household()
    let terminal = try household.startOnTerminal("start", "trainer-structured", "--offline")
    try terminal.expect("I'm your trainer.")
    // There's no tip here, and a question mark is no answer.
    terminal.type("?\r")
    try terminal.expect("A program is only as good")
    terminal.type("\u{1B}")
    try terminal.expect("I'm your trainer.")
    terminal.type("\r")
    try terminal.expect("A program is only as good")
    terminal.type(" ")
    try terminal.expect("So I'll ask you some questions.")
    terminal.type("\r")
    try terminal.expect("Ready when you are.")
    terminal.type("\r")
    try terminal.expect("What should I call you?")
    terminal.type("?\r")
    try terminal.expect("? Your first name or a nickname")
    terminal.type("Kim\r")
    try terminal.expect("How old are you?")
    terminal.type("\u{1B}[A")
    try terminal.expect("+")
    terminal.type("41\r")
    // Enter alone chooses nothing.
    try terminal.expect("  [1] Woman")
    terminal.type("\r")
    try terminal.expect("Please choose one of these.")
    terminal.type("\u{1B}[B\u{1B}[B")
    try terminal.expect("> [2] Man")
    terminal.type("<")
    try terminal.expect("41 ")
    // An earlier answer stands in the line; `<` behind it still goes back.
    terminal.type("<")
    try terminal.expect("Kim")
    terminal.type("<\r")
    try terminal.expect("Ready when you are.")
    terminal.type("\r")
    try terminal.expect("Kim")
    terminal.type("\r")
    try terminal.expect("41 ")
    terminal.type("\u{3}")
    try terminal.expect("`rapport start trainer-structured --offline` picks up")
    #expect(try terminal.expectExit() == 0)
    #expect(try step(household) == "age")
  }

  /// Where a line is typed, Esc goes back and Ctrl-C leaves, whatever stands in it.
  @Test func escapeAndControlCWorkBesideAHalfTypedLine() throws {
    let household = try Household()
    let terminal = try household.startOnTerminal("start", "matador", "--offline")
    try terminal.expect("[1]")
    terminal.type("1\r")
    try terminal.expect("Esc, or < and Enter: back")
    terminal.type("21")
    try terminal.expect("21")
    terminal.type("\u{1B}")
    try terminal.expect("[1]")
    terminal.type("1\r")
    try terminal.expect("1800 kcal")
    terminal.type("21\u{3}")
    #expect(try terminal.expectExit() == 0)
    #expect(try step(household) == "calories")
  }

  /// The words stay where they appeared: the window is cleared once, and no row runs into the next.
  @Test func theWelcomeIsDrawnOnce() throws {
    let household = try Household()
    let terminal = try PseudoTerminal(
      ["start", "trainer", "--offline"],
      environment: household.environment.merging(["TERM": "xterm"]) { $1 }, program: "rapport",
      folder: household.folder, columns: 80)
    try terminal.expect("Any key shows the rest at once.")
    try terminal.expect("Begin Your Journey")
    let screen = terminal.screen
    #expect(screen.matches(of: #/\u{1B}\[2J/#).count == 1)
    let rows = screen.replacing(#/\u{1B}\[[0-9;]*[HB]/#, with: "\n")
    let plain = rows.replacing(#/\u{1B}\[[0-9;?]*[A-Za-z]/#, with: "")
    for line in plain.split(whereSeparator: \.isNewline) where line.contains("what") {
      #expect(line.count <= 80 && line.last != " ", "\(line)")
    }
    terminal.type("\u{3}")
    _ = try terminal.expectExit()
  }

  private static let optional = """
    {"name": "hello", "version": 1, "title": "Try", "steps": [
      {"id": "hi", "kind": "explainer", "title": "Hello"},
      {"id": "squat", "kind": "select", "field": "squat", "optional": true, "title": "And squats?",
        "back": {"ask": "Really go back?"},
        "options": [{"id": "deep", "label": "Deep"}, {"id": "half", "label": "Halfway"}]},
      {"id": "talk", "kind": "conversation", "title": "Let's talk", "ends": "summary",
        "info": "So that I know what you want.", "next": "end"}]}
    """

  private func household(with journey: String) throws -> Household {
    let household = try Household()
    let pack = household.folder + "/mine"
    try FileManager.default.copyItem(
      atPath: Fixtures.root.appending(path: "Prompts/fitness").path, toPath: pack)
    try household.write(journey, to: "mine/journeys/hello.json")
    return household
  }

  /// What was chosen before the question is still chosen after "No", and a question that is open when the
  /// program is killed is asked again.
  @Test func whatWasChosenSurvivesAQuestion() throws {
    let household = try household(with: Self.optional)
    let terminal = try household.startOnTerminal("start", "hello", "--prompts", "mine", "--offline")
    try terminal.expect("Hello")
    terminal.type("\r")
    try terminal.expect("And squats?")
    terminal.type("2")
    try terminal.expect("> [2] Halfway")
    terminal.type("\u{1B}")
    try terminal.expect("Really go back?")
    // Enter takes the one that loses nothing.
    terminal.type("\r")
    try terminal.expect("> [2] Halfway")
    terminal.type("\u{1B}")
    try terminal.expect("Really go back?")
    terminal.type("\u{3}")
    #expect(try terminal.expectExit() == 0)
    let asked = try household.run(
      ["start", "hello", "--prompts", "mine", "--offline", "--json"], typing: "")
    #expect(try JSONValue(parsing: asked.output)["kind"] == "confirmation", "\(asked)")
  }

  /// In a conversation, too, a question mark alone shows the tip; without one it's a message.
  @Test func aQuestionMarkInAConversationShowsItsTip() throws {
    let talk = ["start", "hello", "--prompts", "mine", "--offline"]
    let told = try household(with: Self.optional).run(talk, typing: "\n\n?\n")
    #expect(told.errors.contains("So that I know what you want."), "\(told)")
    let plain = Self.optional.replacing(#""info": "So that I know what you want.", "#, with: "")
    let sent = try household(with: plain)
    _ = try sent.run(talk, typing: "\n\n?\n")
    #expect(try sent.run("sessions", "show").output.contains("**You:** ?\n"))
  }
}
