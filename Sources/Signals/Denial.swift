/// How far a denial reaches: up to the comma, or over a list denied as a whole.
///
/// "No energy, I want to die" denies the energy. "No chest pain, dizziness or fainting" denies all three.
struct Denial: Sendable {
  private let rules: RuleSet

  init(_ rules: SignalRules) { self.rules = rules[.denial] }

  /// Whether the words before a place deny what is there.
  func reaches(_ place: Int, in text: PhrasePattern.Text) -> Bool {
    let clause = clauseStart(before: place, in: text)
    let start = max(clause, text.pauses.last { $0 <= place } ?? 0)
    return rules["denied"].matches(Array(text.words[start..<place]))
      || isListed(place, from: start, in: text, clause: clause)
  }

  /// Whether a phrase is a denial that ends at a comma within it.
  func breaksOff(in range: Range<Int>, of text: PhrasePattern.Text) -> Bool {
    guard let word = text.words[range].first, rules["negating"].contains(word) else { return false }
    return text.pauses.contains { range.contains($0) && $0 > range.lowerBound }
  }

  /// The denial within a phrase that takes back its last word: "don't" of "I don't feel dizzy or faint".
  func negation(in range: Range<Int>, of text: PhrasePattern.Text) -> Int? {
    let last = range.upperBound - 1
    let clause = max(clauseStart(before: last, in: text), range.lowerBound)
    guard
      let negation = text.words[clause..<last].lastIndex(where: rules["negating"].contains),
      negation > range.lowerBound,
      text.words[(negation + 1)...last].allSatisfy(rules["listed"].contains)
    else { return nil }
    guard let pause = text.pauses.last(where: { $0 > negation && $0 <= last }) else {
      return negation
    }
    return isListed(last, from: pause, in: text, clause: clause) ? negation : nil
  }

  /// Where the words stop belonging to an earlier clause.
  func turn(before place: Int, in text: PhrasePattern.Text) -> Int {
    text.words[..<place].lastIndex(where: rules["turn"].contains) ?? 0
  }

  private func clauseStart(before place: Int, in text: PhrasePattern.Text) -> Int {
    let rule = rules["clause"]
    let starts = rule.ranges(in: rule.withoutIdioms(text)).map(\.upperBound)
    return max(turn(before: place, in: text), starts.last { $0 <= place } ?? 0)
  }

  /// Whether a list runs from a denial over this place to its "or".
  private func isListed(
    _ place: Int, from pause: Int, in text: PhrasePattern.Text, clause: Int
  ) -> Bool {
    let before = text.words[clause..<place]
    guard let denial = before.lastIndex(where: rules["negating"].contains) else { return false }
    let listed = rules["listed"]
    return before[(denial + 1)...].allSatisfy(listed.contains)
      && text.words[pause...].prefix(while: listed.contains).contains(where: rules["or"].contains)
  }
}
