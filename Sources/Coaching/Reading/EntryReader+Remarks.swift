// What stands beside what was done.
extension EntryReader {
  /// A sentence without what somebody adds: "bench 3x5 60kg, can't do more", "never felt better, bench 3x5".
  func withoutRemarks(_ sentence: LogTokens) -> LogTokens {
    guard sentence.tokens.count <= Self.mostWords,
      words.isNotDone(sentence.words)
        || words.skipped.isIn(sentence.words)
    else { return sentence }
    let pieces = withoutCommas(pieces(of: sentence), sentence)
    var dropped: Set<Int> = []
    for (index, piece) in pieces.enumerated() {
      let part = sentence.part(piece)
      if isRemark(part, isBehind: index > 0)
        || index > 0 && words.isNotDone(part.words)
          && tellsAll(sentence.part(0..<piece.lowerBound).without(dropped))
      {
        dropped.formUnion(piece)
      }
    }
    guard !dropped.isEmpty, dropped.count < sentence.tokens.count else { return sentence }
    let rest = sentence.without(dropped)
    return rest.tokens.contains { $0.number != nil } ? rest : sentence
  }

  /// Splits off a remark that follows a figure without a comma: "ran 5k should have slept more".
  private func withoutCommas(_ pieces: [Range<Int>], _ sentence: LogTokens) -> [Range<Int>] {
    let said = sentence.words
    return pieces.flatMap { piece in
      guard words.did.isIn(Array(said[..<piece.upperBound])) else { return [piece] }
      let place = piece.dropFirst().first { index in
        words.laterRemarks.length(at: index, of: said) != nil
          && (sentence.tokens[index - 1].number != nil || words.measures(said[index - 1]))
      }
      return place.map { [piece.lowerBound..<$0, $0..<piece.upperBound] } ?? [piece]
    }
  }

  /// The most words that may stand before a judgement: "the weather could have been better".
  private static let mostWordsBefore = 3

  /// Behind the beginning of a clause and its subject.
  private func isRemark(_ part: LogTokens, isBehind: Bool) -> Bool {
    let said = part.words
    let start = said.firstIndex { word in
      !(words.and.contains(word) || words.contrary.contains(word) || words.own.contains(word)
        || words.so.contains(word))
    }
    guard let start else { return false }
    // "I'll try more" begins with its subject.
    let places = [0, start].compactMap { index -> Range<Int>? in
      let length =
        words.remarks.length(at: index, of: said)
        ?? (isBehind ? words.laterRemarks.length(at: index, of: said) : nil)
      return length.map { index..<index + $0 }
    }
    guard let place = places.first ?? (isBehind ? judgement(part, from: start) : nil) else {
      return false
    }
    // "If only" is more than "if".
    return said.indices.allSatisfy { index in
      guard let length = words.notRemarks.length(at: index, of: said) else { return true }
      return place.count > length && place.contains(index)
    }
  }

  /// A remark about something other than the training itself: "form could be better".
  private func judgement(_ part: LogTokens, from start: Int) -> Range<Int>? {
    let said = part.words
    guard part.tokens.allSatisfy({ $0.number == nil }), places(in: said).isEmpty else { return nil }
    return (start + 1..<start + 1 + Self.mostWordsBefore).lazy.compactMap { index in
      index < said.count
        ? words.laterRemarks.length(at: index, of: said).map { index..<index + $0 } : nil
    }.first
  }

  /// "Ran 5k" of "ran 5k, will run 10k tomorrow".
  private func tellsAll(_ first: LogTokens) -> Bool {
    guard words.did.isIn(first.words), !words.isNotDone(first.words), !words.isWish(first.words)
    else { return false }
    return places(in: first.words).contains { place in
      !amounts(in: first.tokens[...], place.activity.kind, place.activity).isEmpty
    }
  }

  /// "Squats 3x5 60 kg? I think" is no question.
  func answered(_ sentences: [LogTokens]) -> [LogTokens] {
    var all: [LogTokens] = []
    for sentence in sentences {
      if words.unsure.length(at: 0, of: sentence.words) == sentence.tokens.count,
        let last = all.last, last.isQuestion, tellsFirst(last)
      {
        all[all.count - 1] = LogTokens(tokens: last.tokens, text: last.text, isQuestion: false)
      } else {
        all.append(sentence)
      }
    }
    return all
  }

  private func tellsFirst(_ sentence: LogTokens) -> Bool {
    sentence.tokens.first?.number != nil || words.did.begins(sentence.words)
      || pack.activity(namedAt: 0, of: sentence.words) != nil
  }

  /// "Yoga class yesterday": no more than what takes its time, and the day.
  func isOnlyName(_ sentence: LogTokens) -> Bool {
    let places = places(in: sentence.words)
    guard places.count == 1, places[0].activity.kind == .timed else { return false }
    return sentence.tokens.indices.allSatisfy { index in
      places[0].range.contains(index) || words.sessionNames.contains(sentence.tokens[index].text)
        || isDayWord(sentence.tokens[index].text)
    }
  }

  /// The rounds of all exercises that follow: "3 rounds: 10 burpees, 20 squats".
  func rounds(before name: Int, _ sentence: LogTokens) -> Int? {
    let quantities = Quantities(sentence.tokens[..<name], words)
    return sentence.tokens.indices.prefix(name).lazy.compactMap { index in
      words.rounds.contains(sentence.tokens[index].text) ? quantities.before(index)?.whole : nil
    }.first
  }
}
