import CScorerModel

/// Caches the meaning of recent words, so that common ones need no letter-by-letter hashing, and
/// filters out keys that the lexicon cannot contain. It affects only speed, never results.
struct WordMemory: ~Copyable {
  struct Word: BitwiseCopyable {
    var low: UInt64 = 0
    var high: UInt64 = 0
    var slot = LexiconSlot(key: 0, lemma: 0, symbol: 0, second: 0, flags: 0)
  }

  static let placeBits: UInt64 = 12
  static let filterBits: UInt32 = 17

  let words: UnsafeMutablePointer<Word>
  /// A bit for each key of the lexicon: most word pairs that might be a phrase are not.
  let filter: UnsafeMutablePointer<UInt64>

  init(model: ScorerModel) {
    words = .allocate(capacity: 1 << Int(Self.placeBits))
    words.initialize(repeating: Word(), count: 1 << Int(Self.placeBits))
    filter = .allocate(capacity: 1 << Int(Self.filterBits - 6))
    filter.initialize(repeating: 0, count: 1 << Int(Self.filterBits - 6))
    for index in 0...Int(model.lexiconMask) where model.lexicon[index].key != 0 {
      let bit = Self.bit(model.lexicon[index].key)
      filter[Int(bit >> 6)] |= 1 << UInt64(bit & 63)
    }
  }

  deinit {
    words.deallocate()
    filter.deallocate()
  }

  /// Uses different bits from the lexicon's order, which depends on the low bits.
  @inline(__always)
  static func bit(_ key: UInt32) -> UInt32 { key >> (32 - filterBits) }

  @inline(__always)
  static func place(of spelling: scorer_spelling) -> Int {
    let mixed = (spelling.low ^ spelling.high &* 0x9e37_79b9_7f4a_7c15) &* 0xd6e8_feb8_6659_fd93
    return Int(truncatingIfNeeded: mixed >> (64 - placeBits))
  }
}
