public import FoundationEssentials
public import IncrementalJSON

/// The days that take turns once a journey is over, such as five of one kind and two of another. The first is
/// the day on which the journey was finished.
public struct DayCycle: Hashable, Sendable {
  public struct Day: Hashable, Sendable {
    /// What days of its kind are called.
    public var kind: String
    /// Among those of its kind in a row, counted from 1.
    public var number: Int
    public var count: Int
    /// `yyyy-MM-dd`, in the person's time zone.
    public var date: String
    public var start: Date
    /// What holds on it, such as a target.
    public var rows: [DocumentRow]

    /// `Daily target: 1800 kcal. Eating window: 12:00 to 20:00.`
    public var summary: String { rows.map { "\($0.label): \($0.value)." }.joined(separator: " ") }
  }

  /// Days of one kind in a row.
  public struct Part: Hashable, Sendable {
    public var kind: String
    public var days: Int
    public var rows: [DocumentRow]

    public init(kind: String, days: Int, rows: [DocumentRow]) {
      (self.kind, self.days, self.rows) = (kind, days, rows)
    }
  }

  /// The journey's.
  public let title: String
  public let startedAt: Date
  public let timeZone: TimeZone
  private let parts: [Part]

  public init(title: String, startedAt: Date, timeZone: TimeZone, parts: [Part]) {
    (self.title, self.startedAt) = (title, startedAt)
    (self.timeZone, self.parts) = (timeZone, parts)
  }

  /// Such as seven.
  private var length: Int { parts.reduce(0) { $0 + $1.days } }

  /// How many days after the first; never fewer than none.
  private func place(of date: Date) -> Int {
    let calendar = ProgramSchedule.calendar(timeZone)
    let days = calendar.dateComponents(
      [.day], from: calendar.startOfDay(for: startedAt), to: calendar.startOfDay(for: date))
    return max(0, days.day ?? 0)
  }

  private func day(_ place: Int) -> Day {
    let calendar = ProgramSchedule.calendar(timeZone)
    let first = calendar.startOfDay(for: startedAt)
    let start = calendar.date(byAdding: .day, value: place, to: first) ?? first
    var (rest, index) = (place % length, 0)
    while rest >= parts[index].days {
      rest -= parts[index].days
      index += 1
    }
    return Day(
      kind: parts[index].kind, number: rest + 1, count: parts[index].days,
      date: ProgramSchedule.text(of: start, in: timeZone), start: start, rows: parts[index].rows)
  }

  public func day(at date: Date) -> Day { day(place(of: date)) }

  /// The first day of another kind.
  public func next(after date: Date) -> Day {
    let today = day(at: date)
    return day(place(of: date) + today.count - today.number + 1)
  }

  /// Today, the seven days from today, or one whole turn from today.
  public func days(_ span: ProgramSpan, at date: Date) -> [Day] {
    let count =
      switch span {
      case .today: 1
      case .week: 7
      case .all: length
      }
    return (0..<count).map { day(place(of: date) + $0) }
  }

  /// `docs/json.md` shows it.
  public func json(_ span: ProgramSpan, at date: Date) -> JSONValue {
    [
      "type": "cycle", "span": .string(span.rawValue), "title": .string(title),
      "start": .string(day(0).date), "timeZone": .string(timeZone.identifier),
      "days": .array(days(span, at: date).map(\.json)), "next": next(after: date).json,
    ]
  }
}

extension DayCycle.Day {
  fileprivate var json: JSONValue {
    [
      "date": .string(date), "kind": .string(kind), "number": JSONValue(number),
      "of": JSONValue(count),
      "rows": .array(rows.map { ["label": .string($0.label), "value": .string($0.value)] }),
    ]
  }
}
