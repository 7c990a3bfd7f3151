extension Tokenizer {
  /// `7.5`, `1,900`, `6:30`, `140/90`, `5'10`, `3-4`, `2nd`; letters behind it are a word.
  mutating func number(into tokens: inout FlatBuffer<Token>) {
    let start = position
    var value = digits()
    var symbol: UInt32 = 0
    while position + 1 < count, kind(text[position + 1]) == .digit {
      let mark = text[position]
      let after = position + 1
      switch mark {
      case UInt8(ascii: ","):
        guard digitsAhead(after) == 3 else { break }
        position = after
        value = value &* 1000 &+ digits()
        continue
      case UInt8(ascii: "."): symbol = symbol == 0 ? Symbol.decimal : symbol
      case UInt8(ascii: ":"): symbol = Symbol.clock
      case UInt8(ascii: "/"): symbol = Symbol.ratio
      case UInt8(ascii: "'"): symbol = Symbol.feetAndInches
      case UInt8(ascii: "-"): symbol = Symbol.range
      default: break
      }
      guard symbol != 0, mark != UInt8(ascii: ","), kind(mark) != .space,
        kind(mark) != .letter
      else { break }
      position = after
      _ = digits()
    }
    if symbol == 0, let ordinalEnd = ordinal(value) {
      symbol = Symbol.ordinal
      position = ordinalEnd
    }
    if symbol == 0 { symbol = Symbol.number(value) }
    let isPlain = symbol >= Symbol.zero && symbol <= Symbol.large
    var token = Token(
      start: UInt32(start), end: UInt32(position),
      lemma: isPlain ? Symbol.numberLemma(value, symbol: symbol) : symbol, symbol: symbol,
      second: 0, flags: pending.union([.content, .number, .known, .startsPhrase]))
    if inQuotes { token.flags.insert(.quoted) }
    pending = []
    tokens.append(token)
    _ = mayEndPhrase(lemma: token.lemma, token.flags)
  }

  private mutating func digits() -> UInt64 {
    var value: UInt64 = 0
    while position < count, text[position] &- 0x30 < 10 {
      value = value < 1_000_000_000 ? value * 10 + UInt64(text[position] &- 0x30) : value
      position += 1
    }
    return value
  }

  private func digitsAhead(_ start: Int) -> Int {
    var end = start
    while end < count, text[end] &- 0x30 < 10 { end += 1 }
    return end - start
  }

  /// Behind `st`, `nd`, `rd` or `th` where it fits the number: `1st` is one, `12st` is a weight.
  private func ordinal(_ value: UInt64) -> Int? {
    guard position + 1 < count else { return nil }
    let end = position + 2
    if end < count, kind(text[end]) == .letter { return nil }
    let isTeen = value % 100 >= 11 && value % 100 <= 13
    let fits: Bool
    switch (text[position] | 0x20, text[position + 1] | 0x20) {
    case (UInt8(ascii: "s"), UInt8(ascii: "t")): fits = value % 10 == 1 && !isTeen
    case (UInt8(ascii: "n"), UInt8(ascii: "d")): fits = value % 10 == 2 && !isTeen
    case (UInt8(ascii: "r"), UInt8(ascii: "d")): fits = value % 10 == 3 && !isTeen
    case (UInt8(ascii: "t"), UInt8(ascii: "h")): fits = true
    default: fits = false
    }
    return fits ? end : nil
  }
}
