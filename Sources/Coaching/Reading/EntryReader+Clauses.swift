import HealthRecords

// Sentences that tell more than one thing.
extension EntryReader {
  /// What can be read on its own: "ran 10k on Monday, skipped Tuesday" tells of two sessions, and "leg press
  /// 3x10, face pulls 3x15" of two exercises.
  func clauses(of sentence: LogTokens) -> [LogTokens] {
    guard sentence.tokens.count <= Self.mostWords else { return [sentence] }
    for place in sentence.tokens.indices.dropFirst() where isBreak(place, sentence) {
      let (first, rest) = (sentence.part(..<place), sentence.part(place...))
      if isSessionBesideSkip(first, rest)
        || isSessionBesideSkip(rest, first) && beginsSession(rest)
        || areOnOtherDays(first, rest)
        || sentence.tokens[place].followsComma && isOtherExercise(rest, after: first)
      {
        return [first] + clauses(of: rest)
      }
      if let again = again(first, rest, of: sentence) { return [first] + clauses(of: again) }
    }
    return [sentence]
  }

  /// "And 10k today" of "ran 5k yesterday and 10k today", with the name of what was done.
  private func again(
    _ first: LogTokens, _ rest: LogTokens, of sentence: LogTokens
  ) -> LogTokens? {
    guard first.hasNumber else { return nil }
    let end = rest.tokens.indices.dropFirst().first { isBreak($0, rest) } ?? rest.tokens.endIndex
    let piece = rest.part(..<end)
    guard let figure = piece.tokens.firstIndex(where: { $0.number != nil }),
      piece.tokens.allSatisfy({ isFigureOrDay($0) }), !words.isNotDone(first.words),
      let place = places(in: first.words).last,
      hasAmounts(first)
        || Quantities(first.tokens[...], words).before(place.range.lowerBound) != nil,
      let day = ownDay(of: piece), let before = ownDay(of: first), day != before
    else { return nil }
    let name = first.tokens[place.range].map { token in
      var token = token
      token.followsComma = false
      return token
    }
    // "30 push-ups", but "run 10k".
    let isCount =
      place.activity.kind == .strength
      && amounts(in: piece.tokens[...], .strength, place.activity).isEmpty
    var tokens = rest.tokens
    tokens.insert(contentsOf: name, at: isCount ? figure + 1 : 0)
    let last = rest.tokens.last?.range.upperBound ?? sentence.text.endIndex
    let begin = name.first?.range.lowerBound ?? sentence.text.startIndex
    let isLast = last == sentence.tokens.last?.range.upperBound
    return LogTokens(
      tokens: tokens, text: sentence.text[begin..<(isLast ? sentence.text.endIndex : last)],
      isQuestion: sentence.isQuestion)
  }

  private func isBreak(_ index: Int, _ sentence: LogTokens) -> Bool {
    let token = sentence.tokens[index]
    return token.followsComma || words.and.contains(token.text)
      || words.but.phrases.contains([token.text])
  }

  private func isFigureOrDay(_ token: LogTokens.Token) -> Bool {
    token.number != nil || token.ordinal != nil || words.isGrammar(token.text)
      || isDayWord(token.text) || words.beforeSubject.contains(token.text)
      || words.dateAfter.contains(token.text) || words.dayFirst.contains(token.text)
      || words.shortWeekdays.contains { $0.contains(token.text) } || pack.month(token.text) != nil
      || words.and.contains(token.text) || words.another.phrases.contains([token.text])
      || token.text == ":" || token.text == "-"
  }

  /// A longer sentence is read as one: each of its breaks takes a look at all its words.
  static let mostWords = 120

  private func isSessionBesideSkip(_ session: LogTokens, _ skip: LogTokens) -> Bool {
    guard isSkipped(skip) || words.restDay.isIn(skip.words), !isSkipped(session),
      !words.restDay.isIn(session.words),
      words.did.isIn(session.words) || effort(of: session.words) != nil,
      !words.isNotDone(session.words), !words.because.isIn(session.words)
    else { return false }
    return hasAmounts(session)
  }

  private func hasAmounts(_ part: LogTokens) -> Bool {
    places(in: part.words).contains { place in
      !amounts(in: part.tokens[...], place.activity.kind, place.activity).isEmpty
    }
  }

  /// Whether its first part tells of it: what stands before is the reason of the skip.
  private func beginsSession(_ rest: LogTokens) -> Bool {
    guard let first = pieces(of: rest).first.map({ rest.part($0) }) else { return false }
    return words.did.isIn(first.words) || hasAmounts(first)
  }

  /// "Ran 5k yesterday and swam 1 km today".
  private func areOnOtherDays(_ first: LogTokens, _ rest: LogTokens) -> Bool {
    // Days take long to find.
    guard first.hasNumber, rest.hasNumber, hasAmounts(first), hasAmounts(rest) else { return false }
    let (one, other) = (ownDay(of: first), ownDay(of: rest))
    return one != nil && other != nil && one != other && !words.isNotDone(first.words)
  }

  /// Relative to any day.
  private func ownDay(of part: LogTokens) -> Day? { namedDay(in: part, Day(number: 20_000)) }

  /// Whether a name that the pack doesn't know begins another exercise.
  private func isOtherExercise(_ rest: LogTokens, after first: LogTokens) -> Bool {
    let piece = rest.part(
      ..<(rest.tokens.indices.dropFirst().first { rest.tokens[$0].followsComma }
        ?? rest.tokens.endIndex))
    guard let name = piece.tokens.first, isName(name),
      words.not.length(at: 0, of: piece.words) == nil,
      words.reached.length(at: 0, of: piece.words) == nil,
      words.setNames.length(at: 0, of: piece.words) == nil, places(in: piece.words).isEmpty,
      effort(of: piece.words) == nil,
      places(in: first.words).contains(where: { $0.activity.kind == .strength })
    else { return false }
    let amounts = amounts(in: piece.tokens[...], .strength)
    return amounts.sets != nil && amounts.repetitions != nil
  }

  /// Without what only looks like an amount of the training: a warm-up, the height that was climbed, and what
  /// else took its time.
  func withoutAsides(_ sentence: LogTokens) -> LogTokens {
    let (tokens, said) = (sentence.tokens, sentence.words)
    let quantities = Quantities(tokens[...], words)
    func isBreak(_ index: Int) -> Bool {
      tokens[index].followsComma || words.and.contains(said[index])
    }
    func endOfPart(_ index: Int) -> Int {
      tokens.indices.first {
        $0 >= index && (isBreak($0) || pack.activity(namedAt: $0, of: said) != nil)
      } ?? tokens.endIndex
    }
    guard tokens.count <= Self.mostWords else { return sentence }
    var aside: Set<Int> = []
    for index in tokens.indices {
      aside.formUnion(money(at: index, sentence))
      aside.formUnion(difference(at: index, sentence))
      if pack.activity(namedAt: index, of: said) == nil,
        let length = words.apartFrom.length(at: index, of: said)
      {
        let part = index..<endOfPart(index + length)
        if part.contains(where: { isTime(said[$0]) }) { aside.formUnion(part) }
      } else if let length = words.warmUp.length(at: index, of: said),
        // "Warmed up 10 min on the bike" is a ride.
        !tokens.indices.suffix(from: index).prefix(while: { !isBreak($0) || $0 == index }).contains(
          where: {
            pack.activity(namedAt: $0, of: said) != nil
          })
      {
        aside.formUnion(index..<endOfPart(index + length))
        // "5 min warm-up".
        if index >= 2, quantities.unit(index - 1) != nil, let before = quantities.before(index - 1)
        {
          aside.formUnion((index - 1 - before.length)..<index)
        }
      } else if words.ascent.contains(said[index]) {
        // "900 m of climbing".
        let unit = index > 0 && words.of.contains(said[index - 1]) ? index - 2 : index - 1
        if let figure = quantities.before(index) {
          aside.formUnion((index - figure.length)...index)
        } else if unit > 0, isHeight(said[unit]), let figure = quantities.before(unit) {
          aside.formUnion((unit - figure.length)...index)
        }
      }
    }
    guard !aside.isEmpty, aside.count < tokens.count else { return sentence }
    return sentence.without(aside)
  }

  /// "Missed my PR by 5 kg", "beat it by 10 s".
  private func difference(at index: Int, _ sentence: LogTokens) -> Range<Int> {
    let quantities = Quantities(sentence.tokens[...], words)
    guard words.differenceBy.contains(quantities.word(index)),
      index == 0 || sentence.tokens[index - 1].number == nil, let figure = quantities[index + 1]
    else { return index..<index }
    let end = index + 1 + figure.length
    let unit = quantities.unit(end)
    return unit?.isLoad == true || unit?.isExtent == true ? index..<end + 1 : index..<index
  }

  /// "Raised 300 pounds for charity".
  private func money(at index: Int, _ sentence: LogTokens) -> Range<Int> {
    let said = sentence.words
    guard let length = words.money.length(at: index, of: said) else { return index..<index }
    let quantities = Quantities(sentence.tokens[...], words)
    for begin in index + length...index + length + 1 {
      guard let figure = quantities[begin] else { continue }
      let end = begin + figure.length
      return words.currency.contains(quantities.word(end)) ? index..<end + 1 : index..<index
    }
    return index..<index
  }

  private func isTime(_ word: String) -> Bool {
    words.units[word] == .hour || words.units[word] == .minute
  }

  private func isHeight(_ word: String) -> Bool {
    words.units[word] == .meter || words.feet.contains(word)
  }
}

extension LogTokens {
  fileprivate var hasNumber: Bool { tokens.contains { $0.number != nil } }

  func part(_ range: some RangeExpression<Int>) -> LogTokens {
    var tokens = Array(tokens[range.relative(to: tokens.indices)])
    if !tokens.isEmpty { tokens[0].followsComma = false }
    let isLast = tokens.last?.range == self.tokens.last?.range
    let begin = tokens.first?.range.lowerBound ?? text.startIndex
    let end = isLast ? text.endIndex : tokens.last?.range.upperBound ?? begin
    return LogTokens(tokens: tokens, text: text[begin..<end], isQuestion: isQuestion)
  }

  func without(_ places: Set<Int>) -> LogTokens {
    var kept: [Token] = []
    var hasComma = false
    for (index, token) in tokens.enumerated() {
      hasComma = hasComma || token.followsComma
      if places.contains(index) { continue }
      var token = token
      token.followsComma = hasComma && !kept.isEmpty
      kept.append(token)
      hasComma = false
    }
    return LogTokens(tokens: kept, text: text, isQuestion: isQuestion)
  }
}
