import Glibc

/// Cuts a stream of bytes into lines, and buffers the unfinished one.
struct EventLineReader: Sendable {
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
  /// A buffer longer than this is freed after use.
  private static let keptCapacity = 64 << 10

  private var held: [UInt8] = []
  /// Bytes of a leading byte order mark seen so far; nil once it cannot occur anymore.
  private var markBytes: Int? = 0
  /// The last byte was a CR, so an LF that follows belongs to it.
  private var endedWithCR = false
  /// The unfinished line is a comment, which is not kept.
  private(set) var isInComment = false

  var hasHeldBytes: Bool { !held.isEmpty }
  var heldByteCount: Int { held.count }

  /// A scanner that starts after whatever an earlier chunk left to skip.
  mutating func scanner(over bytes: UnsafeRawBufferPointer) -> EventLineScanner {
    var scanner = EventLineScanner(bytes)
    skipMark(&scanner)
    if endedWithCR, !scanner.rest.isEmpty {
      scanner.skip(UInt8(ascii: "\n"))
      endedWithCR = false
    }
    return scanner
  }

  private mutating func skipMark(_ scanner: inout EventLineScanner) {
    while let seen = markBytes, let byte = scanner.rest.first {
      if byte == Self.byteOrderMark[seen] {
        scanner.skip(byte)
        markBytes = seen + 1 < Self.byteOrderMark.count ? seen + 1 : nil
      } else {
        held.append(contentsOf: Self.byteOrderMark.prefix(seen))
        markBytes = nil
      }
    }
  }

  /// The end of the next line, or nil if it has not arrived.
  mutating func nextLineEnd(_ scanner: inout EventLineScanner) -> EventLineEnd? {
    guard let end = scanner.nextLineEnd() else { return nil }
    endedWithCR = end.isUndecidedCR
    return end
  }

  mutating func takeHeldLine(
    endingAt end: EventLineEnd, of scanner: inout EventLineScanner
  ) -> [UInt8] {
    var line: [UInt8] = []
    swap(&line, &held)
    line.append(contentsOf: scanner.takeLine(endingAt: end))
    return line
  }

  /// Reuses a held line's buffer for the next one.
  mutating func reuse(_ line: inout [UInt8]) {
    guard line.capacity <= Self.keptCapacity else { return }
    line.removeAll(keepingCapacity: true)
    swap(&line, &held)
  }

  mutating func leaveComment(endingAt end: EventLineEnd, of scanner: inout EventLineScanner) {
    _ = scanner.takeLine(endingAt: end)
    isInComment = false
  }

  /// Buffers a line whose end has not arrived.
  mutating func hold(_ rest: UnsafeRawBufferPointer) {
    guard let first = rest.first, !isInComment else { return }
    if held.isEmpty, first == UInt8(ascii: ":") {
      isInComment = true
    } else {
      held.append(contentsOf: rest)
    }
  }
}

/// The end of a line and the start of the next, as offsets into the chunk.
struct EventLineEnd {
  let offset: Int
  let next: Int
  /// The line ended with a CR, the last byte of the chunk.
  let isUndecidedCR: Bool
}

/// Finds the line ends of one chunk. Searches each byte once for LF and once for CR.
struct EventLineScanner {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0
  private var nextLF = -1
  private var nextCR = -1

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// What remains.
  var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[position...]) }

  mutating func skip(_ byte: UInt8) {
    if position < bytes.count, bytes[position] == byte { position += 1 }
  }

  mutating func nextLineEnd() -> EventLineEnd? {
    if nextLF < position { nextLF = offset(of: UInt8(ascii: "\n")) }
    if nextCR < position { nextCR = offset(of: UInt8(ascii: "\r")) }
    let end = min(nextLF, nextCR)
    guard end < bytes.count else { return nil }
    let isCRLF = end == nextCR && end &+ 1 == nextLF && nextLF < bytes.count
    let isLastCR = end == nextCR && end &+ 1 == bytes.count
    return EventLineEnd(offset: end, next: end &+ (isCRLF ? 2 : 1), isUndecidedCR: isLastCR)
  }

  mutating func takeLine(endingAt end: EventLineEnd) -> UnsafeRawBufferPointer {
    defer { position = end.next }
    return UnsafeRawBufferPointer(rebasing: bytes[position..<end.offset])
  }

  /// The first occurrence from the current position, or the end of the chunk.
  private func offset(of byte: UInt8) -> Int {
    guard let base = bytes.baseAddress, position < bytes.count,
      let found = memchr(base + position, Int32(byte), bytes.count - position)
    else { return bytes.count }
    return UnsafeRawPointer(found) - base
  }
}
