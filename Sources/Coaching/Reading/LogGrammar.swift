import HealthRecords
import Plans

/// Reads what is typed into the log by a small grammar, without a model; `docs/log.md` has all of it.
///
/// What is not wholly read is not read at all.
struct LogGrammar {
  let pack: CoachingPack
  /// Of a load without a unit.
  let units: Units
  /// The language that is tried first.
  let language: String
  let today: Day
  /// Whether a name that the pack does not have is one, and a name alone is an entry.
  let isTyped: Bool

  init(_ text: EntryText, today: Day, isTyped: Bool = true) {
    (pack, units, language) = (text.pack, text.units, text.texts.code)
    (self.today, self.isTyped) = (today, isTyped)
  }

  /// The entries of lines, or of parts between semicolons; nil if one of them cannot be read.
  func entries(in text: String) -> [LogEntry]? {
    let lines = text.split { $0 == ";" || $0.isNewline }.filter { !$0.allSatisfy(\.isWhitespace) }
    let entries = lines.compactMap { entry(in: String($0)) }
    return entries.count == lines.count && !entries.isEmpty ? entries : nil
  }

  /// - Parameter before: The entry that the line corrects; its activity need not be named then.
  func entry(in line: String, correcting before: LogEntry? = nil) -> LogEntry? {
    let all = pack.grammars
    let inOrder = all.filter { $0.code == language } + all.filter { $0.code != language }
    let (words, note) = Self.withNote(line)
    for grammar in inOrder {
      var reader = LineReader(
        self, grammar, words, before, isOwnLanguage: grammar.code == language)
      guard var entry = reader.entry() else { continue }
      entry.note = note ?? entry.note
      return before.map { entry.completed(from: $0) } ?? entry
    }
    return nil
  }

  /// The day that a line ends with, if it would be an entry with the day in front.
  func lastDay(in line: String) -> Day? {
    let said = GrammarTokens(line)
    for start in said.tokens.indices.dropFirst() {
      let place = said.tokens[start].range.lowerBound
      if let day = entry(in: "\(line[place...]): \(line[..<place])")?.day { return day }
    }
    return nil
  }

  /// Splits a note in parentheses off the end of a line.
  private static func withNote(_ line: String) -> (words: String, note: String?) {
    let line = line[...].trimmingSpaces
    guard line.hasSuffix(")"), let start = line.firstIndex(of: "("), start > line.startIndex else {
      return (line, nil)
    }
    let note = line[line.index(after: start)...].dropLast().trimmingSpaces
    return (line[..<start].trimmingSpaces, note.isEmpty ? nil : note)
  }
}

/// One line, in one language.
private struct LineReader {
  private let grammar: LogGrammar
  private let words: GrammarWords
  private let line: String
  private let before: LogEntry?
  private let isOwnLanguage: Bool
  private let said: GrammarTokens
  private var index = 0
  private var day: Day?
  private var figures = EntryFigures()
  private var activity: Activity?
  private var ownName: String?
  private var effort: LogEntry.Effort?
  /// Numbers without a unit.
  private var bare: [Double] = []
  /// Whether one of them stands before the name: "12 pull-ups".
  private var countsFirst = false

  /// - Parameter isOwnLanguage: Whether the words are of the language that the person uses. Otherwise a day
  ///   needs a colon behind it: "do" is a Thursday only in German.
  init(
    _ grammar: LogGrammar, _ words: GrammarWords, _ line: String, _ before: LogEntry?,
    isOwnLanguage: Bool
  ) {
    (self.grammar, self.words, self.before) = (grammar, words, before)
    self.isOwnLanguage = isOwnLanguage
    let dated = Day(line.prefix(10))
    self.line = dated == nil ? line : String(line.dropFirst(10))
    day = dated
    said = GrammarTokens(self.line)
  }

  private var pack: CoachingPack { grammar.pack }
  private var token: GrammarTokens.Token? {
    said.tokens.indices.contains(index) ? said.tokens[index] : nil
  }

  private mutating func skip(_ signs: String) {
    while let token, token.value == .sign, signs.contains(token.text) { index += 1 }
  }

  private mutating func takes(_ list: WordLists) -> Bool {
    guard let length = list.length(at: index, of: said.words) else { return false }
    index += length
    return true
  }

  mutating func entry() -> LogEntry? {
    if day == nil {
      takeDay()
      if day != nil, !isOwnLanguage, let token, token.text != ":" { (day, index) = (nil, 0) }
    }
    skip(":,")
    if token == nil, let day, var entry = before {
      entry.day = day
      return entry
    }
    if takes(words.skipped) { return skippedSession() }
    if takes(words.weight) { return weight() }
    while token != nil {
      guard takeFigure() || takeName() else { return nil }
    }
    return training()
  }

  private mutating func takeDay() {
    for (ago, names) in words.days where takes(names) {
      day = grammar.today + -ago
      return
    }
    for (weekday, names) in words.weekdays.enumerated() where takes(names) {
      day = grammar.today + -((grammar.today.weekday - weekday + 7) % 7)
      return
    }
  }

  private mutating func skippedSession() -> LogEntry? {
    skip(":,")
    takeSkipped()
    if day == nil {
      takeDay()
      skip(":,")
      if activity == nil { takeSkipped() }
    }
    skip(":,-–—")
    if restHasFigure { return nil }
    var entry = LogEntry(
      day: day ?? before?.day ?? grammar.today, kind: .skipped,
      activity: activity?.id ?? LogEntry.anything)
    if let token {
      let reason = line[token.range.lowerBound...].trimmingSpaces
      entry.note = reason.hasSuffix(".") ? String(reason.dropLast()) : reason
    }
    return entry
  }

  private mutating func takeSkipped() {
    let training = PlainWords.split(pack.texts(in: words.code)(.training))
    if said.words[index...].starts(with: training) {
      index += training.count
    } else if let named = pack.activity(namedAt: index, of: said.words) {
      (activity, index) = (named.activity, index + named.length)
    }
    skip(":,")
  }

  /// Whether the rest tells of something done: "skip rope 10 min".
  private var restHasFigure: Bool {
    said.tokens.indices.dropFirst(index).contains { place in
      guard case .number = said.tokens[place].value else { return false }
      var rest = self
      rest.index = place + 1
      return rest.takesBy() || rest.takeUnit() != nil
    }
  }

  private mutating func weight() -> LogEntry? {
    while token != nil { guard takeFigure() else { return nil } }
    var only = EntryFigures()
    guard figures.kilograms.count == 1, bare.isEmpty, effort == nil else { return nil }
    (only.kilograms, figures.kilograms) = (figures.kilograms, [])
    guard figures.isEmpty else { return nil }
    figures.kilograms = only.kilograms
    var entry = LogEntry(
      day: day ?? before?.day ?? grammar.today, kind: .weight, activity: LogEntry.bodyWeight)
    figures.fill(&entry)
    return entry
  }

  /// Takes a name, an effort, a filler or a comma.
  private mutating func takeName() -> Bool {
    let named = pack.activity(namedAt: index, of: said.words)
    let lengths = words.effort.map { $0.names.length(at: index, of: said.words) ?? 0 }
    let longest = max(lengths.max() ?? 0, words.fillers.length(at: index, of: said.words) ?? 0)
    if let named, named.length >= longest {
      guard activity == nil, ownName == nil else { return false }
      (activity, index, countsFirst) = (named.activity, index + named.length, !bare.isEmpty)
      return true
    }
    if let (place, length) = lengths.enumerated().max(by: { $0.element < $1.element }), length > 0 {
      guard effort == nil else { return false }
      (effort, index) = (words.effort[place].effort, index + length)
      return true
    }
    if takes(words.fillers) || takes(words.at) { return true }
    if let token, token.value == .sign, [",", "@"].contains(token.text) {
      index += 1
      return true
    }
    return takeOwnName()
  }

  /// "Face pulls 3x15": a name that the pack does not know.
  private mutating func takeOwnName() -> Bool {
    guard grammar.isTyped, activity == nil, ownName == nil, before == nil else { return false }
    let rest = said.tokens[index...].prefix { $0.value == .word }
    guard let first = rest.first, let last = rest.last, rest.count <= 3,
      !rest.indices.contains(where: { pack.activity(namedAt: $0, of: said.words) != nil })
    else { return false }
    ownName = line[first.range.lowerBound..<last.range.upperBound].lowercased()
    index += rest.count
    return true
  }

  // Figures.

  private mutating func takeFigure() -> Bool {
    if takes(words.effortScale) {
      guard case .number(let value, _)? = token?.value, effort == nil else { return false }
      effort = value < 6 ? .easy : value < 8 ? .moderate : .hard
      index += 1
      return true
    }
    switch token?.value {
    case .clock(let parts)?:
      index += 1
      return takeClock(parts)
    case .number(let value, let grouped)?:
      index += 1
      if takesBy() { return takeSets(value) }
      return takeAmount(value, grouped)
    default: return false
    }
  }

  private mutating func takesBy() -> Bool {
    if let token, token.value == .sign, ["×", "*"].contains(token.text) {
      index += 1
      return true
    }
    return takes(words.by)
  }

  private mutating func takeUnit() -> EntryFigures.Unit? {
    let found = words.units.map { $0.names.length(at: index, of: said.words) ?? 0 }
    guard let (place, length) = found.enumerated().max(by: { $0.element < $1.element }), length > 0
    else { return nil }
    index += length
    return words.units[place].unit
  }

  /// "3x5", "3x5x60", "6x800 m", "3x45 s".
  private mutating func takeSets(_ sets: Double) -> Bool {
    guard case .number(let each, _)? = token?.value else { return false }
    index += 1
    if takesBy() {
      guard case .number(let load, let grouped)? = token?.value, load == grouped else {
        return false
      }
      index += 1
      let unit = takeUnit() ?? loadUnit
      guard [.pound, .kilogram].contains(unit) else { return false }
      return figures.take(sets, .sets) && figures.take(each, .repetitions)
        && figures.take(load, unit)
    }
    switch takeUnit() {
    case nil, .repetitions?:
      return figures.take(sets, .sets) && figures.take(each, .repetitions)
    case let unit? where [.kilometer, .mile, .meter, .yard].contains(unit):
      return figures.take(sets, .repetitions) && figures.take(each, unit)
    case let unit? where [.hour, .minute, .second].contains(unit):
      return figures.take(sets, .sets) && figures.take(each, unit)
    default: return false
    }
  }

  private mutating func takeAmount(_ value: Double, _ grouped: Double) -> Bool {
    let isLoad = index > 1 && isAt(index - 2) && activity?.kind ?? .strength == .strength
    guard let unit = takeUnit() ?? (isLoad ? loadUnit : nil) else {
      bare.append(grouped)
      return true
    }
    let isCount = [.sets, .repetitions, .laps, .steps, .meter, .yard].contains(unit)
    if unit == .sets { skip(":") }
    // "1,234 km" may be either.
    guard isCount || value == grouped else { return false }
    guard figures.take(isCount ? grouped : value, unit) else { return false }
    // "1h05".
    if unit == .hour, case .number(let minutes, _)? = token?.value, minutes < 60 {
      let start = index
      index += 1
      if let next = takeUnit(), next != .minute {
        index = start
        return true
      }
      return figures.take(minutes, .minute)
    }
    return true
  }

  private var loadUnit: EntryFigures.Unit { grammar.units == .imperial ? .pound : .kilogram }

  /// Whether what stands behind a place is a load.
  private func isAt(_ place: Int) -> Bool {
    said.words[place] == "@" || words.at.length(at: place, of: said.words) != nil
  }

  /// "31:00", "1:05:30", "1:45 h".
  private mutating func takeClock(_ parts: [Int]) -> Bool {
    guard parts.dropFirst().allSatisfy({ $0 < 60 }), figures.seconds == nil else { return false }
    let start = index
    let unit = takeUnit()
    if unit != .hour, unit != .minute { index = start }
    let values = parts.map(Double.init)
    let units: [EntryFigures.Unit] =
      parts.count == 3
      ? [.hour, .minute, .second] : unit == .hour ? [.hour, .minute] : [.minute, .second]
    return zip(values, units).allSatisfy { figures.take($0, $1) }
  }

  // What they add up to.

  /// The longest distance, in kilometers, that is carried and is not a mistake for a load.
  private static let farthestCarried = 0.5

  private mutating func training() -> LogEntry? {
    guard activity != nil || ownName != nil || before != nil else { return nil }
    if activity == nil, let before {
      if before.kind == .weight { return weightAlone(before) }
      if before.kind == .skipped { return nil }
      activity = pack[activity: before.activity]
    }
    if activity?.kind == .strength, figures.sets == nil, figures.repetitions.isEmpty,
      bare.isEmpty, figures.kilometers != nil || figures.seconds != nil,
      let other = activity?.distanceIs.flatMap({ pack[activity: $0] })
    {
      activity = other
    }
    guard takeBare(), [0, 1, figures.repetitions.count].contains(figures.kilograms.count) else {
      return nil
    }
    let kind = activity?.kind ?? figures.kind
    if kind == .strength, figures.kilometers.map({ $0 > Self.farthestCarried }) ?? false {
      return nil
    }
    if figures.isEmpty, before == nil || effort == nil {
      guard activity != nil, grammar.isTyped, before == nil else { return nil }
    }
    let hasSets = figures.sets != nil && !figures.repetitions.isEmpty
    if ownName != nil, !hasSets, kind != .timed { return nil }
    var entry = LogEntry(
      day: day ?? before?.day ?? grammar.today, kind: kind,
      activity: activity?.id ?? ownName ?? before?.activity ?? LogEntry.anything)
    figures.fill(&entry)
    entry.effort = effort
    return entry
  }

  private mutating func weightAlone(_ before: LogEntry) -> LogEntry? {
    guard figures.kilograms.count == 1, bare.isEmpty else { return nil }
    var entry = LogEntry(day: day ?? before.day, kind: .weight, activity: before.activity)
    figures.fill(&entry)
    return entry
  }

  /// Numbers without a unit are repetitions: of several sets, before the name, or of what takes no load.
  private mutating func takeBare() -> Bool {
    guard !bare.isEmpty else { return true }
    guard figures.repetitions.isEmpty, figures.kilometers == nil,
      (activity?.kind ?? figures.kind) == .strength || activity == nil
    else { return false }
    let isClear =
      bare.count > 1 || countsFirst || figures.sets != nil || activity?.heavy == nil
    return isClear && bare.allSatisfy { figures.take($0, .repetitions) }
  }
}

extension LogEntry {
  /// The activity of a skipped session that does not say which.
  package static let anything = "training"
  package static let bodyWeight = "weight"
}
