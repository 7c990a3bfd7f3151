import ContextQuality

/// A rule for a sentence or clause. It removes its idioms, then matches if any phrase and no
/// exception matches.
package struct PhraseRule: Sendable {
  private(set) var patterns: [PhrasePattern] = []
  private(set) var exceptions: [PhrasePattern] = []
  private(set) var idioms: [PhrasePattern] = []
  /// Literals to find in the text itself, folded like `FoldedText`.
  private var literals: [(text: String, isAtStart: Bool)] = []
  /// The single plain-word phrases, for lookup.
  private var words: Set<String> = []
  /// The rest.
  private var longer: [PhrasePattern] = []
  /// The first plain word, for rules that say which word to use.
  package private(set) var firstWord = ""

  package init() {}

  mutating func add(_ entries: [PhraseFile.Entry]) {
    for entry in entries { add(entry) }
  }

  mutating func add(_ entry: PhraseFile.Entry) {
    switch (entry.mark, entry.content) {
    case (_, .literal(let text, let isAtStart)): literals.append((text, isAtStart))
    case (.exception, .pattern(let pattern)): exceptions.append(pattern)
    case (.idiom, .pattern(let pattern)): idioms.append(pattern)
    case (_, .pattern(let pattern)): add(pattern)
    }
  }

  private mutating func add(_ pattern: PhrasePattern) {
    patterns.append(pattern)
    guard let plain = pattern.plainWords else { return longer.append(pattern) }
    if words.isEmpty { firstWord = plain.first ?? "" }
    words.formUnion(plain)
  }

  var isEmpty: Bool { patterns.isEmpty && literals.isEmpty }

  /// The phrases that are one plain word.
  package var plainWords: Set<String> { words }

  /// Whether the word is one of its phrases.
  package func contains(_ word: String) -> Bool {
    words.contains(word) || !longer.isEmpty && longer.contains { $0.matches(in: .init([word])) }
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
      && !exceptions.contains { $0.matches(in: rest) }
  }

  private func isThere(_ text: PhrasePattern.Text) -> Bool {
    !words.isEmpty && text.words.contains(where: words.contains)
      || longer.contains { $0.matches(in: text) }
  }

  /// Every place where one of its phrases matches.
  package func ranges(in text: PhrasePattern.Text) -> [Range<Int>] {
    patterns.flatMap { $0.matches(in: text) as [Range<Int>] }
  }

  /// Idioms leave a gap that no word of a phrase can match.
  func withoutIdioms(_ text: PhrasePattern.Text) -> PhrasePattern.Text {
    let matches = idioms.flatMap { $0.matches(in: text) as [Range<Int>] }
    guard !matches.isEmpty else { return text }
    var rest = text.words
    for match in matches {
      for index in match { rest[index] = "" }
    }
    return PhrasePattern.Text(rest)
  }
}
