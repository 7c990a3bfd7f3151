import HTTPStreaming

/// Turns a failure into the error that callers see, with secrets masked.
struct FailureReport {
  let mask: SecretMask
  private let model: String
  private let sendsKey: Bool

  init(_ endpoint: ModelEndpoint) {
    sendsKey = endpoint.apiKey != nil
    model = endpoint.model
    mask = SecretMask([endpoint.apiKey])
  }

  func error(
    _ kind: ModelError.Kind, _ detail: String, status: Int? = nil, type: String? = nil,
    requestID: String? = nil
  ) -> ModelError {
    ModelError(
      kind, detail: mask.mask(detail), status: status, type: type.map(mask.mask),
      requestID: requestID.map(mask.mask))
  }

  func error(_ failure: ProviderFailure, requestID: String? = nil) -> ModelError {
    let isKeyless = failure.kind == .unauthorized && !sendsKey
    var error = error(
      isKeyless ? .keyMissing : failure.kind, failure.message, status: failure.status,
      type: failure.name, requestID: requestID)
    let unknown = failure.kind == .modelNotFound && !model.isEmpty ? model : nil
    error.clue = (unknown ?? failure.clue).map(mask.mask)
    return error
  }

  /// For a response whose status is not 200, or whose body is a web page.
  func error(
    _ failure: ProviderFailure, of response: HTTPResponse, requestID: String?
  ) -> ModelError {
    var error = error(failure, requestID: requestID)
    if (300..<400).contains(response.status) {
      error.kind = .redirected
      error.clue = response.headers["location"].map { mask.mask(String($0.prefix { $0 != "?" })) }
      error.detail = "redirected to \(error.clue ?? "an unnamed address")"
    } else if (201..<300).contains(response.status) {
      // Success without a body to stream.
      error.kind = .protocolViolation
    }
    return error
  }

  func error(_ failure: DecodingFailure, requestID: String?) -> ModelError {
    switch failure {
    case .provider(let failure): error(failure, requestID: requestID)
    case .format(let detail): error(.protocolViolation, detail, requestID: requestID)
    }
  }

  func error(_ failure: HTTPError, requestID: String? = nil) -> ModelError {
    error(Self.kind(failure.code), failure.description, requestID: requestID)
  }

  private static func kind(_ code: HTTPError.Code) -> ModelError.Kind {
    switch code {
    case .cancelled: .cancelled
    case .tls: .insecure
    case .notTLS: .notEncrypted
    case .refusedURL, .refusedHeader: .badRequest
    case .unsupportedProtocol, .unsupportedEncoding, .concurrentRead: .protocolViolation
    // A server that never accepted the connection is unreachable, not slow.
    case .timedOut(.connect): .unreachable
    case _ where code.isTimeout: .timedOut
    case _ where code.isTooLarge: .tooLarge
    default: .unreachable
    }
  }
}

extension HTTPHeaders {
  /// The provider's request id, under any of its names.
  var requestID: String? {
    (WireFormat.allCases.map(\.requestIDHeader) + ["x-generation-id", "apim-request-id"]).lazy
      .compactMap { self[$0] }.first
  }
}
