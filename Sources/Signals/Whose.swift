/// Who a sentence's words are about.
package enum Whose: Hashable, Sendable {
  case own, other, nobody

  /// The last person named decides. Words that end with the user are the user's own.
  package init(_ words: ArraySlice<String>, _ people: RuleSet) {
    let (own, other) = (people["self"], people["other"])
    let words = other.withoutIdioms(PhrasePattern.Text(Array(words))).words
    let last = words.indices.last
    for index in words.indices.reversed() {
      if own.contains(words[index]) {
        self = .own
        return
      }
      if index != last, other.contains(words[index]) {
        self = .other
        return
      }
    }
    self = .nobody
  }
}
