/// One word, number or emoji of a message, as patterns see it.
struct Token {
  /// Where it stands in the message, in bytes.
  var start: UInt32
  var end: UInt32
  /// What it is, whatever its spelling or inflection.
  var lemma: UInt32
  /// What stands for it in patterns: its class, or itself where it is a function word.
  var symbol: UInt32
  /// A second class that it also belongs to; 0 for none.
  var second: UInt32
  var flags: TokenFlags
}

package struct TokenFlags: OptionSet, BitwiseCopyable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Its symbol is a class, a number or an unknown word: something is talked about.
  package static let content = TokenFlags(rawValue: 1 << 0)
  /// Sets the mood of what follows: wanting, hating, having tried, not.
  package static let mode = TokenFlags(rawValue: 1 << 1)
  /// Says who is spoken of.
  package static let subject = TokenFlags(rawValue: 1 << 2)
  package static let past = TokenFlags(rawValue: 1 << 3)
  /// May end a phrase of two, three or four words.
  package static let endsPair = TokenFlags(rawValue: 1 << 4)
  package static let endsTriple = TokenFlags(rawValue: 1 << 5)
  package static let endsQuadruple = TokenFlags(rawValue: 1 << 6)
  /// A full stop, a question mark, a line end or an emoji stands before it.
  static let afterStop = TokenFlags(rawValue: 1 << 7)
  /// A comma, a dash or a bracket stands before it.
  static let afterComma = TokenFlags(rawValue: 1 << 8)
  /// The sentence it stands in ends in a question mark.
  static let inQuestion = TokenFlags(rawValue: 1 << 9)
  package static let number = TokenFlags(rawValue: 1 << 10)
  package static let known = TokenFlags(rawValue: 1 << 11)
  /// Quotation marks stand around it.
  static let quoted = TokenFlags(rawValue: 1 << 12)

  /// Stands among marks of code: braces, tags.
  static let markup = TokenFlags(rawValue: 1 << 13)
  /// May begin a phrase.
  package static let startsPhrase = TokenFlags(rawValue: 1 << 14)

  package static let endsPhrase: TokenFlags = [.endsPair, .endsTriple, .endsQuadruple]
}

/// A stretch of tokens that says one thing.
struct Clause {
  var first: Int32
  /// Behind the last.
  var end: Int32
  var isQuestion: Bool
  /// Another sentence begins with it.
  var startsSentence: Bool

  var count: Int { Int(end - first) }
}
