import IncrementalJSON

/// Splits a JSON body into complete documents: one per line, or one that fills the whole body.
struct JSONLines: Sendable {
  private var held: [UInt8] = []
  /// There is no line end before this position.
  private var searched = 0
  /// One document spans many lines: everything that follows belongs to it.
  private var isSpread = false

  /// Bytes of the incomplete document.
  var heldCount: Int { held.count }

  /// - Returns: Lines that are complete documents, or words such as `[DONE]`.
  mutating func receive(_ bytes: [UInt8]) -> [[UInt8]] {
    held.append(contentsOf: bytes)
    var ready: [[UInt8]] = []
    var start = 0
    while !isSpread, let end = held[searched...].firstIndex(of: 0x0A) {
      let line = Array(held[start..<end])
      searched = end + 1
      let isWhole = line.withUnsafeBytes { $0.isBlank || Self.isDocument($0) }
      guard isWhole else {
        isSpread = true
        break
      }
      ready.append(line)
      start = end + 1
    }
    held.removeFirst(start)
    searched = held.count
    return ready
  }

  mutating func takeRest() -> [UInt8] {
    defer { held = [] }
    return held
  }

  static func isDocument(_ line: UnsafeRawBufferPointer) -> Bool {
    let content = withoutPrefix(line)
    return content.isWord(WireFormat.endMark)
      || (try? JSONValue(parsing: content, invalidText: .replaced)) != nil
  }

  /// Calls back for the document, or for each element if it is an array.
  static func forEachDocument(
    in line: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) throws(DecodingFailure) -> Void
  ) throws(DecodingFailure) {
    let content = withoutPrefix(line)
    guard let elements = elements(content) else { return try body(content) }
    for element in elements {
      try element.serializedBytes().withUnsafeBytes { bytes in
        Result { () throws(DecodingFailure) in try body(bytes) }
      }.get()
    }
  }

  private static func elements(_ content: UnsafeRawBufferPointer) -> [JSONValue]? {
    guard content.first(where: { $0 > 0x20 }) == UInt8(ascii: "["),
      !content.isWord(WireFormat.endMark)
    else {
      return nil
    }
    return (try? JSONValue(parsing: content, invalidText: .replaced))?.arrayValue
  }

  /// The line without the `data:` prefix that some servers add.
  private static func withoutPrefix(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let prefix = "data:".utf8
    guard line.count >= prefix.count, zip(line, prefix).allSatisfy({ $0 == $1 }) else {
      return line
    }
    return UnsafeRawBufferPointer(rebasing: line[prefix.count...])
  }
}
