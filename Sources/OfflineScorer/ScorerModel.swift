import CScorerModel

/// What the offline scorer learned: word classes, weights and thresholds in one block of bytes.
///
/// `train-scorer` makes the built-in model from `Lexicon/` and the labeled text. It is linked
/// into the program, so start-up neither reads nor builds a model.
public struct ScorerModel: @unchecked Sendable {  // Points at bytes that never change or go away.
  package static let magic: UInt32 = 0x3152_5052
  /// The bytes before the tables: sizes, then one row of 32 for each of `LaneTable`.
  package static let headerBytes = 64 + LaneTable.allCases.count * 64

  /// Rows of 24 numbers, one for each facet.
  package enum LaneTable: Int, CaseIterable {
    case bias, threshold, askThreshold, askStrong, askBonus, strongBonus
  }

  let base: UnsafeRawPointer
  let lexicon: UnsafePointer<LexiconSlot>
  let lexiconMask: UInt32
  let features: scorer_table

  public static let builtIn = ScorerModel(
    bytes: scorer_model_bytes(), count: Int(scorer_model_size()))

  /// Nil if the bytes are not a valid model.
  package init?(checked bytes: UnsafeRawPointer, count: Int) {
    guard count >= Self.headerBytes, bytes.load(as: UInt32.self) == Self.magic else { return nil }
    func size(_ index: Int) -> Int {
      Int(bytes.load(fromByteOffset: index * 4, as: UInt32.self))
    }
    guard (1...3).allSatisfy({ (1...24).contains(size($0)) }),
      count == Self.headerBytes + (16 << size(1)) + (1 << size(2)) / 8 + (64 << size(3))
    else { return nil }
    self.init(bytes: bytes, count: count)
  }

  private init(bytes: UnsafeRawPointer, count: Int) {
    func size(_ index: Int) -> Int { Int(bytes.load(fromByteOffset: index * 4, as: UInt32.self)) }
    base = bytes
    let words = bytes + Self.headerBytes
    lexicon = words.assumingMemoryBound(to: LexiconSlot.self)
    lexiconMask = UInt32((1 << size(1)) - 1)
    let filter = words + (16 << size(1))
    // The filter says which features may be in the table. Most of what people say is, so
    // checking first would take longer than it saves.
    features = scorer_table(
      buckets: (filter + (1 << size(2)) / 8).assumingMemoryBound(to: UInt8.self),
      bucket_mask: UInt64((1 << size(3)) - 1))
  }

  /// What the margin of one facet above its threshold must exceed, or a turn says nothing new.
  package struct LeastMargin: BitwiseCopyable {
    package var ifAsked: Int16
    package var otherwise: Int16

    package init(ifAsked: Int16, otherwise: Int16) {
      (self.ifAsked, self.otherwise) = (ifAsked, otherwise)
    }

    /// For each lane, by whether the coach asked for its facet.
    package func lanes(asked: SIMD32<Int16>) -> SIMD32<Int16> {
      SIMD32(repeating: otherwise).replacing(
        with: SIMD32(repeating: ifAsked), where: asked .!= 0)
    }
  }

  /// Where ``leastMargin`` lies: in lanes of the thresholds that no facet uses.
  package static let leastMarginOffset = 64 + LaneTable.threshold.rawValue * 64

  package var leastMargin: LeastMargin {
    base.load(fromByteOffset: Self.leastMarginOffset, as: LeastMargin.self)
  }

  func lanes(_ table: LaneTable) -> SIMD32<Int16> {
    (base + 64 + table.rawValue * 64).loadUnaligned(as: SIMD32<Int16>.self)
  }

  /// Identifies the lexicon that the model was made from.
  package var lexiconFingerprint: UInt32 { base.load(fromByteOffset: 16, as: UInt32.self) }

  @inline(__always)
  func slot(_ key: UInt32) -> LexiconSlot? {
    var index = (key >> 1) & lexiconMask
    while true {
      let slot = lexicon[Int(index)]
      if slot.key == key { return slot }
      if slot.key == 0 { return nil }
      index = (index + 1) & lexiconMask
    }
  }
}

/// A word or phrase of the lexicon, in the model's 16-byte layout.
package struct LexiconSlot: BitwiseCopyable {
  package var key: UInt32
  package var lemma: UInt32
  package var symbol: UInt32
  /// The number of the second class; 0 for none.
  package var second: UInt16
  package var flags: UInt16

  package init(key: UInt32, lemma: UInt32, symbol: UInt32, second: UInt16, flags: UInt16) {
    (self.key, self.lemma, self.symbol) = (key, lemma, symbol)
    (self.second, self.flags) = (second, flags)
  }
}
