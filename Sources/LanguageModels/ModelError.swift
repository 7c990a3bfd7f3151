/// An answer that could not be had, or not to its end.
public struct ModelError: Error, Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    /// No connection, or it broke before an answer began.
    case unreachable
    /// The server's certificate or protocol could not be trusted.
    case insecure
    /// The server does not speak TLS, though the address says https.
    case notEncrypted
    /// The key is missing, wrong or not allowed to do this.
    case unauthorized
    /// The account has no credit or quota left; trying again does not help.
    case outOfCredit
    /// Too many requests, and the server's wait is longer than we wait.
    case rateLimited
    /// The provider is overloaded or failing.
    case overloaded
    /// The model's name is not known there.
    case modelNotFound
    /// The conversation is longer than the model can read.
    case promptTooLong
    /// The server refused the request for another reason.
    case badRequest
    /// The answer ended without the signal that it is whole.
    case truncated
    /// Nothing arrived for the idle limit, or the total limit passed.
    case timedOut
    /// The answer exceeded a named limit.
    case tooLarge
    /// The server does not speak the expected wire format.
    case protocolViolation
    /// The reply's task was cancelled.
    case cancelled
  }

  public var kind: Kind
  /// For engineers: what the server said, with secrets masked and control characters removed.
  public var detail: String
  /// The HTTP status, if there was one.
  public var status: Int?
  /// The provider's error type, such as `overloaded_error`.
  public var type: String?
  public var requestID: String?
  /// Requests sent before giving up.
  public var attempts: Int
  /// The wait that the server named when it was asked last; nil where it named none.
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
