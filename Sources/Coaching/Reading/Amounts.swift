import Journeys

/// The amounts that stand in a few words: `3x5 … at 60 kg`, `5k in 31 min`, `31:20`.
struct Amounts {
  var sets: Int?
  var repetitions: Int?
  var kilograms: Double?
  var kilometers: Double?
  var seconds: Double?
  /// Seconds per kilometer.
  private var pace: Double?

  private let words: LogWords
  private let units: Units
  private let kind: LogEntry.Kind
  private let tokens: [LogTokens.Token]

  static let kilogramsPerPound = 0.453_592_37
  static let kilometersPerMile = 1.609_344

  /// - Parameter units: What a load without a unit is in.
  init(
    _ tokens: some Sequence<LogTokens.Token>, _ kind: LogEntry.Kind, _ words: LogWords,
    _ units: Units
  ) {
    (self.words, self.units, self.kind) = (words, units, kind)
    self.tokens = Array(tokens)
    var index = 0
    while index < self.tokens.count { index += max(1, read(at: index)) }
    if let pace, let kilometers, seconds == nil { seconds = pace * kilometers }
  }

  var isEmpty: Bool {
    sets == nil && repetitions == nil && kilograms == nil && kilometers == nil && seconds == nil
  }

  private func number(_ index: Int) -> Double? {
    guard tokens.indices.contains(index) else { return nil }
    return tokens[index].number ?? words.numbers[tokens[index].text]
  }

  private func word(_ index: Int) -> String {
    tokens.indices.contains(index) ? tokens[index].text : ""
  }

  private func unit(_ index: Int) -> LogWords.Unit? { words.units[word(index)] }

  private static func whole(_ value: Double?) -> Int? { value.flatMap { Int(exactly: $0) } }

  /// - Returns: How many tokens were read.
  private mutating func read(at index: Int) -> Int {
    guard let value = number(index) else { return 1 }
    if word(index + 1) == ":", number(index + 2) != nil { return readClock(at: index) }
    if words.by.contains(word(index + 1)), let second = number(index + 2) {
      return readSets(value, second, at: index)
    }
    switch unit(index + 1) {
    case .sets: return readSets(value, at: index)
    case .repetitions:
      set(\.repetitions, Self.whole(value))
      return 2
    case .kilogram: set(\.kilograms, value)
    case .pound: set(\.kilograms, value * Self.kilogramsPerPound)
    case .kilometer: set(\.kilometers, value)
    case .mile: set(\.kilometers, value * Self.kilometersPerMile)
    case .meter: set(\.kilometers, value / 1_000)
    case .hour: add(seconds: value * 3_600)
    case .minute: add(seconds: value * 60)
    case .second: add(seconds: value)
    case nil: return readBare(value, at: index)
    }
    return 2
  }

  private mutating func set<Value>(_ member: WritableKeyPath<Amounts, Value?>, _ value: Value?) {
    if self[keyPath: member] == nil { self[keyPath: member] = value }
  }

  private mutating func add(seconds more: Double) { seconds = (seconds ?? 0) + more }

  /// `3x5`, `3 x 5 x 60`.
  private mutating func readSets(_ sets: Double, _ each: Double, at index: Int) -> Int {
    set(\.sets, Self.whole(sets))
    // Three sets of a time, or of a distance.
    switch unit(index + 3) {
    case .second, .minute, .meter, .kilometer: return 2
    case .kilogram, .pound:
      // "5 x 60 kg": repetitions with a load.
      self.sets = nil
      set(\.repetitions, Self.whole(sets))
      return 2
    default: break
    }
    set(\.repetitions, Self.whole(each))
    if words.by.contains(word(index + 3)), let load = number(index + 4), unit(index + 5) == nil {
      set(\.kilograms, metric(load))
      return 5
    }
    return unit(index + 3) == .repetitions ? 4 : 3
  }

  /// `3 sets of 5`.
  private mutating func readSets(_ value: Double, at index: Int) -> Int {
    set(\.sets, Self.whole(value))
    guard words.of.contains(word(index + 2)), let each = number(index + 3) else { return 2 }
    switch unit(index + 4) {
    case nil, .repetitions:
      set(\.repetitions, Self.whole(each))
      return unit(index + 4) == nil ? 4 : 5
    default: return 3
    }
  }

  /// `31:20`, `1:05:00`, `6:12 / km`.
  private mutating func readClock(at index: Int) -> Int {
    guard let first = number(index), let second = number(index + 2), second < 60 else { return 3 }
    if word(index + 3) == ":", let third = number(index + 4), third < 60 {
      add(seconds: first * 3_600 + second * 60 + third)
      return 5
    }
    let isPace =
      word(index + 3) == "/" || words.per.contains(word(index + 3))
      || words.per.contains(word(index - 1))
    if isPace {
      pace = first * 60 + second
      return 4
    }
    if unit(index + 3) == .hour {
      add(seconds: first * 3_600 + second * 60)
      return 4
    }
    // A time of day, as in "at 7:30", is no duration.
    if words.at.contains(word(index - 1)) { return 3 }
    add(seconds: first * 60 + second)
    return unit(index + 3) == .minute ? 4 : 3
  }

  private mutating func readBare(_ value: Double, at index: Int) -> Int {
    if words.thousand.contains(word(index + 1)) {
      if kind == .distance { set(\.kilometers, value) } else { set(\.kilograms, value) }
      return 2
    }
    let isLoad = kind == .strength && words.at.contains(word(index - 1))
    if isLoad || kind == .weight { set(\.kilograms, metric(value)) }
    return 1
  }

  private func metric(_ load: Double) -> Double {
    units == .imperial ? load * Self.kilogramsPerPound : load
  }
}

extension LogEntry {
  /// Takes over what was said, rounded to grams, meters and tenths of a second.
  mutating func take(_ amounts: Amounts) {
    sets = amounts.sets ?? sets
    repetitions = amounts.repetitions ?? repetitions
    kilograms = amounts.kilograms.map { ($0 * 100).rounded() / 100 } ?? kilograms
    kilometers = amounts.kilometers.map { ($0 * 1_000).rounded() / 1_000 } ?? kilometers
    seconds = amounts.seconds.map { ($0 * 10).rounded() / 10 } ?? seconds
  }
}
