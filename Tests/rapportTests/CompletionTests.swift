import Foundation
import TestSupport
import Testing

/// Tab in each shell, with the script that the program generates.
@Suite(.integration)
struct CompletionTests {
  enum Shell: String, CaseIterable {
    case bash, zsh, fish

    /// Loads the script; the name `rapport` then prints its arguments instead of running them.
    var setup: [String] {
      switch self {
      case .bash:
        [
          "PS1='ready> '; bind 'set enable-bracketed-paste off'; source completions",
          "rapport() { if [ \"$1\" = ---completion ]; then command rapport \"$@\"; "
            + "else printf '<%s>' \"$@\"; echo; fi; }",
        ]
      case .zsh:
        [
          "PS1='ready> '; autoload -Uz compinit; compinit -D -u; "
            + "source ./completions; compdef _rapport rapport",
          "rapport() { if [ \"$1\" = ---completion ]; then command rapport \"$@\"; "
            + "else printf '<%s>' \"$@\"; echo; fi; }",
        ]
      case .fish:
        [
          "function fish_prompt; echo -n 'ready> '; end; source completions",
          "function rapport; printf '<%s>' $argv; echo; end",
        ]
      }
    }

    var start: String {
      switch self {
      case .bash: "exec bash --norc --noprofile -i"
      case .zsh: "exec zsh -f -i"
      case .fish: "exec fish --no-config -i"
      }
    }
  }

  static let lines: [(typed: String, completed: String)] = [
    ("rapport sco\t", "<score>"),
    ("rapport score a.j\t", "<score><a.jsonl>"),
    ("rapport score fol\t", "<score><folder"),
    ("rapport score --err\ta.j\t", "<score><--errors><a.jsonl>"),
    ("rapport score --comp\ta.j\t", "<score><--compare><a.jsonl>"),
    ("rapport score --form\th\t", "<score><--format><html>"),
    ("rapport health exp\t", "<health><export.zip>"),
    ("rapport test cas\t", "<test><cassette.json>"),
    ("rapport test --jun\trep\t", "<test><--junit><report.xml>"),
    ("rapport mock --rul\tcas\t", "<mock><--rules><cassette.json>"),
    ("rapport mock --record-to fol\t", "<mock><--record-to><folder"),
    ("rapport mock --fault rate\t", "<mock><--fault><rate-limit>"),
    ("rapport mock --only str\t", "<mock><--only><structured>"),
    ("rapport chat --provider ant\t", "<chat><--provider><anthropic>"),
    ("rapport chat --follow-up sho\t", "<chat><--follow-up><shortfall>"),
    ("rapport chat --store sto\t", "<chat><--store><store.db>"),
    ("rapport chat --ca-file ca\t", "<chat><--ca-file><ca.pem>"),
    ("rapport chat --health exp\t", "<chat><--health><export.zip>"),
    ("rapport chat --record cas\t", "<chat><--record><cassette.json>"),
    ("rapport chat --prompts li\t", "<chat><--prompts><life>"),
    ("rapport chat --prompts pa\t", "<chat><--prompts><packs/mine"),
    ("rapport profile --validate cas\t", "<profile><--validate><cassette.json>"),
    ("rapport sessions sh\t", "<sessions><show>"),
    ("rapport config set fol\tlow\t", "<config><set><follow_up><lowest>"),
    ("rapport config get max\t", "<config><get><max_turns>"),
    ("rapport config get api\t", "<config><get><api_key>"),
    ("rapport models --js\t", "<models><--json>"),
  ]

  private func household() throws -> Household {
    let household = try Household()
    for name in [
      "a.jsonl", "export.zip", "cassette.json", "report.xml", "store.db", "ca.pem",
      "folder/inside.txt", "packs/mine/pack.json",
    ] { try household.write("", to: name) }
    let bin = household.folder + "/bin"
    try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: bin + "/rapport", withDestinationPath: ChildProcess.program.path)
    household.environment["PATH"] = bin + ":/usr/bin:/bin"
    return household
  }

  private func start(_ shell: Shell, _ household: Household) throws -> PseudoTerminal {
    let script = try household.run("--generate-completion-script", shell.rawValue)
    #expect(script.status == 0)
    try household.write(script.output, to: "completions")
    let terminal = try household.startOnTerminal(shell: shell.start)
    for line in shell.setup + ["echo set'up' done"] { terminal.type(line + "\n") }
    try terminal.expect("setup done")
    return terminal
  }

  @Test(arguments: Shell.allCases)
  func tabCompletesCommandsFilesAndValues(shell: Shell) throws {
    let household = try household()
    let terminal = try start(shell, household)
    for (typed, completed) in Self.lines {
      try terminal.expect("ready> ")
      terminal.type(typed + "\n")
      try terminal.expect(completed)
    }
    withExtendedLifetime(household) {}
  }

  @Test(arguments: Shell.allCases)
  func tabCompletesConversations(shell: Shell) throws {
    let household = try household()
    #expect(try household.run("chat", "--offline", typing: "I want to: run\n").status == 0)
    let list = try household.run("sessions").output
    let id = try String(#require(list.split(separator: " ").first))
    let terminal = try start(shell, household)
    for command in ["sessions show", "chat --session"] {
      terminal.type("rapport \(command) \(id.prefix(2))\t\n")
      try terminal.expect("<\(id)>")
    }
  }
}
