/// The context of a phrase: when it happened, who it is about, whether it is denied.
struct CareContext: Sendable {
  /// Phrases that put the rest of their clause in the past.
  var past = PhraseRule()
  /// Phrases that put it back in the present.
  var present = PhraseRule()
  /// Somebody who is only there: "ran 5k with my wife, fainted at the end".
  var company = PhraseRule()
  /// First names.
  var named = PhraseRule()
  /// What may stand before a clause's subject.
  var opening = PhraseRule()
  private let people: RuleSet
  let denial: Denial

  init(_ rules: SignalRules) { (people, denial) = (rules[.people], Denial(rules)) }

  /// Whether a match is about the past.
  ///
  /// "Used to be fit but now my chest hurts": a past clause does not make the next one past.
  func isOver(_ text: PhrasePattern.Text, _ match: Range<Int>) -> Bool {
    let clause = denial.turn(before: match.lowerBound, in: text)
    let isPast = past.ranges(in: text).contains { $0.lowerBound >= clause }
    return isPast && !present.matches(text)
  }

  /// Whether the last person named up to the end of a match is somebody else.
  func isAboutSomebodyElse(_ match: Range<Int>, in text: PhrasePattern.Text) -> Bool {
    let said = PhrasePattern.Text(Array(text.words[..<match.upperBound]), pauses: text.pauses)
    var rest = said.words
    for range in company.ranges(in: company.withoutIdioms(said)) {
      for index in range { rest[index] = "" }
    }
    if let name = subject(of: match, in: said) {
      return Whose(rest[(name + 1)...], people) != .own
    }
    return Whose(rest[...], people) == .other
  }

  /// The most words between a name and what happened to whom it names: "Tom has just nearly fainted".
  private static let reach = 3

  /// The name that begins the clause of a match: "Tom" of "Tom passed out", but not of "ran with Tom, passed out".
  private func subject(of match: Range<Int>, in text: PhrasePattern.Text) -> Int? {
    let start = denial.turn(before: match.lowerBound, in: text)
    return text.words.indices.last { index in
      guard index >= start, named.contains(text.words[index]), index < match.upperBound - 1,
        match.lowerBound - index <= Self.reach + 1,
        !text.pauses.contains(where: { $0 > index && $0 <= match.lowerBound })
      else { return false }
      return index == 0 || text.pauses.contains(index) || opening.contains(text.words[index - 1])
    }
  }
}
