extension JSONScanner {
  /// Skips a value of any kind.
  @inlinable public mutating func skipValue() {
    switch peek() {
    case UInt8(ascii: "\""): skipString()
    case UInt8(ascii: "{"):
      var members = openObject()
      while nextName(&members) != nil { skipValue() }
    case UInt8(ascii: "["):
      openArray()
      var isFirst = true
      while nextElement(isFirst: isFirst) {
        skipValue()
        isFirst = false
      }
    case UInt8(ascii: "t"): skipWord("true")
    case UInt8(ascii: "f"): skipWord("false")
    case UInt8(ascii: "n"): skipWord("null")
    default: skipNumber()
    }
  }

  /// Skips `null` if it is next.
  @inlinable public mutating func skipNull() -> Bool {
    guard peek() == UInt8(ascii: "n") else { return false }
    skipWord("null")
    return !isStuck
  }

  /// An integer without fraction or exponent, at most 18 digits; otherwise stuck.
  @inlinable public mutating func readInteger() -> Int {
    let isNegative = peek() == UInt8(ascii: "-")
    if isNegative { position &+= 1 }
    let begin = position
    var value = 0
    while position < count, start[position] &- 0x30 < 10, position &- begin < 19 {
      value = value &* 10 &+ Int(start[position] &- 0x30)
      position &+= 1
    }
    let length = position &- begin
    let hasLeadingZero = length > 1 && start[begin] == 0x30
    if length == 0 || length > 18 || hasLeadingZero || !isAtNumberEnd { stick() }
    return isNegative ? 0 &- value : value
  }

  @inlinable var isAtNumberEnd: Bool {
    guard position < count else { return true }
    let byte = start[position]
    return byte <= 0x20 || byte == 0x2C || byte == 0x5D || byte == 0x7D
  }

  @inlinable mutating func skipString() {
    let end = plainEnd(from: position &+ 1)
    if end < count, start[end] == UInt8(ascii: "\"") {
      position = end &+ 1
    } else {
      skipEscapedString(from: end)
    }
  }

  @usableFromInline mutating func skipEscapedString(from begin: Int) {
    var index = begin
    while index < count, start[index] == UInt8(ascii: "\\") {
      guard index &+ 1 < count else { return stick() }
      let letter = start[index &+ 1]
      if letter == UInt8(ascii: "u") {
        guard index &+ 6 <= count,
          (2..<6).allSatisfy({ start[index &+ $0].hexDigitValue != nil })
        else { return stick() }
        index &+= 6
      } else {
        guard JSONEscape.meaning(of: letter) != nil else { return stick() }
        index &+= 2
      }
      index = plainEnd(from: index)
    }
    guard index < count, start[index] == UInt8(ascii: "\"") else { return stick() }
    position = index &+ 1
  }

  @inlinable mutating func skipWord(_ word: StaticString) {
    let length = word.utf8CodeUnitCount
    guard position &+ length <= count else { return stick() }
    for index in 0..<length where start[position &+ index] != word.utf8Start[index] {
      return stick()
    }
    position &+= length
  }

  @inlinable mutating func skipNumber() {
    let begin = position
    if readSmallInteger() { return }
    position = begin
    skipUnusualNumber()
  }

  @inlinable mutating func readSmallInteger() -> Bool {
    let begin = position
    var index = begin
    while index < count, start[index] &- 0x30 < 10 { index &+= 1 }
    let length = index &- begin
    guard length > 0, length < 300, length == 1 || start[begin] != 0x30 else { return false }
    position = index
    return isAtNumberEnd
  }

  @usableFromInline mutating func skipUnusualNumber() {
    var grammar = JSONNumberGrammar()
    let begin = position
    while position < count, grammar.accept(start[position]) {
      // Exponents and very long numbers may overflow, so the strict parser decides.
      if start[position] | 0x20 == UInt8(ascii: "e") { return stick() }
      position &+= 1
    }
    if !grammar.isWhole || !isAtNumberEnd || position &- begin > 300 { stick() }
  }
}
