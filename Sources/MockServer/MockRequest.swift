public import HTTPStreaming

/// A complete request.
public struct MockRequest: Hashable, Sendable {
  public var method: String
  /// Without the query; percent-encoded as sent.
  public var path: String
  /// As sent, without the question mark.
  public var query: String
  public var headers: HTTPHeaders
  public var body: [UInt8]

  public init(
    method: String, path: String, query: String = "", headers: HTTPHeaders = [:],
    body: [UInt8] = []
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
  }
}
