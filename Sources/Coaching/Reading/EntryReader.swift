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
  /// Words that weren't noted, and the part of them that can be read in several ways, or in none.
  case unclear(String, part: String)
}

extension LogNote {
  /// The words that it rests on.
  fileprivate var quote: String? {
    switch self {
    case .new(let entry), .implausible(let entry, _): entry.quote?.text
    case .corrected(let entry): entry.corrections?.last?.text
    case .unmatched(let words), .unclear(let words, _): words
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
  ///   - hasDay: Whether the day was given beside the words.
  package func notes(
    in text: String, turn: Int?, today: Day, log: TrainingLog? = nil, allowsBare: Bool = true,
    hasDay: Bool = false
  ) -> [LogNote] {
    if turn == nil, let (words, note) = withNote(text) {
      var notes = self.notes(in: words, turn: nil, today: today, log: log, hasDay: hasDay)
      if case .new(var entry)? = notes.last {
        entry.note = note
        notes[notes.count - 1] = .new(entry)
      }
      if !notes.isEmpty { return notes }
    }
    var notes: [LogNote] = []
    var entries: [LogEntry] = []
    var lastDay: Day?
    let own = sentences(of: text).compactMap { withoutOthers($0) }
    for dated in answered(own).flatMap({ clauses(of: $0) }).map({ withoutRemarks($0) }) {
      if dated.isQuestion { continue }
      let when = when(dated, today)
      let named = when.day
      let sentence = when.tokens.isEmpty ? dated : dated.without(when.tokens)
      // What is to come is a plan.
      if let named, named > today { continue }
      if !isElsewhere(sentence) { lastDay = named ?? lastDay }
      if let log,
        let note = correction(
          in: sentence, turn, named, today, log, allowsBare: allowsBare)
      {
        notes.append(note)
        continue
      }
      let day = named ?? lastDay ?? today
      var found = found(in: sentence, day, isTyped: turn == nil) { activity in
        turn == nil || log?.entries.contains { $0.activity == activity.id } == true
      }
      if found.isEmpty, turn == nil, let own = ownWords(sentence, day) {
        found = [own]
      }
      let unclear = hasDay ? nil : when.unclear ?? spanWithout(found, named, sentence)
      if !found.isEmpty, let part = unclear ?? impossibleTime(in: sentence) {
        notes.append(.unclear(dated.text.trimmingSpaces, part: part))
        continue
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

  /// "31:75", which is no time.
  private func impossibleTime(in sentence: LogTokens) -> String? {
    let tokens = sentence.tokens
    return tokens.indices.dropFirst().dropLast().lazy.compactMap { index -> String? in
      let (before, after) = (tokens[index - 1], tokens[index + 1])
      guard tokens[index].text == ":", before.number != nil, after.text.count == 2,
        after.number.map({ $0 >= 60 }) == true,
        before.range.upperBound == tokens[index].range.lowerBound
      else { return nil }
      return before.text + ":" + after.text
    }.first
  }

  /// Whether the sentence that a note is from says that it was done, or when.
  func isTold(_ note: LogNote, in message: String, _ today: Day) -> Bool {
    guard let quote = note.quote else { return true }
    return sentences(of: message).contains { sentence in
      (sentence.text.contains(quote) || quote.contains(sentence.text))
        && (words.did.isIn(sentence.words) || words.skipped.isIn(sentence.words)
          || words.weighed.isIn(sentence.words) || namedDay(in: sentence, today) != nil)
    }
  }

  /// "Face pulls 3x15": sets of something that the pack doesn't know, under the name that was typed.
  private func ownWords(_ sentence: LogTokens, _ day: Day) -> LogEntry? {
    let said = sentence.words
    guard places(in: said).isEmpty, !words.isNotDone(said), !words.skipped.isIn(said),
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

  func isName(_ token: LogTokens.Token) -> Bool {
    token.number == nil && token.text.first?.isLetter == true && token.text.count > 1
      && !words.isGrammar(token.text)
  }

  /// "Ran my first 10k! 1:03:20", "Bench. 3x8 at 40 kg": amounts in a sentence of their own; nil if it
  /// has none, or the entry has them.
  private func continued(
    _ entry: LogEntry, by sentence: LogTokens, in text: String
  ) -> LogEntry? {
    guard entry.isTraining, sentence.tokens.first?.number != nil, sentence.tokens.count <= 8,
      places(in: sentence.words).isEmpty, !words.isNotDone(sentence.words)
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
    in sentence: LogTokens, _ day: Day, isTyped: Bool, assuming assumes: (Activity) -> Bool
  ) -> [LogEntry] {
    if !tellsOfOther(sentence), let skip = skip(sentence, day, isTraining: isTraining(sentence)) {
      return [skip]
    }
    if let (aim, reached) = fallenShort(sentence),
      let aimed = self.done(aim, day, saysDone: true, assuming: assumes).first,
      let entry = short(of: aimed, reached, sentence)
    {
      return [entry]
    }
    guard let done = withoutUndone(sentence).flatMap({ withoutInexact($0) }), isTraining(done)
    else {
      return []
    }
    if let weight = weight(done, day) { return [weight] }
    return self.done(
      withoutAsides(done), day,
      saysDone: words.did.isIn(done.words) || isTyped && (isOnlyName(done) || namesRun(done)),
      assuming: assumes)
  }

  /// "Easy 8 miler".
  private func namesRun(_ sentence: LogTokens) -> Bool {
    sentence.words.contains(where: words.namedRuns.contains)
  }

  /// "Rest day yesterday. Ran 5k": its day isn't that of the next sentence.
  private func isElsewhere(_ sentence: LogTokens) -> Bool {
    !words.did.isIn(sentence.words)
      && (words.restDay.isIn(sentence.words) || words.otherDays.isIn(sentence.words))
  }

  private func isTraining(_ sentence: LogTokens) -> Bool {
    !words.isNotDone(sentence.words) && !words.priority.isIn(sentence.words)
  }

  /// The activity of a skipped session that doesn't say which.
  package static let anything = "training"
  package static let bodyWeight = "weight"

  private func weight(_ sentence: LogTokens, _ day: Day) -> LogEntry? {
    guard places(in: sentence.words).isEmpty else { return nil }
    let amounts = amounts(in: weighed(sentence), .weight)
    guard amounts.kilograms != nil, amounts.kilometers == nil, amounts.seconds == nil,
      isBodyWeight(sentence)
    else { return nil }
    var entry = LogEntry(day: day, kind: .weight, activity: Self.bodyWeight)
    entry.take(amounts)
    return entry
  }

  /// The part that has the weight: "lost 5 kg, weight 75 kg".
  private func weighed(_ sentence: LogTokens) -> ArraySlice<LogTokens.Token> {
    let tokens = sentence.tokens[...]
    let loads = tokens.count { words.units[$0.text]?.isLoad == true }
    guard sentence.tokens.count <= Self.mostWords, loads > 1 else { return tokens }
    let parts = pieces(of: sentence).compactMap { piece -> [ArraySlice<LogTokens.Token>]? in
      guard let word = words.weighed.place(in: Array(sentence.words[piece])) else { return nil }
      return [tokens[(piece.lowerBound + word.lowerBound)..<piece.upperBound], tokens[piece]]
    }
    return parts.joined().first { amounts(in: $0, .weight).kilograms != nil } ?? tokens
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
      fastest: activity.flatMap { pack.bounds.fastest($0.id) },
      hasRaces: activity?.assumed == .distance,
      paceLength: activity?.pace.kilometers, units: units ?? self.units)
    return Amounts(tokens, frame, words)
  }

  private func done(
    _ sentence: LogTokens, _ day: Day, saysDone: Bool, assuming assumes: (Activity) -> Bool
  ) -> [LogEntry] {
    let said = sentence.words
    let all = places(in: said).filter { place in
      place.range.lowerBound == 0 || sentence.tokens[place.range.lowerBound].followsComma
        || !words.without.contains(said[place.range.lowerBound - 1])
    }
    guard !all.isEmpty else {
      return assumed(sentence, day, saysDone: saysDone, assuming: assumes)
    }
    // "Went to the gym and did squats 3x5" is about squats.
    let specific = all.filter { !(isGeneral($0.activity) && all.count > 1) }
    let segments =
      specific.count == all.count
      ? segments(all, sentence) : timed(all, sentence) ?? segments(specific, sentence)
    let rounds = rounds(before: all[0].range.lowerBound, sentence)
    var entries: [LogEntry] = []
    for (place, segment) in segments {
      var (activity, amounts) = read(segment.naming(place.range), place.activity)
      if activity.kind == .strength, amounts.repetitions == nil {
        // "12 pull-ups".
        let before = Quantities(segment, words).before(place.range.lowerBound)
        if before.map({ Double($0.whole ?? 0) }) != amounts.kilograms {
          amounts.repetitions = before?.whole
        }
      }
      if activity.kind == .strength, amounts.repetitions != nil, segments.count > 1 {
        amounts.sets = amounts.sets ?? rounds
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
    where activity.assumed != nil {
      let tokens = sentence.tokens[...]
      let amounts = amounts(in: tokens, activity.kind, activity)
      let isAssumed = saysDone || assumes(activity)
      let fits =
        switch activity.assumed {
        case .steps: isAssumed && amounts.steps.map { $0 >= Self.leastAssumedSteps } ?? false
        case .laps: amounts.isInPool && (isAssumed || amounts.kilometers != nil)
        case .distance, nil:
          amounts.isRaceDistance && amounts.kilometers != nil
            && (isAssumed && (saysDone || amounts.seconds != nil)
              || amounts.isNamedRun && amounts.seconds != nil)
        }
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
    let ranges = segment.map(\.range)
    guard let first = ranges.map(\.lowerBound).min(), let last = ranges.map(\.upperBound).max()
    else { return nil }
    entry.quote = LogEntry.Quote(turn: 0, text: sentence.text[first..<last].trimmingSpaces)
    return entry
  }

  func isGeneral(_ activity: Activity) -> Bool { activity.isGeneral }

  func effort(of words: [String]) -> LogEntry.Effort? {
    for (effort, phrases) in self.words.effort {
      guard let place = phrases.place(in: words) else { continue }
      return isDenied(before: place.lowerBound, words) ? Self.opposite(of: effort) : effort
    }
    return rated(in: words)
  }

  /// "Not that easy", "wasn't hard".
  private func isDenied(before place: Int, _ words: [String]) -> Bool {
    var before = words[..<place]
    while let phrase = self.words.effortFillers.phrases.first(where: { ends(before, with: $0) }) {
      before = before.dropLast(phrase.count)
    }
    return self.words.effortDenied.phrases.contains { ends(before, with: $0) }
  }

  func ends(_ words: ArraySlice<String>, with phrase: [String]) -> Bool {
    words.suffix(phrase.count).elementsEqual(phrase)
  }

  /// What isn't hard may be anything below, so it says no more than that it was fine.
  private static func opposite(of effort: LogEntry.Effort) -> LogEntry.Effort? {
    switch effort {
    case .easy: .hard
    case .hard: .moderate
    case .moderate: nil
    }
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

extension ArraySlice<LogTokens.Token> {
  /// With a name that has a figure in it, such as "couch to 5k", which is no amount.
  fileprivate func naming(_ place: Range<Int>) -> Self {
    guard self[place].contains(where: { $0.number != nil }) else { return self }
    var tokens = self
    for index in place {
      tokens[index].number = nil
      tokens[index].text = ""
    }
    return tokens
  }
}

extension Substring {
  var trimmingSpaces: String {
    var text = self
    while let last = text.last, last.isWhitespace || last == "," { text.removeLast() }
    return String(text.drop { $0.isWhitespace || $0 == "," })
  }
}
