import Glibc

/// A line split into a field the parser knows and its value.
struct EventField {
  enum Name { case data, event, id, retry, error }

  let name: Name?
  let value: UnsafeRawBufferPointer

  init(_ line: UnsafeRawBufferPointer) {
    let colon = Self.colon(in: line)
    name = Self.name(UnsafeRawBufferPointer(rebasing: line[..<colon]))
    var start = min(colon + 1, line.count)
    if start < line.count, line[start] == UInt8(ascii: " ") { start += 1 }
    value = UnsafeRawBufferPointer(rebasing: line[start...])
  }

  private static func colon(in line: UnsafeRawBufferPointer) -> Int {
    guard let base = line.baseAddress,
      let found = memchr(base, Int32(UInt8(ascii: ":")), line.count)
    else { return line.count }
    return UnsafeRawPointer(found) - base
  }

  private static func name(_ bytes: UnsafeRawBufferPointer) -> Name? {
    switch bytes.count {
    case 4 where matches(bytes, "data"): .data
    case 5 where matches(bytes, "event"): .event
    case 5 where matches(bytes, "retry"): .retry
    case 5 where matches(bytes, "error"): .error
    case 2 where matches(bytes, "id"): .id
    default: nil
    }
  }

  private static func matches(_ bytes: UnsafeRawBufferPointer, _ name: StaticString) -> Bool {
    guard let base = bytes.baseAddress else { return false }
    return memcmp(base, name.utf8Start, bytes.count) == 0
  }
}

/// The fields of the lines since the last blank line.
struct EventBlock: Sendable {
  /// A buffer longer than this is freed after use.
  private static let keptCapacity = 64 << 10

  var type: [UInt8] = []
  var retry: Int?
  /// The size of its lines in bytes; 0 if there were none.
  var byteCount = 0
  private(set) var hasData = false
  private var data: [UInt8] = []
  /// The only data line so far, still in the chunk's memory.
  private var borrowed = BorrowedBytes()

  var heldByteCount: Int { data.count }

  mutating func append(_ value: UnsafeRawBufferPointer, isLasting: Bool) {
    if !hasData, isLasting {
      borrowed = BorrowedBytes(bytes: value)
    } else {
      keepData()
      if hasData { data.append(UInt8(ascii: "\n")) }
      data.append(contentsOf: value)
    }
    hasData = true
  }

  /// Copies a borrowed line before the chunk is released or another line joins it.
  mutating func keepData() {
    guard let bytes = borrowed.bytes else { return }
    data.append(contentsOf: bytes)
    borrowed.bytes = nil
  }

  func withData(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    if let bytes = borrowed.bytes { return try body(bytes) }
    try data.withUnsafeBytes(body)
  }

  mutating func reset() {
    if !type.isEmpty { type = [] }
    retry = nil
    byteCount = 0
    hasData = false
    borrowed.bytes = nil
    data.removeAll(keepingCapacity: data.capacity <= Self.keptCapacity)
  }
}

/// The bytes of the current chunk. They are never set between two calls of the parser, so sending a
/// parser to another task sends no pointer; hence the unchecked conformance.
private struct BorrowedBytes: @unchecked Sendable {
  var bytes: UnsafeRawBufferPointer?
}
