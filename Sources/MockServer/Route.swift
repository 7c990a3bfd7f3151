import FoundationEssentials
import HTTPStreaming
import LanguageModels

/// What a request is for, from its method, path and headers.
struct Route: Hashable {
  enum Endpoint: Hashable {
    case completion
    case models
    case model(String)
    /// The root path.
    case root
    case unknown
  }

  var endpoint: Endpoint
  /// The vendor whose client asks.
  var format: WireFormat
  /// `/NAME/v1/…` selects one recording.
  var recording: String?
  var query: [String: String] = [:]

  init(_ request: MockRequest) {
    let headers = request.headers
    format =
      headers[WireFormat.anthropicVersionHeader] != nil
        || headers[WireFormat.anthropicKeyHeader] != nil ? .anthropic : .openAI
    let path = URLComponents(string: request.path)?.path ?? request.path
    let items = URLComponents(string: "?" + request.query)?.queryItems ?? []
    for item in items { query[item.name] = item.value }
    var parts = path.split(separator: "/").map(String.init)
    if let version = parts.firstIndex(of: "v1") {
      if version > 0 { recording = parts[..<version].joined(separator: "/") }
      parts.removeFirst(version + 1)
    }
    let place = "/" + parts.joined(separator: "/")
    switch place {
    case _ where WireFormat.allCases.contains { $0.completionPath == place }:
      endpoint = .completion
      format = WireFormat.allCases.first { $0.completionPath == place } ?? format
    case WireFormat.modelsPath: endpoint = .models
    case "/" where recording == nil: endpoint = .root
    default:
      let isModel = parts.first == "models" && parts.count > 1
      endpoint = isModel ? .model(parts.dropFirst().joined(separator: "/")) : .unknown
    }
  }

  var method: String { endpoint == .completion ? "POST" : "GET" }
}

extension MockRequest {
  /// The client's key, in either header.
  var hasKey: Bool {
    let bearer = headers["authorization"].map { $0.dropFirst("Bearer ".count) } ?? ""
    return !bearer.isEmpty
      || !(headers[WireFormat.anthropicKeyHeader] ?? headers["api-key"] ?? "").isEmpty
  }
}
