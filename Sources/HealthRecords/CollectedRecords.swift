/// A stretch of time with something counted in it, by one source.
struct IntervalSample: Hashable, Sendable {
  var start: Int
  var value: Millionths
  var duration: UInt32
  /// Of the clock, in minutes ahead of UTC.
  var offset: Int16
  var source: UInt16

  var end: Int { start + Int(duration) }
}

/// What the readings of one day come to.
struct DayAggregate: Hashable, Sendable {
  var count = 0
  var sum: Millionths = 0
  var lowest: Millionths = .max
  var highest: Millionths = .min

  mutating func add(_ value: Millionths) {
    count += 1
    sum += value
    lowest = min(lowest, value)
    highest = max(highest, value)
  }
}

/// One measurement of something that is not added up.
struct Reading: Hashable, Sendable {
  var instant: Int
  var day: Day
  var value: Millionths
}

struct SleepInterval: Hashable, Sendable {
  enum State: Sendable { case inBed, asleep, awake }

  var start: Int
  var end: Int
  var state: State
  var offset: Int
  var source: UInt16
}

struct WorkoutRecord: Hashable, Sendable {
  var start: ZonedTime
  var end: Int
  /// Such as `running`.
  var type: String
  var minutes: Double
  var kilometres: Double?
  var kilocalories: Double?
  var source: UInt16
}

/// A line of Apple's own sums for a day, for days on which there are no records.
struct DaySummary: Hashable, Sendable {
  var kilocalories: Double?
  var exerciseMinutes: Double?
  var standHours: Double?
}

/// What was read, not yet put together.
struct CollectedRecords {
  var window: HealthWindow
  var sources = SourceTable()
  var intervals: [Quantity: [IntervalSample]] = [:]
  var days: [Quantity: [DayAggregate]] = [:]
  var readings: [Quantity: [Reading]] = [:]
  var standHours: [Int: Set<Int>] = [:]
  var sleep: [SleepInterval] = []
  var workouts: [WorkoutRecord] = []
  var summaries: [Int: DaySummary] = [:]
  var leftOut = LeftOutList()
  /// Things kept one by one.
  private(set) var kept = 0

  /// The most that is kept one by one, about 30 MiB. A person who wears a watch day and night makes
  /// some 2,000 such records a day.
  static let most = 1_000_000

  init(window: HealthWindow) { self.window = window }

  /// Thirty a day for two years.
  static let mostWorkouts = 20_000

  /// Makes room for one more; the limit where there is none.
  mutating func takesOneMore() -> Int? {
    kept += 1
    return kept <= Self.most ? nil : Self.most
  }
}
