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
  var eachSet: [LogEntry.Series]?
  /// What the words name; nil without a unit, and if they name both.
  var units: Units?
  /// Numbers without a unit that fit nowhere.
  var bare: [Double] = []
  /// Whether the distance is named as runners do: `5k`, `half marathon`.
  private(set) var isRaceDistance = false
  /// Whether the distance is a run by its name: `8 miler`.
  private(set) var isNamedRun = false
  /// Whether laps are those of a pool: `30 lengths`, `40 laps of 25 m`.
  private(set) var isInPool = false

  /// How the words are read.
  struct Frame {
    var kind: LogEntry.Kind
    /// Without a load, a large number before an × counts repetitions.
    var isLoaded = true
    /// From this speed on, `1:58` are hours and minutes.
    var fastest: Double?
    /// Whether "a half" is a distance.
    var hasRaces = false
    /// What a pace without a unit is the time for, in kilometers.
    var paceLength: Double?
    /// What a load or a distance without a unit is in.
    var units: Units
  }

  let words: LogWords
  let frame: Frame
  let tokens: Quantities
  /// Of loads without one.
  let loadUnit: LogWords.Unit?
  var groups: [Group] = [Group()]
  var statedSets: Int?
  var named: Set<Units> = []
  /// Seconds per kilometer.
  var pace: Double?
  /// Of a set that is named, such as "140 deadlift single".
  var isNamedSet = false
  /// `1:58`, which could be hours and minutes.
  var clock: (first: Double, second: Double)?
  var bareTime: Double?
  /// In minutes, as of "ran for 45".
  var bareFor: Double?

  /// Sets that belong together.
  struct Group {
    var sets: Int?
    var repetitions: Int?
    var kilograms: Double?
  }

  struct Operand {
    var quantity: Quantities.Quantity
    var unit: LogWords.Unit?
    /// The word behind it.
    var end: Int

    var value: Double { quantity.value }
    var whole: Int? { quantity.whole }
    /// A count that can't be right is still a figure, to ask about.
    var count: Int? { whole ?? (value > 1e12 ? Int(1e12) : nil) }
  }

  static let kilogramsPerPound = 0.453_592_37
  static let kilogramsPerStone = 6.350_293_18
  static let kilometersPerMile = 1.609_344
  static let kilometersPerYard = 0.000_9144
  /// In meters or yards.
  private static let longestPool = 50.0

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

  func word(_ index: Int) -> String { tokens.word(index) }

  var isStrength: Bool { frame.kind == .strength }
}

// Reading from left to right.
extension Amounts {
  /// The unit that a number has, with what "k" and "m" mean here.
  func unit(_ index: Int) -> LogWords.Unit? {
    let unit = tokens.unit(index)
    if unit == .meter, frame.kind == .timed, isMinutes(index) { return .minute }
    guard unit == nil, words.thousand.contains(word(index)) else { return unit }
    switch frame.kind {
    case .distance: return tokens.unit(index + 1) == .steps ? nil : .kilometer
    case .strength, .weight: return .kilogram
    // "Intervals 5x1k".
    case .timed: return words.by.contains(word(index - 2)) ? .kilometer : nil
    case .skipped: return nil
    }
  }

  /// "Yoga 20m", but "intervals 8x400m".
  private func isMinutes(_ index: Int) -> Bool {
    tokens.tokens.indices.contains(index - 1)
      && tokens.tokens[index - 1].number.map { $0 <= 180 } ?? false
  }

  func operand(_ index: Int) -> Operand? {
    guard let quantity = tokens[index] else { return nil }
    let next = index + quantity.length
    let unit = unit(next)
    var operand = Operand(quantity: quantity, unit: unit, end: unit == nil ? next : next + 1)
    // "5 km and a half", but "5 km and half an hour".
    if unit?.isLoad == true || unit == .kilometer || unit == .mile || unit == .stone,
      let half = tokens.halfWords(operand.end), endsFigure(operand.end + half)
    {
      operand.quantity.value += 0.5
      operand.end += half
    }
    return operand
  }

  private func endsFigure(_ index: Int) -> Bool {
    guard tokens.tokens.indices.contains(index) else { return true }
    let word = word(index)
    return tokens.tokens[index].followsComma || words.inWord.contains(word)
      || words.at.contains(word) || words.forWord.contains(word) || words.and.contains(word)
  }

  /// - Returns: How many words were read.
  private mutating func read(at index: Int) -> Int {
    if let (value, length) = words.distances.match(tokens.tokens, index)
      ?? halfMarathon(at: index)
    {
      set(\.kilometers, value)
      isRaceDistance = true
      return length
    }
    if let (value, length) = words.durations.match(tokens.tokens, index) {
      add(seconds: value)
      return length
    }
    guard let operand = operand(index) else {
      return readSetName(at: index) ?? readWithoutNumber(at: index)
    }
    if let end = readLoads(operand) { return end - index }
    if word(index + 1) == ":", tokens.tokens[index].number != nil, tokens[index + 2] != nil {
      return readClock(at: index)
    }
    if words.by.contains(word(operand.end)), let second = self.operand(operand.end + 1) {
      return readProduct(operand, second, at: index) - index
    }
    switch operand.unit {
    case nil: return readBare(operand, at: index) - index
    case .sets?: return readSets(operand) - index
    case let unit?: return take(operand, unit, at: index) - index
    }
  }

  /// "Ran a half in 1:58".
  private func halfMarathon(at index: Int) -> (Double, Int)? {
    guard frame.hasRaces, let (value, length) = words.raceNames.match(tokens.tokens, index),
      !words.and.contains(word(index - 1)), tokens.unit(index - 1) == nil
    else { return nil }
    let next = index + length
    let ends =
      !tokens.tokens.indices.contains(next) || tokens.tokens[next].followsComma
      || words.inWord.contains(word(next))
    return ends ? (value, length) : nil
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
    let (value, before) = (operand.value, kilometers)
    if unit == .kilometer || unit == .mile, isPerHour(operand.end) {
      unit == .mile
        ? setSpeed(value * Self.kilometersPerMile, .imperial) : setSpeed(value, .metric)
      return operand.end + 2
    }
    switch unit {
    case .sets: return readSets(operand)
    case .repetitions:
      if operand.whole == 1 { isNamedSet = true }
      addRepetitions(operand.whole, alone: true, at: index)
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
    case .kilometersPerHour: setSpeed(value, .metric)
    case .milesPerHour: setSpeed(value * Self.kilometersPerMile, .imperial)
    case .kilometer:
      if tokens.unit(operand.end - 1) == nil { isRaceDistance = true }
      setDistance(value, .metric)
    case .mile:
      if words.namedRuns.contains(word(operand.end - 1)) {
        (isRaceDistance, isNamedRun) = (true, true)
      }
      setDistance(value * Self.kilometersPerMile, .imperial)
    case .yard:
      setDistance((operand.quantity.grouped ?? value) * Self.kilometersPerYard, .imperial)
    case .meter: setDistance((operand.quantity.grouped ?? value) / 1_000, .metric)
    case .laps: return readLaps(operand)
    case .steps: set(\.steps, operand.count)
    case .hour, .minute, .second: return readTime(operand, unit)
    }
    if kilometers != before, let length = eachWay(operand.end) {
      kilometers = kilometers.map { $0 * 2 }
      return operand.end + length
    }
    return operand.end
  }

  /// "20 laps of 50 m", "20 lengths of a 25 m pool".
  private mutating func readLaps(_ operand: Operand) -> Int {
    if words.poolLengths.contains(word(operand.end - 1)) { isInPool = true }
    let joins = words.of.contains(word(operand.end)) || words.inWord.contains(word(operand.end))
    let next = operand.end + (words.article.contains(word(operand.end + 1)) ? 2 : 1)
    guard joins, let length = self.operand(next), let laps = operand.count, laps < 100_000,
      length.unit == .meter || length.unit == .yard
    else {
      set(\.laps, operand.count)
      return operand.end
    }
    let isMetric = length.unit == .meter
    if length.value <= Self.longestPool { isInPool = true }
    setDistance(
      Double(laps) * length.value * (isMetric ? 0.001 : Self.kilometersPerYard),
      isMetric ? .metric : .imperial)
    return length.end
  }

  /// "8 km / h", "5 miles per hour".
  private func isPerHour(_ index: Int) -> Bool {
    let sign = word(index)
    return
      (sign == "/" || words.per.contains(sign) || words.by.contains(sign)
      || words.article.contains(sign))
      && tokens.unit(index + 1) == .hour
  }

  private mutating func setSpeed(_ kilometersPerHour: Double, _ units: Units) {
    guard pace == nil, kilometersPerHour > 0 else { return }
    pace = 3_600 / kilometersPerHour
    if kilometers == nil { named.insert(units) }
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
  private mutating func readProduct(
    _ first: Operand, _ second: Operand, at index: Int
  ) -> Int {
    var factors = [first, second]
    if words.by.contains(word(second.end)), let third = operand(second.end + 1) {
      factors.append(third)
    }
    let end = factors[factors.count - 1].end
    if isPair(factors, at: index) {
      addLoad(metric(factors[1]))
      return end
    }
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

  /// "3x8 with 2x12 kg": a load for each hand, which counts as it's marked.
  private func isPair(_ factors: [Operand], at index: Int) -> Bool {
    let last = groups[groups.count - 1]
    return factors.count == 2 && factors[0].unit == nil && factors[0].whole == 2
      && factors[1].unit?.isLoad == true && last.kilograms == nil
      && (last.repetitions != nil && last.sets != nil || words.at.contains(word(index - 1)))
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
    if let first = operand(end), let end = readLoads(first) { return end }
    guard isStrength, frame.isLoaded, groups[groups.count - 1].kilograms == nil,
      let load = operand(end), load.unit == nil, !load.quantity.isArticle,
      !tokens.tokens[end].followsComma
        || isTooMany(load) && !tokens.tokens.indices.contains(load.end),
      !words.by.contains(word(load.end)),
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

  /// A number without a unit.
  ///
  /// - Returns: The word behind it.
  private mutating func readBare(_ operand: Operand, at index: Int) -> Int {
    let end = operand.end
    if words.thousand.contains(word(end)), tokens.unit(end + 1) == .steps {
      var steps = operand
      steps.quantity.value *= 1_000
      set(\.steps, steps.count)
      return end + 2
    }
    if words.dayUnits.contains(word(end)) { return end + 1 }
    if frame.kind == .weight {
      addLoad(metric(operand))
      return end
    }
    if isStrength { return readBareStrength(operand, at: index) }
    if words.inWord.contains(word(index - 1)) { bareTime = bareTime ?? minutes(operand, index) }
    // "Ran for 45".
    if words.forWord.contains(word(index - 1)),
      !tokens.tokens.indices.contains(end) || tokens.tokens[end].followsComma
        || words.at.contains(word(end))
    {
      bareFor = bareFor ?? minutes(operand, index)
    }
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
    if let (each, length) = setName(end) {
      addSets(operand.whole, Int(each), nil)
      isNamedSet = true
      return end + length
    }
    // "Pulled a 140 deadlift".
    if words.article.contains(word(index - 1)), frame.isLoaded, !operand.quantity.isArticle {
      addLoad(metric(operand))
      return end
    }
    // "Two 12 kg dumbbells", "a 24 kg kettlebell".
    if operand.whole.map({ (1...2).contains($0) }) == true, let load = self.operand(end),
      load.unit?.isLoad == true
    {
      addLoad(metric(load))
      return load.end
    }
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

  /// "5x5 60, 65, 70, 75, 80": a load for each of the sets that were just named.
  ///
  /// - Returns: The word behind it; nil if these aren't as many loads as sets.
  private mutating func readLoads(_ first: Operand) -> Int? {
    let last = groups[groups.count - 1]
    guard isStrength, frame.isLoaded, let sets = last.sets, sets > 1, last.kilograms == nil,
      let repetitions = last.repetitions
    else { return nil }
    var loads = [first]
    var end = first.end
    while loads.count <= sets {
      let isSign = ["/", "-"].contains(word(end)) || words.and.contains(word(end))
      guard let next = operand(isSign ? end + 1 : end), !next.quantity.isArticle,
        !words.by.contains(word(next.end)), word(next.end) != ":",
        !words.dayUnits.contains(word(next.end))
      else { break }
      loads.append(next)
      end = next.end
    }
    guard loads.count == sets,
      loads.allSatisfy({ $0.unit?.isLoad == true || $0.unit == nil && isTooMany($0) })
    else { return nil }
    groups.removeLast()
    for load in loads {
      groups.append(Group(sets: 1, repetitions: repetitions, kilograms: metric(load)))
    }
    return end
  }

  /// As many words as a phrase may have.
  func next(_ index: Int) -> [String] { tokens.tokens[index...].prefix(4).map(\.text) }

  private func setName(_ index: Int) -> (Double, Int)? {
    guard tokens.tokens.indices.contains(index),
      let (each, length) = words.repetitionNames.match(tokens.tokens, index)
    else { return nil }
    // "Single leg press" names no set.
    let next = index + length
    let endsThere =
      !tokens.tokens.indices.contains(next) || tokens.tokens[next].followsComma
      || tokens[next] != nil || words.at.contains(word(next)) || words.and.contains(word(next))
      || words.days.contains { $0.phrases.begins(self.next(next)) }
    return endsThere ? (each, length) : nil
  }

  /// "Bench 100 for a triple".
  private mutating func readSetName(at index: Int) -> Int? {
    guard isStrength, frame.isLoaded, groups[groups.count - 1].repetitions == nil,
      let (each, length) = setName(index)
    else { return nil }
    addRepetitions(Int(each), alone: false, at: index)
    isNamedSet = true
    return length
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
