import Glibc
import IncrementalJSON
import Synchronization

/// Whole lines of one file, read at once.
final class Chunk: @unchecked Sendable {  // The reader writes it before anyone else sees it.
  let file: String
  /// The number of its first line, counted from 1.
  let firstLine: Int
  fileprivate(set) var lines = 0
  fileprivate(set) var base: UnsafeMutableRawPointer
  fileprivate(set) var count = 0
  fileprivate(set) var capacity: Int
  fileprivate let longestLine: Int
  /// Whether the first line was longer than the limit and was dropped.
  fileprivate(set) var beginsTooLong = false
  /// The line after these that could not be read, and why.
  fileprivate(set) var damage: (line: Int, reason: String)?

  fileprivate init(file: String, firstLine: Int, capacity: Int, longestLine: Int) {
    (self.file, self.firstLine, self.capacity) = (file, firstLine, capacity)
    self.longestLine = longestLine
    base = ChunkMemory.take(capacity)
  }

  deinit { ChunkMemory.giveBack(base, capacity) }

  fileprivate func reserve(_ wanted: Int) {
    guard wanted > capacity else { return }
    let larger = max(wanted, capacity * 2)
    let moved = ChunkMemory.take(larger)
    moved.copyMemory(from: base, byteCount: count)
    ChunkMemory.giveBack(base, capacity)
    (base, capacity) = (moved, larger)
  }

  enum Line {
    /// Without the line terminator.
    case text(UnsafeRawBufferPointer)
    case unreadable(String)
  }

  /// Calls the body for each line with its number until it returns false. Skips blank lines unless
  /// `blankToo` is set. An unreadable line appears in its place.
  func forEachLine(blankToo: Bool = false, _ body: (Line, Int) -> Bool) {
    var start = 0
    var number = firstLine
    if beginsTooLong {
      guard body(.unreadable(tooLong), number) else { return }
      start = 1
      number += 1
    }
    while start < count {
      let end = memchr(base + start, 0x0A, count - start).map { $0 - base } ?? count
      if end - start > longestLine {
        guard body(.unreadable(tooLong), number) else { return }
      } else {
        let text = trimmed(start, end, isFirst: number == 1)
        guard text.isEmpty && !blankToo || body(.text(text), number) else { return }
      }
      start = end + 1
      number += 1
    }
    if let damage { _ = body(.unreadable(damage.reason), damage.line) }
  }

  private var tooLong: String { "longer than \(longestLine) bytes" }

  private func trimmed(_ start: Int, _ end: Int, isFirst: Bool) -> UnsafeRawBufferPointer {
    var (first, last) = (start, end)
    if isFirst, last - first >= 3, Self.isByteOrderMark(base + first) { first += 3 }
    while last > first, Self.isBlank(base.load(fromByteOffset: last - 1, as: UInt8.self)) {
      last -= 1
    }
    return UnsafeRawBufferPointer(start: base + first, count: last - first)
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0D || byte == 0x09
  }

  private static func isByteOrderMark(_ bytes: UnsafeRawPointer) -> Bool {
    memcmp(bytes, "\u{FEFF}", 3) == 0
  }
}

/// The memory of ordinary chunks, reused: a report's sample outlives the chunks around it and would
/// otherwise keep the heap between them from shrinking.
private enum ChunkMemory {
  static let size = ChunkReader.size + (64 << 10)
  /// Addresses.
  private static let idle = Mutex<[UInt]>([])

  static func take(_ capacity: Int) -> UnsafeMutableRawPointer {
    if capacity == size, let address = idle.withLock({ $0.popLast() }),
      let base = UnsafeMutableRawPointer(bitPattern: address)
    {
      return base
    }
    return .allocate(byteCount: capacity, alignment: 64)
  }

  static func giveBack(_ base: UnsafeMutableRawPointer, _ capacity: Int) {
    guard capacity == size else { return base.deallocate() }
    idle.withLock { $0.append(UInt(bitPattern: base)) }
  }
}

/// Cuts files into chunks of whole lines, and holds one chunk at a time.
struct ChunkReader: ~Copyable {
  private var file: InputFile
  private var nextLine = 1
  private var rest: [UInt8] = []
  private var hasEnded = false
  private let longestLine: Int
  private let wanted: Int
  static let size = 1 << 19
  /// For a slow scorer, so that its progress shows.
  static let smallSize = 1 << 16

  /// - Parameter wanted: About how many bytes a chunk has.
  init(_ path: String, longestLine: Int, wanted: Int = Self.size) {
    file = InputFile(path)
    (self.longestLine, self.wanted) = (longestLine, wanted)
  }

  var bytesRead: Int { file.bytesRead }
  /// Whether the next chunk is available without waiting.
  var isReady: Bool { hasEnded || file.isReady }

  /// The next lines; nil at the end. From a pipe, as many as are available. A read error ends the
  /// input and is named in the last chunk.
  mutating func next() -> Chunk? {
    guard !hasEnded || !rest.isEmpty else { return nil }
    let chunk = Chunk(
      file: file.name, firstLine: nextLine, capacity: max(ChunkMemory.size, rest.count + 4096),
      longestLine: longestLine)
    rest.withUnsafeBytes { bytes in
      if let start = bytes.baseAddress {
        chunk.base.copyMemory(from: start, byteCount: bytes.count)
      }
    }
    chunk.count = rest.count
    rest.removeAll(keepingCapacity: rest.capacity <= 2 * Self.size)
    do throws(InputError) {
      try fill(chunk)
    } catch {
      end(chunk, error)
    }
    if nextLine == 1 { checkEncoding(chunk) }
    chunk.lines = Self.lineEnds(chunk)
    nextLine += chunk.lines
    return chunk
  }

  /// Another encoding's lines cannot be told apart.
  private mutating func checkEncoding(_ chunk: Chunk) {
    let text = UnsafeRawBufferPointer(start: chunk.base, count: chunk.count)
    guard let name = otherEncoding(of: text) else { return }
    hasEnded = true
    rest.removeAll()
    chunk.count = 0
    chunk.damage = (0, "its encoding is \(name); save it as UTF-8")
  }

  /// The damaged line cannot be complete, even if it looks so.
  private mutating func end(_ chunk: Chunk, _ error: InputError) {
    hasEnded = true
    chunk.count = Self.lastLineEnd(chunk, after: 0).map { $0 + 1 } ?? 0
    let line = file.bytesRead == 0 ? 0 : nextLine + Self.lineEnds(chunk)
    chunk.damage = (line, error.reason)
  }

  private mutating func fill(_ chunk: Chunk) throws(InputError) {
    var searched = 0
    while !hasEnded {
      chunk.reserve(chunk.count + 65536)
      let room = max(65536, wanted - chunk.count)
      let count = try file.read(
        into: chunk.base + chunk.count, min(room, chunk.capacity - chunk.count))
      if count == 0 {
        hasEnded = true
        return
      }
      chunk.count += count
      if let end = Self.lastLineEnd(chunk, after: searched) {
        guard chunk.count >= wanted || !file.isReady else { continue }
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

  /// Drops the rest of the chunk's first line.
  private mutating func skipLine(_ chunk: Chunk) throws(InputError) {
    chunk.beginsTooLong = true
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
      // Keep the line terminator, so that the line is counted.
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
