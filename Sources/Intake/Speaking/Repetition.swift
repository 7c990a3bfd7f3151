/// Finds a text that goes round in circles, as small models do.
///
/// Three copies in a row of a stretch of at least twelve bytes with a letter in it. Nobody writes that.
struct Repetition {
  private var text: [UInt8] = []
  /// The bytes since the last letter.
  private var sinceLetter = 0
  private static let shortest = 12
  private static let longest = 300

  /// Takes the next piece.
  ///
  /// - Returns: How many bytes come before the second copy; nil as long as nothing repeats.
  mutating func receive(_ piece: String) -> Int? {
    for byte in piece.utf8 {
      if let period = period(with: byte) { return firstCopyEnd(period) }
    }
    return nil
  }

  /// Takes the next byte.
  ///
  /// - Returns: Whether it ends a third copy.
  mutating func repeats(at byte: UInt8) -> Bool { period(with: byte) != nil }

  private mutating func period(with byte: UInt8) -> Int? {
    text.append(byte)
    sinceLetter = Self.isLetter(byte) ? 0 : sinceLetter + 1
    return period
  }

  private var period: Int? {
    let count = text.count
    guard count >= 3 * Self.shortest, let last = text.last else { return nil }
    let most = min(Self.longest, count / 3)
    // A stretch without a letter, such as a line of dashes, is none.
    let least = max(Self.shortest, sinceLetter + 1)
    // Plain loops: this runs for each byte of an answer, and debug builds call closures slowly.
    var period = least
    while period <= most {
      if text[count - 1 - period] == last, text[count - 1 - 2 * period] == last {
        var place = count - 2 * period
        while place < count, text[place] == text[place - period] { place += 1 }
        if place == count { return period }
      }
      period += 1
    }
    return nil
  }

  private func firstCopyEnd(_ period: Int) -> Int {
    var start = text.count - 3 * period
    while start > 0, text[start - 1] == text[start - 1 + period] { start -= 1 }
    var end = start + period
    while end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
    return end
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte >= 0x80 || (0x61...0x7A).contains(byte | 0x20)
  }
}
