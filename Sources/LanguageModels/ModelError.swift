/// An answer that failed or was cut short.
public struct ModelError: Error, Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    /// No connection, or it broke before an answer began.
    case unreachable
    /// The server's certificate or protocol failed verification.
    case insecure
    /// The server does not speak TLS, although the address says https.
    case notEncrypted
    /// The key is wrong or not permitted to do this.
    case unauthorized
    /// The server denies access, and no key was sent.
    case keyMissing
    /// The account is out of credit or quota; a retry will not help.
    case outOfCredit
    /// Too many requests, and the server's wait exceeds ours.
    case rateLimited
    /// The provider is overloaded or unavailable for now.
    case overloaded
    /// The provider's server failed, or reports an error in mid-stream.
    case serverError
    /// A gateway or proxy in front of the provider failed.
    case gatewayError
    /// A web page came instead of an answer, such as a network's sign-in page.
    case webPage
    /// The server sends the request to another address. Redirects are never followed, because they
    /// would get the key.
    case redirected
    /// The server does not know the model's name.
    case modelNotFound
    /// The conversation exceeds the model's context window.
    case promptTooLong
    /// The server rejected the request for another reason.
    case badRequest
    /// The answer ended without an end marker.
    case truncated
    /// The idle limit or the total limit was exceeded.
    case timedOut
    /// The answer exceeded a named limit.
    case tooLarge
    /// The server does not follow the expected wire format.
    case protocolViolation
    /// The reply's task was canceled.
    case cancelled
  }

  public var kind: Kind
  /// For engineers: the server's message, with secrets masked and control characters removed.
  public var detail: String
  /// What the user may recognize: a web page's title, where a redirect leads without its query, the
  /// model that the server does not know, or why it rejected the request. Masked like ``detail``.
  public var clue: String?
  /// The HTTP status, if there was one.
  public var status: Int?
  /// The provider's error type, such as `overloaded_error`.
  public var type: String?
  public var requestID: String?
  /// The number of requests sent before giving up.
  public var attempts: Int
  /// The wait the server last asked for; nil if none.
  public var retryAfter: Duration?

  public init(
    _ kind: Kind, detail: String, status: Int? = nil, type: String? = nil,
    requestID: String? = nil, attempts: Int = 1, retryAfter: Duration? = nil
  ) {
    self.kind = kind
    self.detail = detail
    self.status = status
    self.type = type
    self.requestID = requestID
    self.attempts = attempts
    self.retryAfter = retryAfter
  }
}

extension ModelError: CustomStringConvertible {
  public var description: String {
    let context = [status.map { "HTTP \($0)" }, type, requestID.map { "request \($0)" }]
      .compactMap(\.self).joined(separator: ", ")
    return context.isEmpty ? "\(kind): \(detail)" : "\(kind) (\(context)): \(detail)"
  }
}
