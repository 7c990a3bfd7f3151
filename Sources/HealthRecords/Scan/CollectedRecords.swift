/// An interval with a count, from one source. There can be a million, so each takes 16 bytes; they
/// sort by time.
struct IntervalSample: Hashable, Sendable, Comparable {
  /// Start (32 bits), duration (18) and source (14).
  private let time: UInt64
  /// Value (42) and the two clock offsets (11 each), in minutes from the westernmost clock.
  private let rest: UInt64

  /// - Parameter epoch: The origin of times: ``HealthWindow/epoch``.
  init(
    _ start: ZonedTime, _ end: ZonedTime, value: Millionths, source: UInt16, epoch: Int
  ) {
    let seconds = UInt64(clamping: start.instant - epoch)
    let duration = UInt64(clamping: end.instant - start.instant)
    time = seconds << 32 | duration << 14 | UInt64(source)
    let offsets = Self.minutes(end.offset) << 11 | Self.minutes(start.offset)
    rest = UInt64(clamping: value) << 22 | offsets
  }

  private static func minutes(_ offset: Int) -> UInt64 {
    UInt64(clamping: (offset - ZonedTime.offsets.lowerBound) / 60)
  }

  private static func offset(_ minutes: UInt64) -> Int {
    Int(minutes & 0x7FF) * 60 + ZonedTime.offsets.lowerBound
  }

  var start: Int { Int(time >> 32) }
  var duration: Int { Int(time >> 14 & 0x3FFFF) }
  var end: Int { start + duration }
  var source: Int { Int(time & 0x3FFF) }
  var value: Millionths { Int(rest >> 22) }
  /// The clock's offset at both ends, in seconds ahead of UTC.
  var startOffset: Int { Self.offset(rest) }
  var endOffset: Int { Self.offset(rest >> 11) }

  /// Whether it repeats the other one.
  func repeats(_ other: IntervalSample) -> Bool {
    time == other.time && rest >> 22 == other.rest >> 22
  }

  static func < (left: IntervalSample, right: IntervalSample) -> Bool {
    (left.time, left.rest) < (right.time, right.rest)
  }
}

/// The sum of one day's readings.
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

/// One measurement that is not added up, in 16 bytes.
struct Reading: Hashable, Sendable {
  /// The second (32 bits) and the position in the file (32).
  let time: UInt64
  /// The day's index in the window (16) and the value (48).
  let rest: UInt64

  init(second: Int, place: Int, dayIndex: Int, value: Millionths) {
    time = UInt64(clamping: second) << 32 | UInt64(clamping: place)
    rest = UInt64(clamping: dayIndex) << 48 | UInt64(clamping: value)
  }

  var second: UInt64 { time >> 32 }
  var dayIndex: Int { Int(rest >> 48) }
  var value: Millionths { Int(rest & (1 << 48 - 1)) }
}

/// The kind of a sleep interval, stored as its value.
enum SleepState: Int, Sendable { case inBed, asleep, awake }

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

/// One line of Apple's own daily sums, for days without records.
struct DaySummary: Hashable, Sendable {
  var kilocalories: Double?
  var exerciseMinutes: Double?
  var standHours: Double?
}

/// What was read, before merging.
struct CollectedRecords {
  let window: HealthWindow
  var sources = SourceTable()
  var intervals: [Quantity: [IntervalSample]] = [:]
  var days: [Quantity: [DayAggregate]] = [:]
  var readings: [Quantity: [Reading]] = [:]
  var standHours: [Int: Set<Int>] = [:]
  var sleep: [IntervalSample] = []
  var workouts: [WorkoutRecord] = []
  var summaries: [Int: DaySummary] = [:]
  var leftOut = LeftOutList()
  /// Records stored one by one.
  private(set) var kept = 0

  /// The most records stored one by one: 16 MB. A watch worn day and night makes some 1,000 a day;
  /// heart rates are not among them, because only their sums are kept.
  static let most = 1_000_000

  init(window: HealthWindow) { self.window = window }

  /// Thirty a day for two years.
  static let mostWorkouts = 20_000

  /// Makes room for one more; throws at the limit.
  mutating func takesOneMore() -> Int? {
    kept += 1
    return kept <= Self.most ? nil : Self.most
  }
}
