#if canImport(Glibc)
  import Glibc
#endif

/// What the last questions were found to ask for: coaches who follow a script say the same things
/// again and again. A question counts as the same where every byte is.
struct QuestionMemory: ~Copyable {
  struct Reading: BitwiseCopyable {
    /// Facets that are asked for: all bits of a lane or none.
    var asked: SIMD32<Int16>
    /// What every clause of an answer starts from.
    var start: SIMD32<Int16>
    var asksForAny: Bool
  }

  private struct Entry: BitwiseCopyable {
    var length: Int
    var reading: Reading
  }

  private static let placeBits: UInt64 = 11
  private static let longest = 256
  private let entries: UnsafeMutablePointer<Entry>
  private let texts: UnsafeMutablePointer<UInt8>

  init() {
    entries = .allocate(capacity: 1 << Int(Self.placeBits))
    let nothing = Reading(asked: SIMD32(), start: SIMD32(), asksForAny: false)
    entries.initialize(
      repeating: Entry(length: 0, reading: nothing), count: 1 << Int(Self.placeBits))
    texts = .allocate(capacity: Self.longest << Int(Self.placeBits))
  }

  deinit {
    entries.deallocate()
    texts.deallocate()
  }

  func reading(of text: UnsafePointer<UInt8>, _ length: Int) -> Reading? {
    guard length <= Self.longest else { return nil }
    let place = Self.place(of: text, length)
    guard entries[place].length == length, memcmp(texts + place * Self.longest, text, length) == 0
    else { return nil }
    return entries[place].reading
  }

  func keep(_ reading: Reading, of text: UnsafePointer<UInt8>, _ length: Int) {
    guard length <= Self.longest else { return }
    let place = Self.place(of: text, length)
    entries[place] = Entry(length: length, reading: reading)
    (texts + place * Self.longest).update(from: text, count: length)
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
