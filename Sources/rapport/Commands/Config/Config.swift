public import ArgumentParser
import Commands
import FoundationEssentials
import Intake
public import Settings
import Startup
import Terminal

/// `rapport config`: every setting in force, and the config file.
struct Config: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Print each setting with its source, or change the config file.",
    discussion: """
      Flags override the environment, which overrides .env in this folder, then the config \
      file, then what `rapport setup` stored. Keys are masked.

      Examples:
        rapport config
        rapport config get max_turns
        rapport config set max_turns 7
        rapport config unset max_turns
      """,
    subcommands: [Show.self, Get.self, Set.self, Unset.self],
    defaultSubcommand: Show.self)

  struct Show: TerminalCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Print each setting with its value and its source; keys are masked.",
      usage: "rapport config show [<options>]",
      discussion: """
        With flags, it shows what they would change.

        Examples:
          rapport config show
          rapport config show --max-turns 7
        """)

    @OptionGroup(title: "Model") var modelOptions: ModelOptions
    @OptionGroup(title: "Coach") var intakeOptions: IntakeOptions

    func run(on terminal: TTY) async throws {
      let context = try CommandContext(
        flags: modelOptions.flags.merging(intakeOptions.flags) { first, _ in first })
      context.warn(terminal)
      let rows = context.settings.rows(defaults: context.defaults)
      let (names, values) = (
        rows.map(\.name.count).max() ?? 0, rows.map(\.value.count).max() ?? 0
      )
      for row in rows {
        let (name, value) = (row.name.padded(to: names), row.value.padded(to: min(values, 40)))
        terminal.write("\(name)  \(value)  \(row.source)\n")
      }
      try report(context, terminal)
    }

    private func report(_ context: CommandContext, _ terminal: any Terminal) throws {
      let failures = context.problems().map { ReportedFailure($0) }
      for failure in failures { terminal.writeNote(failure.notice.text, as: .error) }
      if let first = failures.first { throw first.status.exit }
      if case .refused = context.settings.connection() { throw ExitStatus.notConfigured.exit }
    }
  }

  struct Get: TerminalCommand {
    static let configuration = CommandConfiguration(
      commandName: "get",
      abstract: "Print one setting's value in force.",
      discussion: """
        Prints nothing if it isn't set. A key is masked.

        Example:
          rapport config get max_turns
        """)

    @Argument(
      help: ArgumentHelp("The setting's name, such as max_turns.", valueName: "key"),
      completion: .settings)
    var setting: Setting

    func run(on terminal: TTY) async throws {
      let context = try CommandContext()
      guard let row = context.row(setting), !row.source.isEmpty else {
        return terminal.writeAside("\(setting.configKey) is not set.\n", as: .dim)
      }
      terminal.write(row.value + "\n")
      if terminal.isInteractive { terminal.writeAside("from \(row.source)\n", as: .dim) }
    }
  }

  struct Set: TerminalCommand {
    static let configuration = CommandConfiguration(
      commandName: "set",
      abstract: "Change a setting in the config file.",
      discussion: """
        The value is checked first, and the rest of the file stays as it is. If another source \
        overrides the config file, it says so.

        Examples:
          rapport config set max_turns 7
          rapport config set model llama3.1
        """)

    @Argument(
      help: ArgumentHelp("The setting's name, such as max_turns.", valueName: "key"),
      completion: .settingsToChange)
    var setting: Setting

    @Argument(help: "The new value.", completion: .settingValues)
    var value: String

    func run(on terminal: TTY) async throws {
      let change = SettingChange(setting: setting, value: value)
      try change.check()
      let context = try change.write()
      terminal.writeNote(context.outcome(of: setting), as: .notice)
    }
  }

  struct Unset: TerminalCommand {
    static let configuration = CommandConfiguration(
      commandName: "unset",
      abstract: "Remove a setting from the config file.",
      discussion: """
        The rest of the file stays as it is.

        Example:
          rapport config unset max_turns
        """)

    @Argument(
      help: ArgumentHelp("The setting's name, such as max_turns.", valueName: "key"),
      completion: .settings)
    var setting: Setting

    func run(on terminal: TTY) async throws {
      let context = try CommandContext()
      let isRemoved = try context.files.changing { try $0.changeConfig(setting, to: nil) }
      let words = try CommandContext().outcome(ofRemoving: setting, isRemoved: isRemoved)
      terminal.writeNote(words, as: .notice)
    }
  }
}

extension Setting: ExpressibleByArgument {
  /// `max_turns`, `max-turns` or `RAPPORT_MAX_TURNS`.
  public init?(argument: String) {
    let name = argument.lowercased().replacing("-", with: "_")
    let key = name.hasPrefix("rapport_") ? String(name.dropFirst("rapport_".count)) : name
    guard let setting = Setting.allCases.first(where: { $0.configKey == key }) else { return nil }
    self = setting
  }

  public static var allValueStrings: [String] { allCases.map(\.configKey) }
}
