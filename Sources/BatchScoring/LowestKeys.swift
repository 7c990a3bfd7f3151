/// A sample: of all offered elements, the ones with the lowest keys.
///
/// If the key is a hash of the element's content, the same elements give the same sample,
/// regardless of their order and of how workers divide them, in constant memory.
public struct LowestKeys<Element: Sendable>: Sendable {
  private struct Entry: Sendable {
    let key: UInt64
    let position: Int
    let element: Element
  }

  public let limit: Int
  private var entries: [Entry] = []
  /// Higher keys can no longer enter.
  private var bound = UInt64.max

  public init(limit: Int) { self.limit = max(1, limit) }

  /// The elements in memory.
  var held: Int { entries.count }

  func accepts(_ key: UInt64) -> Bool { key <= bound }

  /// - Parameter position: The element's position among all; breaks ties between equal keys.
  mutating func add(_ element: Element, key: UInt64, position: Int) {
    guard accepts(key) else { return }
    entries.append(Entry(key: key, position: position, element: element))
    if entries.count >= 2 * limit { cut() }
  }

  /// Merges a sample of elements that follow `offset` others.
  mutating func add(_ other: Self, offset: Int) {
    for entry in other.entries {
      add(entry.element, key: entry.key, position: offset + entry.position)
    }
  }

  /// An empty sample that rejects what this one would reject.
  var successor: Self {
    var next = Self(limit: limit)
    next.bound = bound
    return next
  }

  /// The sample, in the order in which all elements were offered.
  public var sample: [(position: Int, element: Element)] {
    var lowest = self
    lowest.cut()
    return lowest.entries.sorted { $0.position < $1.position }.map { ($0.position, $0.element) }
  }

  private mutating func cut() {
    entries.sort { ($0.key, $0.position) < ($1.key, $1.position) }
    guard entries.count >= limit else { return }
    entries.removeLast(entries.count - limit)
    if let last = entries.last { bound = last.key }
  }
}

/// A hash of a line's bytes.
enum ContentKey {
  static func of(_ line: UnsafeRawBufferPointer) -> UInt64 {
    var hash = 0x9E37_79B9_7F4A_7C15 ^ UInt64(line.count)
    var index = 0
    while index &+ 8 <= line.count {
      hash = mix(hash, line.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      index &+= 8
    }
    var rest: UInt64 = 0
    for byte in line[index...] { rest = rest << 8 | UInt64(byte) }
    return finish(mix(hash, UInt64(littleEndian: rest)))
  }

  @inline(__always)
  private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    let product = (hash ^ UInt64(littleEndian: word)) &* 0xFF51_AFD7_ED55_8CCD
    return product ^ product >> 32
  }

  private static func finish(_ hash: UInt64) -> UInt64 {
    let mixed = (hash ^ hash >> 33) &* 0xC4CE_B9FE_1A85_EC53
    return mixed ^ mixed >> 33
  }
}
