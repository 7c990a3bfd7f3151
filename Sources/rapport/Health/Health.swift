import ArgumentParser
import Commands
import FoundationEssentials
import Glibc
import HealthRecords
import Startup
import Terminal

/// `rapport health`: what an Apple Health export says about the last weeks.
struct Health: TerminalCommand {
  static let configuration = CommandConfiguration(
    commandName: "health",
    abstract: "Summarize an Apple Health export week by week, with what stands out.",
    discussion: """
      To export on the iPhone: open Health, tap your picture, then Export All Health Data. The \
      export is only read: nothing is unpacked, stored or sent.

      Examples:
        rapport health export.zip
        rapport health apple_health_export/export.xml --days 365
        rapport health export.zip --until 2026-01-31 --json > snapshot.json
        rapport health snapshot.json
      """)

  @Argument(
    help: "export.zip, export.xml, its folder, or a JSON snapshot.",
    completion: .file(extensions: ["zip", "xml", "json"]))
  var file: String

  @Option(help: ArgumentHelp("Whole days to look back (default: 90).", valueName: "n"))
  var days: Int?

  @Option(
    help: ArgumentHelp(
      "The last day, YYYY-MM-DD (default: the day before the export).", valueName: "date"))
  var until: String?

  @Flag(help: "Print the snapshot as JSON.")
  var json = false

  func validate() throws {
    let allowed = HealthReadOptions.allowedDays
    if let days, !allowed.contains(days) {
      throw ValidationError(
        "--days must be between \(allowed.lowerBound) and \(allowed.upperBound).")
    }
    if let until, Day(until) == nil {
      throw ValidationError("--until must be a date such as 2026-01-31.")
    }
    if days != nil || until != nil, (try? HealthSnapshot.text(at: file)) != nil {
      throw ValidationError(
        "\(file) is a snapshot with fixed days; --days and --until apply to an export.")
    }
  }

  func run(on terminal: TTY) async throws {
    let snapshot = try await snapshot(terminal)
    if let note = note(snapshot) { terminal.writeNote(note, as: .notice) }
    if json { return terminal.writeRecord(try Self.text(snapshot)) }
    let page = HealthPage(
      snapshot: snapshot,
      alphabet: BarChart.Alphabet(environment: ProcessInfo.processInfo.environment),
      width: terminal.wrappingWidth)
    for part in page.parts { terminal.write(part.text + "\n", as: part.role) }
  }

  /// Explains why an export cannot cover the days up to `--until`.
  private func note(_ snapshot: HealthSnapshot) -> String? {
    guard let until = until.flatMap({ Day($0) }), until > snapshot.through else { return nil }
    func words(_ day: Day) -> String { "\(day.inWords) \(day.parts.year)" }
    let made = snapshot.exportedOn.map { "The export was made on \(words($0)): " } ?? ""
    return made
      + "I look at the days up to \(words(snapshot.through)), the last complete one, instead of "
      + "\(words(until))."
  }

  static func text(_ snapshot: HealthSnapshot, isPretty: Bool = true) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
    return String(decoding: try encoder.encode(snapshot), as: UTF8.self)
  }

  private func snapshot(_ terminal: TTY) async throws -> HealthSnapshot {
    if let text = try HealthSnapshot.text(at: file) {
      return try HealthSnapshot.reading(text, name: file, today: .today)
    }
    return try await export(terminal)
  }

  private func export(_ terminal: TTY) async throws -> HealthSnapshot {
    var options = HealthReadOptions(now: Glibc.time(nil))
    options.days = days ?? options.days
    options.until = until.flatMap { Day($0) }
    let line = ProgressLine(.bytes, environment: ProcessInfo.processInfo.environment)
    let progress = HealthReadProgress { bytes, share in
      line.show(.init(count: bytes, share: share)) { terminal.clearStatus() }
    }
    let name = file.split(separator: "/").last.map(String.init) ?? file
    if terminal.isInteractive { terminal.showStatus("Reading \(name)") }
    defer {
      line.clear()
      terminal.clearStatus()
    }
    let (export, chosen) = (HealthExport(file), options)
    let outcome = try await InterruptMonitor.process.cancelling {
      try await withTaskCancellationHandler {
        try export.snapshot(chosen, progress: progress)
      } onCancel: {
        progress.cancel()
      }
    }
    switch outcome {
    case .finished(let snapshot): return snapshot
    case .interrupted:
      line.clear()
      terminal.clearStatus()
      terminal.writeNote("I stopped reading and kept nothing.", as: .notice)
      throw ExitStatus.interrupted.exit
    }
  }
}
