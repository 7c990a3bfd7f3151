/// What sends requests and brings back responses: the network, or something that stands for it, such
/// as a recorded conversation.
public protocol HTTPTransport: Sendable {
  /// Sends a request and returns once the response's headers are there. Every status is a response.
  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse
}

extension HTTPClient: HTTPTransport {}

/// Where a body's bytes come from when it is no transfer of an ``HTTPClient``.
///
/// Read by one task at a time; what was taken does not come again.
public protocol HTTPBodySource: AnyObject, Sendable {
  /// The next bytes; nil at the end of the body. Throws ``HTTPError/Code/cancelled`` where the
  /// reading task was cancelled.
  func next() async throws(HTTPError) -> [UInt8]?

  /// Nobody reads on.
  func close()
}
