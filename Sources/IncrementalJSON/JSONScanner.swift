/// Scans a JSON document in place without building values, for documents by the hundred thousand.
///
/// It handles only ordinary JSON. Anything unusual (escapes in names, more than sixteen members,
/// numbers with exponents, names that look like duplicates, errors) makes it ``isStuck`` for good,
/// and then `JSONValue(parsing:invalidText:)` must decide. Whatever it scans to the end,
/// that parser accepts too, with invalid text replaced.
///
///     var scanner = JSONScanner(bytes)
///     var members = scanner.openObject()
///     while let name = scanner.nextName(&members) {
///       if name == "id" { scanner.readString(into: &id) } else { scanner.skipValue() }
///     }
///     guard scanner.isAtEnd else { … }
@frozen public struct JSONScanner {
  @usableFromInline let start: UnsafePointer<UInt8>
  @usableFromInline let count: Int
  @usableFromInline var position = 0
  @usableFromInline var depth = 0
  /// Whether it met something that it does not handle.
  @inlinable public var isStuck: Bool { hasStopped }
  @usableFromInline var hasStopped: Bool

  /// - Parameter bytes: Must outlive the scanner.
  @inlinable public init(_ bytes: UnsafeRawBufferPointer) {
    hasStopped = bytes.isEmpty
    count = bytes.count
    start =
      bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
      ?? UnsafePointer(bitPattern: MemoryLayout<UInt64>.alignment).unsafelyUnwrapped
  }

  /// The names of an object scanned so far.
  @frozen public struct Members {
    @usableFromInline var hashes = InlineArray<16, UInt32>(repeating: 0)
    @usableFromInline var count = 0

    @inlinable init() {}

    /// - Returns: False if the name may be a duplicate, or there is no room.
    @inlinable mutating func insert(_ hash: UInt32) -> Bool {
      guard count < 16 else { return false }
      for index in 0..<count where hashes[index] == hash { return false }
      hashes[count] = hash
      count &+= 1
      return true
    }
  }

  /// A name or string without escapes, as bytes in the document.
  @frozen public struct Name {
    @usableFromInline let start: UnsafePointer<UInt8>
    @usableFromInline let count: Int

    @inlinable init(start: UnsafePointer<UInt8>, count: Int) {
      self.start = start
      self.count = count
    }

    public var bytes: UnsafeRawBufferPointer {
      @inlinable get { UnsafeRawBufferPointer(start: start, count: count) }
    }

    @inlinable public var isEmpty: Bool { count == 0 }

    @inlinable public static func == (name: Name, text: StaticString) -> Bool {
      guard name.count == text.utf8CodeUnitCount else { return false }
      for index in 0..<name.count where name.start[index] != text.utf8Start[index] { return false }
      return true
    }
  }

  /// The first byte of the next token, 0 at the end or when stuck.
  @inlinable public mutating func peek() -> UInt8 {
    while position < count {
      let byte = start[position]
      if byte > 0x20 { return isStuck ? 0 : byte }
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { break }
      position &+= 1
    }
    return 0
  }

  /// Whether the whole document has been scanned.
  @inlinable public var isAtEnd: Bool {
    mutating get { !isStuck && depth == 0 && peek() == 0 && position == count }
  }

  @inlinable mutating func stick() { hasStopped = true }

  /// Enters an object; the token must be `{`.
  @inlinable public mutating func openObject() -> Members {
    if peek() == UInt8(ascii: "{"), depth < JSONScanner.depthLimit {
      position &+= 1
      depth &+= 1
    } else {
      stick()
    }
    return Members()
  }

  /// The next member's name, with its colon consumed; nil at the object's end.
  @inlinable public mutating func nextName(_ members: inout Members) -> Name? {
    var token = peek()
    if token == UInt8(ascii: "}") {
      position &+= 1
      depth &-= 1
      return nil
    }
    if members.count > 0 {
      guard token == UInt8(ascii: ",") else { return stuck() }
      position &+= 1
      token = peek()
    }
    guard token == UInt8(ascii: "\"") else { return stuck() }
    let begin = position &+ 1
    let end = plainEnd(from: begin)
    guard end < count, start[end] == UInt8(ascii: "\""), members.insert(hash(begin, end)) else {
      return stuck()
    }
    position = end &+ 1
    guard peek() == UInt8(ascii: ":") else { return stuck() }
    position &+= 1
    return Name(start: start + begin, count: end &- begin)
  }

  @inlinable mutating func stuck<T>() -> T? {
    stick()
    return nil
  }

  /// Enters an array; the token must be `[`.
  @inlinable public mutating func openArray() {
    if peek() == UInt8(ascii: "["), depth < JSONScanner.depthLimit {
      position &+= 1
      depth &+= 1
    } else {
      stick()
    }
  }

  /// Whether another element follows; false at the array's end.
  ///
  /// - Parameter isFirst: Whether no element has been read yet.
  @inlinable public mutating func nextElement(isFirst: Bool) -> Bool {
    let token = peek()
    if token == UInt8(ascii: "]") {
      position &+= 1
      depth &-= 1
      return false
    }
    if isFirst { return token != 0 || stuckFalse() }
    guard token == UInt8(ascii: ",") else { return stuckFalse() }
    position &+= 1
    let following = peek()
    return (following != 0 && following != UInt8(ascii: "]")) || stuckFalse()
  }

  @inlinable mutating func stuckFalse() -> Bool {
    stick()
    return false
  }

  /// Reads a string's text as UTF-8; the token must be a quote. Does not check for valid UTF-8;
  /// unpaired surrogates become U+FFFD.
  @inlinable public mutating func readString(into text: inout [UInt8]) {
    guard peek() == UInt8(ascii: "\"") else { return stick() }
    let begin = position &+ 1
    let end = plainEnd(from: begin)
    guard end < count, start[end] != UInt8(ascii: "\"") else {
      guard end < count else { return stick() }
      text.append(contentsOf: UnsafeBufferPointer(start: start + begin, count: end &- begin))
      position = end &+ 1
      return
    }
    readEscapedString(from: begin, into: &text)
  }

  /// A string without escapes, in place; stuck if the token is something else.
  @inlinable public mutating func plainString() -> Name? {
    guard peek() == UInt8(ascii: "\"") else { return stuck() }
    let begin = position &+ 1
    let end = plainEnd(from: begin)
    guard end < count, start[end] == UInt8(ascii: "\"") else { return stuck() }
    position = end &+ 1
    return Name(start: start + begin, count: end &- begin)
  }

  @usableFromInline mutating func readEscapedString(from begin: Int, into text: inout [UInt8]) {
    var decoder = JSONStringDecoder()
    position = begin
    while position < count {
      let byte = start[position]
      guard byte >= 0x20 else { return stick() }
      position &+= 1
      switch decoder.accept(byte) {
      case .more: continue
      case .invalid: return stick()
      case .closed: return text.append(contentsOf: decoder.bytes)
      }
    }
    stick()
  }

  /// The position of the first quote, backslash or control byte, or ``count``.
  @inlinable func plainEnd(from begin: Int) -> Int {
    var index = begin
    while index &+ 8 <= count {
      let word = UnsafeRawPointer(start + index).loadUnaligned(as: UInt64.self)
      let marks = JSONScanner.stopMarks(in: UInt64(littleEndian: word))
      if marks != 0 { return index &+ marks.trailingZeroBitCount >> 3 }
      index &+= 8
    }
    while index < count {
      let byte = start[index]
      if byte < 0x20 || byte == 0x22 || byte == 0x5C { break }
      index &+= 1
    }
    return index
  }

  /// The high bit of each byte that is a quote, a backslash or a control; exact up to the first.
  @inlinable static func stopMarks(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ (ones &* 0x22)
    let slashes = word ^ (ones &* 0x5C)
    let marks =
      ((quotes &- ones) & ~quotes) | ((slashes &- ones) & ~slashes)
      | ((word &- (ones &* 0x20)) & ~word)
    return marks & (ones &* 0x80)
  }

  /// Never 0. Equal names have equal hashes, so only a collision looks like a duplicate.
  @inlinable func hash(_ begin: Int, _ end: Int) -> UInt32 {
    var hash = UInt64(truncatingIfNeeded: end &- begin) &+ 0x9E37_79B9_7F4A_7C15
    var index = begin
    while index < end {
      var word: UInt64 = 0
      if index &+ 8 <= count {
        word = UnsafeRawPointer(start + index).loadUnaligned(as: UInt64.self).littleEndian
        let left = end &- index
        if left < 8 { word &= (1 << UInt64(left &* 8)) &- 1 }
      } else {
        for offset in 0..<min(8, end &- index) {
          word |= UInt64(start[index &+ offset]) << UInt64(offset &* 8)
        }
      }
      hash = (hash ^ word) &* 0xFF51_AFD7_ED55_8CCD
      hash ^= hash >> 32
      index &+= 8
    }
    return UInt32(truncatingIfNeeded: hash) | 1
  }

  @usableFromInline static var depthLimit: Int { JSONValue.depthLimit }
}
