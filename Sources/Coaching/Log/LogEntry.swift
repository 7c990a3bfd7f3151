public import HealthRecords
public import Plans

/// Something that a person did, skipped or measured.
///
/// Everything is metric: kilograms, kilometers, seconds. What was not said is nil.
public struct LogEntry: Hashable, Sendable, Codable {
  /// Counted from 1 in the log; corrections keep it.
  public var number: Int
  /// The person's local date.
  public var day: Day
  public var kind: Kind
  /// An activity of the pack, such as `squat`, or the person's own word for it.
  public var activity: String
  public var sets: Int?
  /// In each set; in the best one if sets differ.
  public var repetitions: Int?
  /// The load, or the body's weight; the best set's if sets differ.
  public var kilograms: Double?
  /// The sets in their order, if they differ; nil otherwise. There may be fewer than `sets`.
  public var eachSet: [Series]?
  public var kilometers: Double?
  public var seconds: Double?
  /// Of a pool, whose length nobody told.
  public var laps: Int?
  public var steps: Int?
  /// The units that the words named; nil if they named none, or both.
  public var units: Units?
  public var effort: Effort?
  /// In the person's words.
  public var note: String?
  /// The words it was taken from; nil if it was typed as a command or comes from health data.
  public var quote: Quote?
  /// The words that figures of it were corrected by, in their order; nil without any.
  public var corrections: [Quote]?
  public var source: Source
  /// When it was, in seconds since 1970; nil if only the day is known.
  public var begins: Int?
  public var ends: Int?

  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// Sets and repetitions, with or without a load.
    case strength
    /// A distance, a time, or both.
    case distance
    /// A time only, such as yoga.
    case timed
    /// A session that was planned and did not happen.
    case skipped
    /// The body's weight.
    case weight
  }

  public enum Effort: String, Hashable, Sendable, Codable, CaseIterable {
    case easy, moderate, hard
  }

  public enum Source: String, Hashable, Sendable, Codable, CaseIterable {
    /// Said in the conversation.
    case said
    /// Entered as a command.
    case typed
    /// A workout in health data.
    case health
  }

  public struct Quote: Hashable, Sendable, Codable {
    /// The user turn, counted from 1.
    public var turn: Int
    public var text: String
  }

  /// One set.
  public struct Series: Hashable, Sendable, Codable {
    public var repetitions: Int
    /// Nil without a load.
    public var kilograms: Double?

    /// The heaviest of them, and the one with most repetitions at that load.
    static func best(of series: [Series]) -> Series? {
      series.max { ($0.kilograms ?? 0, $0.repetitions) < ($1.kilograms ?? 0, $1.repetitions) }
    }
  }

  public init(
    number: Int = 0, day: Day, kind: Kind, activity: String, source: Source = .typed
  ) {
    (self.number, self.day, self.kind) = (number, day, kind)
    (self.activity, self.source) = (activity, source)
  }

  /// The entry with what another one of the same activity does not name. Effort and note are kept from an
  /// entry of any activity, and so is what health data says about the time.
  func completed(from before: LogEntry) -> LogEntry {
    var entry = self
    entry.effort = effort ?? before.effort
    entry.note = note ?? before.note
    entry.units = units ?? before.units
    (entry.begins, entry.ends) = (before.begins, before.ends)
    if before.source == .health { entry.source = .health }
    guard (kind, activity) == (before.kind, before.activity) else { return entry }
    if sets == nil, repetitions == nil {
      entry.eachSet = eachSet ?? before.eachSet
      if let kilograms, eachSet == nil {
        entry.eachSet = before.eachSet?.map {
          .init(repetitions: $0.repetitions, kilograms: kilograms)
        }
      }
    }
    entry.sets = sets ?? before.sets
    // A distance without repetitions is the whole one, not that of an interval.
    let isWhole = kind != .strength && kilometers != nil
    entry.repetitions = repetitions ?? (isWhole ? nil : before.repetitions)
    entry.kilograms = kilograms ?? before.kilograms
    entry.kilometers = kilometers ?? before.kilometers
    entry.seconds = seconds ?? before.seconds
    (entry.laps, entry.steps) = (laps ?? before.laps, steps ?? before.steps)
    return entry
  }

  /// Whether it counts as training.
  public var isTraining: Bool { kind != .skipped && kind != .weight }
}

extension LogEntry {
  /// Whether the person gave a measured amount, and not only said that something was done.
  var hasAmount: Bool {
    sets != nil || repetitions != nil || kilograms != nil || kilometers != nil || seconds != nil
      || laps != nil || steps != nil
  }
}

// Figures of one entry.
extension LogEntry {
  /// Epley's formula is given for sets of at most this many repetitions.
  public static let mostEpleyRepetitions = 10

  /// The load that could be lifted once, by B. Epley, "Poundage Chart", Boyd Epley Workout (1985):
  /// load × (1 + repetitions ÷ 30). A single repetition is its own maximum.
  ///
  /// It holds for 1…10 repetitions near failure (LeSuer et al., J Strength Cond Res 11(4), 1997); nil
  /// outside of them, without a load, and for sets that felt easy. The best set counts.
  public var oneRepetitionMaximum: Double? {
    guard kind == .strength, effort != .easy else { return nil }
    guard let eachSet else { return Self.maximum(repetitions, kilograms) }
    return eachSet.compactMap { Self.maximum($0.repetitions, $0.kilograms) }.max()
  }

  private static func maximum(_ repetitions: Int?, _ kilograms: Double?) -> Double? {
    guard let kilograms, kilograms > 0, let repetitions,
      (1...mostEpleyRepetitions).contains(repetitions)
    else { return nil }
    return repetitions == 1 ? kilograms : kilograms * (1 + Double(repetitions) / 30)
  }

  /// Seconds per kilometer; nil without a distance and a time, and for intervals, whose time may be that of one
  /// or of all.
  public var pace: Double? {
    guard let kilometers, kilometers > 0, let seconds, !isIntervals else { return nil }
    return seconds / kilometers
  }

  /// All of the distance, that of each interval included.
  public var totalKilometers: Double? {
    kilometers.map { isIntervals ? $0 * Double(repetitions ?? 1) : $0 }
  }

  private var isIntervals: Bool { kind != .strength && (repetitions ?? 1) > 1 && kilometers != nil }

  /// Sets × repetitions × load, in kilograms; nil without all of them.
  public var volume: Double? {
    if kind == .strength, let eachSet, eachSet.allSatisfy({ $0.kilograms != nil }) {
      return eachSet.reduce(0) { $0 + Double($1.repetitions) * ($1.kilograms ?? 0) }
    }
    guard kind == .strength, let repetitions, let kilograms else { return nil }
    return Double(sets ?? 1) * Double(repetitions) * kilograms
  }
}
