/// The hash for words, phrases and features; it is the same on every machine.
package enum Hash {
  static let seed: UInt64 = 0xcbf2_9ce4_8422_2325

  @inline(__always)
  static func step(_ state: UInt64, _ byte: UInt8) -> UInt64 {
    (state ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
  }

  /// Never 0, because 0 marks an empty slot.
  @inline(__always)
  static func finish(_ state: UInt64) -> UInt32 {
    let mixed = (state ^ (state >> 32)) &* 0x9e37_79b9_7f4a_7c15
    return UInt32(truncatingIfNeeded: mixed >> 32) | 1
  }

  @inline(__always)
  package static func pair(_ left: UInt32, _ right: UInt32) -> UInt32 {
    let mixed =
      (UInt64(left) &* 0x9e37_79b9_7f4a_7c15 ^ UInt64(right)) &* 0xd6e8_feb8_6659_fd93
    return UInt32(truncatingIfNeeded: mixed >> 32) | 1
  }

  /// A feature's key, from its kind and its one or two symbols.
  @inline(__always)
  static func feature(_ kind: UInt32, _ left: UInt32, _ right: UInt32 = 0) -> UInt64 {
    var mixed = unmixed(kind, left, right)
    mixed = (mixed ^ (mixed >> 29)) &* 0xbf58_476d_1ce4_e5b9
    return (mixed ^ (mixed >> 32)) &* 0x94d0_49bb_1331_11eb
  }

  /// The first half of ``feature(_:_:_:)``; ``scorer_add`` does the second half in batches.
  @inline(__always)
  static func unmixed(_ kind: UInt32, _ left: UInt32, _ right: UInt32) -> UInt64 {
    (UInt64(left) << 32 | UInt64(right)) &+ UInt64(kind) &* 0x9e37_79b9_7f4a_7c15
  }

  package static func word(_ text: some StringProtocol) -> UInt32 {
    finish(text.utf8.reduce(seed) { step($0, $1) })
  }
}
