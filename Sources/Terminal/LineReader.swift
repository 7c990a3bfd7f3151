internal import CLineEdit
internal import Glibc
internal import Synchronization

/// Reads lines from a pipe or a file.
///
/// Lines end with LF or CRLF, optional on the last one. Invalid UTF-8 becomes U+FFFD, and escape
/// sequences, such as colors, are no part of a line.
public final class LineReader: Sendable {
  /// The bytes kept of a line; the rest is dropped. The limit is far beyond a turn's, so a cut line
  /// is rejected as too long and never sent shortened.
  public static let lineLimit = 1 << 20

  fileprivate struct Buffer {
    var bytes: [UInt8] = []
    var next = 0
    var line: [UInt8] = []
    var hasLine = false
  }

  private let descriptor: Int32
  private let buffer = Mutex(Buffer())

  public init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// The next line. An interrupt or a canceled task keeps what was read of it.
  public func readLine() async -> LineInput {
    await BlockingRead.run(interrupted: .interrupted, failed: .endOfInput) {
      self.buffer.withLock { self.read(into: &$0) }
    }
  }

  private func read(into buffer: inout Buffer) -> LineInput {
    while true {
      if let line = buffer.takeLine() { return .line(line) }
      switch cle_wait_readable(descriptor) {
      case CLE_READY: break
      case CLE_INTERRUPTED: return .interrupted
      default: return buffer.takeRest()
      }
      guard buffer.fill(from: descriptor) else { return buffer.takeRest() }
    }
  }
}

extension LineReader.Buffer {
  /// Reads more; false at the end of the input or on an error.
  mutating func fill(from descriptor: Int32) -> Bool {
    bytes = [UInt8](unsafeUninitializedCapacity: 16_384) { space, count in
      repeat {
        count = read(descriptor, space.baseAddress, space.count)
      } while count < 0 && errno == EINTR
      if count < 0 { count = 0 }
    }
    next = 0
    return !bytes.isEmpty
  }

  mutating func takeLine() -> String? {
    let rest = bytes[next...]
    let end = rest.firstIndex(of: UInt8(ascii: "\n"))
    let part = rest[..<(end ?? rest.endIndex)]
    line += part.prefix(max(0, LineReader.lineLimit - line.count))
    hasLine = hasLine || !rest.isEmpty
    next = end.map { $0 + 1 } ?? bytes.count
    return end == nil ? nil : take()
  }

  mutating func takeRest() -> LineInput {
    hasLine ? .line(take()) : .endOfInput
  }

  private mutating func take() -> String {
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    defer { (line, hasLine) = ([], false) }
    return OutputFilter.withoutSequences(String(decoding: line, as: UTF8.self))
  }
}
