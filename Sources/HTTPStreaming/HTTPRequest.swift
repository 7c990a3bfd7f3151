/// The supported methods.
public enum HTTPMethod: String, Hashable, Sendable {
  case get = "GET"
  case post = "POST"
}

/// A request, complete before it is sent.
public struct HTTPRequest: Hashable, Sendable {
  public var method: HTTPMethod
  /// ``HTTPURL`` checks it when the request is sent.
  public var url: String
  /// Values may be secret; descriptions of the request mask them.
  public var headers: HTTPHeaders
  /// Sent with POST only.
  public var body: [UInt8]
  public var timeouts: HTTPTimeouts
  public var limits: HTTPLimits
  /// The request's purpose in the caller's words, for recordings. Not sent.
  public var purpose: String?

  public init(
    method: HTTPMethod = .get, url: String, headers: HTTPHeaders = [:], body: [UInt8] = [],
    timeouts: HTTPTimeouts = HTTPTimeouts(), limits: HTTPLimits = HTTPLimits(),
    purpose: String? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.timeouts = timeouts
    self.limits = limits
    self.purpose = purpose
  }
}

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Method, URL without its query, headers with secrets masked, and the size of the body.
  public var description: String {
    let target = (try? HTTPURL(validating: url))?.withoutQuery ?? "<refused URL>"
    let lines = ["\(method.rawValue) \(target)", headers.description, "\(body.count) body bytes"]
    return lines.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  public var debugDescription: String { description }

  public var customMirror: Mirror {
    Mirror(self, children: ["request": description])
  }
}

/// Time limits for the parts of a request. Waiting for a slow reader does not count as silence.
public struct HTTPTimeouts: Hashable, Sendable {
  /// Which time limit expired.
  public enum Limit: String, Hashable, Sendable {
    case connect, firstByte, idle, total
  }

  /// Name lookup, TCP and TLS together.
  public var connect: Duration
  /// From sending the request to the first byte of the response.
  public var firstByte: Duration
  /// The longest silence after that. Any byte ends it, including a keep-alive comment's.
  public var idle: Duration
  /// From sending the request to the last byte.
  public var total: Duration

  public init(
    connect: Duration = .seconds(10), firstByte: Duration = .seconds(120),
    idle: Duration = .seconds(60), total: Duration = .seconds(600)
  ) {
    self.connect = connect
    self.firstByte = firstByte
    self.idle = idle
    self.total = total
  }
}

/// Size limits of a response.
public struct HTTPLimits: Hashable, Sendable {
  /// Which of the limits was exceeded.
  public enum Limit: String, Hashable, Sendable {
    case headerBytes, bodyBytes
  }

  /// All header lines together. libcurl also limits each line, to about 100 kB.
  public var headerBytes = 64 << 10
  /// The whole body.
  public var bodyBytes: Int
  /// How far the network may get ahead of the reader before the transfer pauses. At most this and
  /// one socket read are buffered.
  public var bufferedBytes = 256 << 10

  public init(bodyBytes: Int = 64 << 20) { self.bodyBytes = bodyBytes }
}
