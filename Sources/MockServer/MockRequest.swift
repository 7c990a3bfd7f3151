public import HTTPStreaming

/// A complete request.
public struct MockRequest: Hashable, Sendable {
  public var method: String
  /// Without the query; percent-encoded as sent.
  public var path: String
  public var headers: HTTPHeaders
  public var body: [UInt8]

  public init(method: String, path: String, headers: HTTPHeaders = [:], body: [UInt8] = []) {
    self.method = method
    self.path = path
    self.headers = headers
    self.body = body
  }
}
