/// The context of a phrase: when it happened, who it is about, whether it is denied.
struct CareContext: Sendable {
  /// Phrases that put the rest of their clause in the past.
  var past = PhraseRule()
  /// Phrases that put it back in the present.
  var present = PhraseRule()
  /// Somebody who is only there: "ran 5k with my wife, fainted at the end".
  var company = PhraseRule()
  private let people: RuleSet
  let denial: Denial

  init(_ rules: SignalRules) { (people, denial) = (rules[.people], Denial(rules)) }

  /// Whether a match is about the past.
  ///
  /// "Used to be fit but now my chest hurts": a past clause doesn't make the next one past.
  func isOver(_ text: PhrasePattern.Text, _ match: Range<Int>) -> Bool {
    let clause = denial.turn(before: match.lowerBound, in: text)
    let isPast = past.ranges(in: text).contains { $0.lowerBound >= clause }
    return isPast && !present.matches(text)
  }

  /// Whether the last person named is somebody else.
  func isAboutSomebodyElse(_ words: ArraySlice<String>) -> Bool {
    let said = PhrasePattern.Text(Array(words))
    var rest = said.words
    for range in company.ranges(in: company.withoutIdioms(said)) {
      for index in range { rest[index] = "" }
    }
    return Whose(rest[...], people) == .other
  }
}
