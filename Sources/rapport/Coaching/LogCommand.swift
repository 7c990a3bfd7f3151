public import ArgumentParser
import Coaching
import Commands
import FoundationEssentials
import Glibc
import HealthRecords
import IncrementalJSON
import Journeys
import Plans
import Terminal

/// `rapport log`: what was done.
struct LogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log",
    abstract: "List, add, correct, remove or export what you did.",
    discussion: """
      The coach notes what you tell it in the conversation. This lists it, with what it adds up \
      to, and changes it.

      Examples:
        rapport log
        rapport log add "squats 3x5 60kg, easy"
        rapport log correct 12 "65kg"
        rapport log remove 12
        rapport log progress
        rapport log import export.zip
        rapport log export --format csv > log.csv
      """,
    subcommands: [
      List.self, Add.self, Correct.self, Remove.self, ProgressPage.self, Import.self, Export.self,
      UnitsCommand.self,
    ],
    defaultSubcommand: List.self)
}

extension LogCommand {
  struct List: TerminalCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List entries, the latest first.",
      usage: "rapport log list [<options>]",
      discussion: """
        Examples:
          rapport log
          rapport log list --activity squats --days 90
        """)

    @OptionGroup var options: CoachedOptions
    @Option(help: ArgumentHelp("Only this activity, such as squats.", valueName: "activity"))
    var activity: String?
    @Option(help: ArgumentHelp("Only the last days (default: all).", valueName: "n"))
    var days: Int?
    @Flag(help: "Print one JSON object per entry.")
    var json = false

    func run(on terminal: TTY) async throws {
      let session = try await CoachedSession(options)
      let entries = try chosen(session)
      if json {
        for entry in entries { terminal.writeRecord(entry.json.serialized()) }
        return
      }
      if entries.isEmpty {
        let words =
          session.state.log.entries.isEmpty
          ? "Nothing is noted yet. Tell the coach what you did, or run `rapport log add`."
          : "Nothing in the log matches that."
        return terminal.writeNote(words, as: .dim)
      }
      for entry in entries { terminal.write(LogLine.text(entry, session) + "\n") }
    }

    private func chosen(_ session: CoachedSession) throws -> [LogEntry] {
      var entries = Array(session.state.log.byDay.reversed())
      if let days { entries = entries.filter { session.today - $0.day < days } }
      if let activity {
        let id = session.pack.activity(named: activity)?.id ?? activity.lowercased()
        entries = entries.filter { $0.activity == id }
      }
      return entries
    }
  }

  struct Add: TerminalCommand {
    static let configuration = CommandConfiguration(
      commandName: "add",
      abstract: "Add an entry.",
      usage: "rapport log add <words> [<options>]",
      discussion: """
        A small grammar: a day, a name, figures, a note in parentheses (docs/log.md).

        Examples:
          rapport log add "run 5k 31:00"
          rapport log add "bench press 3x8 40kg" --on 2026-01-30
          rapport log add "skipped sick"
          rapport log add "yesterday: pull ups 8, 7, 6"
          rapport log add "weight 80.2 kg"
        """)

    @OptionGroup var options: CoachedOptions
    @Argument(help: "What you did.")
    var words: String
    @Option(help: ArgumentHelp("The day, YYYY-MM-DD (default: today).", valueName: "date"))
    var on: String?

    func validate() throws { try requireDate(on, for: "--on") }

    func run(on terminal: TTY) async throws {
      var session = try await CoachedSession(options)
      let change = try await session.change(showingCareOn: terminal) {
        book throws(CoachingRefusal) in try book.adding(words, on: on)
      }
      for entry in change?.entries ?? [] {
        let isNew = change?.isNew(entry) ?? true
        terminal.write(LogLine.said(isNew ? .noted : .corrected, entry, session))
      }
    }
  }

  struct Correct: TerminalCommand {
    static let configuration = CommandConfiguration(
      commandName: "correct",
      abstract: "Replace an entry.",
      usage: "rapport log correct <number> <words> [<options>]",
      discussion: "Example:\n  rapport log correct 12 \"65kg\"")

    @OptionGroup var options: CoachedOptions
    @Argument(help: "The entry's number.") var number: Int
    @Argument(help: "What you did.") var words: String
    @Option(help: ArgumentHelp("The day, YYYY-MM-DD (default: as it was).", valueName: "date"))
    var on: String?

    func validate() throws { try requireDate(on, for: "--on") }

    func run(on terminal: TTY) async throws {
      var session = try await CoachedSession(options)
      let change = try await session.change(showingCareOn: terminal) {
        book throws(CoachingRefusal) in try book.correcting("\(number)", words, on: on)
      }
      for entry in change?.entries ?? [] {
        terminal.write(LogLine.said(.corrected, entry, session))
      }
    }
  }

  struct Remove: TerminalCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove an entry.",
      usage: "rapport log remove <number> [<options>]",
      discussion: "Example:\n  rapport log remove 12")

    @OptionGroup var options: CoachedOptions
    @Argument(help: "The entry's number.") var number: Int

    func run(on terminal: TTY) async throws {
      var session = try await CoachedSession(options)
      let entry = session.state.log[number]
      _ = try await session.change(showingCareOn: terminal) { book throws(CoachingRefusal) in
        try book.removing("\(number)")
      }
      if let entry { terminal.write(LogLine.said(.removed, entry, session)) }
    }
  }

  struct Export: TerminalCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable { case csv, json }

    static let configuration = CommandConfiguration(
      commandName: "export",
      abstract: "Export the log as CSV or JSON, in metric units.",
      usage: "rapport log export [<options>]",
      discussion: "Example:\n  rapport log export --format csv > log.csv")

    @OptionGroup var options: CoachedOptions
    @Option(help: "csv or json.")
    var format: Format = .csv

    func run(on terminal: TTY) async throws {
      let entries = try await CoachedSession(options).state.log.byDay
      switch format {
      case .csv: terminal.writeDocument(LogExport.csv(entries), isJSON: false)
      case .json:
        let json = JSONValue.array(entries.map(\.json)).serialized(pretty: true)
        terminal.writeDocument(json + "\n", isJSON: true)
      }
    }
  }

  struct Import: TerminalCommand {
    static let configuration = CommandConfiguration(
      commandName: "import",
      abstract: "Add the workouts of an Apple Health export.",
      usage: "rapport log import <file> [<options>]",
      discussion: """
        A workout that you've already told the coach about isn't added again.

        Example:
          rapport log import export.zip --days 365
        """)

    @OptionGroup var options: CoachedOptions
    @Argument(
      help: "export.zip, export.xml or its folder.", completion: .file(extensions: ["zip", "xml"]))
    var file: String
    @Option(help: ArgumentHelp("Whole days to look back (default: 90).", valueName: "n"))
    var days: Int?

    func validate() throws {
      let allowed = HealthReadOptions.allowedDays
      if let days, !allowed.contains(days) {
        throw ValidationError(
          "--days must be between \(allowed.lowerBound) and \(allowed.upperBound).")
      }
    }

    func run(on terminal: TTY) async throws {
      var session = try await CoachedSession(options)
      var reading = HealthReadOptions(now: Glibc.time(nil))
      reading.days = days ?? reading.days
      let workouts = try HealthExport(file).workouts(reading)
      let new = session.state.log.new(workouts, session.pack)
      try await session.store(new.map { .noted($0) })
      let known = workouts.count - new.count
      terminal.write(
        "Added \(new.count) of \(workouts.count) workouts"
          + (known > 0 ? "; the others were in the log already.\n" : ".\n"))
    }
  }

  struct ProgressPage: TerminalCommand {
    static let configuration = CommandConfiguration(
      commandName: "progress",
      abstract: "Show what the log adds up to.",
      usage: "rapport log progress [<options>]",
      discussion: """
        Estimated one-rep maximums follow Epley's formula (1985), for sets of up to ten \
        repetitions. A plateau is three comparable sessions without a gain beyond their noise.

        Examples:
          rapport log progress
          rapport log progress --json
        """)

    @OptionGroup var options: CoachedOptions
    @Flag(help: "Print JSON, in metric units.")
    var json = false

    func run(on terminal: TTY) async throws {
      let session = try await CoachedSession(options)
      if json {
        let text = session.progress.json.serialized(pretty: true) + "\n"
        return terminal.writeDocument(text, isJSON: true)
      }
      terminal.write(
        terminal.wrapped(ProgressText.page(session.progress, session.text)))
    }
  }

  struct UnitsCommand: TerminalCommand {
    static let configuration = CommandConfiguration(
      commandName: "units",
      abstract: "Choose the units that loads and distances are shown and read in.",
      usage: "rapport log units <units> [<options>]",
      discussion: "Example:\n  rapport log units imperial")

    @OptionGroup var options: CoachedOptions
    @Argument(help: "metric or imperial.") var units: Units

    func run(on terminal: TTY) async throws {
      var session = try await CoachedSession(options)
      try await session.store([.unitsChosen(units)])
      terminal.write("I'll use \(units.rawValue) units from now on.\n")
    }
  }
}

extension Units: ExpressibleByArgument {}

/// Lines and words of the log.
enum LogLine {
  /// What was done with an entry, in the person's language.
  static func said(_ text: CoachingText, _ entry: LogEntry, _ session: CoachedSession) -> String {
    let line = Self.text(entry, session, asTold: text != .removed)
    return session.text.texts(text, ["entries": line]) + "\n"
  }

  /// - Parameter asTold: Whether it was just typed, and is not converted to other units.
  static func text(
    _ entry: LogEntry, _ session: CoachedSession, asTold: Bool = false
  ) -> String {
    let number = "#\(entry.number)".padded(to: 6, gap: 1)
    let source = entry.source == .health ? "  (health data)" : ""
    return number + "\(entry.day)  "
      + (asTold ? session.text.asTold(entry) : session.text(entry)) + source
  }
}
