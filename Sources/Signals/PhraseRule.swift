import ContextQuality

/// A rule for a sentence or clause. It removes its idioms, then matches if any phrase and no
/// exception matches.
package struct PhraseRule: Sendable {
  private var all = PhraseList()
  private(set) var exceptions = PhraseList()
  private var idioms = PhraseList()
  /// Literals to find in the text itself, folded like `FoldedText`.
  private var literals: [(text: String, isAtStart: Bool)] = []
  /// The single plain-word phrases, for lookup.
  private var words = PlainWords()
  /// The rest.
  private var longer = PhraseList()
  /// The first plain word, for rules that say which word to use.
  package private(set) var firstWord = ""

  mutating func add(_ entries: [PhraseFile.Entry]) {
    for entry in entries { add(entry) }
  }

  mutating func add(_ entry: PhraseFile.Entry) {
    switch (entry.mark, entry.content) {
    case (_, .literal(let text, let isAtStart)): literals.append((text, isAtStart))
    case (.exception, .pattern(let pattern)): exceptions.add(pattern)
    case (.idiom, .pattern(let pattern)): idioms.add(pattern)
    case (_, .pattern(let pattern)): add(pattern)
    }
  }

  private mutating func add(_ pattern: PhrasePattern) {
    all.add(pattern)
    guard let plain = pattern.plainWords else { return longer.add(pattern) }
    if words.isEmpty { firstWord = plain.first ?? "" }
    words.add(plain)
  }

  var isEmpty: Bool { all.isEmpty && literals.isEmpty }

  var patterns: [PhrasePattern] { all.patterns }

  /// The phrases that are one plain word.
  package var plainWords: Set<String> { words.all }

  /// Whether the word is one of its phrases.
  package func contains(_ word: String) -> Bool {
    words.contains(word) || !longer.isEmpty && longer.matches(.init([word]))
  }

  package func matches(_ words: [String]) -> Bool { matches(PhrasePattern.Text(words)) }

  /// - Parameter literal: The text in folded form, for the rule's literals.
  package func matches(_ text: PhrasePattern.Text, literal: String = "") -> Bool {
    let isLiteral = literals.contains { text, isAtStart in
      isAtStart ? literal.hasPrefix(text) : literal.hasBytes(of: text)
    }
    // Leaving idioms out takes matches away and adds none.
    guard isLiteral || isThere(text) else { return false }
    let rest = withoutIdioms(text)
    return (isLiteral || idioms.isEmpty || isThere(rest))
      && !exceptions.matches(rest)
  }

  private func isThere(_ text: PhrasePattern.Text) -> Bool {
    words.contains(anyOf: text) || longer.matches(text)
  }

  /// Every place where one of its phrases matches.
  package func ranges(in text: PhrasePattern.Text) -> [Range<Int>] { all.ranges(in: text) }

  /// Idioms leave a gap that no word of a phrase can match.
  ///
  /// - Parameter counts: Whether an idiom that matches is one here.
  func withoutIdioms(
    _ text: PhrasePattern.Text, where counts: (Range<Int>) -> Bool = { _ in true }
  ) -> PhrasePattern.Text {
    let matches = idioms.ranges(in: text).filter(counts)
    guard !matches.isEmpty else { return text }
    var rest = text.words
    for match in matches {
      for index in match { rest[index] = "" }
    }
    return PhrasePattern.Text(rest, pauses: text.pauses)
  }
}
