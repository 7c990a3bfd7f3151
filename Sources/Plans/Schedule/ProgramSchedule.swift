public import FoundationEssentials

/// A program's sessions on their days. It starts on the day after it was activated, and its weeks are seven
/// days each from there.
public struct ProgramSchedule: Hashable, Sendable {
  public struct Planned: Hashable, Sendable {
    /// Counted from 1.
    public var week: Int
    /// `yyyy-MM-dd`, in the person's time zone.
    public var day: String
    /// When it begins; the day's start if no time is set.
    public var start: Date
    public var session: TrainingProgram.Session
  }

  /// All sessions, in order.
  public let sessions: [Planned]
  public let program: TrainingProgram
  public let timeZone: TimeZone
  /// The first day's start.
  public let start: Date

  public init(_ program: TrainingProgram, activatedAt: Date, timeZone: TimeZone) {
    (self.program, self.timeZone) = (program, timeZone)
    let calendar = Self.calendar(timeZone)
    let today = calendar.startOfDay(for: activatedAt)
    start = calendar.date(byAdding: .day, value: 1, to: today) ?? today
    let first = start
    sessions = (0..<max(0, program.weeks) * 7).flatMap { offset -> [Planned] in
      guard let day = calendar.date(byAdding: .day, value: offset, to: first) else { return [] }
      let weekday = TrainingProgram.Day(of: day, calendar)
      return program.sessions.filter { $0.day == weekday }.map { session in
        Planned(
          week: offset / 7 + 1, day: Self.text(of: day, in: timeZone),
          start: Self.time(of: session, on: day, calendar), session: session)
      }
      .sorted { $0.start < $1.start }
    }
  }

  /// The week that a moment is in, counted from 1; nil before the first and after the last.
  public func week(at date: Date) -> Int? {
    let calendar = Self.calendar(timeZone)
    let day = calendar.startOfDay(for: date)
    guard let days = calendar.dateComponents([.day], from: start, to: day).day, days >= 0,
      days < program.weeks * 7
    else { return nil }
    return days / 7 + 1
  }

  /// The end of the last week, `yyyy-MM-dd`.
  public var lastDay: String {
    let last = Self.calendar(timeZone).date(
      byAdding: .day, value: max(1, program.weeks * 7) - 1, to: start)
    return day(of: last ?? start)
  }

  /// Whether the last week is over.
  public func isOver(at date: Date) -> Bool { lastDay < day(of: date) }

  /// `yyyy-MM-dd`, in the person's time zone.
  public func day(of date: Date) -> String { Self.text(of: date, in: timeZone) }

  /// `Tuesday, November 24`.
  package static func dayInWords(_ date: Date, in zone: TimeZone) -> String {
    let calendar = calendar(zone)
    let weekday = DocumentWords.name(of: TrainingProgram.Day(of: date, calendar))
    let month = months[calendar.component(.month, from: date) - 1]
    return "\(weekday), \(month) \(calendar.component(.day, from: date))"
  }

  package static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]

  static func calendar(_ zone: TimeZone) -> Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    return calendar
  }

  private static func time(
    of session: TrainingProgram.Session, on day: Date, _ calendar: Calendar
  ) -> Date {
    guard let minutes = session.time.flatMap({ ClockRange.minutes($0) }) else { return day }
    // By the clock on the wall, also on a day of 23 or 25 hours.
    return calendar.date(
      bySettingHour: minutes / 60, minute: minutes % 60, second: 0, of: day) ?? day
  }

  /// `yyyy-MM-dd`.
  static func text(of date: Date, in zone: TimeZone) -> String {
    date.formatted(Date.ISO8601FormatStyle(timeZone: zone).year().month().day())
  }
}

extension TrainingProgram.Day {
  fileprivate init(of date: Date, _ calendar: Calendar) {
    // Sunday is 1 for the calendar.
    self = Self.allCases[(calendar.component(.weekday, from: date) + 5) % 7]
  }
}
