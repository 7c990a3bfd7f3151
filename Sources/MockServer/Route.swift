import FoundationEssentials
import HTTPStreaming
import LanguageModels

/// What a request is for, by its method, path and headers.
struct Route: Hashable {
  enum Endpoint: Hashable {
    case completion
    case models
    case model(String)
    /// The address itself.
    case root
    case unknown
  }

  var endpoint: Endpoint
  /// Whose client asks.
  var format: WireFormat
  /// `/NAME/v1/…` asks the one cassette.
  var cassette: String?

  init(_ request: MockRequest) {
    let headers = request.headers
    format =
      headers["anthropic-version"] != nil || headers["x-api-key"] != nil ? .anthropic : .openAI
    let path = URLComponents(string: request.path)?.path ?? request.path
    var parts = path.split(separator: "/").map(String.init)
    if let version = parts.firstIndex(of: "v1") {
      if version > 0 { cassette = parts[..<version].joined(separator: "/") }
      parts.removeFirst(version + 1)
    }
    switch parts {
    case ["chat", "completions"]:
      endpoint = .completion
      format = .openAI
    case ["messages"]:
      endpoint = .completion
      format = .anthropic
    case ["models"]: endpoint = .models
    case [] where cassette == nil: endpoint = .root
    default:
      let isModel = parts.first == "models" && parts.count > 1
      endpoint = isModel ? .model(parts.dropFirst().joined(separator: "/")) : .unknown
    }
  }

  var method: String { endpoint == .completion ? "POST" : "GET" }
}

extension MockRequest {
  /// The key that the client shows, in whichever header.
  var hasKey: Bool {
    let bearer = headers["authorization"].map { $0.dropFirst("Bearer ".count) } ?? ""
    return !bearer.isEmpty || !(headers["x-api-key"] ?? headers["api-key"] ?? "").isEmpty
  }
}
