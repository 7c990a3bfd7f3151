/// What the body of an answer to a streaming request turns out to be.
public enum AnswerFormat: Hashable, Sendable {
  /// Server-sent events.
  case eventStream
  /// One JSON document, or several on a line each: an error, or an answer that was not streamed.
  case json
  /// Neither, such as the page of a proxy.
  case unknown
}

/// Decides how to read a body from status, content type and the first byte that is not a space.
///
/// Servers are careless with the content type of errors and of answers they did not stream, never
/// with that of event streams. So events are read only where both status and type promise them,
/// and not even there when the body opens like JSON, which no event does.
public struct AnswerFormatDetector: Sendable {
  /// Whether the response may be read as events at all: status 200 and `text/event-stream`.
  public let isEventStream: Bool

  public init(status: Int, contentType: String?) {
    isEventStream = status == 200 && Self.essence(contentType) == "text/event-stream"
  }

  public init(_ response: HTTPResponse) {
    self.init(status: response.status, contentType: response.headers["content-type"])
  }

  /// The format, or nil while only blank bytes have arrived. An empty body is an empty stream of
  /// events where events were promised.
  ///
  /// - Parameter bytes: the body so far, from its first byte.
  public func format(of bytes: some Sequence<UInt8>) -> AnswerFormat? {
    let isBlank: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
    guard let first = bytes.first(where: { !isBlank($0) }) else { return nil }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return .json }
    return isEventStream ? .eventStream : .unknown
  }

  /// The type and subtype in lower case, without parameters.
  private static func essence(_ contentType: String?) -> String {
    let type = (contentType ?? "").prefix { $0 != ";" }
    return type.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }.lowercased()
  }
}
