/// One event of a stream, valid only while its handler runs.
///
/// Its bytes are in the receive buffer or the parser's buffer; copy what you keep.
public struct ServerSentEvent: ~Copyable {
  /// The kind of line that the event's data came from.
  public enum Field: Hashable, Sendable {
    /// `data:` lines that end with a blank line, as in the standard.
    case data
    /// A single `error:` line, which the standard ignores but some servers use to report failures.
    case error
  }

  public let field: Field
  /// The data lines joined with LF, not checked for UTF-8.
  public let bytes: UnsafeRawBufferPointer
  /// The value of the block's last valid `retry` line, in milliseconds.
  public let retry: Int?
  let typeBytes: [UInt8]
  let idBytes: [UInt8]

  /// The data as text; each invalid UTF-8 sequence becomes U+FFFD.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The value of the `event` field, or `message` by default.
  public var type: String {
    typeBytes.isEmpty ? "message" : String(decoding: typeBytes, as: UTF8.self)
  }

  /// The last event id of the stream at this event.
  public var lastEventID: String { String(decoding: idBytes, as: UTF8.self) }

  /// A copy of the event's values.
  public func owned() -> OwnedServerSentEvent {
    OwnedServerSentEvent(
      field: field, type: type, data: Array(bytes), lastEventID: lastEventID, retry: retry)
  }
}

/// An event that outlives the bytes it was read from.
public struct OwnedServerSentEvent: Hashable, Sendable {
  public var field: ServerSentEvent.Field
  public var type: String
  public var data: [UInt8]
  public var lastEventID: String
  public var retry: Int?

  /// The data as text; each invalid UTF-8 sequence becomes U+FFFD.
  public var text: String { String(decoding: data, as: UTF8.self) }
}

/// An event, or one of its lines, exceeds the parser's limit.
public struct ServerSentEventTooLarge: Error, Hashable, Sendable, CustomStringConvertible {
  /// In bytes.
  public let limit: Int

  public var description: String {
    "an event of the stream is longer than the event limit of \(limit) bytes"
  }
}
