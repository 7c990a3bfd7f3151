package import HealthRecords
package import Journeys

/// Finds notes of training in a person's words, by rules of the pack and without a model.
///
/// It notes only what was done, skipped or measured: no plans, habits, wishes or questions.
package struct EntryReader {
  let pack: CoachingPack
  let units: Units

  package init(_ pack: CoachingPack, units: Units = .metric) {
    (self.pack, self.units) = (pack, units)
  }

  private var words: LogWords { pack.words }

  /// - Parameters:
  ///   - text: What the person wrote, without invisible characters.
  ///   - turn: The user turn, counted from 1; nil if it was typed as a command.
  package func entries(in text: String, turn: Int?, today: Day) -> [LogEntry] {
    if turn == nil, let (words, note) = withNote(text) {
      var entries = self.entries(in: words, turn: nil, today: today)
      if !entries.isEmpty { entries[entries.count - 1].note = note }
      return entries
    }
    var entries: [LogEntry] = []
    var lastDay: Day?
    for sentence in LogTokens.sentences(of: text) {
      if sentence.isQuestion { continue }
      let day = day(of: sentence.words, today) ?? lastDay ?? today
      lastDay = self.day(of: sentence.words, today) ?? lastDay
      var found = found(in: sentence, day)
      if found.isEmpty, let effort = effort(of: sentence.words) {
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
      entries += found.filter { $0.implausibleMember == nil }
    }
    return entries
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

  private func found(in sentence: LogTokens, _ day: Day) -> [LogEntry] {
    let words = sentence.words
    if self.words.skipped.isIn(words) { return [skip(sentence, day)] }
    let isTraining = !self.words.notDone.isIn(words) && !self.words.priority.isIn(words)
    if isTraining, let weight = weight(sentence, day) { return [weight] }
    guard isTraining else { return [] }
    return done(sentence, day)
  }

  private func skip(_ sentence: LogTokens, _ day: Day) -> LogEntry {
    let place = places(in: sentence.words).first
    var entry = LogEntry(
      day: day, kind: .skipped, activity: place?.activity.id ?? Self.anything)
    let reason = sentence.tokens.indices.first { index in
      index > 0
        && (sentence.tokens[index].followsComma
          || words.because.contains(sentence.tokens[index].text))
    }
    if let reason {
      let isWord = words.because.contains(sentence.tokens[reason].text)
      let start = isWord && reason + 1 < sentence.tokens.count ? reason + 1 : reason
      let note = sentence.text[sentence.tokens[start].range.lowerBound...].trimmingSpaces
      entry.note = note.isEmpty ? nil : note
    }
    return entry
  }

  /// The activity of a skipped session that doesn't say which.
  package static let anything = "training"
  package static let bodyWeight = "weight"

  private func weight(_ sentence: LogTokens, _ day: Day) -> LogEntry? {
    guard words.weighed.isIn(sentence.words), places(in: sentence.words).isEmpty else { return nil }
    let amounts = Amounts(sentence.tokens, .weight, words, units)
    guard amounts.kilograms != nil, amounts.kilometers == nil, amounts.seconds == nil else {
      return nil
    }
    var entry = LogEntry(day: day, kind: .weight, activity: Self.bodyWeight)
    entry.take(amounts)
    return entry
  }

  private func done(_ sentence: LogTokens, _ day: Day) -> [LogEntry] {
    let all = places(in: sentence.words)
    // "Went to the gym and did squats 3x5" is about squats.
    let specific = all.filter { !(isGeneral($0.activity) && all.count > 1) }
    let saysDone = words.did.isIn(sentence.words)
    var entries: [LogEntry] = []
    var begin = 0
    for (index, place) in specific.enumerated() {
      let end =
        index + 1 < specific.count
        ? boundary(between: place.range, specific[index + 1].range, sentence.tokens)
        : sentence.tokens.count
      let segment = sentence.tokens[begin..<end]
      begin = end
      var amounts = Amounts(segment, place.activity.kind, words, units)
      if place.activity.kind == .strength, amounts.sets == nil, amounts.repetitions == nil {
        // "12 pull-ups".
        amounts.repetitions = number(before: place.range, sentence.tokens)
      }
      guard saysDone || !amounts.isEmpty else { continue }
      if let entry = entry(place.activity, amounts, segment, sentence, day) {
        entries.append(entry)
      }
    }
    return entries
  }

  private func number(before range: Range<Int>, _ tokens: [LogTokens.Token]) -> Int? {
    guard range.lowerBound > 0 else { return nil }
    let token = tokens[range.lowerBound - 1]
    return (token.number ?? words.numbers[token.text]).flatMap { Int(exactly: $0) }
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

  private func effort(of words: [String]) -> LogEntry.Effort? {
    self.words.effort.first { $0.1.isIn(words) }?.0
  }

  private func day(of words: [String], _ today: Day) -> Day? {
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
  private struct Place {
    var activity: Activity
    var range: Range<Int>
  }

  /// Without overlaps, the longest names first.
  private func places(in words: [String]) -> [Place] {
    var places: [Place] = []
    var index = 0
    while index < words.count {
      var best: Place?
      for activity in pack.activities {
        for name in activity.names where words[index...].starts(with: name) {
          if name.count > best?.range.count ?? 0 {
            best = Place(activity: activity, range: index..<index + name.count)
          }
        }
      }
      if let best {
        if places.last?.activity.id != best.activity.id { places.append(best) }
        index = best.range.upperBound
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
    return between.last { words.and.contains(tokens[$0].text) }
      ?? between.last { tokens[$0].followsComma }
      ?? other.lowerBound
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
      let amounts = Amounts(sentence.tokens, place.activity.kind, words, units)
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

// Corrections.
extension EntryReader {
  /// The entry with the figures or the effort of words that name no activity, such as "65 kg, felt hard";
  /// nil without any.
  func retyped(_ entry: LogEntry, as words: String) -> LogEntry? {
    let sentences = LogTokens.sentences(of: words)
    let tokens = sentences.flatMap(\.tokens)
    let amounts = Amounts(tokens, entry.kind, self.words, units)
    let effort = entry.isTraining ? effort(of: tokens.map(\.text)) : nil
    guard !(amounts.isEmpty && effort == nil) else { return nil }
    var retyped = entry
    retyped.take(amounts)
    retyped.effort = effort ?? entry.effort
    (retyped.source, retyped.quote) = (entry.source == .health ? .health : .typed, nil)
    return retyped.implausibleMember == nil ? retyped : nil
  }

  /// The entry with the figures of a message such as "no, it was 65 kg"; nil if it isn't one.
  func corrected(_ entry: LogEntry, by message: String) -> LogEntry? {
    for sentence in LogTokens.sentences(of: message) {
      guard !sentence.isQuestion, words.fix.isIn(sentence.words) else { continue }
      let amounts = Amounts(sentence.tokens, entry.kind, words, units)
      guard !amounts.isEmpty else { continue }
      var corrected = entry
      corrected.take(amounts)
      return corrected.implausibleMember == nil && corrected != entry ? corrected : nil
    }
    return nil
  }
}
