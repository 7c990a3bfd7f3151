import ArgumentParser
import FoundationEssentials
import Intake
import Settings
import Startup
import Terminal

/// `rapport config`: every setting in force, with its source.
struct Config: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Print each setting with its value and its source; keys are masked.",
    usage: "rapport config [<options>]",
    discussion: """
      Flags override the environment, which overrides .env in this folder, then the config \
      file, then what `rapport setup` stored.

      Example:
        rapport config
      """)

  @OptionGroup(title: "Model") var modelOptions: ModelOptions
  @OptionGroup(title: "Coach") var intakeOptions: IntakeOptions

  func run() async throws {
    let terminal = TTY(program: "rapport", environment: ProcessInfo.processInfo.environment)
    try await reporting(terminal) {
      let context = try CommandContext(
        flags: modelOptions.flags.merging(intakeOptions.flags) { first, _ in first })
      context.warn(terminal)
      let rows = context.settings.rows(defaults: context.defaults)
      let (names, values) = (rows.map(\.name.count).max() ?? 0, rows.map(\.value.count).max() ?? 0)
      for row in rows {
        let line =
          "\(padded(row.name, names))  \(padded(row.value, min(values, 40)))  \(row.source)"
        terminal.write(line + "\n")
      }
      try report(context, terminal)
    }
  }

  private func report(_ context: CommandContext, _ terminal: any Terminal) throws {
    let failures = context.problems().map(explanation(of:))
    for failure in failures { terminal.writeNote(failure.notice.text, as: .error) }
    if let first = failures.first { throw first.status.exit }
    if case .refused = context.settings.connection() { throw ExitStatus.notConfigured.exit }
  }

  private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
