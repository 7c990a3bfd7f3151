import Journeys

/// The amounts that stand in a few words: `3x5 … at 60 kg`, `5k in 31 min`, `8, 7, 6`, `an hour`.
struct Amounts {
  var sets: Int?
  var repetitions: Int?
  var kilograms: Double?
  var kilometers: Double?
  var seconds: Double?
  var laps: Int?
  var steps: Int?
  /// If sets differ.
  private(set) var eachSet: [LogEntry.Series]?
  /// What the words name; nil without a unit, and if they name both.
  private(set) var units: Units?
  /// Numbers without a unit that fit nowhere.
  private(set) var bare: [Double] = []
  /// Whether the distance is named as runners do: `5k`, `half marathon`.
  private(set) var isRaceDistance = false

  /// How the words are read.
  struct Frame {
    var kind: LogEntry.Kind
    /// Without a load, a large number before an × counts repetitions.
    var isLoaded = true
    /// From this speed on, `1:58` are hours and minutes.
    var fastest: Double?
    /// What a load or a distance without a unit is in.
    var units: Units
  }

  private let words: LogWords
  private let frame: Frame
  private let tokens: Quantities
  /// Of loads without one.
  private let loadUnit: LogWords.Unit?
  private var groups: [Group] = [Group()]
  private var statedSets: Int?
  private var named: Set<Units> = []
  /// Seconds per kilometer.
  private var pace: Double?
  /// `1:58`, which could be hours and minutes.
  private var clock: (first: Double, second: Double)?
  private var bareTime: Double?

  /// Sets that belong together.
  private struct Group {
    var sets: Int?
    var repetitions: Int?
    var kilograms: Double?
  }

  private struct Operand {
    var quantity: Quantities.Quantity
    var unit: LogWords.Unit?
    /// The word behind it.
    var end: Int

    var value: Double { quantity.value }
    var whole: Int? { quantity.whole }
  }

  static let kilogramsPerPound = 0.453_592_37
  static let kilogramsPerStone = 6.350_293_18
  static let kilometersPerMile = 1.609_344
  static let kilometersPerYard = 0.000_9144

  init(_ tokens: ArraySlice<LogTokens.Token>, _ frame: Frame, _ words: LogWords) {
    (self.words, self.frame) = (words, frame)
    self.tokens = Quantities(tokens, words)
    // "135x5, 145x5 lb": one unit is that of all loads.
    let loads = Set(tokens.compactMap { words.units[$0.text] }.filter { $0.isLoad })
    loadUnit = loads.count == 1 ? loads.first : nil
    var index = tokens.startIndex
    while index < tokens.endIndex { index += max(1, read(at: index)) }
    finishSets()
    finishTimes()
    units = named.count == 1 ? named.first : nil
  }

  var isEmpty: Bool {
    sets == nil && repetitions == nil && kilograms == nil && kilometers == nil && seconds == nil
      && laps == nil && steps == nil
  }

  private func word(_ index: Int) -> String { tokens.word(index) }

  private var isStrength: Bool { frame.kind == .strength }
}

// Reading from left to right.
extension Amounts {
  /// The unit that a number has, with what "k" and "m" mean here.
  private func unit(_ index: Int) -> LogWords.Unit? {
    let unit = tokens.unit(index)
    if unit == .meter, frame.kind == .timed, isMinutes(index) { return .minute }
    guard unit == nil, words.thousand.contains(word(index)) else { return unit }
    switch frame.kind {
    case .distance: return tokens.unit(index + 1) == .steps ? nil : .kilometer
    case .strength, .weight: return .kilogram
    case .timed, .skipped: return nil
    }
  }

  /// "Yoga 20m", but "intervals 8x400m".
  private func isMinutes(_ index: Int) -> Bool {
    tokens.tokens.indices.contains(index - 1)
      && tokens.tokens[index - 1].number.map { $0 <= 180 } ?? false
  }

  private func operand(_ index: Int) -> Operand? {
    guard let quantity = tokens[index] else { return nil }
    let next = index + quantity.length
    let unit = unit(next)
    return Operand(quantity: quantity, unit: unit, end: unit == nil ? next : next + 1)
  }

  /// - Returns: How many words were read.
  private mutating func read(at index: Int) -> Int {
    if let (value, length) = words.distances.match(tokens.tokens, index) {
      set(\.kilometers, value)
      isRaceDistance = true
      return length
    }
    if let (value, length) = words.durations.match(tokens.tokens, index) {
      add(seconds: value)
      return length
    }
    guard let operand = operand(index) else { return readWithoutNumber(at: index) }
    if word(index + 1) == ":", tokens.tokens[index].number != nil, tokens[index + 2] != nil {
      return readClock(at: index)
    }
    if words.by.contains(word(operand.end)), let second = self.operand(operand.end + 1) {
      return readProduct(operand, second) - index
    }
    switch operand.unit {
    case nil: return readBare(operand, at: index) - index
    case .sets?: return readSets(operand) - index
    case let unit?: return take(operand, unit, at: index) - index
    }
  }

  /// "hora y media": an hour that no number precedes. "Push ups x 20", "1 min plank x 3": a number behind a
  /// name.
  private mutating func readWithoutNumber(at index: Int) -> Int {
    if tokens.unit(index) == .hour, let half = tokens.halfWords(index + 1) {
      add(seconds: 5_400)
      return 1 + half
    }
    guard words.by.contains(word(index)), let count = operand(index + 1), count.unit == nil,
      !words.by.contains(word(count.end))
    else { return 1 }
    if seconds != nil || kilometers != nil {
      set(\.sets, count.whole)
    } else if isStrength, groups[groups.count - 1].repetitions == nil {
      addRepetitions(count.whole, alone: false, at: index)
    } else {
      return 1
    }
    return count.end - index
  }

  /// Takes over a number with a unit.
  ///
  /// - Returns: The word behind it.
  private mutating func take(_ operand: Operand, _ unit: LogWords.Unit, at index: Int) -> Int {
    let value = operand.value
    switch unit {
    case .sets: return readSets(operand)
    case .repetitions: addRepetitions(operand.whole, alone: true, at: index)
    case .kilogram, .pound:
      addLoad(value, unit)
      if words.forWord.contains(word(operand.end)), let each = self.operand(operand.end + 1),
        each.unit == nil, !words.by.contains(word(each.end))
      {
        // "100 kg for 5".
        addRepetitions(each.whole, alone: false, at: operand.end)
        return each.end
      }
    case .stone: return readStone(operand)
    case .kilometer:
      if tokens.unit(operand.end - 1) == nil { isRaceDistance = true }
      setDistance(value, .metric)
    case .mile: setDistance(value * Self.kilometersPerMile, .imperial)
    case .yard:
      setDistance((operand.quantity.grouped ?? value) * Self.kilometersPerYard, .imperial)
    case .meter: setDistance((operand.quantity.grouped ?? value) / 1_000, .metric)
    case .laps: set(\.laps, operand.whole)
    case .steps: set(\.steps, operand.whole)
    case .hour, .minute, .second: return readTime(operand, unit)
    }
    return operand.end
  }

  private mutating func readTime(_ operand: Operand, _ unit: LogWords.Unit) -> Int {
    // "2 min rest".
    if words.rest.contains(word(operand.end)) { return operand.end + 1 }
    var end = operand.end
    switch unit {
    case .hour:
      add(seconds: operand.value * 3_600)
      if let half = tokens.halfWords(end) {
        add(seconds: 1_800)
        return end + half
      }
      // "1h30", "1 h 30 m".
      if let rest = self.operand(end), rest.value < 60, rest.unit == nil || rest.unit == .meter,
        !rest.quantity.isArticle, !words.by.contains(word(rest.end)), word(rest.end) != ":"
      {
        add(seconds: rest.value * 60)
        end = rest.end
      }
    case .minute: add(seconds: operand.value * 60)
    default: add(seconds: operand.value)
    }
    return end
  }

  private mutating func readStone(_ operand: Operand) -> Int {
    var kilograms = operand.value * Self.kilogramsPerStone
    var end = operand.end
    if let rest = self.operand(end), rest.value < 14, rest.unit == nil || rest.unit == .pound {
      kilograms += rest.value * Self.kilogramsPerPound
      end = rest.end
    }
    if groups[0].kilograms == nil { groups[0].kilograms = kilograms }
    return end
  }

  /// `3x5`, `3 x 5 x 60`, `60 kg x 8`, `135x5`, `3x60s`.
  ///
  /// - Returns: The word behind it.
  private mutating func readProduct(_ first: Operand, _ second: Operand) -> Int {
    var factors = [first, second]
    if words.by.contains(word(second.end)), let third = operand(second.end + 1) {
      factors.append(third)
    }
    let end = factors[factors.count - 1].end
    // "145x5 lb", "225x3x3 lb".
    let last = factors.count - 1
    if factors[0].unit == nil, factors[last].unit?.isLoad == true, isTooMany(factors[0]),
      !isTooMany(factors[last])
    {
      (factors[0].unit, factors[last].unit) = (factors[last].unit, nil)
    }
    if let place = factors.firstIndex(where: { $0.unit?.isLoad == true }) {
      let load = factors.remove(at: place)
      readLoaded(factors, load: metric(load), loadIsFirst: place == 0)
      return end
    }
    // Sets of a time, or of a distance: "3x60s", "800m x 5".
    if factors.count == 2, let place = factors.firstIndex(where: { $0.unit?.isExtent == true }),
      let unit = factors[place].unit
    {
      set(\.sets, factors[1 - place].whole)
      _ = take(factors[place], unit, at: end)
      return end
    }
    readPlain(factors)
    return readTrailingLoad(end)
  }

  private mutating func readLoaded(_ factors: [Operand], load: Double, loadIsFirst: Bool) {
    if factors.count == 1 {
      addSets(nil, factors[0].whole, load)
    } else if loadIsFirst {
      addSets(factors[1].whole, factors[0].whole, load)
    } else {
      addSets(factors[0].whole, factors[1].whole, load)
    }
  }

  private mutating func readPlain(_ factors: [Operand]) {
    let (first, second) = (factors[0], factors[1])
    let isNamed = first.unit == .sets || second.unit == .repetitions
    if isStrength, !isNamed, isTooMany(first) {
      if frame.isLoaded {
        addSets(
          factors.count > 2 ? factors[2].whole : nil, second.whole, metric(first))
      } else {
        // "50x2": repetitions first.
        addSets(second.whole, first.whole, nil)
      }
      return
    }
    addSets(first.whole, second.whole, factors.count > 2 ? metric(factors[2]) : nil)
  }

  /// "3x5 60": a load behind sets and repetitions, without a unit.
  private mutating func readTrailingLoad(_ end: Int) -> Int {
    guard isStrength, frame.isLoaded, groups[groups.count - 1].kilograms == nil,
      let load = operand(end), load.unit == nil, !load.quantity.isArticle,
      !tokens.tokens[end].followsComma, !words.by.contains(word(load.end)),
      word(load.end) != ":", !words.dayUnits.contains(word(load.end))
    else { return end }
    addLoad(metric(load))
    return load.end
  }

  /// `3 sets of 5`, `5 sets`.
  private mutating func readSets(_ operand: Operand) -> Int {
    if groups[groups.count - 1].repetitions != nil, groups[groups.count - 1].sets != nil {
      groups.append(Group())
    }
    groups[groups.count - 1].sets = operand.whole
    if groups[groups.count - 1].repetitions == nil { statedSets = operand.whole }
    guard words.of.contains(word(operand.end)), let each = self.operand(operand.end + 1) else {
      return operand.end
    }
    guard each.unit == nil || each.unit == .repetitions else { return operand.end + 1 }
    addRepetitions(each.whole, alone: false, at: operand.end)
    return each.end
  }

  /// `31:20`, `1:05:00`, `6:12 / km`.
  ///
  /// - Returns: How many words were read.
  private mutating func readClock(at index: Int) -> Int {
    func number(_ index: Int) -> Double? { tokens[index]?.value }
    guard let first = number(index), let second = number(index + 2), second < 60 else { return 3 }
    if word(index + 3) == ":", let third = number(index + 4), third < 60 {
      add(seconds: first * 3_600 + second * 60 + third)
      return 5
    }
    let isPace =
      word(index + 3) == "/" || words.per.contains(word(index + 3))
      || words.per.contains(word(index - 1))
    if isPace {
      let isMile = (index + 4...index + 5).contains { tokens.unit($0) == .mile }
      pace = (first * 60 + second) / (isMile ? Self.kilometersPerMile : 1)
      return 4
    }
    if unit(index + 3) == .hour {
      add(seconds: first * 3_600 + second * 60)
      return 4
    }
    // A time of day, as in "at 7:30", is no duration.
    if words.at.contains(word(index - 1)) || words.clockTime.contains(word(index + 3)) { return 3 }
    add(seconds: first * 60 + second)
    if unit(index + 3) == .minute { return 4 }
    clock = (first, second)
    return 3
  }

  /// A number without a unit.
  ///
  /// - Returns: The word behind it.
  private mutating func readBare(_ operand: Operand, at index: Int) -> Int {
    let end = operand.end
    if words.thousand.contains(word(end)), tokens.unit(end + 1) == .steps {
      set(\.steps, Int(exactly: operand.value * 1_000))
      return end + 2
    }
    if words.dayUnits.contains(word(end)) { return end + 1 }
    if frame.kind == .weight {
      addLoad(metric(operand))
      return end
    }
    if isStrength { return readBareStrength(operand, at: index) }
    if words.inWord.contains(word(index - 1)) { bareTime = bareTime ?? minutes(operand, index) }
    bare.append(operand.value)
    return end
  }

  /// "13.02" are minutes and seconds, "13.5" are minutes.
  private func minutes(_ operand: Operand, _ index: Int) -> Double {
    let fraction = tokens.tokens[index].text.split(separator: ".").dropFirst().first ?? ""
    guard fraction.count == 2, let seconds = Double(String(fraction)), seconds < 60 else {
      return operand.value
    }
    return operand.value.rounded(.down) + seconds / 60
  }

  private mutating func readBareStrength(_ operand: Operand, at index: Int) -> Int {
    let end = operand.end
    // "5 at 135 lb".
    if words.at.contains(word(end)), let load = self.operand(end + 1), operand.whole != nil,
      load.unit?.isLoad == true
    {
      addRepetitions(operand.whole, alone: false, at: index)
      addLoad(metric(load))
      return load.end
    }
    if words.at.contains(word(index - 1)) {
      addLoad(metric(operand))
      return end
    }
    let isEach = words.of.contains(word(index - 1)) || words.each.contains(word(end))
    if isEach, groups[groups.count - 1].repetitions == nil {
      addRepetitions(operand.whole, alone: false, at: index)
      return end
    }
    // "80 for 3".
    if words.forWord.contains(word(end)), frame.isLoaded, let each = self.operand(end + 1) {
      let isProduct = words.by.contains(word(each.end))
      if isProduct || each.unit == nil || each.unit == .repetitions || each.unit == .sets {
        addLoad(metric(operand))
        guard !isProduct, each.unit != .sets else { return end }
        addRepetitions(each.whole, alone: false, at: end)
        return each.end
      }
    }
    // "60 3x5".
    if frame.isLoaded, let next = self.operand(end), words.by.contains(word(next.end)),
      !tokens.tokens[end].followsComma
    {
      addLoad(metric(operand))
      return end
    }
    return readList(operand, at: index)
  }

  /// `8, 7, 6`, `60 8 8 7`, `8/8/7`.
  private mutating func readList(_ first: Operand, at index: Int) -> Int {
    var items = [first]
    var end = first.end
    while end < tokens.tokens.endIndex {
      let isSign = ["/", "-"].contains(word(end)) || words.and.contains(word(end))
      guard let next = operand(isSign ? end + 1 : end), !next.quantity.isArticle,
        !words.by.contains(word(next.end)), word(next.end) != ":",
        next.unit == nil || next.unit == .repetitions,
        !words.dayUnits.contains(word(next.end))
      else { break }
      items.append(next)
      end = next.end
    }
    guard items.count > 1 else {
      bare.append(first.value)
      return first.end
    }
    if frame.isLoaded, groups[groups.count - 1].kilograms == nil, isTooMany(items[0]),
      items.dropFirst().allSatisfy({ $0.value < items[0].value / 2 })
    {
      addLoad(metric(items.removeFirst()))
    }
    if items.count == 2, word(items[0].end) == "-" { items.removeFirst() }
    if groups[groups.count - 1].repetitions == nil, let stated = groups[groups.count - 1].sets {
      (statedSets, groups[groups.count - 1].sets) = (stated, nil)
    }
    for item in items { addSets(nil, item.whole, nil) }
    return end
  }
}

// Keeping what was read.
extension Amounts {
  private mutating func set<Value>(_ member: WritableKeyPath<Amounts, Value?>, _ value: Value?) {
    if self[keyPath: member] == nil { self[keyPath: member] = value }
  }

  private mutating func add(seconds more: Double) { seconds = (seconds ?? 0) + more }

  private mutating func setDistance(_ value: Double, _ units: Units) {
    guard kilometers == nil else { return }
    kilometers = value
    named.insert(units)
  }

  /// Whether it's no number of sets.
  private func isTooMany(_ operand: Operand) -> Bool {
    operand.whole.map { $0 > words.mostSets } ?? true
  }

  private mutating func metric(_ load: Operand) -> Double {
    switch load.unit {
    case .kilogram: named.insert(.metric)
    case .pound: named.insert(.imperial)
    default:
      let isPound = loadUnit.map { $0 == .pound } ?? (frame.units == .imperial)
      return isPound ? load.value * Self.kilogramsPerPound : load.value
    }
    return load.unit == .pound ? load.value * Self.kilogramsPerPound : load.value
  }

  private mutating func addLoad(_ value: Double, _ unit: LogWords.Unit) {
    named.insert(unit == .pound ? .imperial : .metric)
    addLoad(unit == .pound ? value * Self.kilogramsPerPound : value)
  }

  private mutating func addLoad(_ kilograms: Double) {
    let last = groups[groups.count - 1]
    if last.kilograms == nil {
      groups[groups.count - 1].kilograms = kilograms
    } else if last.repetitions != nil {
      groups.append(Group(kilograms: kilograms))
    }
  }

  private mutating func addSets(_ sets: Int?, _ repetitions: Int?, _ kilograms: Double?) {
    let last = groups[groups.count - 1]
    if last.repetitions != nil || (kilograms != nil && last.kilograms != nil) {
      groups.append(Group())
    }
    let place = groups.count - 1
    groups[place].sets = sets ?? groups[place].sets
    groups[place].repetitions = repetitions
    groups[place].kilograms = kilograms ?? groups[place].kilograms
  }

  private mutating func addRepetitions(_ count: Int?, alone: Bool, at index: Int) {
    let last = groups[groups.count - 1]
    if last.repetitions != nil {
      // "failed the last 2 reps" isn't a set, "8 reps, 7 reps" are two.
      let isNext = tokens.tokens.indices.contains(index) && tokens.tokens[index].followsComma
      guard !alone || (isNext && last.sets == nil) else { return }
      groups.append(Group())
    }
    groups[groups.count - 1].repetitions = count
  }

  private mutating func finishSets() {
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

  private mutating func finishTimes() {
    if seconds == nil, let bareTime, frame.kind == .distance, kilometers != nil,
      !isTooFast(bareTime * 60)
    {
      seconds = bareTime * 60
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

extension LogWords.Unit {
  fileprivate var isLoad: Bool { self == .kilogram || self == .pound }

  /// Whether it measures a time or a distance.
  fileprivate var isExtent: Bool {
    switch self {
    case .second, .minute, .hour, .meter, .kilometer, .mile, .yard, .laps: true
    case .kilogram, .pound, .stone, .sets, .repetitions, .steps: false
    }
  }
}

extension LogEntry {
  /// Takes over what was said, rounded to ten grams, to meters and to tenths of a second.
  mutating func take(_ amounts: Amounts) {
    let each = amounts.eachSet?.map {
      Series(repetitions: $0.repetitions, kilograms: rounded($0.kilograms))
    }
    if let each {
      eachSet = each
    } else if amounts.sets != nil || amounts.repetitions != nil {
      eachSet = nil
    } else if let load = rounded(amounts.kilograms) {
      eachSet = eachSet?.map { Series(repetitions: $0.repetitions, kilograms: load) }
    }
    sets = amounts.sets ?? sets
    repetitions = amounts.repetitions ?? repetitions
    kilograms = rounded(amounts.kilograms) ?? kilograms
    kilometers = amounts.kilometers.map { ($0 * 1_000).rounded() / 1_000 } ?? kilometers
    seconds = amounts.seconds.map { ($0 * 10).rounded() / 10 } ?? seconds
    laps = amounts.laps ?? laps
    steps = amounts.steps ?? steps
    units = amounts.units ?? units
  }

  private func rounded(_ kilograms: Double?) -> Double? {
    kilograms.map { ($0 * 100).rounded() / 100 }
  }
}
