#if canImport(Glibc)
  import Glibc
#endif

/// Finds what a coach's message asks: the sentences that end in a question mark, or the last two
/// if none does ("Tell me about your week.").
struct QuestionFinder {
  static let most = 6

  private(set) var ranges = InlineArray<6, (start: Int32, end: Int32)>(repeating: (0, 0))
  private(set) var count = 0

  init(_ text: UnsafePointer<UInt8>, _ length: Int) {
    var place = 0
    while place < length, count < Self.most {
      guard let found = memchr(text + place, Int32(UInt8(ascii: "?")), length - place) else {
        break
      }
      let end = UnsafeRawPointer(found) - UnsafeRawPointer(text) + 1
      add(Self.start(of: end - 1, text, after: place), end)
      place = end
    }
    guard count == 0, length > 0 else { return }
    let last = Self.start(of: length - 1, text, after: 0)
    let first = last > 1 ? Self.start(of: last - 2, text, after: 0) : last
    if first < last { add(first, last) }
    add(last, length)
  }

  private mutating func add(_ start: Int, _ end: Int) {
    ranges[count] = (Int32(start), Int32(end))
    count += 1
  }

  /// The start of the sentence that contains a byte.
  private static func start(of end: Int, _ text: UnsafePointer<UInt8>, after least: Int) -> Int {
    var place = end - 1
    while place > least {
      let byte = text[place]
      let isStop =
        byte == UInt8(ascii: ".") || byte == UInt8(ascii: "!") || byte == UInt8(ascii: "?")
      if byte == 0x0A || isStop && text[place + 1] == 0x20 { return place + 1 }
      place -= 1
    }
    return least
  }
}
