#if canImport(Glibc)
  import Glibc
#endif

/// Caches what recent questions ask for, because scripted coaches repeat themselves. Two
/// questions are the same only if every byte matches.
struct QuestionMemory: ~Copyable {
  struct Reading: BitwiseCopyable {
    /// Facets that are asked for: each lane has all bits set or none.
    var asked: SIMD32<Int16>
    /// The initial scores for every clause of an answer.
    var start: SIMD32<Int16>
    var asksForAny: Bool
  }

  private static let placeBits: UInt64 = 11
  private static let longest = 256
  /// 0 for an unused entry, whose other memory is still uninitialized.
  private let lengths: UnsafeMutablePointer<Int32>
  private let readings: UnsafeMutablePointer<Reading>
  private let texts: UnsafeMutablePointer<UInt8>

  init() {
    let places = 1 << Int(Self.placeBits)
    lengths = .allocate(capacity: places)
    lengths.initialize(repeating: 0, count: places)
    readings = .allocate(capacity: places)
    texts = .allocate(capacity: Self.longest * places)
  }

  deinit {
    lengths.deallocate()
    readings.deallocate()
    texts.deallocate()
  }

  func reading(of text: UnsafePointer<UInt8>, _ length: Int) -> Reading? {
    guard 1...Self.longest ~= length else { return nil }
    let place = Self.place(of: text, length)
    guard Int(lengths[place]) == length, memcmp(texts + place * Self.longest, text, length) == 0
    else { return nil }
    return readings[place]
  }

  func keep(_ reading: Reading, of text: UnsafePointer<UInt8>, _ length: Int) {
    guard 1...Self.longest ~= length else { return }
    let place = Self.place(of: text, length)
    lengths[place] = Int32(length)
    (readings + place).initialize(to: reading)
    (texts + place * Self.longest).initialize(from: text, count: length)
  }

  private static func place(of text: UnsafePointer<UInt8>, _ length: Int) -> Int {
    let bytes = UnsafeRawPointer(text)
    var state = UInt64(length)
    var index = 0
    while index &+ 8 <= length {
      let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      state = (state ^ word) &* 0x9e37_79b9_7f4a_7c15
      state ^= state >> 32
      index &+= 8
    }
    while index < length {
      state = Hash.step(state, text[index])
      index &+= 1
    }
    return Int(truncatingIfNeeded: (state &* 0xd6e8_feb8_6659_fd93) >> (64 - placeBits))
  }
}
