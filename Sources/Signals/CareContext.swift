/// What a sentence says around a phrase: when it was, whom it is about, whether it is denied.
struct CareContext: Sendable {
  /// Phrases that put the rest of their clause in the past.
  var past = PhraseRule()
  /// Phrases that say that it is not past after all.
  var present = PhraseRule()
  let rules: SignalRules

  /// Whether a match is told as a thing of the past.
  ///
  /// "Used to be fit but now my chest hurts": what is past in one clause is not past in the next.
  func isOver(_ text: PhrasePattern.Text, _ match: Range<Int>) -> Bool {
    let clause = clause(text.words[..<match.lowerBound])
    let isPast = past.ranges(in: text).contains { $0.lowerBound >= clause.startIndex }
    return isPast && !present.matches(text)
  }

  /// Whether the words before a phrase deny it.
  func isNegated(_ before: ArraySlice<String>) -> Bool {
    rules[.denial]["denied"].matches(Array(clause(before)))
  }

  /// Whose story it is.
  func isAboutSomebodyElse(_ words: ArraySlice<String>) -> Bool {
    Whose(words, rules[.people]) == .other
  }

  /// The words from the last "but" on.
  private func clause(_ words: ArraySlice<String>) -> ArraySlice<String> {
    let turn = rules[.denial]["turn"]
    return words[(words.lastIndex(where: turn.contains) ?? words.startIndex)...]
  }
}
