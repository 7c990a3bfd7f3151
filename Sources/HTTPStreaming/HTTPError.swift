/// A request that could not be sent, or a response that could not be read to its end.
///
/// An HTTP status is never an error here: 401 and 503 are responses.
public struct HTTPError: Error, Hashable, Sendable {
  /// What went wrong, for deciding how to react. Codes may be added.
  public struct Code: Hashable, Sendable {
    private enum Kind: Hashable, Sendable {
      case refusedURL, refusedHeader
      case unresolvedHost, connectionRefused, tls, notTLS, connectionLost
      case timedOut(HTTPTimeouts.Limit)
      case tooLarge(HTTPLimits.Limit)
      case unsupportedProtocol, unsupportedEncoding, cancelled, concurrentRead, other
    }
    private let kind: Kind

    /// The URL was rejected before anything was sent.
    public static let refusedURL = Code(kind: .refusedURL)
    /// A header's name or value cannot be sent safely; nothing was sent.
    public static let refusedHeader = Code(kind: .refusedHeader)
    /// The host name could not be resolved.
    public static let unresolvedHost = Code(kind: .unresolvedHost)
    /// Nothing accepted the connection.
    public static let connectionRefused = Code(kind: .connectionRefused)
    /// The server's certificate or the TLS handshake failed verification.
    public static let tls = Code(kind: .tls)
    /// The server answered without TLS: it probably speaks plain HTTP.
    public static let notTLS = Code(kind: .notTLS)
    /// The connection ended before the response did.
    public static let connectionLost = Code(kind: .connectionLost)
    /// The response is not valid HTTP.
    public static let unsupportedProtocol = Code(kind: .unsupportedProtocol)
    /// The response is compressed, although none was requested.
    public static let unsupportedEncoding = Code(kind: .unsupportedEncoding)
    /// The reading task was canceled.
    public static let cancelled = Code(kind: .cancelled)
    /// Two tasks read the same body at once.
    public static let concurrentRead = Code(kind: .concurrentRead)
    /// Any other failure; see ``HTTPError/detail``.
    public static let other = Code(kind: .other)

    /// One of ``HTTPTimeouts`` expired.
    public static func timedOut(_ limit: HTTPTimeouts.Limit) -> Code {
      Code(kind: .timedOut(limit))
    }
    /// One of ``HTTPLimits`` was exceeded.
    public static func tooLarge(_ limit: HTTPLimits.Limit) -> Code { Code(kind: .tooLarge(limit)) }

    /// True for every ``timedOut(_:)``.
    public var isTimeout: Bool {
      if case .timedOut = kind { true } else { false }
    }

    /// True for every ``tooLarge(_:)``.
    public var isTooLarge: Bool {
      if case .tooLarge = kind { true } else { false }
    }
  }

  public var code: Code
  /// What happened, for an engineer. Contains no header values, body or query.
  public var detail: String
  /// The host and port of the request, if known.
  public var host: String?

  public init(_ code: Code, _ detail: String, host: String? = nil) {
    self.code = code
    self.detail = detail
    self.host = host
  }
}

extension HTTPError: CustomStringConvertible {
  public var description: String {
    host.map { "\($0): \(detail)" } ?? detail
  }
}

extension HTTPError {
  static func cancelled(host: String?) -> HTTPError {
    HTTPError(.cancelled, "the request was cancelled", host: host)
  }
}
