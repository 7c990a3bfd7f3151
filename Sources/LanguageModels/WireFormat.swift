/// The formats of requests and replies that are spoken.
public enum WireFormat: String, Hashable, Sendable, CaseIterable, Codable {
  /// Chat completions, of OpenAI and of the many servers that imitate it.
  case openAI
  /// Anthropic Messages.
  case anthropic
}

// What both ends of a format have to agree on: the client here, and the mock that answers it.
extension WireFormat {
  /// Where answers are requested, below the base URL.
  package var completionPath: String {
    switch self {
    case .openAI: "/chat/completions"
    case .anthropic: "/messages"
    }
  }

  /// Where the models are listed, below the base URL.
  package static let modelsPath = "/models"

  /// The finish reason of a whole answer.
  package var stopReason: String {
    switch self {
    case .openAI: "stop"
    case .anthropic: "end_turn"
    }
  }

  /// The finish reason of an answer that reached its token limit.
  package var lengthReason: String {
    switch self {
    case .openAI: "length"
    case .anthropic: "max_tokens"
    }
  }

  /// The names of the two counts in `usage`.
  package var usageNames: (input: String, output: String) {
    switch self {
    case .openAI: ("prompt_tokens", "completion_tokens")
    case .anthropic: ("input_tokens", "output_tokens")
    }
  }

  /// The data of the event that ends an OpenAI stream.
  package static let endMark: StaticString = "[DONE]"

  /// The response header with the request's ID.
  package var requestIDHeader: String {
    switch self {
    case .openAI: "x-request-id"
    case .anthropic: "request-id"
    }
  }

  /// How the names of the rate-limit headers begin.
  package var rateLimitPrefix: String {
    switch self {
    case .openAI: "x-ratelimit-"
    case .anthropic: "anthropic-ratelimit-"
    }
  }

  /// The request header that every Anthropic client sends.
  package static let anthropicVersionHeader = "anthropic-version"

  /// The request header that carries an Anthropic key.
  package static let anthropicKeyHeader = "x-api-key"
}
