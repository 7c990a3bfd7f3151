/// Finds invalid UTF-8.
enum UTF8Check {
  /// The position of the first byte that breaks the encoding; nil if the text is valid.
  static func firstInvalid(_ bytes: UnsafeRawBufferPointer) -> Int? {
    var index = 0
    while true {
      while index &+ 8 <= bytes.count,
        bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
      { index &+= 8 }
      while index < bytes.count, bytes[index] < 0x80 { index &+= 1 }
      guard index < bytes.count else { return nil }
      while index < bytes.count, bytes[index] >= 0x80 {
        guard let length = scalarLength(bytes, at: index) else { return index }
        index &+= length
      }
    }
  }

  private static func scalarLength(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int? {
    func byte(_ offset: Int) -> UInt8 { index + offset < bytes.count ? bytes[index + offset] : 0 }
    func follows(_ offset: Int) -> Bool { byte(offset) & 0xC0 == 0x80 }
    switch byte(0) {
    case 0xC2...0xDF: return follows(1) ? 2 : nil
    case 0xE0: return byte(1) >= 0xA0 && follows(1) && follows(2) ? 3 : nil
    case 0xED: return byte(1) <= 0x9F && follows(1) && follows(2) ? 3 : nil
    case 0xE1...0xEF: return follows(1) && follows(2) ? 3 : nil
    case 0xF0: return byte(1) >= 0x90 && follows(1) && follows(2) && follows(3) ? 4 : nil
    case 0xF4: return byte(1) <= 0x8F && follows(1) && follows(2) && follows(3) ? 4 : nil
    case 0xF1...0xF3: return follows(1) && follows(2) && follows(3) ? 4 : nil
    default: return nil
    }
  }
}
