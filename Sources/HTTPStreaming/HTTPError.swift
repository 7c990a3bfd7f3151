/// A request that could not be sent, or an answer that could not be read to its end.
///
/// An HTTP status is never an error here: 401 and 503 are responses.
public struct HTTPError: Error, Hashable, Sendable {
  /// What went wrong, for deciding what to do about it. Codes may be added.
  public struct Code: Hashable, Sendable {
    private enum Kind: Hashable, Sendable {
      case refusedURL, refusedHeader
      case unresolvedHost, connectionRefused, tls, notTLS, connectionLost
      case timedOut(HTTPTimeouts.Limit)
      case tooLarge(HTTPLimits.Limit)
      case unsupportedProtocol, unsupportedEncoding, cancelled, concurrentRead, other
    }
    private let kind: Kind

    /// The URL was refused before anything was sent.
    public static let refusedURL = Code(kind: .refusedURL)
    /// A header's name or value cannot be sent safely; nothing was sent.
    public static let refusedHeader = Code(kind: .refusedHeader)
    /// The host's name has no address.
    public static let unresolvedHost = Code(kind: .unresolvedHost)
    /// Nothing accepted the connection.
    public static let connectionRefused = Code(kind: .connectionRefused)
    /// The server's certificate, or the TLS handshake, was not acceptable.
    public static let tls = Code(kind: .tls)
    /// The server answered, but not in TLS: most likely it speaks plain HTTP.
    public static let notTLS = Code(kind: .notTLS)
    /// The connection ended before the response did.
    public static let connectionLost = Code(kind: .connectionLost)
    /// The response is not HTTP as this client speaks it.
    public static let unsupportedProtocol = Code(kind: .unsupportedProtocol)
    /// The response is compressed, though no compression was asked for.
    public static let unsupportedEncoding = Code(kind: .unsupportedEncoding)
    /// The reading task was cancelled.
    public static let cancelled = Code(kind: .cancelled)
    /// Two tasks read one body at the same time.
    public static let concurrentRead = Code(kind: .concurrentRead)
    /// None of the others; see ``HTTPError/detail``.
    public static let other = Code(kind: .other)

    /// One of ``HTTPTimeouts`` ran out.
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
  /// What happened, for an engineer. Holds no header values, no body and no query.
  public var detail: String
  /// The host and port that were asked, where known.
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
