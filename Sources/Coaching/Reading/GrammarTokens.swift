/// A typed line in words, numbers and signs.
struct GrammarTokens {
  enum Value: Hashable {
    case word
    /// As a decimal number, and with its point or comma taken as one that groups thousands.
    case number(Double, grouped: Double)
    /// `31:00` or `1:05:30`.
    case clock([Int])
    case sign
  }

  struct Token {
    /// A word in lower case; anything else as it is.
    var text: String
    var value: Value
    var range: Range<String.Index>
  }

  let tokens: [Token]
  let words: [String]

  init(_ line: String) {
    var tokens: [Token] = []
    var index = line.startIndex
    while index < line.endIndex {
      let rest = line[index...]
      let (end, value) = Self.next(rest, behind: tokens.last.map(\.range.upperBound) == index)
      if let value {
        let text = rest[..<end].lowercased().replacing("’", with: "'")
        tokens.append(Token(text: text, value: value, range: index..<end))
      }
      index = end
    }
    self.tokens = tokens
    words = tokens.map(\.text)
  }

  /// Where the next token ends, and what it is; nil for what only separates.
  private static func next(_ rest: Substring, behind isJoined: Bool) -> (String.Index, Value?) {
    let behind = rest.index(after: rest.startIndex)
    guard let first = rest.first else { return (rest.endIndex, nil) }
    if first.isWhitespace { return (behind, nil) }
    if first.isASCII, first.isNumber { return number(rest) }
    if first.isLetter {
      let word = rest.prefix { $0.isLetter || $0 == "'" || $0 == "’" }
      let last = word.last { $0.isLetter }.map { word.lastIndex(of: $0) ?? word.startIndex }
      return (last.map { rest.index(after: $0) } ?? behind, .word)
    }
    // "Pull-ups".
    if first == "-", isJoined, rest[behind...].first?.isLetter == true { return (behind, nil) }
    if first == ".", rest[behind...].allSatisfy(\.isWhitespace) { return (behind, nil) }
    return (behind, .sign)
  }

  private static func number(_ rest: Substring) -> (String.Index, Value?) {
    if let match = rest.prefixMatch(of: /(\d{1,3}):(\d\d)(?::(\d\d))?(?!\d)/) {
      let parts = [match.1, match.2, match.3].compactMap { $0.flatMap { Int($0) } }
      return (match.range.upperBound, .clock(parts))
    }
    let digits = rest.prefixMatch(of: /\d{1,9}(?:[.,]\d{1,3}(?!\d))?/)?.range
    guard let digits else { return (rest.index(after: rest.startIndex), .sign) }
    let text = String(rest[digits])
    let decimal = Double(text.replacing(",", with: ".")) ?? 0
    let isGrouped = text.split(whereSeparator: { ".,".contains($0) }).last?.count == 3
    let whole = Double(text.filter(\.isNumber)) ?? decimal
    return (digits.upperBound, .number(decimal, grouped: isGrouped ? whole : decimal))
  }
}
