/// The words that somebody said, to see early that a text is not a quote of theirs.
///
/// It is more lenient than ``QuoteFitter``: the order of the words does not matter, nor in which turn
/// they stand.
package struct SpokenWords {
  /// What has arrived of a quote.
  package struct Quote {
    fileprivate var count = 0
    /// Words that nobody said.
    fileprivate var strange = 0

    package init() {}
  }

  private var vocabulary: Vocabulary
  private let said: [Int]
  private var isSaid: [Int: Bool]
  /// The words of the longest text.
  private let longest: Int

  package init(_ texts: [String], _ words: QuoteWords) {
    var vocabulary = Vocabulary(words)
    let turns = texts.map { SpokenTurn($0, &vocabulary).words }
    said = Array(Set(turns.joined()))
    isSaid = Dictionary(uniqueKeysWithValues: said.map { ($0, true) })
    longest = turns.map(\.count).max() ?? 0
    self.vocabulary = vocabulary
  }

  /// - Parameter text: Whole words.
  package mutating func extend(_ quote: inout Quote, by text: String) {
    for word in SpokenTurn(text, &vocabulary).words {
      quote.count += 1
      if !holds(word) { quote.strange += 1 }
    }
  }

  /// Whether the quote cannot become one of theirs, whatever follows.
  package func haveLost(_ quote: Quote) -> Bool {
    quote.strange > longest / Self.share + Self.grace
      || quote.count > longest + longest / Self.share + Self.grace
  }

  /// Whether a whole quote is not one of theirs.
  package func isStrange(_ quote: Quote) -> Bool { quote.strange > quote.count / Self.share }

  /// One word in five may be off, as when a quote is fitted.
  private static let share = 5
  /// A short invention is only left out, and says nothing about the quotes beside it.
  private static let grace = 8

  /// Spelled in another way, written apart or cut off, a word is still theirs.
  private mutating func holds(_ word: Int) -> Bool {
    if let known = isSaid[word] { return known }
    let letters = vocabulary[word].letters
    let isHeld = said.contains { mine in
      vocabulary.areSpellings(word, mine) || vocabulary[mine].letters.starts(with: letters)
        || letters.starts(with: vocabulary[mine].letters) && vocabulary[mine].letters.count > 3
    }
    isSaid[word] = isHeld
    return isHeld
  }
}
