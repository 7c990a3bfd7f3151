/// Decodes the bytes of a JSON string as they arrive, tolerantly: keeps raw LF, CR and TAB;
/// unpaired surrogates and bad UTF-8 become U+FFFD.
struct JSONStringDecoder: Sendable {
  enum Step { case more, closed, invalid }

  private enum Escape {
    case none
    case backslash
    case hex(count: Int, unit: UInt16)
  }

  /// UTF-8, with bad bytes as received.
  private(set) var bytes: [UInt8] = []
  private var escape = Escape.none
  /// The first half of a surrogate pair, until its second half follows or not.
  private var high: UInt16?

  /// The part of the string that later bytes cannot change.
  var settledText: String {
    String(decoding: bytes.dropLast(bytes.unfinishedUTF8Count), as: UTF8.self)
  }

  /// The complete string.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Consumes a run of ordinary bytes.
  mutating func acceptPlainPrefix(of rest: UnsafeRawBufferPointer) -> Int {
    guard case .none = escape, high == nil else { return 0 }
    var count = 0
    while count < rest.count, rest[count].isPlainInString { count += 1 }
    bytes.append(contentsOf: rest[..<count])
    return count
  }

  mutating func accept(_ byte: UInt8) -> Step {
    switch escape {
    case .none: return acceptUnescaped(byte)
    case .backslash: return acceptEscapeLetter(byte)
    case .hex(let count, let unit):
      guard let digit = byte.hexDigitValue else { return .invalid }
      escape = .hex(count: count + 1, unit: unit << 4 | digit)
      if count == 3 { finishUnit(unit << 4 | digit) }
      return .more
    }
  }

  private mutating func acceptUnescaped(_ byte: UInt8) -> Step {
    if byte == UInt8(ascii: "\\") {
      escape = .backslash
      return .more
    }
    let isTolerated = byte >= 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    guard isTolerated else { return .invalid }
    replaceLoneHigh()
    if byte == UInt8(ascii: "\"") { return .closed }
    bytes.append(byte)
    return .more
  }

  private mutating func acceptEscapeLetter(_ byte: UInt8) -> Step {
    if byte == UInt8(ascii: "u") {
      escape = .hex(count: 0, unit: 0)
      return .more
    }
    guard let meaning = JSONEscape.meaning(of: byte) else { return .invalid }
    replaceLoneHigh()
    bytes.append(meaning)
    escape = .none
    return .more
  }

  private mutating func finishUnit(_ unit: UInt16) {
    escape = .none
    if let first = high, let scalar = JSONEscape.scalar(high: first, low: unit) {
      high = nil
      append(scalar)
      return
    }
    replaceLoneHigh()
    if (0xD800..<0xDC00).contains(unit) {
      high = unit
    } else {
      append(Unicode.Scalar(unit) ?? "\u{FFFD}")
    }
  }

  private mutating func replaceLoneHigh() {
    guard high != nil else { return }
    high = nil
    append("\u{FFFD}")
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }
}

extension UInt8 {
  fileprivate var isPlainInString: Bool { self >= 0x20 && self != 0x22 && self != 0x5C }
}

extension [UInt8] {
  /// The number of bytes at the end that start a UTF-8 sequence which more bytes could complete
  /// (Unicode, table 3-7).
  var unfinishedUTF8Count: Int {
    for count in 1...3 where count <= self.count {
      let lead = self[self.count - count]
      if lead & 0xC0 == 0x80 { continue }
      let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 1
      guard lead <= 0xF4, length > count else { return 0 }
      guard count > 1 else { return 1 }
      return Self.secondBytes(after: lead).contains(self[self.count - count + 1]) ? count : 0
    }
    return 0
  }

  private static func secondBytes(after lead: UInt8) -> ClosedRange<UInt8> {
    switch lead {
    case 0xE0: 0xA0...0xBF
    case 0xED: 0x80...0x9F
    case 0xF0: 0x90...0xBF
    case 0xF4: 0x80...0x8F
    default: 0x80...0xBF
    }
  }
}
