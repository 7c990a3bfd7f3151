extension JSONScanner {
  /// A string's bytes between the quotes, escapes included.
  @frozen public struct RawString {
    public let bytes: UnsafeRawBufferPointer
    public let hasEscapes: Bool

    @inlinable init(bytes: UnsafeRawBufferPointer, hasEscapes: Bool) {
      self.bytes = bytes
      self.hasEscapes = hasEscapes
    }

    /// Writes the unescaped text, which is never longer than the escaped one.
    ///
    /// - Returns: Its length, or nil for an escape that JSON does not have. Unpaired surrogates
    ///   become U+FFFD.
    public func unescape(into text: UnsafeMutablePointer<UInt8>) -> Int? {
      var writer = Unescaper(text: text)
      var index = 0
      while index < bytes.count {
        let byte = bytes[index]
        if byte != UInt8(ascii: "\\") {
          writer.put(byte)
          index += 1
          continue
        }
        guard let length = writer.escape(bytes, at: index) else { return nil }
        index += length
      }
      return writer.count
    }
  }

  /// A string's raw bytes; stuck if the token is something else or contains a control byte.
  @inlinable public mutating func rawString() -> RawString? {
    guard peek() == UInt8(ascii: "\"") else { return stuck() }
    let begin = position &+ 1
    var end = plainEnd(from: begin)
    var hasEscapes = false
    while end < count, start[end] == UInt8(ascii: "\\") {
      hasEscapes = true
      guard end &+ 2 <= count else { return stuck() }
      end = plainEnd(from: end &+ 2)
    }
    guard end < count, start[end] == UInt8(ascii: "\"") else { return stuck() }
    position = end &+ 1
    return RawString(
      bytes: UnsafeRawBufferPointer(start: start + begin, count: end &- begin),
      hasEscapes: hasEscapes)
  }
}

private struct Unescaper {
  let text: UnsafeMutablePointer<UInt8>
  private(set) var count = 0

  init(text: UnsafeMutablePointer<UInt8>) { self.text = text }

  mutating func put(_ byte: UInt8) {
    text[count] = byte
    count += 1
  }

  /// The length of the escape; nil if it is invalid.
  mutating func escape(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int? {
    guard index + 1 < bytes.count else { return nil }
    if bytes[index + 1] == UInt8(ascii: "u") { return unicode(bytes, at: index) }
    guard let meaning = JSONEscape.meaning(of: bytes[index + 1]) else { return nil }
    put(meaning)
    return 2
  }

  private mutating func unicode(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int? {
    guard let unit = Self.unit(bytes, index + 2) else { return nil }
    var length = 6
    var scalar = Unicode.Scalar(unit)
    if scalar == nil, index + 7 < bytes.count, bytes[index + 6] == UInt8(ascii: "\\"),
      bytes[index + 7] == UInt8(ascii: "u"), let low = Self.unit(bytes, index + 8),
      let pair = JSONEscape.scalar(high: unit, low: low)
    {
      (scalar, length) = (pair, 12)
    }
    for byte in UTF8.encode(scalar ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter { put(byte) }
    return length
  }

  private static func unit(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> UInt16? {
    guard index + 4 <= bytes.count else { return nil }
    var unit: UInt16 = 0
    for byte in bytes[index..<index + 4] {
      guard let digit = byte.hexDigitValue else { return nil }
      unit = unit << 4 | digit
    }
    return unit
  }
}
