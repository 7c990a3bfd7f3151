/// The actual format of the answer to a streaming request.
public enum AnswerFormat: Hashable, Sendable {
  /// Server-sent events.
  case eventStream
  /// One JSON document, or several on separate lines: an error, or an answer that was not streamed.
  case json
  /// Neither, such as a proxy's web page.
  case unknown
}

/// Chooses how to read a body from the status, the content type and the first non-space byte.
///
/// Servers are careless with the content type of errors and of unstreamed answers, but never of
/// event streams. So a body is read as events only if both status and type say so, and not even
/// then if it opens like JSON, which no event does.
public struct AnswerFormatDetector: Sendable {
  /// Whether the response may be read as events at all: status 200 and `text/event-stream`.
  public let isEventStream: Bool

  public init(status: Int, contentType: String?) {
    isEventStream = status == 200 && Self.essence(contentType) == "text/event-stream"
  }

  public init(_ response: HTTPResponse) {
    self.init(status: response.status, contentType: response.headers["content-type"])
  }

  /// The format, or nil if only white space has arrived. An empty body is an empty event stream if
  /// the headers promised events.
  ///
  /// - Parameter bytes: The body so far, from its first byte.
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
