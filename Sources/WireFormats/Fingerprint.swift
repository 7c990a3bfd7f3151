/// A short digest that tells texts apart, in hexadecimal. Not for security.
///
/// 64-bit FNV-1a over eight bytes at a time (little-endian, the last ones padded with zeros),
/// folded after each step so that high bits reach low ones.
package struct Fingerprint: Hashable, Sendable {
  private var state: UInt64 = 0xcbf2_9ce4_8422_2325

  /// Adds a text and its length, so that ("ab", "c") and ("a", "bc") differ.
  mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      let raw = UnsafeRawBufferPointer(bytes)
      let whole = raw.count & ~7
      for offset in stride(from: 0, to: whole, by: 8) {
        add(UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      }
      var rest: UInt64 = 0
      for (index, byte) in raw[whole...].enumerated() { rest |= UInt64(byte) << (8 * index) }
      add(rest)
      add(UInt64(raw.count))
    }
  }

  private mutating func add(_ word: UInt64) {
    state = (state ^ word) &* 0x0000_0100_0000_01b3
    state ^= state >> 32
  }

  var text: String {
    let digits = String(state, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  package static func of(_ texts: some Sequence<String>) -> String {
    var fingerprint = Fingerprint()
    for text in texts { fingerprint.add(text) }
    return fingerprint.text
  }
}
