/// Sends requests and returns responses: the network, or a substitute such as a recorded
/// conversation.
public protocol HTTPTransport: Sendable {
  /// Sends a request and returns once the response's headers have arrived. Every status is a
  /// response.
  func send(_ request: consuming HTTPRequest) async throws(HTTPError) -> HTTPResponse
}

extension HTTPClient: HTTPTransport {}

/// The source of a body that is not an ``HTTPClient`` transfer.
///
/// One task reads it at a time; each byte is delivered once.
public protocol HTTPBodySource: AnyObject, Sendable {
  /// The next bytes; nil at the end of the body. Throws ``HTTPError/Code/cancelled`` if the reading
  /// task was canceled.
  func next() async throws(HTTPError) -> [UInt8]?

  /// The reader has stopped.
  func close()
}
