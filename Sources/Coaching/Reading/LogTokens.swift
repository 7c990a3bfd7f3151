import ContextQuality

/// A sentence in words, numbers and signs, with the places where they stand.
struct LogTokens {
  struct Token {
    /// In lower case, without accents on capitals; a sign as it is.
    var text: String
    var number: Double?
    var range: Range<String.Index>
    /// Whether a comma stands before it.
    var followsComma = false
  }

  let tokens: [Token]
  let text: Substring
  let isQuestion: Bool

  var words: [String] { tokens.map(\.text) }

  /// The words of a phrase.
  static func words(of phrase: String) -> [String] {
    sentences(of: phrase).flatMap(\.words)
  }

  static func sentences(of text: String) -> [LogTokens] {
    var sentences: [LogTokens] = []
    var tokens: [Token] = []
    var (begin, index) = (text.startIndex, text.startIndex)
    var hasComma = false
    func end(at place: String.Index, isQuestion: Bool = false) {
      if !tokens.isEmpty {
        sentences.append(
          LogTokens(tokens: tokens, text: text[begin..<place], isQuestion: isQuestion))
      }
      (tokens, hasComma) = ([], false)
    }
    while index < text.endIndex {
      let character = text[index]
      let next = text.index(after: index)
      if character.isASCII, character.isNumber {
        let digits = digits(text[index...])
        tokens.append(
          Token(
            text: String(digits), number: Double(digits.replacing(",", with: ".")),
            range: digits.startIndex..<digits.endIndex, followsComma: hasComma))
        (hasComma, index) = (false, digits.endIndex)
        continue
      }
      if character.isLetter {
        let word = text[index...].prefix { $0.isLetter || $0 == "'" || $0 == "\u{2019}" }
        tokens.append(
          Token(
            text: word.lowercased().replacing("\u{2019}", with: "'"),
            range: word.startIndex..<word.endIndex, followsComma: hasComma))
        (hasComma, index) = (false, word.endIndex)
        continue
      }
      switch character {
      case ",": hasComma = true
      case ".", "!", "?", ";", "\n", "…":
        end(at: index, isQuestion: character == "?")
        begin = next
      case "@", "×", "*", ":", "/":
        tokens.append(
          Token(text: String(character), range: index..<next, followsComma: hasComma))
        hasComma = false
      default: break
      }
      index = next
    }
    end(at: text.endIndex)
    return sentences
  }

  /// Digits with at most one point or comma between them.
  private static func digits(_ rest: Substring) -> Substring {
    func digits(_ text: Substring) -> Substring { text.prefix { $0.isASCII && $0.isNumber } }
    let whole = digits(rest)
    let behind = rest[whole.endIndex...]
    guard let point = behind.first, point == "." || point == "," else { return whole }
    let fraction = digits(behind.dropFirst())
    return fraction.isEmpty ? whole : rest[..<fraction.endIndex]
  }
}
