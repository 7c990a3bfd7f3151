/// Hashes of the ids seen so far, in a fixed amount of memory.
final class SeenIDs {
  /// The most ids the table holds without slowing down; later ones are not tracked.
  static let limit = 750_000
  private static let bits = 20
  /// 8 MiB. 0 marks a free slot.
  private let places: UnsafeMutablePointer<UInt64>
  private var count = 0

  init() {
    let size = 1 << Self.bits
    places = .allocate(capacity: size)
    places.initialize(repeating: 0, count: size)
  }

  deinit { places.deallocate() }

  /// True the first time an id repeats, and never again for it.
  func isSecond(_ hash: UInt64) -> Bool {
    // The lowest bit: the id was not reported yet. The next: the slot is taken.
    let key = hash | 3
    var place = Int(truncatingIfNeeded: (hash &* 0x9E37_79B9_7F4A_7C15) >> (64 - Self.bits))
    while places[place] != 0 {
      if places[place] | 1 == key {
        defer { places[place] = key & ~1 }
        return places[place] == key
      }
      place = (place + 1) & ((1 << Self.bits) - 1)
    }
    if count < Self.limit {
      places[place] = key
      count += 1
    }
    return false
  }
}
