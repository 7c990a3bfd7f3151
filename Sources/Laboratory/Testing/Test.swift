public import ArgumentParser
import Commands
import FoundationEssentials
import Glibc
import Intake
import RapportTesting
import Settings
import Startup
import Terminal
public import WireFormats

/// `rapport test`: replays recorded conversations.
struct Test: TerminalCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Replay recorded conversations and check the results.",
    discussion: """
      Needs no model, key or network: the answers are in the recordings. With --live, a real model \
      answers the recorded user messages instead, and both sides are compared.

      Examples:
        rapport test
        rapport test Fixtures/conversations --tag correction --strict
        rapport test --last-failed
        rapport test --wire --junit report.xml
        rapport test my-conversation.json --update
        rapport test --live --model gpt-5 --against-model gpt-5-mini --html out.html
      """)

  @Argument(
    help: ArgumentHelp(
      "Recorded conversations, or folders of them (default: Fixtures/conversations).",
      valueName: "file"),
    completion: .file(extensions: ["json"]))
  var paths: [String] = []

  @Flag(help: "Use a socket: a mock server on loopback and the whole HTTP path.")
  var wire = false

  @Flag(help: "Fail if a prompt differs from the recording.")
  var strict = false

  @Option(
    help: ArgumentHelp(
      "Only conversations whose name contains this (repeatable).", valueName: "text"))
  var filter: [String] = []

  @Option(help: "Only conversations with this tag (repeatable).")
  var tag: [String] = []

  @Flag(help: "Only conversations that failed when they last ran (all if none did).")
  var lastFailed = false

  @Flag(help: "Stop at the first failure.")
  var failFast = false

  @Option(
    help: ArgumentHelp("Write the results as JUnit XML to this file.", valueName: "file"),
    completion: .file(extensions: ["xml"]))
  var junit: String?

  @Flag(help: "Print one JSON object per conversation, and one for the totals.")
  var json = false

  @Flag(help: "Make the current results the expected ones; exits with 1 if that changes any.")
  var update = false

  @Flag(help: "With --update: also drop texts to contain, lack or match that fail.")
  var drop = false

  @Option(
    help: ArgumentHelp(
      "Run each conversation N times; the results must be identical.", valueName: "n"))
  var `repeat` = 1

  @Option(
    help: "Answer speed: none (no delays), recorded, or a factor such as 2.",
    completion: .list(["none", "recorded"]))
  var speed: ReplayPace = .none

  @Option(
    name: [.customShort("j", allowingJoined: true), .long],
    help: ArgumentHelp("Conversations to run in parallel.", valueName: "n"))
  var jobs: Int?

  @Flag(help: "Rerun whenever a prompt or a recording changes, or on a key.")
  var watch = false

  @Flag(help: "Only scan the recordings for keys and personal data.")
  var checkSecrets = false

  @Option(help: .pack, completion: .packs)
  var prompts: String?

  @Flag(help: "Disable color.")
  var noColor = false

  @OptionGroup(title: "Live") var liveOptions: LiveOptions

  func validate() throws {
    try liveOptions.validate(beside: self)
    if checkSecrets, update || wire || watch || junit != nil || lastFailed {
      throw ValidationError("--check-secrets only scans files; it replays nothing.")
    }
    if !(1...1000).contains(`repeat`) {
      throw ValidationError("--repeat must be between 1 and 1000.")
    }
    if let jobs, !(1...1024).contains(jobs) {
      throw ValidationError("--jobs must be between 1 and 1024.")
    }
    if drop, !update { throw ValidationError("--drop needs --update.") }
    if update, wire || watch || strict || failFast || json || junit != nil || `repeat` > 1 {
      throw ValidationError(
        "--update can be combined only with --filter, --tag, --last-failed and --drop.")
    }
  }

  static let defaultPath = "Fixtures/conversations"

  func run(on terminal: TTY) async throws {
    let hasFailed = try await testing(terminal)
    if hasFailed { throw ExitStatus.failedTests.exit }
  }

  private func testing(_ terminal: TTY) async throws -> Bool {
    if liveOptions.live {
      try await LivePass(options: self, terminal: terminal).run()
      return false
    }
    if watch { return try await TestWatch(options: self, terminal: terminal).run() }
    return try await once(terminal)
  }

  /// - Returns: Whether anything failed.
  func once(_ terminal: TTY) async throws -> Bool {
    var suite = try self.suite()
    let pack = try self.pack()
    if lastFailed { keepFailed(in: &suite, terminal) }
    if checkSecrets {
      return try SecretCheck(suite: suite, pack: pack, terminal: terminal, asJSON: json).run()
    }
    if update {
      return try await TestUpdate(
        suite: suite, pack: pack, terminal: terminal, tags: tag, drops: drop
      ).run()
    }
    return try await TestPass(options: self, pack: pack, terminal: terminal).run(suite)
  }

  func suite() throws -> ConversationSuite {
    do throws(FieldError) {
      let all = try ConversationSuite(paths: paths.isEmpty ? [Self.defaultPath] : paths)
      let chosen = all.filtered(by: filter)
      if chosen.entries.isEmpty {
        throw FieldError("no conversation matches; nothing was tested")
      }
      return chosen
    } catch {
      let hint = paths.isEmpty ? " Name the recordings, or run it in the project folder." : ""
      throw CommandFailure(.usage, "\(error).\(hint)")
    }
  }

  /// Like other test runners, everything runs if nothing failed before.
  private func keepFailed(in suite: inout ConversationSuite, _ terminal: TTY) {
    let failed = FailedConversations.current
    let chosen = suite.entries.filter(failed.contains)
    if chosen.isEmpty {
      terminal.writeNote("Nothing failed in the last run, so everything runs.", as: .dim)
    } else {
      suite.entries = chosen
    }
  }

  /// The folders and files that the tests depend on.
  var watched: [String] {
    (paths.isEmpty ? [Self.defaultPath] : paths) + [promptFolder].compactMap(\.self)
  }

  func pack() throws -> PromptPack {
    var flags: [Setting: String] = [:]
    flags[.prompts] = promptFolder
    return try CommandContext(flags: flags, readsCredentials: false).promptPack()
  }

  /// The prompts under development, if this is their folder: the program's built-in copy may be
  /// older.
  var promptFolder: String? {
    if let prompts { return prompts }
    let environment = ProcessInfo.processInfo.environment["RAPPORT_PROMPTS"] ?? ""
    return environment.isEmpty ? Self.folder(ofPack: PromptPack.defaultName) : nil
  }

  private static func folder(ofPack name: String) -> String? {
    let folder = "Prompts/" + name
    return FileManager.default.fileExists(atPath: folder + "/pack.json") ? folder : nil
  }

  /// The pack of a recording that was made with another one than the rest.
  @Sendable static func pack(named name: String) -> PromptPack? {
    try? PackFolder.pack(folder(ofPack: name) ?? name)
  }
}

extension ReplayPace: ExpressibleByArgument {
  public init?(argument: String) {
    switch argument {
    case "none": self = .none
    case "recorded": self = .times(1)
    default:
      guard let factor = Double(argument), (0.01...10_000).contains(factor) else { return nil }
      self = .times(factor)
    }
  }

  public var defaultValueDescription: String {
    if case .times(let factor) = self { "\(factor)" } else { "none" }
  }
}
