// How a limit is shown: in the words that it rests on, not in a whole message.
extension ConstraintKeeper {
  func words(for constraint: KeptConstraint) -> String { pack.words(for: constraint) }

  /// The clause of a long sentence that's about something.
  func clause(of sentence: LogTokens, about isMeant: (LogTokens) -> Bool) -> String {
    pack.clause(of: sentence, about: isMeant)
  }
}

extension CoachingPack {
  /// In characters; what's longer is cut down to the clause that counts.
  private static let longestLimit = 60

  /// A limit in a few words: of a long detail, the clause that names the body's part, the illness or the time.
  package func words(for constraint: KeptConstraint) -> String {
    let detail = constraint.detail
    guard detail.count > Self.longestLimit else { return detail }
    let sentences = LogTokens.sentences(of: detail)
    let meant = phrases(about: constraint)
    let sentence = sentences.first { sentence in meant.contains { $0.isIn(sentence.words) } }
    guard let sentence, sentence.tokens.count <= EntryReader.mostWords else { return detail }
    return clause(of: sentence) { part in meant.contains { $0.isIn(part.words) } }
  }

  private func phrases(about constraint: KeptConstraint) -> [LogWords.Phrases] {
    switch constraint.list {
    case .physical, .temporary:
      let said = LogTokens.words(of: constraint.about + " " + constraint.detail)
      let named = words.body.filter { $0.phrases.isIn(said) }.map(\.phrases)
      return named.isEmpty ? words.ill.map(\.phrases) + [words.hurts] : named
    case .time, .resources: return []
    }
  }

  /// The shortest run of clauses that something is true of; all of a sentence that isn't long.
  func clause(of sentence: LogTokens, about isMeant: (LogTokens) -> Bool) -> String {
    let whole = sentence.text.trimmingSpaces
    guard whole.count > Self.longestLimit, sentence.tokens.count <= EntryReader.mostWords else {
      return whole
    }
    let breaks = sentence.tokens.indices.dropFirst().filter { index in
      let token = sentence.tokens[index]
      let joins = words.and.contains(token.text) || words.contrary.contains(token.text)
      // "Since then" joins nothing.
      let next = index + 1
      return token.followsComma
        || joins && next < sentence.tokens.count && !sentence.tokens[next].followsComma
    }
    let pieces = zip([0] + breaks, breaks + [sentence.tokens.count]).map { $0..<$1 }
    for length in pieces.indices.map({ $0 + 1 }) {
      for first in 0...pieces.count - length {
        let range = pieces[first].lowerBound..<pieces[first + length - 1].upperBound
        if isMeant(sentence.part(range)) { return trimmed(sentence.part(range)) }
      }
    }
    return whole
  }

  /// Without the word that joins it to what was said before.
  private func trimmed(_ clause: LogTokens) -> String {
    let start = clause.tokens.firstIndex { token in
      !words.and.contains(token.text) && !words.contrary.contains(token.text)
        && !words.so.contains(token.text)
    }
    return clause.part((start ?? 0)...).text.trimmingSpaces
  }
}
