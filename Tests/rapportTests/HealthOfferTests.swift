import CoachServer
import Intake
import SessionStore
import TestSupport
import Testing

/// The offer to look at health data, at a first conversation on a terminal.
@Suite(.serialized, .integration)
struct HealthOfferTests {
  private func start(_ household: Household, _ model: CoachServer) throws -> PseudoTerminal {
    try household.startOnTerminal(
      "chat", "--base-url", model.baseURL, "--model", CoachServer.modelName, offersHealth: true)
  }

  private func offered(_ household: Household, _ model: CoachServer) throws -> PseudoTerminal {
    let terminal = try start(household, model)
    try terminal.expect(
      "I can look at an Apple Health export before we start. /health tells you more.")
    try terminal.expect("[1] Connect   [2] Skip:")
    return terminal
  }

  private func leave(_ terminal: PseudoTerminal) throws {
    terminal.type("\u{4}")
    #expect(try terminal.expectExit() == 0)
  }

  @Test func theOfferComesOnceAndASkipIsRespected() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    let first = try offered(household, model)
    first.type("2\r")
    try first.expect("OK, we'll continue without it.")
    try first.expect("You")
    try leave(first)
    let second = try start(household, model)
    try second.expect("You")
    second.type("/health\r")
    try second.expect("You opted out of health data")
    try leave(second)
    #expect(!second.screen.contains("I can look at an Apple Health export"))
  }

  /// A pack that has no use for health data neither offers to read them nor lists the command.
  @Test func aPackWithoutReadingsOffersNothing() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    // Its folder goes with it.
    defer { withExtendedLifetime(household) {} }
    let terminal = try household.startOnTerminal(
      "chat", "--base-url", model.baseURL, "--model", CoachServer.modelName, "--prompts", "life",
      offersHealth: true)
    try terminal.expect("You")
    terminal.type("/help\r")
    try terminal.expect("/goals")
    try terminal.expect("You")
    try leave(terminal)
    #expect(!terminal.screen.lowercased().contains("health"), "\(terminal.screen)")
  }

  @Test func whoeverConnectsIsGreetedWithWhatWasSeen() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    try household.write(HealthChatTests.snapshot(), to: "My Data/s.json")
    let terminal = try offered(household, model)
    terminal.type("1\r")
    try terminal.expect("Where is it?")
    terminal.type("nowhere.zip\r")
    try terminal.expect("No such file")
    terminal.type("~/My\\ Data/s.json\r")
    try terminal.expect("I've had a look at your health data")
    try terminal.expect("You")
    terminal.type("/health\r")
    try terminal.expect("What I see")
    try terminal.expect("You walk about 7,400 steps a day")
    try terminal.expect("Sleep a night: 6 h 24 min")
    try leave(terminal)
    #expect(model.requests.last?.text.contains("7,400 steps a day") == true)
  }

  @Test func wordsThatAreNoAnswerBeginTheConversation() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    let terminal = try offered(household, model)
    terminal.type("~/export.zpi.zip\r")
    try terminal.expect("No such file")
    terminal.type("hm\r")
    try terminal.expect("Type 1 to let me look, or 2 to skip.")
    terminal.type("I want to run again by spring\r")
    try terminal.expect("What you wrote is on the line below")
    try terminal.expect("You")
    try terminal.expect("I want to run again by spring")
    terminal.type("\r")
    try terminal.expect("Coach")
    try terminal.expect("You")
    try leave(terminal)
    #expect(try Walkthrough.said(household) == ["I want to run again by spring"])
  }

  @Test func commandsWorkBeforeTheConversationHasStarted() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    let terminal = try offered(household, model)
    terminal.type("/help\r")
    try terminal.expect("/forget")
    terminal.type("/health\r")
    try terminal.expect("Export All Health Data")
    terminal.type("/again\r")
    try terminal.expect("We haven't started yet")
    terminal.type("/hlep\r")
    try terminal.expect("I don't know /hlep.")
    terminal.type("/quit\r")
    #expect(try terminal.expectExit() == 0)
    #expect(try SessionStore(path: household.store).health() == nil)
  }

  @Test(arguments: ["", "/health "])
  func tabCompletesThePath(before: String) async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    try household.write(HealthChatTests.snapshot(), to: "My Data/snapshot one.json")
    try household.write("", to: "My Data/snapshot.txt")
    try household.write("", to: "My Data/older.json")
    let terminal = try offered(household, model)
    terminal.type("\(before)~/My\t\t")
    try terminal.expect("older.json  snapshot one.json")
    terminal.type("s\t")
    try terminal.expect("snapshot\\ one.json")
    terminal.type("\r")
    try terminal.expect("your raw data never does")
    try terminal.expect("I've had a look at your health data")
    try terminal.expect("You")
    try leave(terminal)
  }

  @Test func dataCanBeConnectedInTheMiddleOfAConversation() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    try household.write(HealthChatTests.snapshot(), to: "My Data/s.json")
    let terminal = try offered(household, model)
    terminal.type("2\r")
    try terminal.expect("You")
    terminal.type("/health\r")
    try terminal.expect("You opted out of health data")
    try terminal.expect("type /health and the path")
    terminal.type("/health nowhere.zip\r")
    try terminal.expect("No such file")
    terminal.type("/health ~/My\t\t\r")
    try terminal.expect("I'm looking at it.")
    try terminal.expect("You")
    terminal.type("I want to run\r")
    try terminal.expect("I've had a look at your health data")
    try terminal.expect("Coach")
    try terminal.expect("You")
    try leave(terminal)
    #expect(model.requests.contains { $0.text.contains("7,400 steps a day") })
  }

  @Test func somebodyWhoGivesUpOnThePathHasSaidNoNo() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    let terminal = try offered(household, model)
    terminal.type("1\r")
    for name in ["a.zip", "b.zip", "c.zip"] {
      try terminal.expect("Where is it?")
      terminal.type(name + "\r")
      try terminal.expect("No such file")
    }
    try terminal.expect("We'll continue without it for now")
    try terminal.expect("You")
    terminal.type("/health\r")
    try terminal.expect("I don't have any health data from you.")
    try leave(terminal)
    #expect(try SessionStore(path: household.store).health() == nil)
  }
}
