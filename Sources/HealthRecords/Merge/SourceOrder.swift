/// Ranks sources that cover the same time, like Apple's Health app: manual entries, watch, phone,
/// others; among equals, the one with more records.
struct SourceOrder {
  /// Each source's rank, 0 for the highest.
  let places: [Int]

  init(_ sources: [RecordSource], counting samples: some Sequence<Int>) {
    var counts = [Int](repeating: 0, count: sources.count)
    for source in samples { counts[source] += 1 }
    let order = sources.indices.sorted {
      (sources[$0].kind.rawValue, -counts[$0], $0) < (sources[$1].kind.rawValue, -counts[$1], $1)
    }
    var places = [Int](repeating: 0, count: sources.count)
    for (place, source) in order.enumerated() { places[source] = place }
    self.places = places
  }
}

/// The ranks that are active at a moment, and the highest of them.
struct ActivePlaces {
  private var counts: [Int32]
  /// A bit per rank, and a bit per word of them.
  private var words: [UInt64]
  private var summary: [UInt64]

  init(count: Int) {
    counts = [Int32](repeating: 0, count: count)
    words = [UInt64](repeating: 0, count: count / 64 + 1)
    summary = [UInt64](repeating: 0, count: count / 4096 + 1)
  }

  var first: Int? {
    for (index, bits) in summary.enumerated() where bits != 0 {
      let word = index * 64 + bits.trailingZeroBitCount
      return word * 64 + words[word].trailingZeroBitCount
    }
    return nil
  }

  mutating func add(_ place: Int) {
    counts[place] += 1
    words[place / 64] |= 1 << UInt64(place % 64)
    summary[place / 4096] |= 1 << UInt64(place / 64 % 64)
  }

  mutating func remove(_ place: Int) {
    counts[place] -= 1
    guard counts[place] == 0 else { return }
    words[place / 64] &= ~(1 << UInt64(place % 64))
    if words[place / 64] == 0 { summary[place / 4096] &= ~(1 << UInt64(place / 64 % 64)) }
  }
}

/// Upcoming events, earliest first: a second and a sample's number in 8 bytes.
struct EventQueue {
  private var heap: [UInt64] = []

  /// Reserves space for all at once, so that there are never two copies; unused pages take no
  /// memory.
  init(capacity: Int) { heap.reserveCapacity(capacity) }

  var next: Int? { heap.first.map { Int($0 >> 32) } }

  mutating func push(second: Int, sample: Int) {
    heap.append(UInt64(clamping: second) << 32 | UInt64(clamping: sample))
    var child = heap.count - 1
    while child > 0, case let parent = (child - 1) / 2, heap[parent] > heap[child] {
      heap.swapAt(parent, child)
      child = parent
    }
  }

  /// The earliest sample; nil if there is none.
  mutating func pop() -> Int? {
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    if !heap.isEmpty {
      heap[0] = last
      sink()
    }
    return Int(first & 0xFFFF_FFFF)
  }

  private mutating func sink() {
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < heap.count else { return }
      if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
      guard heap[child] < heap[parent] else { return }
      heap.swapAt(parent, child)
      parent = child
    }
  }
}
