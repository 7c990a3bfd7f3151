import CScorerModel

/// What the offline scorer has learned: word classes, weights and thresholds in one block of bytes.
///
/// The built-in one is made by `train-scorer` from `Lexicon/` and the labelled text, and linked
/// into the program: nothing is read or built at start-up.
public struct ScorerModel: @unchecked Sendable {  // Points at bytes that never change or go away.
  package static let lanes = 24
  package static let magic: UInt32 = 0x3152_5052
  /// Numbers before the tables: sizes, then one row of 32 for each of `LaneTable`.
  package static let headerBytes = 64 + LaneTable.allCases.count * 64

  /// Rows of 24 numbers, one for each facet.
  package enum LaneTable: Int, CaseIterable {
    case bias, threshold, askThreshold, askStrong, askBonus, strongBonus
  }

  let base: UnsafeRawPointer
  let lexicon: UnsafePointer<LexiconSlot>
  let lexiconMask: UInt32
  let clauseRows: UnsafeRawPointer
  let clauseMask: UInt64
  let questionRows: UnsafeRawPointer
  let questionMask: UInt64

  public static let builtIn = ScorerModel(
    bytes: scorer_model_bytes(), count: Int(scorer_model_size()))

  /// Nil where the bytes are no model.
  package init?(checked bytes: UnsafeRawPointer, count: Int) {
    guard count >= Self.headerBytes, bytes.load(as: UInt32.self) == Self.magic else { return nil }
    self.init(bytes: bytes, count: count)
    guard totalBytes == count else { return nil }
  }

  private init(bytes: UnsafeRawPointer, count: Int) {
    func size(_ index: Int) -> Int { Int(bytes.load(fromByteOffset: index * 4, as: UInt32.self)) }
    base = bytes
    let slots = 1 << size(1)
    let clauseBuckets = 1 << size(2)
    let questionBuckets = 1 << size(3)
    let words = bytes + Self.headerBytes
    lexicon = words.assumingMemoryBound(to: LexiconSlot.self)
    lexiconMask = UInt32(slots - 1)
    clauseRows = words + slots * MemoryLayout<LexiconSlot>.stride
    clauseMask = UInt64(clauseBuckets - 1)
    questionRows = clauseRows + clauseBuckets * FeatureTable.bucketBytes
    questionMask = UInt64(questionBuckets - 1)
  }

  private var totalBytes: Int {
    (questionRows - base) + Int(questionMask + 1) * FeatureTable.bucketBytes
  }

  func lanes(_ table: LaneTable) -> SIMD32<Int16> {
    (base + 64 + table.rawValue * 64).loadUnaligned(as: SIMD32<Int16>.self)
  }

  /// Names the lexicon that the model was made from.
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

/// A word or phrase of the lexicon; 16 bytes, as they lie in the model.
package struct LexiconSlot {
  package var key: UInt32
  package var lemma: UInt32
  package var symbol: UInt32
  /// The second class, as its number; 0 for none.
  package var second: UInt16
  package var flags: UInt16

  package init(key: UInt32, lemma: UInt32, symbol: UInt32, second: UInt16, flags: UInt16) {
    (self.key, self.lemma, self.symbol) = (key, lemma, symbol)
    (self.second, self.flags) = (second, flags)
  }
}

/// Feature weights, two rows to a cache line: a tag of four bytes, four unused, 24 weights.
enum FeatureTable {
  static let rowBytes = 32
  static let bucketBytes = 64

  /// Adds a feature's weights to the sums; a feature that is not in the table adds nothing.
  @inline(__always)
  static func add(
    _ key: UInt64, rows: UnsafeRawPointer, mask: UInt64, to sums: inout SIMD32<Int16>
  ) {
    let bucket = rows + Int(key & mask) &* bucketBytes
    let tag = UInt32(truncatingIfNeeded: key >> 32)
    if bucket.load(as: UInt32.self) == tag {
      sums &+= widened(bucket)
    } else if bucket.load(fromByteOffset: rowBytes, as: UInt32.self) == tag {
      sums &+= widened(bucket + rowBytes)
    }
  }

  @inline(__always)
  private static func widened(_ row: UnsafeRawPointer) -> SIMD32<Int16> {
    SIMD32<Int16>(truncatingIfNeeded: row.load(as: SIMD32<Int8>.self))
  }
}
