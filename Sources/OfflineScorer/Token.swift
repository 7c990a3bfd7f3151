/// One word, number or emoji of a message, as patterns see it.
struct Token {
  /// The byte offset in the message.
  var start: UInt32
  var end: UInt32
  /// The word's identity, regardless of spelling or inflection.
  var lemma: UInt32
  /// The token's symbol in patterns: its class, or itself for a function word.
  var symbol: UInt32
  /// A second class it belongs to; 0 for none.
  var second: UInt32
  var flags: TokenFlags
}

package struct TokenFlags: OptionSet, BitwiseCopyable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// A content token: its symbol is a class, a number or an unknown word.
  package static let content = TokenFlags(rawValue: 1 << 0)
  /// Sets the mood of the words after it: wanting, hating, having tried, not.
  package static let mode = TokenFlags(rawValue: 1 << 1)
  /// Names the person that the clause is about.
  package static let subject = TokenFlags(rawValue: 1 << 2)
  package static let past = TokenFlags(rawValue: 1 << 3)
  /// May end a phrase of two, three or four words.
  package static let endsPair = TokenFlags(rawValue: 1 << 4)
  package static let endsTriple = TokenFlags(rawValue: 1 << 5)
  package static let endsQuadruple = TokenFlags(rawValue: 1 << 6)
  /// Follows a full stop, a question mark, a line end or an emoji.
  static let afterStop = TokenFlags(rawValue: 1 << 7)
  /// Follows a comma, a dash or a bracket.
  static let afterComma = TokenFlags(rawValue: 1 << 8)
  /// Its sentence ends in a question mark.
  static let inQuestion = TokenFlags(rawValue: 1 << 9)
  package static let number = TokenFlags(rawValue: 1 << 10)
  package static let known = TokenFlags(rawValue: 1 << 11)
  /// Is inside quotation marks.
  static let quoted = TokenFlags(rawValue: 1 << 12)

  /// Is among code marks: braces, tags.
  static let markup = TokenFlags(rawValue: 1 << 13)
  /// May begin a phrase.
  package static let startsPhrase = TokenFlags(rawValue: 1 << 14)

  package static let endsPhrase: TokenFlags = [.endsPair, .endsTriple, .endsQuadruple]
}

/// A run of tokens that makes one statement.
struct Clause {
  var first: Int32
  /// The index after the last token.
  var end: Int32
  var isQuestion: Bool
  /// Whether a new sentence begins with it.
  var startsSentence: Bool

  var count: Int { Int(end - first) }
}
