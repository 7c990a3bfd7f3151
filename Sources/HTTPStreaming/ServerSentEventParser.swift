/// Parses a stream of server-sent events, however it is split into chunks.
///
/// Follows the WHATWG HTML standard, section 9.2.6: lines end with LF, CRLF or CR, a leading BOM is
/// skipped, and an event that the end of the stream leaves unfinished is never delivered. One
/// addition: an `error:` line becomes a separate event (``ServerSentEvent/Field/error``).
///
/// Runs in time linear in the bytes received. ``eventByteLimit`` bounds its memory; comments are
/// never kept.
public struct ServerSentEventParser: Sendable {
  /// The default of ``eventByteLimit``, 8 MiB.
  public static let defaultEventByteLimit = 8 << 20

  /// The most bytes that the lines of one event may have, excluding comments and line ends.
  public let eventByteLimit: Int
  /// The stream's last event id so far, for resuming it.
  public var lastEventID: String { String(decoding: lastID, as: UTF8.self) }
  /// The stream's last valid `retry` value, in milliseconds. A value too large to count is
  /// `Int.max`: limit it before waiting.
  public private(set) var reconnectionTime: Int?
  /// The number of comment lines so far: servers send them to keep a quiet connection alive.
  public private(set) var commentCount = 0

  /// Bytes buffered for incomplete lines and events.
  var heldByteCount: Int { lines.heldByteCount + block.heldByteCount }

  private var lines = EventLineReader()
  private var block = EventBlock()
  private var pendingID: [UInt8] = []
  private var lastID: [UInt8] = []
  private var state = State.reading

  private enum State { case reading, stopped, tooLarge }

  public init(eventByteLimit: Int = Self.defaultEventByteLimit) {
    self.eventByteLimit = eventByteLimit
  }

  /// Reads the next bytes and calls the handler for each completed event.
  ///
  /// - Throws: ``ServerSentEventTooLarge``, and again on every later call; or what the handler
  ///   throws, after which the parser ignores the rest of the stream.
  public mutating func receive(
    _ bytes: UnsafeRawBufferPointer, onEvent: (borrowing ServerSentEvent) throws -> Void
  ) throws {
    switch state {
    case .reading: break
    case .stopped: return
    case .tooLarge: throw ServerSentEventTooLarge(limit: eventByteLimit)
    }
    do {
      try read(bytes, onEvent)
    } catch {
      block.reset()
      state = error is ServerSentEventTooLarge ? .tooLarge : .stopped
      throw error
    }
  }

  /// Reads the next bytes and returns copies of the completed events.
  ///
  /// - Throws: ``ServerSentEventTooLarge``; events completed in the same call are lost.
  public mutating func receive(_ bytes: [UInt8]) throws -> [OwnedServerSentEvent] {
    var events: [OwnedServerSentEvent] = []
    try bytes.withUnsafeBytes { try receive($0) { events.append($0.owned()) } }
    return events
  }

  private mutating func read(
    _ bytes: UnsafeRawBufferPointer, _ onEvent: (borrowing ServerSentEvent) throws -> Void
  ) throws {
    var scanner = lines.scanner(over: bytes)
    while let end = lines.nextLineEnd(&scanner) {
      if lines.hasHeldBytes {
        var held = lines.takeHeldLine(endingAt: end, of: &scanner)
        try held.withUnsafeBytes { try readLine($0, isLasting: false, onEvent) }
        lines.reuse(&held)
      } else if lines.isInComment {
        lines.leaveComment(endingAt: end, of: &scanner)
        commentCount &+= 1
      } else {
        try readLine(scanner.takeLine(endingAt: end), isLasting: true, onEvent)
      }
    }
    lines.hold(scanner.rest)
    block.keepData()
    try checkSize(adding: lines.heldByteCount)
  }

  /// - Parameter isLasting: Whether the line stays in memory until the whole chunk has been read.
  private mutating func readLine(
    _ line: UnsafeRawBufferPointer, isLasting: Bool,
    _ onEvent: (borrowing ServerSentEvent) throws -> Void
  ) throws {
    guard let first = line.first else { return try dispatch(onEvent) }
    guard first != UInt8(ascii: ":") else {
      commentCount &+= 1
      return
    }
    try checkSize(adding: line.count)
    block.byteCount += line.count
    let field = EventField(line)
    switch field.name {
    case .data: block.append(field.value, isLasting: isLasting)
    case .event: block.type = Array(field.value)
    case .id where !field.value.contains(0): pendingID = Array(field.value)
    case .retry: readRetry(field.value)
    case .error: try onEvent(event(.error, field.value))
    case .id, nil: break
    }
  }

  private mutating func dispatch(_ onEvent: (borrowing ServerSentEvent) throws -> Void) throws {
    lastID = pendingID
    guard block.byteCount > 0 else { return }
    defer { block.reset() }
    guard block.hasData else { return }
    try block.withData { try onEvent(event(.data, $0)) }
  }

  private func event(
    _ field: ServerSentEvent.Field, _ bytes: UnsafeRawBufferPointer
  ) -> ServerSentEvent {
    ServerSentEvent(
      field: field, bytes: bytes, retry: block.retry, typeBytes: block.type, idBytes: lastID)
  }

  private mutating func readRetry(_ digits: UnsafeRawBufferPointer) {
    guard !digits.isEmpty, digits.allSatisfy(\.isASCIIDigit) else { return }
    let value = Int(String(decoding: digits, as: UTF8.self)) ?? .max
    block.retry = value
    reconnectionTime = value
  }

  private func checkSize(adding count: Int) throws {
    guard count <= eventByteLimit - block.byteCount else {
      throw ServerSentEventTooLarge(limit: eventByteLimit)
    }
  }
}
