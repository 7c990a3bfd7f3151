import Journeys

// Keeping what was read.
extension Amounts {
  mutating func set<Value>(_ member: WritableKeyPath<Amounts, Value?>, _ value: Value?) {
    if self[keyPath: member] == nil { self[keyPath: member] = value }
  }

  mutating func add(seconds more: Double) { seconds = (seconds ?? 0) + more }

  mutating func setDistance(_ value: Double, _ units: Units) {
    guard kilometers == nil else { return }
    kilometers = value
    named.insert(units)
  }

  /// Whether it's no number of sets.
  func isTooMany(_ operand: Operand) -> Bool {
    operand.whole.map { $0 > words.mostSets } ?? true
  }

  mutating func metric(_ load: Operand) -> Double {
    switch load.unit {
    case .kilogram: named.insert(.metric)
    case .pound: named.insert(.imperial)
    default: return bareLoad(load.value)
    }
    return load.unit == .pound ? load.value * Self.kilogramsPerPound : load.value
  }

  /// A load without a unit, in kilograms.
  private func bareLoad(_ value: Double) -> Double {
    let isPound = loadUnit.map { $0 == .pound } ?? (frame.units == .imperial)
    return isPound ? value * Self.kilogramsPerPound : value
  }

  mutating func addLoad(_ value: Double, _ unit: LogWords.Unit) {
    named.insert(unit == .pound ? .imperial : .metric)
    addLoad(unit == .pound ? value * Self.kilogramsPerPound : value)
  }

  mutating func addLoad(_ kilograms: Double) {
    let last = groups[groups.count - 1]
    if last.kilograms == nil {
      groups[groups.count - 1].kilograms = kilograms
    } else if last.repetitions != nil {
      groups.append(Group(kilograms: kilograms))
    }
  }

  mutating func addSets(_ sets: Int?, _ repetitions: Int?, _ kilograms: Double?) {
    let last = groups[groups.count - 1]
    if last.repetitions != nil || (kilograms != nil && last.kilograms != nil) {
      groups.append(Group())
    }
    let place = groups.count - 1
    groups[place].sets = sets ?? groups[place].sets
    groups[place].repetitions = repetitions
    groups[place].kilograms = kilograms ?? groups[place].kilograms
  }

  mutating func addRepetitions(_ count: Int?, alone: Bool, at index: Int) {
    let last = groups[groups.count - 1]
    if last.repetitions != nil {
      // "failed the last 2 reps" isn't a set, "8 reps, 7 reps" are two.
      let isNext = tokens.tokens.indices.contains(index) && tokens.tokens[index].followsComma
      guard !alone || (isNext && last.sets == nil) else { return }
      groups.append(Group())
    }
    groups[groups.count - 1].repetitions = count
  }

  mutating func finishSets() {
    let last = groups.count - 1
    if isNamedSet, groups[last].kilograms == nil, bare.count == 1, frame.isLoaded,
      bare[0] > Double(words.mostSets)
    {
      groups[last].kilograms = bareLoad(bare[0])
    }
    let done = groups.filter { $0.repetitions != nil }
    guard done.count > 1 else {
      let one = done.first
      set(\.sets, one?.sets ?? groups.lazy.compactMap(\.sets).first)
      repetitions = one?.repetitions
      kilograms = one?.kilograms ?? groups.lazy.compactMap(\.kilograms).first
      return
    }
    var series: [LogEntry.Series] = []
    for (index, group) in done.enumerated() {
      let load =
        group.kilograms ?? done[..<index].last { $0.kilograms != nil }?.kilograms
        ?? done[index...].first { $0.kilograms != nil }?.kilograms
        ?? groups.lazy.compactMap(\.kilograms).first
      let one = LogEntry.Series(repetitions: group.repetitions ?? 0, kilograms: load)
      series += Array(repeating: one, count: min(max(1, group.sets ?? 1), 30))
    }
    let best = LogEntry.Series.best(of: series)
    (repetitions, kilograms) = (best?.repetitions, best?.kilograms)
    sets = max(series.count, done.contains { $0.sets != nil } ? 0 : statedSets ?? 0)
    eachSet = Set(series).count > 1 || sets != series.count ? series : nil
  }

  mutating func finishTimes() {
    if seconds == nil, let bareTime, frame.kind == .distance, kilometers != nil,
      !isTooFast(bareTime * 60)
    {
      seconds = bareTime * 60
      bare = []
    }
    if seconds == nil, let bareFor, !isTooFast(bareFor * 60) {
      seconds = bareFor * 60
      bare = []
    }
    if let clock, let read = seconds, read == clock.first * 60 + clock.second, isTooFast(read) {
      seconds = read * 60
    }
    if let pace, let kilometers, seconds == nil { seconds = pace * kilometers }
    if let pace, pace > 0, kilometers == nil, let seconds { kilometers = seconds / pace }
  }

  private func isTooFast(_ seconds: Double) -> Bool {
    guard let kilometers, let fastest = frame.fastest, seconds > 0 else { return false }
    return kilometers / seconds * 3_600 > fastest
  }
}
