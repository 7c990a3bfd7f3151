import ArgumentParser
import Coaching
import FoundationEssentials
import HealthRecords
import IncrementalJSON
import Intake
import Startup
import Terminal

/// `rapport goals`: what the person wants, and the limits that coaching respects.
struct GoalsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "goals",
    abstract: "Show or change your goal and the limits I plan around.",
    discussion: """
      The goal that you began with stays on record. Limits are archived, never deleted.

      Examples:
        rapport goals
        rapport goals set "Run a 10k in June"
        rapport goals archive temporary/0
        rapport goals keep physical/0 --until 2026-03-01
      """,
    subcommands: [Show.self, Change.self, Archive.self, Keep.self],
    defaultSubcommand: Show.self)

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Show your goal and limits.",
      usage: "rapport goals show [<options>]",
      discussion: "Example:\n  rapport goals show --json")

    @OptionGroup var options: CoachedOptions
    @Flag(name: .long, help: "Print JSON.")
    var json = false

    func run() async throws {
      try await reporting { terminal in
        let session = try await CoachedSession(options)
        if json {
          return terminal.writeDocument(
            session.state.goalsJSON.serialized(pretty: true) + "\n", isJSON: true)
        }
        terminal.write(terminal.wrapped(GoalsText.page(session.state)))
      }
    }
  }

  struct Change: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "set",
      abstract: "Change your goal; the first one stays on record.",
      usage: "rapport goals set <goal> [<options>]",
      discussion: "Example:\n  rapport goals set \"Run a 10k in June\"")

    @OptionGroup var options: CoachedOptions
    @Argument(help: "The goal, in your words.") var goal: String

    func run() async throws {
      try await reporting { terminal in
        var session = try await CoachedSession(options)
        try await session.store([.goalChanged(GoalChange(goal: goal))])
        terminal.write(terminal.wrapped(GoalsText.page(session.state)))
      }
    }
  }

  struct Archive: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "archive",
      abstract: "Archive a limit that no longer holds.",
      usage: "rapport goals archive <limit> [<options>]",
      discussion: "Example:\n  rapport goals archive temporary/0")

    @OptionGroup var options: CoachedOptions
    @Argument(help: "The limit's id, as `rapport goals` shows it.") var limit: String

    func run() async throws {
      try await settle(options, limit, ConstraintAnswer(constraint: limit, outcome: .archived))
    }
  }

  struct Keep: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "keep",
      abstract: "Keep planning around a limit.",
      usage: "rapport goals keep <limit> [<options>]",
      discussion: "Example:\n  rapport goals keep physical/0 --until 2026-03-01")

    @OptionGroup var options: CoachedOptions
    @Argument(help: "The limit's id, as `rapport goals` shows it.") var limit: String
    @Option(
      name: .long,
      help: ArgumentHelp("The last day, YYYY-MM-DD (default: as it was).", valueName: "date"))
    var until: String?

    func validate() throws {
      if let until, Day(until) == nil {
        throw ValidationError("--until must be a date such as 2026-01-31.")
      }
    }

    func run() async throws {
      try await settle(
        options, limit,
        ConstraintAnswer(
          constraint: limit, outcome: .holds, expiresAt: until.flatMap { Day($0) }))
    }
  }
}

private func settle(
  _ options: CoachedOptions, _ limit: String, _ answer: ConstraintAnswer
) async throws {
  try await reporting { terminal in
    var session = try await CoachedSession(options)
    guard session.state.constraints[limit] != nil else {
      throw CommandFailure(
        .usage, "There's no limit \(limit). `rapport goals` lists them with their ids.")
    }
    try await session.store([.constraintSettled(answer)])
    terminal.write(terminal.wrapped(GoalsText.page(session.state)))
  }
}

/// Goals and limits formatted for reading.
enum GoalsText {
  static func page(_ state: CoachingState) -> String {
    var lines: [String] = []
    let goals = state.goals
    if let present = goals.present {
      lines.append("Your goal   " + present.goal)
      if let original = goals.original, original != present {
        lines.append("At first    " + original.goal)
      }
    } else {
      lines.append("There's no goal on record yet.")
    }
    for milestone in goals.milestones { lines.append("Milestone   " + milestone) }
    if let sessions = state.sessionsPerWeek {
      lines.append("Plan        \(sessions) \(sessions == 1 ? "session" : "sessions") a week")
    }
    let items = state.constraints.items
    if !items.isEmpty { lines += ["", "Limits"] }
    for item in items { lines.append("  " + line(item)) }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func line(_ item: ConstraintBook.Item) -> String {
    let constraint = item.constraint
    var text = "\(constraint.id)  \(constraint.detail)  (noted \(constraint.notedAt)"
    switch item.status {
    case .active: text += constraint.expiresAt.map { ", until \($0)" } ?? ""
    case .proposed: text += ", not confirmed"
    case .archived(let day): text += ", archived \(day)"
    case .refused: text += ", not planned around"
    }
    return text + ")"
  }
}
