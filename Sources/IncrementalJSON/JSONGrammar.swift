extension UInt8 {
  var isJSONSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }

  var isASCIIDigit: Bool { (0x30...0x39).contains(self) }

  var hexDigitValue: UInt16? {
    switch self {
    case 0x30...0x39: UInt16(self - 0x30)
    case 0x41...0x46: UInt16(self - 0x41 + 10)
    case 0x61...0x66: UInt16(self - 0x61 + 10)
    default: nil
    }
  }
}

extension UTF8 {
  static let encodedReplacementCharacter = EncodedScalar("\u{FFFD}".utf8)
}

/// Escapes of RFC 8259, section 7.
enum JSONEscape {
  /// The meaning of a one-letter escape, or nil if it does not exist.
  static func meaning(of letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
  }

  /// The scalar of a surrogate pair, or nil if the units do not form one.
  static func scalar(high: UInt16, low: UInt16) -> Unicode.Scalar? {
    guard (0xD800..<0xDC00).contains(high), (0xDC00..<0xE000).contains(low) else { return nil }
    return Unicode.Scalar(0x10000 + (UInt32(high) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
  }
}

/// The grammar of numbers (RFC 8259, section 6), one byte at a time.
struct JSONNumberGrammar: Sendable {
  private enum State { case start, minus, zero, integer, point, fraction, e, sign, exponent }

  private var state = State.start

  /// Whether the bytes so far form a number.
  var isWhole: Bool {
    switch state {
    case .zero, .integer, .fraction, .exponent: true
    case .start, .minus, .point, .e, .sign: false
    }
  }

  /// Consumes the byte if it can continue the number; otherwise nothing changes.
  mutating func accept(_ byte: UInt8) -> Bool {
    guard let following = following(byte) else { return false }
    state = following
    return true
  }

  private func following(_ byte: UInt8) -> State? {
    switch (state, byte) {
    case (.start, UInt8(ascii: "-")): .minus
    case (.start, UInt8(ascii: "0")), (.minus, UInt8(ascii: "0")): .zero
    case (.start, UInt8(ascii: "1")...UInt8(ascii: "9")),
      (.minus, UInt8(ascii: "1")...UInt8(ascii: "9")):
      .integer
    case (.integer, UInt8(ascii: "0")...UInt8(ascii: "9")): .integer
    case (.zero, UInt8(ascii: ".")), (.integer, UInt8(ascii: ".")): .point
    case (.point, UInt8(ascii: "0")...UInt8(ascii: "9")),
      (.fraction, UInt8(ascii: "0")...UInt8(ascii: "9")):
      .fraction
    case (.zero, UInt8(ascii: "e")), (.zero, UInt8(ascii: "E")),
      (.integer, UInt8(ascii: "e")), (.integer, UInt8(ascii: "E")),
      (.fraction, UInt8(ascii: "e")), (.fraction, UInt8(ascii: "E")):
      .e
    case (.e, UInt8(ascii: "+")), (.e, UInt8(ascii: "-")): .sign
    case (.e, UInt8(ascii: "0")...UInt8(ascii: "9")),
      (.sign, UInt8(ascii: "0")...UInt8(ascii: "9")),
      (.exponent, UInt8(ascii: "0")...UInt8(ascii: "9")):
      .exponent
    default: nil
    }
  }
}
