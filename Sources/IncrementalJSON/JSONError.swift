/// Invalid JSON, and where it stops being valid.
public struct JSONError: Error, Hashable, Sendable {
  /// Counted from 1; LF, CRLF and CR end lines.
  public let line: Int
  /// In Unicode scalars, counted from 1.
  public let column: Int
  /// Counted from 0.
  public let byteOffset: Int
  /// What would have been valid, such as `a value`.
  public let expected: String
  /// What is there, such as `"]"` or `the end`.
  public let found: String

  /// What is wrong, without the position.
  public var reason: String { "expected \(expected), found \(found)" }
}

extension JSONError: CustomStringConvertible {
  public var description: String { "line \(line), column \(column): \(reason)" }
}

extension JSONError {
  init(
    at offset: Int, in bytes: UnsafeRawBufferPointer, expected: String, found: String? = nil
  ) {
    var line = 1
    var lineStart = 0
    for index in 0..<min(offset, bytes.count) {
      let isLineEnd =
        bytes[index] == 0x0A
        || (bytes[index] == 0x0D && (index + 1 == bytes.count || bytes[index + 1] != 0x0A))
      guard isLineEnd else { continue }
      line += 1
      lineStart = index + 1
    }
    // Every byte that doesn't continue a UTF-8 sequence starts a scalar.
    let scalars = bytes[min(lineStart, offset)..<min(offset, bytes.count)].count {
      $0 & 0xC0 != 0x80
    }
    self.line = line
    column = scalars + 1
    byteOffset = offset
    self.expected = expected
    self.found = found ?? Self.describe(bytes, at: offset)
  }

  private static func describe(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> String {
    guard offset < bytes.count else { return "the end" }
    let rest = String(decoding: bytes[offset..<min(offset + 4, bytes.count)], as: UTF8.self)
    guard let scalar = rest.unicodeScalars.first else { return "the end" }
    if scalar.value < 0x80, scalar.value >= 0x20, scalar.value != 0x7F { return "\"\(scalar)\"" }
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
