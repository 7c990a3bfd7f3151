import ContextQuality

/// A sentence in words, numbers and signs, with the places where they stand.
struct LogTokens {
  struct Token {
    /// In lower case, without accents on capitals; a sign as it is.
    var text: String
    var number: Double?
    /// The number if a point or comma before three digits groups thousands: 10000 of `10,000`.
    var grouped: Double?
    /// 24 of `24th`, which is no number of anything.
    var ordinal: Int?
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
        if let power = Self.power(text[index...]) {
          tokens.append(
            Token(
              text: String(text[index..<power.end]), number: power.value, range: index..<power.end,
              followsComma: hasComma))
          (hasComma, index) = (false, power.end)
          continue
        }
        // "8,7,6" is a list.
        let digits = digits(text[index...], afterComma: index > begin && text[..<index].last == ",")
        if let ordinal = Self.ordinal(digits, text[digits.endIndex...]) {
          tokens.append(
            Token(
              text: text[index..<ordinal.end].lowercased(), ordinal: ordinal.number,
              range: index..<ordinal.end, followsComma: hasComma))
          (hasComma, index) = (false, ordinal.end)
          continue
        }
        var token = Token(
          text: String(digits), number: Double(digits.replacing(",", with: ".")),
          grouped: grouped(digits), range: digits.startIndex..<digits.endIndex,
          followsComma: hasComma)
        if let fraction = fraction(text[digits.endIndex...].first) {
          let end = text.index(after: digits.endIndex)
          token.number = token.number.map { $0 + fraction }
          (token.text, token.range) = (String(text[index..<end]), index..<end)
          token.grouped = nil
        }
        tokens.append(token)
        (hasComma, index) = (false, token.range.upperBound)
        continue
      }
      if let fraction = fraction(character) {
        tokens.append(
          Token(
            text: String(character), number: fraction, range: index..<next, followsComma: hasComma))
        (hasComma, index) = (false, next)
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
      if let negative = Self.negative(text, index, from: begin) {
        tokens.append(
          Token(
            text: String(text[index..<negative.end]), number: negative.value,
            range: index..<negative.end, followsComma: hasComma))
        (hasComma, index) = (false, negative.end)
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
      // "24.11.2026".
      case "."
      where tokens.last?.number != nil && tokens.last?.range.upperBound == index
        && text[next...].first?.isNumber == true:
        break
      case ".", "!", "?", ";", "\n", "…":
        end(at: index, isQuestion: character == "?")
        begin = next
      // "12 km bike + 3 km run", but "pull-ups +10 kg".
      case "+" where next < text.endIndex && !text[next].isWhitespace: break
      case "@", "+", "×", "*", ":", "/", "&", "%":
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

  /// "½".
  private static func fraction(_ character: Character?) -> Double? {
    guard let scalar = character?.unicodeScalars.first, !scalar.isASCII,
      scalar.properties.generalCategory == .otherNumber,
      let value = scalar.properties.numericValue, value > 0, value < 1
    else { return nil }
    return value
  }

  /// "-5" behind a blank, but not "5k -31:20".
  private static func negative(
    _ text: String, _ index: String.Index, from begin: String.Index
  ) -> (value: Double, end: String.Index)? {
    guard text[index] == "-" || text[index] == "\u{2212}",
      index == begin || text[..<index].last?.isWhitespace == true || text[..<index].last == "@"
    else { return nil }
    let digits = digits(text[text.index(after: index)...], afterComma: false)
    guard !digits.isEmpty, text[digits.endIndex...].first != ":",
      let value = Double(digits.replacing(",", with: ".")), value > 0
    else { return nil }
    return (-value, digits.endIndex)
  }

  /// "1e3", which is 1000.
  private static func power(_ rest: Substring) -> (value: Double, end: String.Index)? {
    let mantissa = digits(rest, afterComma: false)
    let behind = rest[mantissa.endIndex...]
    guard let sign = behind.first, sign == "e" || sign == "E" else { return nil }
    let exponent = behind.dropFirst().prefix { $0.isASCII && $0.isNumber }
    guard !exponent.isEmpty, behind[exponent.endIndex...].first?.isLetter != true,
      let value = Double(mantissa.replacing(",", with: ".") + "e" + exponent)
    else { return nil }
    return (min(value, 1e30), exponent.endIndex)
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

  /// "24th", but not "12st".
  private static func ordinal(
    _ digits: Substring, _ rest: Substring
  ) -> (number: Int, end: String.Index)? {
    guard digits.count <= 2, let number = Int(digits) else { return nil }
    let ones = (11...13).contains(number) ? 0 : number % 10
    let suffix = ones == 1 ? "st" : ones == 2 ? "nd" : ones == 3 ? "rd" : "th"
    let letters = rest.prefix(while: \.isLetter)
    return letters.lowercased() == suffix ? (number, letters.endIndex) : nil
  }

  private static func grouped(_ digits: Substring) -> Double? {
    guard let point = digits.firstIndex(where: { $0 == "." || $0 == "," }) else { return nil }
    let (whole, fraction) = (digits[..<point], digits[digits.index(after: point)...])
    guard (1...3).contains(whole.count), fraction.count == 3, whole != "0" else { return nil }
    return Double(String(whole + fraction))
  }
}
