/// Checks that a quote is the user's own words, and long enough to support a fact.
public enum QuoteVerifier {
  /// A quote with fewer letters and digits than this counts only as a whole answer.
  public static let shortestQuote = 4

  public enum Rejection: String, Error, Hashable, Sendable, Codable {
    /// Nothing but spaces.
    case empty
    /// Not a verbatim part of that turn, on word boundaries.
    case notVerbatim
    /// Too short to mean anything alone, and not the whole answer.
    case tooShort
  }

  /// Nil if the quote is OK.
  ///
  /// White space, case and typographic quotation marks are folded; nothing else is.
  ///
  /// - Parameter littleWords: Words that carry no fact by themselves, in lower case. Parts
  ///   before and after an apostrophe are looked up alone. A quote of only these is too short.
  public static func refusal(
    of quote: String, in turn: String, littleWords: Set<String> = []
  ) -> Rejection? {
    refusal(of: quote, in: FoldedText(turn), littleWords: littleWords)
  }

  /// The same for an already read turn.
  package static func refusal(
    of quote: String, in haystack: FoldedText, littleWords: Set<String> = []
  ) -> Rejection? {
    let needle = FoldedText(quote)
    guard !needle.isEmpty else { return .empty }
    guard haystack.contains(needle) else { return .notVerbatim }
    let isWholeAnswer = !needle.words.isEmpty && needle.words == haystack.words
    return needle.isSubstantial(littleWords: littleWords) || isWholeAnswer ? nil : .tooShort
  }
}
