import Glibc

/// Whole lines of one file, read in one piece.
final class Chunk: @unchecked Sendable {  // Written by the reader before anybody else sees it.
  let file: String
  /// The number of its first line, counted from 1.
  let firstLine: Int
  fileprivate(set) var lines = 0
  fileprivate(set) var base: UnsafeMutableRawPointer
  fileprivate(set) var count = 0
  fileprivate(set) var capacity: Int
  /// Lines that were longer than the limit and are not in it.
  fileprivate(set) var tooLong: [Int] = []

  fileprivate init(file: String, firstLine: Int, capacity: Int) {
    (self.file, self.firstLine, self.capacity) = (file, firstLine, capacity)
    base = .allocate(byteCount: capacity, alignment: 64)
  }

  deinit { base.deallocate() }

  fileprivate func reserve(_ wanted: Int) {
    guard wanted > capacity else { return }
    let larger = max(wanted, capacity * 2)
    let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 64)
    moved.copyMemory(from: base, byteCount: count)
    base.deallocate()
    (base, capacity) = (moved, larger)
  }

  /// Each line without its end, with its number; blank ones are left out unless they count as well.
  func forEachLine(blankToo: Bool = false, _ body: (UnsafeRawBufferPointer, Int) -> Bool) {
    var start = 0
    var number = firstLine
    while start < count {
      let found = memchr(base + start, 0x0A, count - start)
      let end = found.map { $0 - base } ?? count
      var first = start
      var last = end
      if number == 1, last - first >= 3, Self.isByteOrderMark(base + first) { first += 3 }
      while last > first, Self.isBlank(base.load(fromByteOffset: last - 1, as: UInt8.self)) {
        last -= 1
      }
      let counts = last > first || blankToo && !tooLong.contains(number)
      if counts, !body(UnsafeRawBufferPointer(start: base + first, count: last - first), number) {
        return
      }
      start = end + 1
      number += 1
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0D || byte == 0x09
  }

  private static func isByteOrderMark(_ bytes: UnsafeRawPointer) -> Bool {
    memcmp(bytes, "\u{FEFF}", 3) == 0
  }
}

/// Cuts files into chunks of whole lines; what it holds at any time is one chunk.
struct ChunkReader: ~Copyable {
  private var file: InputFile
  private var nextLine = 1
  private var rest: [UInt8] = []
  private var hasEnded = false
  private let longestLine: Int
  static let size = 1 << 19

  init(_ path: String, longestLine: Int) throws(InputError) {
    file = try InputFile(path)
    self.longestLine = longestLine
  }

  var size: Int? { file.size }
  var bytesRead: Int { file.bytesRead }
  /// Whether the next chunk can be had without waiting.
  var isReady: Bool { hasEnded || file.isReady }

  /// The next lines; nil at the end. From a pipe, as many as are there.
  mutating func next() throws(InputError) -> Chunk? {
    guard !hasEnded || !rest.isEmpty else { return nil }
    let chunk = Chunk(
      file: file.name, firstLine: nextLine, capacity: max(Self.size, rest.count) + 4096)
    rest.withUnsafeBytes { bytes in
      if let start = bytes.baseAddress {
        chunk.base.copyMemory(from: start, byteCount: bytes.count)
      }
    }
    chunk.count = rest.count
    rest.removeAll(keepingCapacity: true)
    try fill(chunk)
    chunk.lines = Self.lineEnds(chunk)
    nextLine += chunk.lines
    return chunk
  }

  private mutating func fill(_ chunk: Chunk) throws(InputError) {
    var searched = 0
    while !hasEnded {
      chunk.reserve(chunk.count + 65536)
      let room = max(65536, Self.size - chunk.count)
      let count = try file.read(
        into: chunk.base + chunk.count, min(room, chunk.capacity - chunk.count))
      if count == 0 {
        hasEnded = true
        return
      }
      chunk.count += count
      if let end = Self.lastLineEnd(chunk, after: searched) {
        guard chunk.count >= Self.size || !file.isReady else { continue }
        keepRest(chunk, from: end + 1)
        return
      }
      searched = chunk.count
      if chunk.count > longestLine {
        try skipLine(chunk)
        return
      }
    }
  }

  private mutating func keepRest(_ chunk: Chunk, from start: Int) {
    rest.append(
      contentsOf: UnsafeRawBufferPointer(start: chunk.base + start, count: chunk.count - start))
    chunk.count = start
  }

  /// Drops the line that the chunk begins with, to its end.
  private mutating func skipLine(_ chunk: Chunk) throws(InputError) {
    chunk.tooLong.append(chunk.firstLine)
    chunk.count = 0
    while true {
      let count = try file.read(into: chunk.base, Self.size)
      if count == 0 {
        hasEnded = true
        return
      }
      guard let found = memchr(chunk.base, 0x0A, count) else { continue }
      let end = found - chunk.base
      rest.append(
        contentsOf: UnsafeRawBufferPointer(start: chunk.base + end + 1, count: count - end - 1))
      // The line's end stays, so that it is counted as a line.
      chunk.base.storeBytes(of: 0x0A, as: UInt8.self)
      chunk.count = 1
      return
    }
  }

  private static func lastLineEnd(_ chunk: Chunk, after start: Int) -> Int? {
    var index = chunk.count
    while index > start {
      index -= 1
      if chunk.base.load(fromByteOffset: index, as: UInt8.self) == 0x0A { return index }
    }
    return nil
  }

  private static func lineEnds(_ chunk: Chunk) -> Int {
    var lines = 0
    var start = 0
    while start < chunk.count, let found = memchr(chunk.base + start, 0x0A, chunk.count - start) {
      lines += 1
      start = (found - chunk.base) + 1
    }
    return lines
  }
}
