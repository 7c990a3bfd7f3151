import Glibc
import TestSupport
import Testing

/// What is typed while a program of ours runs belongs to whoever reads the terminal next.
@Suite(.serialized, .integration)
struct TypeAheadTests {
  @Test(arguments: [["config"], ["sessions"], ["chat", "--message", "I want to run", "--offline"]])
  func aCommandThatEditsNoLineLeavesTheInputAlone(arguments: [String]) throws {
    let household = try Household()
    let terminal = try PseudoTerminal(
      arguments, environment: household.environment, program: "rapport", folder: household.folder,
      shell: "read first; \"$@\"; read next; echo \"got $next\"")
    terminal.type("go\recho hi\r")
    try terminal.expect("got echo hi")
    #expect(try terminal.expectExit() == 0)
  }

  @Test func whatIsTypedIsSeenWhereTheOutputGoesElsewhere() async throws {
    let household = try Household()
    let terminal = try household.startOnTerminal(
      "chat", "--offline", "--json", shell: "\"$@\" | cat")
    try terminal.expect("\"type\":\"done\"")
    // The next line is asked for right after it.
    while !terminal.echoes { await Task.yield() }
    terminal.type("I want to run\r\u{4}")
    try terminal.expect("I want to run\r\n")
    #expect(try terminal.expectExit() == 0)
  }

  @Test func theLineAfterAConversationIsTheShells() throws {
    let household = try Household()
    let terminal = try household.startOnTerminal(
      "chat", "--offline", shell: "\"$@\"; echo \"got $(head -c 4)\"")
    try terminal.expect("You")
    terminal.type("/quit\rnext\r")
    try terminal.expect("got next")
    #expect(try terminal.expectExit() == 0)
  }
}
