import ArgumentParser
import Coaching
import Commands
import FoundationEssentials
import HealthRecords
import IncrementalJSON
import Journeys
import Plans
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
        rapport goals archive 2
        rapport goals keep knee --until 2026-03-01
      """,
    subcommands: [Show.self, Change.self, Archive.self, Keep.self],
    defaultSubcommand: Show.self)

  struct Show: TerminalCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Show your goal and limits.",
      usage: "rapport goals show [<options>]",
      discussion: "Example:\n  rapport goals show --json")

    @OptionGroup var options: CoachedOptions
    @Flag(help: "Print JSON.")
    var json = false

    func run(on terminal: TTY) async throws {
      let session = try await CoachedSession(options)
      if json {
        return terminal.writeDocument(
          session.book.goals.serialized(pretty: true) + "\n", isJSON: true)
      }
      terminal.write(terminal.wrapped(session.goalsPage))
    }
  }

  struct Change: TerminalCommand {
    static let configuration = CommandConfiguration(
      commandName: "set",
      abstract: "Change your goal; the first one stays on record.",
      usage: "rapport goals set <goal> [<options>]",
      discussion: "Example:\n  rapport goals set \"Run a 10k in June\"")

    @OptionGroup var options: CoachedOptions
    @Argument(help: "The goal, in your words.") var goal: String

    func run(on terminal: TTY) async throws {
      var session = try await CoachedSession(options)
      let change = try await session.change(showingCareOn: terminal) {
        book throws(CoachingRefusal) in try book.changing(goal: goal)
      }
      guard change != nil else { return terminal.write("\nYour goal stays as it was.\n") }
      terminal.write(terminal.wrapped(session.goalsPage))
    }
  }

  struct Archive: TerminalCommand {
    static let configuration = CommandConfiguration(
      commandName: "archive",
      abstract: "Archive a limit that no longer holds.",
      usage: "rapport goals archive <limit> [<options>]",
      discussion: "Example:\n  rapport goals archive 2")

    @OptionGroup var limit: LimitArgument

    func run(on terminal: TTY) async throws { try await limit.settle(holds: false, on: terminal) }
  }

  struct Keep: TerminalCommand {
    static let configuration = CommandConfiguration(
      commandName: "keep",
      abstract: "Keep planning around a limit.",
      usage: "rapport goals keep <limit> [<options>]",
      discussion: "Example:\n  rapport goals keep knee --until 2026-03-01")

    @OptionGroup var limit: LimitArgument
    @Option(help: ArgumentHelp("The last day, YYYY-MM-DD (default: as it was).", valueName: "date"))
    var until: String?

    func validate() throws { try requireDate(until, for: "--until") }

    func run(on terminal: TTY) async throws {
      try await limit.settle(holds: true, until: until, on: terminal)
    }
  }
}

/// Which limit a command is about.
struct LimitArgument: ParsableArguments {
  @OptionGroup var options: CoachedOptions
  @Argument(help: "The limit's number, or words of it, as `rapport goals` shows them.")
  var limit: String

  func settle(holds: Bool, until: String? = nil, on terminal: TTY) async throws {
    var session = try await CoachedSession(options)
    _ = try await session.change(showingCareOn: terminal) { book throws(CoachingRefusal) in
      try book.settling(limit: limit, holds: holds, until: until)
    }
    terminal.write(terminal.wrapped(session.goalsPage))
  }
}

extension CoachedSession {
  fileprivate var goalsPage: String {
    GoalsText.page(state, pack, text.texts, today: today, cycle)
  }
}

/// Goals and limits formatted for reading.
enum GoalsText {
  static func page(
    _ state: CoachingState, _ pack: CoachingPack, _ texts: CoachingTexts, today: Day,
    _ cycle: DayCycle.Day?
  ) -> String {
    var rows: [(CoachingText, String)] = []
    let goals = state.goals
    if let present = goals.present {
      rows.append((.pageGoal, present.goal))
      if let original = goals.original, original.goal != present.goal {
        rows.append((.pageOriginal, original.goal))
      }
    }
    if let day = state.goalDay(pack) { rows.append((.pageBy, texts.dayWithYear(day))) }
    if let why = goals.why { rows.append((.pageWhy, why)) }
    rows += goals.milestones.map { (.pageMilestone, $0) }
    if let sessions = state.sessionsPerWeek(on: today) {
      rows.append((.pagePlan, texts(.planOne, .planOther, sessions)))
    }
    if let cycle {
      let values = [
        "kind": cycle.kind, "number": "\(cycle.number)", "count": "\(cycle.count)",
        "rows": cycle.summary,
      ]
      rows.append((.pageToday, texts(.cycleDay, values)))
    }
    var lines = goals.present == nil ? [texts(.pageNoGoal)] : []
    lines += PageRows.lines(rows.map { (texts($0.0), $0.1) })
    let items = state.constraints.items
    if !items.isEmpty { lines += ["", texts(.pageLimits)] }
    lines += items.enumerated().map { "  \($0.offset + 1)  " + line($0.element, texts) }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func line(
    _ item: ConstraintBook.Item, _ texts: CoachingTexts
  ) -> String {
    let constraint = item.constraint
    let detail = constraint.detail
    var notes = [
      texts(name(of: constraint.list)), texts(.limitNoted, ["day": "\(constraint.notedAt)"]),
    ]
    switch item.status {
    case .active:
      if let day = constraint.expiresAt { notes.append(texts(.limitUntil, ["day": "\(day)"])) }
    case .proposed: notes.append(texts(.limitProposed))
    case .archived(let day): notes.append(texts(.limitArchived, ["day": "\(day)"]))
    case .refused: notes.append(texts(.limitRefused))
    }
    if let quote = constraint.origin.quote, quote != detail {
      notes.append(texts(.limitQuote, ["quote": quote]))
    }
    return "\(detail)  (\(notes.joined(separator: ", ")))"
  }

  private static func name(of list: KeptConstraint.List) -> CoachingText {
    switch list {
    case .physical: .limitPhysical
    case .time: .limitTime
    case .resources: .limitResources
    case .temporary: .limitTemporary
    }
  }
}

/// Names and what belongs to them, in two columns.
enum PageRows {
  static func lines(_ rows: [(name: String, text: String)]) -> [String] {
    let width = max(12, (rows.map { displayWidth(of: $0.name) }.max() ?? 0) + 2)
    return rows.map { $0.name.padded(to: width) + $0.text }
  }
}
