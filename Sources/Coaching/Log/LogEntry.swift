public import HealthRecords

/// Something that a person did, skipped or measured.
///
/// Everything is metric: kilograms, kilometers, seconds. What wasn't said is nil.
public struct LogEntry: Hashable, Sendable, Codable {
  /// Counted from 1 in the log; corrections keep it.
  public var number: Int
  /// The person's local date.
  public var day: Day
  public var kind: Kind
  /// An activity of the pack, such as `squat`, or the person's own word for it.
  public var activity: String
  public var sets: Int?
  /// In each set.
  public var repetitions: Int?
  /// The load, or the body's weight.
  public var kilograms: Double?
  public var kilometers: Double?
  public var seconds: Double?
  public var effort: Effort?
  /// In the person's words.
  public var note: String?
  /// The words it was taken from; nil if it was typed as a command or comes from health data.
  public var quote: Quote?
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
    /// A session that was planned and didn't happen.
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

    public init(turn: Int, text: String) { (self.turn, self.text) = (turn, text) }
  }

  public init(
    number: Int = 0, day: Day, kind: Kind, activity: String, source: Source = .typed
  ) {
    (self.number, self.day, self.kind) = (number, day, kind)
    (self.activity, self.source) = (activity, source)
  }

  /// The entry with what another one of the same activity doesn't name. Effort and note are kept from an
  /// entry of any activity, and so is what health data says about the time.
  func completed(from before: LogEntry) -> LogEntry {
    var entry = self
    entry.effort = effort ?? before.effort
    entry.note = note ?? before.note
    (entry.begins, entry.ends) = (before.begins, before.ends)
    if before.source == .health { entry.source = .health }
    guard (kind, activity) == (before.kind, before.activity) else { return entry }
    entry.sets = sets ?? before.sets
    entry.repetitions = repetitions ?? before.repetitions
    entry.kilograms = kilograms ?? before.kilograms
    entry.kilometers = kilometers ?? before.kilometers
    entry.seconds = seconds ?? before.seconds
    return entry
  }

  /// Whether it counts as training.
  public var isTraining: Bool { kind != .skipped && kind != .weight }
}

// What is plausible.
extension LogEntry {
  package static let setRange = 1...30
  package static let repetitionRange = 1...1_000
  package static let kilogramRange = 0.0...700.0
  package static let bodyRange = 25.0...350.0
  package static let kilometerRange = 0.01...500.0
  package static let secondRange = 5.0...172_800.0

  /// The member whose value can't be right; nil if all can.
  public var implausibleMember: String? {
    if let sets, !Self.setRange.contains(sets) { return "sets" }
    if let repetitions, !Self.repetitionRange.contains(repetitions) { return "repetitions" }
    let loads = kind == .weight ? Self.bodyRange : Self.kilogramRange
    if let kilograms, !loads.contains(kilograms) { return "kilograms" }
    if let kilometers, !Self.kilometerRange.contains(kilometers) { return "kilometers" }
    if let seconds, !Self.secondRange.contains(seconds) { return "seconds" }
    return nil
  }

  /// Whether a measured amount was said, and not only that something was done.
  var hasAmount: Bool {
    sets != nil || repetitions != nil || kilograms != nil || kilometers != nil || seconds != nil
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
  /// outside of them, without a load, and for sets that felt easy.
  public var oneRepetitionMaximum: Double? {
    guard kind == .strength, effort != .easy, let kilograms, kilograms > 0, let repetitions,
      (1...Self.mostEpleyRepetitions).contains(repetitions)
    else { return nil }
    return repetitions == 1 ? kilograms : kilograms * (1 + Double(repetitions) / 30)
  }

  /// Seconds per kilometer; nil without a distance and a time.
  public var pace: Double? {
    guard let kilometers, kilometers > 0, let seconds else { return nil }
    return seconds / kilometers
  }

  /// Sets × repetitions × load, in kilograms; nil without all of them.
  public var volume: Double? {
    guard kind == .strength, let repetitions, let kilograms else { return nil }
    return Double((sets ?? 1) * repetitions) * kilograms
  }
}
