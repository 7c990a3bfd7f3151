import CoachServer
import TestSupport
import Testing

/// Writing a message in an editor of one's own.
@Suite(.serialized, .integration)
struct EditorTests {
  private func start(_ household: Household, editor: String) throws -> PseudoTerminal {
    try household.write(
      """
      #!/bin/sh
      printf 'I want to run.\\nAlso: %s\\n' "$(cat "$2")" > "$2"
      """, to: "write", mode: 0o700)
    let terminal = try household.startOnTerminal(
      "chat", "--offline", setting: ["TERM": "xterm", "VISUAL": editor, "EDITOR": "false"])
    try terminal.expect("lose fat")
    try terminal.expect("You")
    return terminal
  }

  private func leave(_ terminal: PseudoTerminal) throws {
    try terminal.expect("Coach")
    try terminal.expect("You")
    terminal.type("\u{4}")
    #expect(try terminal.expectExit() == 0)
    #expect(terminal.hasItsModesBack)
  }

  @Test(arguments: ["by June\u{18}\u{5}", "/edit by June\r"])
  func severalLinesComeBackAsOneMessage(keys: String) throws {
    let household = try Household()
    let terminal = try start(household, editor: "./write --wait")
    terminal.type(keys)
    try terminal.expect("Also: by June")
    #expect(try Walkthrough.said(household) == [])
    terminal.type("\r")
    try leave(terminal)
    #expect(try Walkthrough.said(household) == ["I want to run.\nAlso: by June"])
  }

  @Test(arguments: ["I want to run\u{18}\u{5}", "/edit I want to run\r"])
  func anEditorThatFailsKeepsTheLine(keys: String) throws {
    let household = try Household()
    let terminal = try start(household, editor: "exit 3;")
    terminal.type(keys)
    try terminal.expect("ended with code 3, so I kept your line as it was.")
    try terminal.expect("I want to run")
    terminal.type("\r")
    try leave(terminal)
    #expect(try Walkthrough.said(household) == ["I want to run"])
  }

  @Test func anEditorThatIsNotThereIsNamed() throws {
    let household = try Household()
    let terminal = try start(household, editor: "no-such-editor")
    terminal.type("/edit\r")
    try terminal.expect("I couldn't find no-such-editor. Set EDITOR to an editor you have.")
    try terminal.expect("You")
    terminal.type("\u{4}")
    #expect(try terminal.expectExit() == 0)
  }
}
