/// A short digest that tells texts apart: FNV-1a, 64 bits, in hexadecimal. Not for security.
struct Fingerprint: Hashable, Sendable {
  private var state: UInt64 = 0xcbf2_9ce4_8422_2325

  /// Adds a text and an end mark, so that ("ab", "c") and ("a", "bc") differ.
  mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var state = self.state
      for byte in bytes { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
      self.state = (state ^ 0xFF) &* 0x0000_0100_0000_01b3
    }
  }

  var text: String {
    let digits = String(state, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  static func of(_ texts: some Sequence<String>) -> String {
    var fingerprint = Fingerprint()
    for text in texts { fingerprint.add(text) }
    return fingerprint.text
  }
}
