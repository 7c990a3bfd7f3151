/// Ids seen so far, each as a number that stands for it, in memory of a fixed size.
final class SeenIDs {
  /// As many as the table holds without becoming slow; later ones are not looked for.
  static let limit = 750_000
  private static let bits = 20
  /// 8 MiB. 0 is a free place.
  private let places: UnsafeMutablePointer<UInt64>
  private var count = 0

  init() {
    let size = 1 << Self.bits
    places = .allocate(capacity: size)
    places.initialize(repeating: 0, count: size)
  }

  deinit { places.deallocate() }

  /// True once for every id that comes again.
  func isSecond(_ hash: UInt64) -> Bool {
    // The lowest bit says that the id was not named yet, the next that the place is taken.
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
