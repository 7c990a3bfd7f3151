import OfflineScorer

/// A model's bytes, aligned as the scorer wants them.
final class ModelBytes {
  let storage: UnsafeMutableRawBufferPointer

  init(count: Int) {
    storage = .allocate(byteCount: count, alignment: 64)
    storage.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit { storage.deallocate() }

  /// Stores a number for each facet.
  func store(_ values: [Int16], as table: ScorerModel.LaneTable) {
    for (lane, value) in values.enumerated() {
      storage.storeBytes(
        of: value, toByteOffset: 64 + table.rawValue * 64 + (lane + 8) * 2, as: Int16.self)
    }
  }

  func withModel<Result>(_ body: (ScorerModel) -> Result) -> Result {
    guard let base = storage.baseAddress,
      let model = ScorerModel(checked: base, count: storage.count)
    else { preconditionFailure("the writer wrote no model") }
    return body(model)
  }
}

/// Weights of one linear model for 24 facets, by feature.
struct WeightTable {
  var features: [(key: UInt64, weights: [Int8])] = []
}

/// The table's buckets while features are chosen for it: two rows each.
struct TableRoom {
  private var left: Int
  private let mask: UInt64
  private var taken: [UInt64: Int] = [:]

  /// - Parameter table: Features that are in it in any case.
  init(features: Int, beside table: WeightTable) {
    left = features - table.features.count
    mask = UInt64((1 << ModelWriter.bucketBits(features)) - 1)
    for feature in table.features { taken[feature.key >> 16 & mask, default: 0] += 1 }
  }

  /// - Returns: Whether there was room.
  mutating func take(_ key: UInt64) -> Bool {
    let bucket = key >> 16 & mask
    guard left > 0, taken[bucket, default: 0] < 2 else { return false }
    taken[bucket, default: 0] += 1
    left -= 1
    return true
  }
}

enum ModelWriter {
  struct Lanes {
    var table: ScorerModel.LaneTable
    var values: [Int16]
  }

  static func lexiconOnly(_ slots: [LexiconSlot]) -> ModelBytes {
    write(slots, features: WeightTable(), lanes: [], fingerprint: 0)
  }

  static func write(
    _ slots: [LexiconSlot], features: WeightTable, lanes: [Lanes], fingerprint: UInt32
  ) -> ModelBytes {
    let lexiconBits = bits(slots.count * 4 / 3)
    let filterBits = max(6, bits(features.features.count * 12))
    let bucketBits = bucketBits(features.features.count)
    let filterStart = ScorerModel.headerBytes + (16 << lexiconBits)
    let bucketStart = filterStart + (1 << filterBits) / 8
    let bytes = ModelBytes(count: bucketStart + (64 << bucketBits))
    let base = bytes.storage
    for (index, value) in [
      ScorerModel.magic, UInt32(lexiconBits), UInt32(filterBits), UInt32(bucketBits), fingerprint,
    ].enumerated() {
      base.storeBytes(of: value, toByteOffset: index * 4, as: UInt32.self)
    }
    base.storeBytes(
      of: Trainer.leastMargin, toByteOffset: ScorerModel.leastMarginOffset,
      as: ScorerModel.LeastMargin.self)
    for row in lanes { bytes.store(row.values, as: row.table) }
    store(slots, at: ScorerModel.headerBytes, bits: lexiconBits, base)
    for feature in features.features {
      let bit = Int(feature.key & UInt64((1 << filterBits) - 1))
      let place = filterStart + bit / 64 * 8
      let word = base.load(fromByteOffset: place, as: UInt64.self)
      base.storeBytes(of: word | 1 << UInt64(bit % 64), toByteOffset: place, as: UInt64.self)
    }
    store(features, at: bucketStart, bits: bucketBits, base)
    return bytes
  }

  static func bucketBits(_ features: Int) -> Int { bits(max(1, features * 4 / 5)) }

  private static func bits(_ count: Int) -> Int {
    var bits = 1
    while 1 << bits < count { bits += 1 }
    return bits
  }

  /// Sorted, so that the same lexicon gives the same bytes.
  private static func store(
    _ slots: [LexiconSlot], at offset: Int, bits: Int, _ base: UnsafeMutableRawBufferPointer
  ) {
    let mask = (1 << bits) - 1
    for slot in slots.sorted(by: { $0.key < $1.key }) {
      var index = Int(slot.key >> 1) & mask
      while base.load(fromByteOffset: offset + index * 16, as: UInt32.self) != 0 {
        index = (index + 1) & mask
      }
      base.storeBytes(of: slot, toByteOffset: offset + index * 16, as: LexiconSlot.self)
    }
  }

  /// Two rows a bucket; where three features meet, the weakest is left out.
  private static func store(
    _ table: WeightTable, at offset: Int, bits: Int, _ base: UnsafeMutableRawBufferPointer
  ) {
    let mask = UInt64((1 << bits) - 1)
    func strength(_ weights: [Int8]) -> Int { weights.reduce(0) { $0 + Int($1) * Int($1) } }
    let ordered = table.features.map { (strength($0.weights), $0) }
      .sorted { ($0.0, $0.1.key) > ($1.0, $1.1.key) }
    for (_, feature) in ordered {
      let bucket = offset + Int(feature.key >> 16 & mask) * 64
      for row in [bucket, bucket + 32]
      where base.load(fromByteOffset: row, as: UInt32.self) == 0 {
        base.storeBytes(
          of: UInt32(truncatingIfNeeded: feature.key >> 32), toByteOffset: row, as: UInt32.self)
        for (lane, weight) in feature.weights.enumerated() {
          base.storeBytes(of: weight, toByteOffset: row + 8 + lane, as: Int8.self)
        }
        break
      }
    }
  }
}
