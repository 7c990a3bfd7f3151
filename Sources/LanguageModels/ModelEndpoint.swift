import HTTPStreaming

/// A model, its address and its key.
public struct ModelEndpoint: Hashable, Sendable {
  /// The provider's name for people.
  public var provider: String
  public var format: WireFormat
  /// The prefix of the format's paths, such as `https://api.openai.com/v1`. A query, which Azure
  /// needs, is kept.
  public var baseURL: String { didSet { host = Self.host(of: baseURL) } }
  /// In lower case, without the port. Every request asks for it.
  private var host: String
  /// Nil for servers that need no key.
  public var apiKey: Secret?
  public var model: String

  public init(
    provider: String, format: WireFormat, baseURL: String, apiKey: Secret?, model: String
  ) {
    self.provider = provider
    self.format = format
    self.baseURL = baseURL
    host = Self.host(of: baseURL)
    self.apiKey = apiKey
    self.model = model
  }
}

extension ModelEndpoint {
  /// The same endpoint with another model.
  public func with(model: String) -> ModelEndpoint {
    var copy = self
    copy.model = model
    return copy
  }

  /// The same endpoint below `/v1`, where most servers have their API; nil if its address already
  /// names a version.
  var versioned: ModelEndpoint? {
    guard format == .openAI, !isVendor else { return nil }
    var parts = URLParts(baseURL)
    while parts.path.hasSuffix("/") { parts.path.removeLast() }
    let hasVersion = parts.path.split(separator: "/").contains { folder in
      folder.first == "v" && folder.dropFirst().first?.isNumber == true
    }
    let ends = WireFormat.allCases.map(\.completionPath) + [WireFormat.modelsPath]
    guard !hasVersion, !ends.contains(where: parts.path.hasSuffix) else { return nil }
    var copy = self
    copy.baseURL = parts.origin + parts.path + "/v1" + (parts.query.map { "?" + $0 } ?? "")
    return copy
  }

  public var identity: ModelIdentity {
    ModelIdentity(provider: provider, model: model, endpoint: URLParts(baseURL).origin)
  }

  /// Whether this is the format's own vendor, whose behavior is documented.
  var isVendor: Bool {
    switch format {
    case .openAI: host == "api.openai.com" || isAzure
    case .anthropic: host == "api.anthropic.com"
    }
  }

  private var isAzure: Bool { host.hasSuffix(".azure.com") }

  private static func host(of baseURL: String) -> String {
    let authority = URLParts(baseURL).origin.utf8.split(separator: UInt8(ascii: "/")).last
    return authority.map { Substring($0.prefix { $0 != UInt8(ascii: ":") }).lowercased() } ?? ""
  }

  /// The URL of a path of the format, such as `/chat/completions`.
  func url(_ path: String, query: String? = nil) -> String {
    var parts = URLParts(baseURL)
    while parts.path.hasSuffix("/") { parts.path.removeLast() }
    // People also paste the full URL of an endpoint.
    for whole in WireFormat.allCases.map(\.completionPath) + [WireFormat.modelsPath]
    where parts.path.hasSuffix(whole) {
      parts.path.removeLast(whole.count)
    }
    if format == .anthropic, !parts.path.hasSuffix("/v1") { parts.path += "/v1" }
    let queries = [parts.query, query].compactMap(\.self)
    let tail = queries.isEmpty ? "" : "?" + queries.joined(separator: "&")
    return parts.origin + parts.path + path + tail
  }

  /// The format's headers, including the key.
  var headers: HTTPHeaders {
    var headers: HTTPHeaders = ["content-type": "application/json"]
    switch (format, apiKey?.revealed) {
    case (.anthropic, let key):
      headers[WireFormat.anthropicVersionHeader] = "2023-06-01"
      headers[WireFormat.anthropicKeyHeader] = key
    case (.openAI, let key?):
      headers[isAzure ? "api-key" : "authorization"] = isAzure ? key : "Bearer \(key)"
    case (.openAI, nil): break
    }
    return headers
  }
}

/// A URL split at its path and query, unchecked: the HTTP client checks what is sent. As bytes, since
/// every request asks for it.
private struct URLParts {
  var origin: String
  var path: String
  var query: String?

  init(_ text: String) {
    let bytes = text.utf8
    let end = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
    query = end < bytes.endIndex ? String(text[bytes.index(after: end)...]) : nil
    let scheme = bytes[..<end].indices.first { bytes[$0..<end].starts(with: "://".utf8) }
    let hostStart = scheme.map { bytes.index($0, offsetBy: 3) } ?? bytes.startIndex
    let pathStart = bytes[hostStart..<end].firstIndex(of: UInt8(ascii: "/")) ?? end
    origin = String(text[..<pathStart])
    path = String(text[pathStart..<end])
  }
}
