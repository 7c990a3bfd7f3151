public import HTTPStreaming
public import IncrementalJSON
public import LanguageModels

/// An error as the format's servers report it.
public struct VendorError: Error, Hashable, Sendable {
  public var status: Int
  /// The format's spelling.
  public var type: String
  public var code: String?
  public var message: String
  /// The field of the request that is wrong.
  public var parameter: String?

  public init(
    status: Int, type: String, code: String? = nil, message: String, parameter: String? = nil
  ) {
    self.status = status
    self.type = type
    self.code = code
    self.message = message
    self.parameter = parameter
  }

  /// The vendor's error for a status.
  public init(status: Int, format: WireFormat, message: String? = nil) {
    let words = Self.words[status] ?? Words("server_error", "api_error", "The server had an error.")
    self.init(
      status: status, type: format == .openAI ? words.openAI : words.anthropic,
      code: format == .openAI ? words.code : nil, message: message ?? words.message)
  }

  public func body(_ format: WireFormat) -> JSONValue {
    switch format {
    case .openAI:
      [
        "error": [
          "message": .string(message), "type": .string(type),
          "param": parameter.map { .string($0) } ?? .null,
          "code": code.map { .string($0) } ?? .null,
        ]
      ]
    case .anthropic:
      [
        "type": "error", "error": ["type": .string(type), "message": .string(message)],
        "request_id": "req_1",
      ]
    }
  }

  public func response(
    _ format: WireFormat, headers: HTTPHeaders = [:]
  ) -> RecordedResponse {
    RecordedResponse(
      status: status, headers: headers, content: .body(body(format).serialized()))
  }

  private struct Words {
    let openAI: String
    let anthropic: String
    let code: String?
    let message: String

    init(_ openAI: String, _ anthropic: String, code: String? = nil, _ message: String) {
      self.openAI = openAI
      self.anthropic = anthropic
      self.code = code
      self.message = message
    }
  }

  private static let words: [Int: Words] = [
    400: Words("invalid_request_error", "invalid_request_error", "The request is not valid."),
    401: Words(
      "invalid_request_error", "authentication_error", code: "invalid_api_key",
      "The API key is not valid."),
    402: Words(
      "insufficient_quota", "billing_error", code: "insufficient_quota",
      "The account has no credit left."),
    403: Words(
      "invalid_request_error", "permission_error", "The key may not use this model."),
    404: Words("invalid_request_error", "not_found_error", "There is no such thing."),
    407: Words("proxy_error", "proxy_error", "The proxy wants a sign-in."),
    408: Words("timeout", "timeout_error", "The request took too long to arrive."),
    409: Words("conflict", "invalid_request_error", "Another request got in the way."),
    413: Words("invalid_request_error", "request_too_large", "The request is too large."),
    422: Words("invalid_request_error", "invalid_request_error", "The request makes no sense."),
    429: Words("requests", "rate_limit_error", code: "rate_limit_exceeded", "Rate limit reached."),
    502: Words("server_error", "api_error", "The gateway got no good answer."),
    504: Words("server_error", "timeout_error", "The gateway waited too long."),
    529: Words("server_error", "overloaded_error", "Overloaded"),
  ]

  /// The statuses with separate messages, and those that share one.
  static var statuses: [Int] { (words.keys + [500, 503]).sorted() }
}
