/// The context of a phrase: when it happened, who it is about, whether it is denied.
struct CareContext: Sendable {
  /// Phrases that put the rest of their clause in the past.
  var past = PhraseRule()
  /// Phrases that put it back in the present.
  var present = PhraseRule()
  /// Somebody who is only there: "ran 5k with my wife, fainted at the end".
  var company = PhraseRule()
  let rules: SignalRules

  /// Whether a match is about the past.
  ///
  /// "Used to be fit but now my chest hurts": a past clause doesn't make the next one past.
  func isOver(_ text: PhrasePattern.Text, _ match: Range<Int>) -> Bool {
    let clause = clause(text.words[..<match.lowerBound])
    let isPast = past.ranges(in: text).contains { $0.lowerBound >= clause.startIndex }
    return isPast && !present.matches(text)
  }

  /// Whether the words before a phrase deny it.
  func isNegated(_ before: ArraySlice<String>) -> Bool {
    rules[.denial]["denied"].matches(Array(clause(before)))
  }

  /// Whether the last person named is somebody else.
  func isAboutSomebodyElse(_ words: ArraySlice<String>) -> Bool {
    let said = PhrasePattern.Text(Array(words))
    var rest = said.words
    for range in company.ranges(in: company.withoutIdioms(said)) {
      for index in range { rest[index] = "" }
    }
    return Whose(rest[...], rules[.people]) == .other
  }

  /// The words from the last "but".
  private func clause(_ words: ArraySlice<String>) -> ArraySlice<String> {
    let turn = rules[.denial]["turn"]
    return words[(words.lastIndex(where: turn.contains) ?? words.startIndex)...]
  }
}
