import ContextQuality

/// A sentence in words, numbers and signs, with the places where they stand.
struct LogTokens {
  struct Token {
    /// In lower case, without accents on capitals; a sign as it is.
    var text: String
    var number: Double?
    /// The number if a point or comma before three digits groups thousands: 10000 of `10,000`.
    var grouped: Double?
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
        // "8,7,6" is a list.
        let digits = digits(text[index...], afterComma: index > begin && text[..<index].last == ",")
        tokens.append(
          Token(
            text: String(digits), number: Double(digits.replacing(",", with: ".")),
            grouped: grouped(digits), range: digits.startIndex..<digits.endIndex,
            followsComma: hasComma))
        (hasComma, index) = (false, digits.endIndex)
        continue
      }
      if character.isLetter {
        var word = text[index...].prefix { $0.isLetter || $0 == "'" || $0 == "\u{2019}" }
        // "60kgx5".
        if tokens.last?.range.upperBound == index, tokens.last?.number != nil, word.count > 1,
          word.last == "x" || word.last == "X", text[word.endIndex...].first?.isNumber == true
        {
          word = word.dropLast()
        }
        tokens.append(
          Token(
            text: word.lowercased().replacing("\u{2019}", with: "'"),
            range: word.startIndex..<word.endIndex, followsComma: hasComma))
        (hasComma, index) = (false, word.endIndex)
        continue
      }
      switch character {
      case ",", "(": hasComma = true
      case "-", "–", "—":
        if tokens.last?.range.upperBound == index, text[next...].first?.isNumber == true,
          tokens.last?.number != nil
        {
          tokens.append(Token(text: "-", range: index..<next))
        } else if index > begin, text[..<index].last?.isWhitespace == true {
          hasComma = true
        }
      case "'", "′", "’":
        // "30′" are minutes.
        if tokens.last?.range.upperBound == index, tokens.last?.number != nil {
          tokens.append(Token(text: "′", range: index..<next))
        }
      case ".", "!", "?", ";", "\n", "…":
        end(at: index, isQuestion: character == "?")
        begin = next
      case "@", "×", "*", ":", "/", "&":
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

  /// Digits with at most one point or comma between them. After a comma, and before another one, a comma
  /// separates numbers.
  private static func digits(_ rest: Substring, afterComma: Bool) -> Substring {
    func digits(_ text: Substring) -> Substring { text.prefix { $0.isASCII && $0.isNumber } }
    let whole = digits(rest)
    let behind = rest[whole.endIndex...]
    guard let point = behind.first, point == "." || point == "," else { return whole }
    let fraction = digits(behind.dropFirst())
    guard !fraction.isEmpty else { return whole }
    if point == "," {
      let next = rest[fraction.endIndex...]
      let continues = next.first == "," && next.dropFirst().first?.isNumber == true
      if afterComma || continues { return whole }
    }
    return rest[..<fraction.endIndex]
  }

  private static func grouped(_ digits: Substring) -> Double? {
    guard let point = digits.firstIndex(where: { $0 == "." || $0 == "," }) else { return nil }
    let (whole, fraction) = (digits[..<point], digits[digits.index(after: point)...])
    guard (1...3).contains(whole.count), fraction.count == 3, whole != "0" else { return nil }
    return Double(String(whole + fraction))
  }
}
