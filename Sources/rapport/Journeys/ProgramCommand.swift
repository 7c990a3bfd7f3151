public import ArgumentParser
import Coaching
import Commands
import Foundation
import FoundationEssentials
import HealthRecords
import IncrementalJSON
import Intake
import Journeys
import Plans
import SessionStore
import Startup
import Terminal

/// `rapport program`: the active program, by day or week, or as a calendar.
struct ProgramCommand: TerminalCommand {
  static let configuration = CommandConfiguration(
    commandName: "program",
    abstract: "Show your program, or days that take turns: today, this week, or all of it.",
    usage: "rapport program [today|week|all] [<options>]",
    discussion: """
      A program becomes active when you activate it in a journey (`rapport start trainer`). It starts \
      the next day. Days that take turns begin when a journey with them is finished (`rapport start \
      matador`).

      Examples:
        rapport program
        rapport program week
        rapport program all --json
        rapport program --ics workouts.ics
      """)

  @Argument(help: ArgumentHelp("today, week or all.", valueName: "span"))
  var span = ProgramSpan.today

  @OptionGroup(title: "Store") var storeOptions: SharedStoreOptions
  @OptionGroup var packOptions: PackOptions

  @Option(
    help: ArgumentHelp(
      "Write all sessions as a calendar with reminders; - is standard output.", valueName: "file"),
    completion: .file(extensions: ["ics"]))
  var ics: String?

  @Flag(help: "Print it as JSON.")
  var json = false

  func validate() throws {
    if json, ics != nil { throw ValidationError("Use one of --json and --ics.") }
  }

  func run(on terminal: TTY) async throws {
    let context = try CommandContext(flags: packOptions.flags, readsCredentials: false)
    context.warn(terminal)
    let now = Date()
    let active = try await active(context, at: now)
    let (found, cycle) = (active.program, active.cycle)
    if let ics, let found { return try write(found, to: ics, terminal) }
    guard found != nil || cycle != nil && ics == nil else {
      let pack = try context.promptPack()
      throw CommandFailure(
        .usage,
        pack.hasProgram
          ? "There's no active program yet. A journey leads to one: `rapport journey` lists them."
          : "The pack \(pack.name) makes no program: none of its journeys leads to one.")
    }
    let view = found.map { ProgramView(plan: $0.plan, schedule: $0.schedule, now: now) }
    if json {
      for record in [view?.json(span), cycle?.json(span, at: now)].compactMap(\.self) {
        terminal.writeRecord(record.serialized())
      }
      return
    }
    let lines = (view?.lines(span) ?? []) + (cycle?.lines(span, at: now) ?? [])
    for line in lines { terminal.write(terminal.wrapped(line.text) + "\n", as: line.role) }
    if let reminder = active.reminder { terminal.writeNote(reminder.text, as: .notice) }
  }

  private struct Found {
    var session: SessionID
    var plan: ActivePlan
    var schedule: ProgramSchedule
    /// The account's row that it was brought over from; nil if it began here.
    var row: String?
  }

  private struct Active {
    /// The program that was activated last.
    var program: Found?
    /// The days of the journey that was finished last.
    var cycle: DayCycle?
    /// What was skipped and is due again.
    var reminder: SessionOutput.Notice?
  }

  private func active(_ context: CommandContext, at now: Date) async throws -> Active {
    guard let store = try await context.existingAnyStore(storeOptions) else { return Active() }
    var active = Active()
    var hidesWeight = false
    for summary in try await store.sessions() {
      let events = try await store.events(of: summary.id)
      let plan = try ActivePlan(events: events)
      let journey = try JourneyState(events: events)
      if let pack = try? context.promptPack(of: events) {
        let coaching = try CoachingState(events: events, careNotes: pack.careNotes)
        hidesWeight = hidesWeight || coaching.hidesWeight
        if let known = pack.dayCycle(after: events),
          active.cycle.map({ $0.startedAt < known.startedAt }) ?? true
        {
          active.cycle = known
        }
        active.reminder = active.reminder ?? .reminder(of: journey, pack, at: now)
      }
      guard let schedule = plan.schedule, let date = plan.activatedAt else { continue }
      if let earlier = active.program?.plan.activatedAt, earlier >= date { continue }
      active.program = Found(
        session: summary.id, plan: plan, schedule: schedule, row: journey.row)
    }
    // What was told in one conversation holds for the days of another.
    if hidesWeight { active.cycle = nil }
    return active
  }

  private func write(_ found: Found, to path: String, _ terminal: TTY) throws {
    let calendar = ProgramCalendar(
      found.schedule, id: found.row ?? found.session.rawValue,
      stamp: found.plan.activatedAt ?? Date())
    guard path != "-" else { return terminal.write(calendar.text) }
    do {
      try Data(calendar.text.utf8).write(to: URL(filePath: path), options: .atomic)
    } catch {
      throw CommandFailure(.cannotWrite, "I couldn't write \(path): \(error.localizedDescription)")
    }
    let count = found.schedule.sessions.count
    terminal.writeNote(
      "\(path) has \(count.counted("session")). "
        + Self.reminders(found.schedule.sessions.map(\.session.time))
        + " Open it with your calendar.", as: .notice)
  }

  /// - Parameter times: Of each session; nil for one without.
  static func reminders(_ times: [String?]) -> String {
    let before = "\(ProgramCalendar.alarmMinutes) minutes before"
    let onTheDay = "at \(ProgramCalendar.alarmHour):00 on the day"
    let hasTimes = times.contains { $0 != nil }
    guard times.contains(nil) else { return "The reminder comes \(before)." }
    return hasTimes
      ? "The reminder comes \(before), or \(onTheDay) for a session without a time."
      : "The reminder comes \(onTheDay), because no session has a time yet."
  }
}

extension SessionOutput.Notice {
  /// What was skipped in a journey and is due again, outside of it; nil for nothing.
  static func reminder(of journey: JourneyState, _ pack: PromptPack, at now: Date) -> Self? {
    guard let due = journey.reminder(of: pack, at: now) else { return nil }
    return Self(
      code: "reminder-due", level: .info,
      text: "\(due.text) `rapport start \(due.journey)` takes you there.")
  }
}

extension ProgramSpan: ExpressibleByArgument {}

/// A program for a person or a program.
struct ProgramView {
  let plan: ActivePlan
  let schedule: ProgramSchedule
  let now: Date

  struct Line: Equatable {
    var text: String
    var role: TextRole
  }

  private var program: TrainingProgram { schedule.program }
  private var week: Int? { schedule.week(at: now) }
  private var today: String { schedule.day(of: now) }

  private var isOver: Bool { schedule.isOver(at: now) }
  private var next: ProgramSchedule.Planned? { schedule.sessions.first { $0.day > today } }

  func lines(_ span: ProgramSpan) -> [Line] {
    var lines = [Line(text: heading, role: .bold)]
    if let note = plan.programNote { lines.append(Line(text: note, role: .dim)) }
    let sessions = schedule.sessions(span, at: now)
    var lastWeek: Int?
    for planned in sessions {
      if span == .all, planned.week != lastWeek {
        lines.append(Line(text: "", role: .coach))
        lines.append(Line(text: "Week \(planned.week)", role: .bold))
        lines += changes(in: planned.week).map { Line(text: "  \($0)", role: .dim) }
        lastWeek = planned.week
      }
      lines += self.lines(of: planned, whole: span != .all)
    }
    if sessions.isEmpty { lines += nothing(span) }
    if span == .all {
      lines += program.adaptations.map {
        Line(text: "Because of “\($0.constraint)”: \($0.how)", role: .dim)
      }
    }
    return lines
  }

  private var heading: String {
    let place =
      week.map { "week \($0) of \(program.weeks)" }
      ?? (isOver
        ? "ended on \(lastDay)" : "starts on \(day(schedule.start))")
    return "\(program.title), \(place)"
  }

  /// `March 3, 2025`, without the year if it is this one.
  private var lastDay: String {
    guard let day = Day(schedule.lastDay) else { return schedule.lastDay }
    let text = "\(ProgramSchedule.months[day.parts.month - 1]) \(day.parts.day)"
    return Day(today)?.parts.year == day.parts.year ? text : text + ", \(day.parts.year)"
  }

  private func day(_ date: Date) -> String {
    ProgramSchedule.dayInWords(date, in: schedule.timeZone)
  }

  private func changes(in week: Int) -> [String] {
    program.progression.filter { $0.week == week }.map(\.change)
  }

  private func lines(of planned: ProgramSchedule.Planned, whole: Bool) -> [Line] {
    let day = day(planned.start)
    let time = planned.session.time.map { ", \($0)" } ?? ""
    let title = "\(day)\(time), \(planned.session.minutes) minutes: \(planned.session.title)"
    guard whole else { return [Line(text: "  \(title)", role: .coach)] }
    return [Line(text: "", role: .coach), Line(text: title, role: .accent)]
      + planned.session.exercises.map { exercise in
        Line(text: "  \(exercise.name): \(exercise.loadText)", role: .coach)
      }
      + program.progression.filter { $0.week <= planned.week }.map {
        Line(text: "  From week \($0.week): \($0.change)", role: .dim)
      }
  }

  private func nothing(_ span: ProgramSpan) -> [Line] {
    if let next {
      let day = day(next.start)
      return [
        Line(text: "Nothing today. Next: \(day), \(next.session.title).", role: .coach)
      ]
    }
    guard isOver else {
      return [Line(text: "Nothing today, and that was the last session.", role: .coach)]
    }
    let journey = plan.start?.journey ?? "trainer"
    return [
      Line(text: "`rapport start \(journey) --new` makes a new one with you.", role: .coach),
      Line(text: "`rapport program all` shows what was in it.", role: .dim),
    ]
  }

  func json(_ span: ProgramSpan) -> JSONValue { plan.json(span, at: now) ?? .null }
}

extension DayCycle {
  func lines(_ span: ProgramSpan, at now: Date) -> [ProgramView.Line] {
    let days = days(span, at: now)
    var lines = [ProgramView.Line(text: title, role: .bold)]
    for day in days {
      let place =
        "\(ProgramSchedule.dayInWords(day.start, in: timeZone)): \(day.kind), day \(day.number) of \(day.count)"
      lines.append(ProgramView.Line(text: place, role: .accent))
      // The same holds on each day of a kind.
      guard day == days.first || day.number == 1 else { continue }
      lines += day.rows.map { ProgramView.Line(text: "  \($0.label): \($0.value)", role: .coach) }
    }
    guard span == .today else { return lines }
    let next = next(after: now)
    let text = "Next: \(next.kind), from \(ProgramSchedule.dayInWords(next.start, in: timeZone))."
    return lines + [ProgramView.Line(text: text, role: .dim)]
  }
}
