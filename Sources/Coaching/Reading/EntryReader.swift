package import HealthRecords
package import Journeys

/// What a person's words do to the log.
package enum LogNote: Hashable, Sendable {
  case new(LogEntry)
  /// An entry that is in the log, as it is after the words.
  case corrected(LogEntry)
  /// Words that correct something that isn't in the log.
  case unmatched(String)
  /// An entry that wasn't noted, since one of its figures can't be right.
  case implausible(LogEntry, EntryBounds.Breach)
}

extension LogNote {
  /// A model's claims with the corrections, which are always found by the rules. What corrects an entry isn't
  /// another one.
  package static func joined(rules: [LogNote], claims: [LogNote]) -> [LogNote] {
    let corrections = rules.filter { note in
      switch note {
      case .corrected, .unmatched: true
      case .new, .implausible: false
      }
    }
    let settled = corrections.compactMap(\.quote)
    return corrections
      + claims.filter { claim in
        guard let quote = claim.quote else { return true }
        return !settled.contains { $0.contains(quote) || quote.contains($0) }
      }
  }

  /// The words that it rests on.
  private var quote: String? {
    switch self {
    case .new(let entry), .implausible(let entry, _): entry.quote?.text
    case .corrected(let entry): entry.corrections?.last?.text
    case .unmatched(let words): words
    }
  }
}

/// Finds notes of training in a person's words, by rules of the pack and without a model.
///
/// It notes only what was done, skipped or measured: no plans, habits, wishes or questions.
package struct EntryReader {
  let pack: CoachingPack
  let units: Units

  package init(_ pack: CoachingPack, units: Units = .metric) {
    (self.pack, self.units) = (pack, units)
  }

  var words: LogWords { pack.words }

  /// New entries, without those that can't be right.
  package func entries(in text: String, turn: Int?, today: Day) -> [LogEntry] {
    notes(in: text, turn: turn, today: today).compactMap { note in
      if case .new(let entry) = note { entry } else { nil }
    }
  }

  /// - Parameters:
  ///   - text: What the person wrote, without invisible characters.
  ///   - turn: The user turn, counted from 1; nil if it was typed as a command.
  ///   - log: What can be corrected; nil reads no corrections.
  ///   - allowsBare: Whether "no, it was 65" may correct the latest entry, and isn't an answer.
  package func notes(
    in text: String, turn: Int?, today: Day, log: TrainingLog? = nil, allowsBare: Bool = true
  ) -> [LogNote] {
    if turn == nil, let (words, note) = withNote(text) {
      var notes = self.notes(in: words, turn: nil, today: today, log: log)
      if case .new(var entry)? = notes.last {
        entry.note = note
        notes[notes.count - 1] = .new(entry)
      }
      if !notes.isEmpty { return notes }
    }
    var notes: [LogNote] = []
    var entries: [LogEntry] = []
    var lastDay: Day?
    for sentence in LogTokens.sentences(of: text) {
      if sentence.isQuestion { continue }
      let named = date(in: sentence, today) ?? day(of: sentence.words, today)
      lastDay = named ?? lastDay
      if let log,
        let note = correction(
          in: sentence, turn, named, today, log, allowsBare: allowsBare)
      {
        notes.append(note)
        continue
      }
      var found = found(in: sentence, lastDay ?? today) { activity in
        turn == nil || log?.entries.contains { $0.activity == activity.id } == true
      }
      if found.isEmpty, turn == nil, let own = ownWords(sentence, lastDay ?? today) {
        found = [own]
      }
      if found.isEmpty, let last = entries.last, let more = continued(last, by: sentence, in: text)
      {
        entries[entries.count - 1] = more
      } else if found.isEmpty, let effort = effort(of: sentence.words) {
        // "Felt easy." after what was done.
        for index in entries.indices where entries[index].effort == nil {
          if entries[index].isTraining { entries[index].effort = effort }
        }
      }
      for index in found.indices {
        found[index].source = turn == nil ? .typed : .said
        found[index].quote = turn.map {
          LogEntry.Quote(turn: $0, text: found[index].quote?.text ?? sentence.text.trimmingSpaces)
        }
      }
      for entry in found {
        if let breach = pack.bounds.breach(of: entry) {
          // "My weight is up 2 kg" is no weight, and nothing to ask about.
          if entry.kind != .weight || turn == nil { notes.append(.implausible(entry, breach)) }
        } else {
          entries.append(entry)
        }
      }
    }
    return entries.map { .new($0) } + notes
  }

  /// "Face pulls 3x15": sets of something that the pack doesn't know, under the name that was typed.
  private func ownWords(_ sentence: LogTokens, _ day: Day) -> LogEntry? {
    let said = sentence.words
    guard places(in: said).isEmpty, !words.notDone.isIn(said), !words.skipped.isIn(said),
      !words.weighed.isIn(said)
    else { return nil }
    let amounts = amounts(in: sentence.tokens[...], .strength)
    guard amounts.repetitions != nil, amounts.sets != nil, amounts.seconds == nil else {
      return nil
    }
    let name = sentence.tokens.drop { !isName($0) }.prefix { isName($0) && !$0.followsComma }
    guard let first = name.first, (1...3).contains(name.count) else { return nil }
    let last = name.last ?? first
    let title = sentence.text[first.range.lowerBound..<last.range.upperBound].lowercased()
    guard title.count <= 40 else { return nil }
    var entry = LogEntry(day: day, kind: .strength, activity: title)
    entry.take(amounts)
    entry.effort = effort(of: said)
    return entry
  }

  private func isName(_ token: LogTokens.Token) -> Bool {
    token.number == nil && token.text.first?.isLetter == true && token.text.count > 1
      && !words.isGrammar(token.text)
  }

  /// "Ran my first 10k! 1:03:20", "Bench. 3x8 at 40 kg": amounts in a sentence of their own; nil if it
  /// has none, or the entry has them.
  private func continued(
    _ entry: LogEntry, by sentence: LogTokens, in text: String
  ) -> LogEntry? {
    guard entry.isTraining, sentence.tokens.first?.number != nil, sentence.tokens.count <= 8,
      places(in: sentence.words).isEmpty, !words.notDone.isIn(sentence.words)
    else { return nil }
    let amounts = amounts(in: sentence.tokens[...], entry.kind, pack[activity: entry.activity])
    let isNew =
      (amounts.seconds == nil || entry.seconds == nil)
      && (amounts.kilograms == nil || entry.kilograms == nil)
      && (amounts.kilometers == nil || entry.kilometers == nil)
      && (amounts.repetitions == nil && amounts.sets == nil || entry.repetitions == nil)
    guard !amounts.isEmpty, isNew else { return nil }
    var more = entry
    more.take(amounts)
    more.effort = entry.effort ?? effort(of: sentence.words)
    guard pack.bounds.breach(of: more) == nil else { return nil }
    if let quote = entry.quote, let place = text.firstRange(of: quote.text) {
      more.quote?.text = text[place.lowerBound..<sentence.text.endIndex].trimmingSpaces
    }
    return more
  }

  /// Typed words and the note in parentheses at their end. A figure or an effort is no note.
  private func withNote(_ text: String) -> (words: String, note: String)? {
    let text = text[...].trimmingSpaces
    guard text.hasSuffix(")"), let start = text.lastIndex(of: "(") else { return nil }
    let note = text[text.index(after: start)...].dropLast().trimmingSpaces
    let words = LogTokens.words(of: note)
    guard !words.isEmpty, !note.contains(where: \.isNumber), effort(of: words) == nil else {
      return nil
    }
    return (String(text[..<start]), note)
  }

  /// - Parameter assumes: Whether "5k in 25:30" may be taken for this activity.
  private func found(
    in sentence: LogTokens, _ day: Day, assuming assumes: (Activity) -> Bool
  ) -> [LogEntry] {
    let words = sentence.words
    guard !self.words.isAboutOthers(words) else { return [] }
    let isTraining = !self.words.notDone.isIn(words) && !self.words.priority.isIn(words)
    if let skip = skip(sentence, day, isTraining: isTraining) { return [skip] }
    guard isTraining else { return [] }
    if let weight = weight(sentence, day) { return [weight] }
    return done(sentence, day, assuming: assumes)
  }

  private func skip(_ sentence: LogTokens, _ day: Day, isTraining: Bool) -> LogEntry? {
    guard !words.notSession.isIn(sentence.words) else { return nil }
    let rest = isTraining ? words.restDay.place(in: sentence.words) : nil
    guard isSkipped(sentence) || rest != nil else { return nil }
    let place = places(in: sentence.words).first { !isGeneral($0.activity) }
    var entry = LogEntry(
      day: day, kind: .skipped, activity: place?.activity.id ?? Self.anything)
    entry.note = reason(in: sentence)
    if entry.note == nil, let rest {
      let tokens = sentence.tokens[rest]
      if let first = tokens.first, let last = tokens.last {
        entry.note = String(sentence.text[first.range.lowerBound..<last.range.upperBound])
      }
    }
    return entry
  }

  /// "Missed the last rep" is about a set.
  private func isSkipped(_ sentence: LogTokens) -> Bool {
    guard let place = words.skipped.place(in: sentence.words) else { return false }
    return !sentence.words[place.upperBound...].prefix(4).contains { word in
      words.units[word] == .repetitions || words.units[word] == .sets
    }
  }

  /// What stands behind a comma, a dash or "because".
  private func reason(in sentence: LogTokens) -> String? {
    var start = words.because.place(in: sentence.words)?.upperBound
    if start.map({ $0 >= sentence.tokens.count }) ?? true {
      start = sentence.tokens.indices.first { $0 > 0 && sentence.tokens[$0].followsComma }
      // "Sick today, no training".
      if let comma = start, words.skipped.place(in: sentence.words)?.lowerBound == comma {
        let first = sentence.tokens[0].range.lowerBound
        return String(sentence.text[first..<sentence.tokens[comma - 1].range.upperBound])
      }
    }
    guard let start else { return reasonBefore(sentence) }
    var note = sentence.text[sentence.tokens[start].range.lowerBound...].trimmingSpaces
    if note.hasSuffix(")"), !note.contains("(") { note.removeLast() }
    return note.isEmpty ? nil : note
  }

  /// "Felt sick so no training".
  private func reasonBefore(_ sentence: LogTokens) -> String? {
    guard let so = sentence.words.firstIndex(where: words.so.contains), so > 0,
      words.skipped.isIn(Array(sentence.words[so...]))
    else { return nil }
    let tokens = sentence.tokens
    return String(
      sentence.text[tokens[0].range.lowerBound..<tokens[so - 1].range.upperBound])
  }

  /// The activity of a skipped session that doesn't say which.
  package static let anything = "training"
  package static let bodyWeight = "weight"

  private func weight(_ sentence: LogTokens, _ day: Day) -> LogEntry? {
    guard places(in: sentence.words).isEmpty else { return nil }
    let amounts = amounts(in: sentence.tokens[...], .weight)
    guard amounts.kilograms != nil, amounts.kilometers == nil, amounts.seconds == nil,
      isBodyWeight(sentence)
    else { return nil }
    var entry = LogEntry(day: day, kind: .weight, activity: Self.bodyWeight)
    entry.take(amounts)
    return entry
  }

  private func isBodyWeight(_ sentence: LogTokens) -> Bool {
    let tokens = Quantities(sentence.tokens[...], words)
    func unit(after index: Int) -> Int? {
      switch tokens.unit(index + 1) {
      case .kilogram, .pound, .stone: index + 2
      default: nil
      }
    }
    if words.weighed.isIn(sentence.words) { return true }
    if let place = words.am.place(in: sentence.words), tokens[place.upperBound] != nil,
      let next = unit(after: place.upperBound)
    {
      let word = tokens.word(next)
      return !words.apart.contains(word) && !words.difference.contains(word)
    }
    // "80.2 kg this morning".
    guard sentence.tokens.count <= 6, let figure = tokens[0], unit(after: 0) != nil else {
      return false
    }
    if sentence.tokens.count == 2, figure.whole == nil { return true }
    return (words.days.first { $0.phrases.isIn(sentence.words) }) != nil
  }

  func amounts(
    in tokens: ArraySlice<LogTokens.Token>, _ kind: LogEntry.Kind, _ activity: Activity? = nil,
    units: Units? = nil
  ) -> Amounts {
    let frame = Amounts.Frame(
      kind: kind, isLoaded: activity.map { $0.heavy != nil } ?? true,
      fastest: activity.flatMap { pack.bounds.fastest($0.id) }, units: units ?? self.units)
    return Amounts(tokens, frame, words)
  }

  private func done(
    _ sentence: LogTokens, _ day: Day, assuming assumes: (Activity) -> Bool
  ) -> [LogEntry] {
    let said = sentence.words
    let all = places(in: said).filter { place in
      place.range.lowerBound == 0 || sentence.tokens[place.range.lowerBound].followsComma
        || !words.without.contains(said[place.range.lowerBound - 1])
    }
    let saysDone = words.did.isIn(sentence.words)
    guard !all.isEmpty else {
      return assumed(sentence, day, saysDone: saysDone, assuming: assumes)
    }
    // "Went to the gym and did squats 3x5" is about squats.
    let specific = all.filter { !(isGeneral($0.activity) && all.count > 1) }
    let segments =
      specific.count == all.count
      ? segments(all, sentence) : timed(all, sentence) ?? segments(specific, sentence)
    var entries: [LogEntry] = []
    for (place, segment) in segments {
      var (activity, amounts) = read(segment, place.activity)
      if activity.kind == .strength, amounts.repetitions == nil {
        // "12 pull-ups".
        let before = Quantities(segment, words).before(place.range.lowerBound)
        amounts.repetitions = before?.whole
      }
      guard !amounts.isEmpty || saysDone && standsAlone(place, of: all, sentence) else { continue }
      if let entry = entry(activity, amounts, segment, sentence, day) { entries.append(entry) }
    }
    return entries
  }

  /// Whether a name is enough without an amount. "Ran intervals" is one thing: what has nothing to itself belongs
  /// to the name right behind it.
  private func standsAlone(_ place: Place, of all: [Place], _ sentence: LogTokens) -> Bool {
    let name = Array(sentence.words[place.range])
    guard !place.activity.amountNames.contains(name) else { return false }
    return !all.contains { other in
      other.range.lowerBound == place.range.upperBound
        && !sentence.tokens[other.range.lowerBound].followsComma
    }
  }

  private typealias Segment = (place: Place, tokens: ArraySlice<LogTokens.Token>)

  private func segments(_ places: [Place], _ sentence: LogTokens) -> [Segment] {
    var begin = 0
    return places.indices.map { index in
      let end =
        index + 1 < places.count
        ? boundary(between: places[index].range, places[index + 1].range, sentence.tokens)
        : sentence.tokens.count
      defer { begin = end }
      return (places[index], sentence.tokens[begin..<end])
    }
  }

  /// With "gym" as an activity of its own, as in "15 min elliptical, then 20 min weights"; nil unless it has a
  /// time of its own.
  private func timed(_ places: [Place], _ sentence: LogTokens) -> [Segment]? {
    let segments = segments(places, sentence)
    let areApart = zip(segments, segments.dropFirst()).allSatisfy { one, next in
      next.tokens.startIndex < next.place.range.lowerBound || one.tokens.last?.number == nil
    }
    let haveTimes = segments.allSatisfy { segment in
      !isGeneral(segment.place.activity)
        || amounts(in: segment.tokens, .timed, segment.place.activity).seconds != nil
    }
    return areApart && haveTimes ? segments : nil
  }

  /// The amounts of an activity. "Rows" with a distance are rowing.
  func read(
    _ tokens: ArraySlice<LogTokens.Token>, _ activity: Activity, units: Units? = nil
  ) -> (Activity, Amounts) {
    if let other = activity.distanceIs.flatMap({ pack[activity: $0] }) {
      let amounts = amounts(in: tokens, other.kind, other, units: units)
      let isTimed =
        amounts.seconds != nil && amounts.sets == nil && amounts.repetitions == nil
        && amounts.kilograms == nil
      if amounts.kilometers != nil || isTimed { return (other, amounts) }
    }
    return (activity, amounts(in: tokens, activity.kind, activity, units: units))
  }

  /// Fewer are those of a staircase.
  private static let leastAssumedSteps = 1_000

  /// "5k in 25:30" and "8000 steps" name no activity, and need none.
  private func assumed(
    _ sentence: LogTokens, _ day: Day, saysDone: Bool, assuming assumes: (Activity) -> Bool
  ) -> [LogEntry] {
    for activity in pack.activities
    where activity.assumed != nil && (saysDone || assumes(activity)) {
      let tokens = sentence.tokens[...]
      let amounts = amounts(in: tokens, activity.kind, activity)
      let fits =
        activity.assumed == .steps
        ? amounts.steps.map { $0 >= Self.leastAssumedSteps } ?? false
        : amounts.isRaceDistance && amounts.kilometers != nil
          && (saysDone || amounts.seconds != nil)
      guard fits, let entry = entry(activity, amounts, tokens, sentence, day) else { continue }
      return [entry]
    }
    return []
  }

  private func entry(
    _ activity: Activity, _ amounts: Amounts, _ segment: ArraySlice<LogTokens.Token>,
    _ sentence: LogTokens, _ day: Day
  ) -> LogEntry? {
    var entry = LogEntry(day: day, kind: activity.kind, activity: activity.id)
    entry.take(amounts)
    if entry.kind == .strength, entry.repetitions == nil, entry.kilograms == nil,
      entry.seconds != nil
    {
      entry.kind = .timed
    }
    entry.effort = effort(of: segment.map(\.text))
    guard let first = segment.first, let last = segment.last else { return nil }
    entry.quote = LogEntry.Quote(
      turn: 0,
      text: sentence.text[first.range.lowerBound..<last.range.upperBound].trimmingSpaces)
    return entry
  }

  private func isGeneral(_ activity: Activity) -> Bool { activity.isGeneral }

  func effort(of words: [String]) -> LogEntry.Effort? {
    self.words.effort.first { $0.1.isIn(words) }?.0 ?? rated(in: words)
  }

  /// "RPE 8", out of ten. Below 6 is easy and from 8 on hard.
  private func rated(in words: [String]) -> LogEntry.Effort? {
    for (index, word) in words.enumerated() {
      guard let scale = self.words.effortScale.first(where: word.hasPrefix) else { continue }
      let figure =
        word == scale ? words.dropFirst(index + 1).first ?? "" : String(word.dropFirst(scale.count))
      guard let rating = Double(figure), (1...10).contains(rating) else { continue }
      return rating < 6 ? .easy : rating < 8 ? .moderate : .hard
    }
    return nil
  }

  /// The date that is named: "2026-11-20", "20 November", "Nov 20". Without a year, the latest one.
  private func date(in sentence: LogTokens, _ today: Day) -> Day? {
    for place in sentence.text.matches(of: /\b\d{4}-\d{2}-\d{2}\b/) {
      if let day = Day(place.output), day <= today { return day }
    }
    let tokens = sentence.tokens
    func number(_ index: Int) -> Int? {
      tokens.indices.contains(index) ? tokens[index].number.flatMap { Int(exactly: $0) } : nil
    }
    for index in tokens.indices {
      guard let month = pack.month(tokens[index].text) else { continue }
      let year = [index + 1, index + 2].compactMap(number).first { (1_000...9_999).contains($0) }
      let isJoined = tokens.indices.contains(index - 1) && words.of.contains(tokens[index - 1].text)
      let date = number(isJoined ? index - 2 : index - 1) ?? dateBehind(index, tokens)
      guard let date, let day = Day(year: year ?? today.parts.year, month: month, day: date) else {
        continue
      }
      if day <= today { return day }
      return year == nil ? Day(year: today.parts.year - 1, month: month, day: date) : nil
    }
    return nil
  }

  /// "Nov 20", but not "in March 5 km".
  private func dateBehind(_ index: Int, _ tokens: [LogTokens.Token]) -> Int? {
    guard tokens.indices.contains(index + 1), let number = tokens[index + 1].number else {
      return nil
    }
    let next = tokens.dropFirst(index + 2).first
    let isFigure = next.map {
      !$0.followsComma
        && (words.units[$0.text] != nil || words.by.contains($0.text) || $0.text == ":")
    }
    return isFigure == true ? nil : Int(exactly: number)
  }

  func day(of words: [String], _ today: Day) -> Day? {
    if let ago = self.words.days.first(where: { $0.phrases.isIn(words) })?.ago {
      return today + -ago
    }
    guard let weekday = self.words.weekdays.firstIndex(where: { $0.isIn(words) }) else {
      return nil
    }
    let ago = (today.weekday - weekday + 7) % 7
    return today + -ago
  }
}

// Where activities are named.
extension EntryReader {
  struct Place {
    var activity: Activity
    var range: Range<Int>
  }

  /// Without overlaps, the longest names first.
  func places(in words: [String]) -> [Place] {
    var places: [Place] = []
    var index = 0
    while index < words.count {
      if let length = self.words.notNames.length(at: index, of: words) {
        index += length
      } else if let (activity, length) = pack.activity(namedAt: index, of: words) {
        if places.last?.activity.id != activity.id {
          places.append(Place(activity: activity, range: index..<index + length))
        }
        index += length
      } else {
        index += 1
      }
    }
    return places
  }

  /// The last comma or "and" between two names; without one, the second name.
  private func boundary(
    between one: Range<Int>, _ other: Range<Int>, _ tokens: [LogTokens.Token]
  ) -> Int {
    let between = one.upperBound..<other.lowerBound
    return between.last { words.and.contains(tokens[$0].text) || tokens[$0].followsComma }
      ?? other.lowerBound
  }
}

extension EntryReader {
  /// Whether words have sets or loads, and name no activity that they are of.
  func hasOnlyFigures(_ text: String) -> Bool {
    let tokens = LogTokens.sentences(of: text).flatMap(\.tokens)
    guard places(in: tokens.map(\.text)).isEmpty else { return false }
    return !amounts(in: tokens[...], .strength).isEmpty
  }
}

extension Substring {
  var trimmingSpaces: String {
    var text = self
    while let last = text.last, last.isWhitespace || last == "," { text.removeLast() }
    return String(text.drop { $0.isWhitespace || $0 == "," })
  }
}

extension Day {
  /// From Monday, 0.
  var weekday: Int { (((number + 3) % 7) + 7) % 7 }
}

// Goals.
extension EntryReader {
  /// What a goal asks for in figures: `squat 100 kg`, `run a 10k under 55 min`; nil if it names none.
  package func target(in goal: String) -> LogEntry? {
    for sentence in LogTokens.sentences(of: goal) {
      guard let place = places(in: sentence.words).first else { continue }
      let amounts = amounts(in: sentence.tokens[...], place.activity.kind, place.activity)
      guard !amounts.isEmpty else { continue }
      var entry = LogEntry(
        day: Day(number: 0), kind: place.activity.kind, activity: place.activity.id)
      entry.take(amounts)
      return entry
    }
    return nil
  }
}

extension EntryReader {
  /// The body's weight that a goal asks for, in kilograms: `weigh 70 kg`; nil if it names none.
  func targetWeight(in goal: String) -> Double? {
    for sentence in LogTokens.sentences(of: goal) {
      let tokens = sentence.tokens
      guard let cue = words.weigh.place(in: sentence.words),
        places(in: sentence.words).isEmpty
      else { continue }
      // Behind the word, or as in German right before it.
      for index in Array(cue.upperBound..<cue.upperBound + 4) + [cue.lowerBound - 2] {
        guard index >= 0, index + 1 < tokens.count, let number = tokens[index].number,
          let unit = words.units[tokens[index + 1].text]
        else { continue }
        let next = index + 2 < tokens.count ? tokens[index + 2].text : ""
        guard !words.difference.contains(next) else { continue }
        if unit == .kilogram { return number }
        if unit == .pound { return number * Amounts.kilogramsPerPound }
      }
    }
    return nil
  }
}
