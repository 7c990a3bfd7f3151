import Synchronization

/// A request field that some servers or models reject.
public enum RequestField: String, Hashable, Sendable, CaseIterable, Codable {
  case maxTokens = "max_tokens"
  case maxCompletionTokens = "max_completion_tokens"
  case temperature
  case streamOptions = "stream_options"
  /// `strict: true` of a JSON schema, which allows only a subset of JSON Schema.
  case strictSchema = "strict_schema"
  case jsonSchema = "json_schema"
  case jsonObject = "json_object"
  /// Anthropic's structured output.
  case outputConfig = "output_config"
}

/// What one model at one endpoint is known to reject.
public struct ModelCapabilities: Hashable, Sendable, Codable {
  public var refused: Set<RequestField>

  public init(refused: Set<RequestField> = []) { self.refused = refused }

  public func allows(_ field: RequestField) -> Bool { !refused.contains(field) }
}

/// Remembers rejected fields for each base URL and model, so that each is tried only once.
public final class CapabilityMemory: Sendable {
  /// One remembered endpoint, for storing between runs. Contains no key.
  public struct Snapshot: Hashable, Sendable, Codable {
    public struct Entry: Hashable, Sendable, Codable {
      public var baseURL: String
      public var model: String
      public var capabilities: ModelCapabilities

      public init(baseURL: String, model: String, capabilities: ModelCapabilities) {
        self.baseURL = baseURL
        self.model = model
        self.capabilities = capabilities
      }
    }
    public var entries: [Entry]

    public init(entries: [Entry] = []) { self.entries = entries }
  }

  private struct Key: Hashable {
    var baseURL: String
    var model: String
  }

  private let known: Mutex<[Key: ModelCapabilities]>

  public init(_ snapshot: Snapshot = Snapshot()) {
    let pairs = snapshot.entries.map {
      (Key(baseURL: $0.baseURL, model: $0.model), $0.capabilities)
    }
    known = Mutex(Dictionary(pairs) { _, last in last })
  }

  /// Everything remembered, in a stable order.
  public var snapshot: Snapshot {
    let entries = known.withLock { known in
      known.map {
        Snapshot.Entry(baseURL: $0.key.baseURL, model: $0.key.model, capabilities: $0.value)
      }
    }
    return Snapshot(entries: entries.sorted { ($0.baseURL, $0.model) < ($1.baseURL, $1.model) })
  }

  public subscript(endpoint: ModelEndpoint) -> ModelCapabilities {
    get { known.withLock { $0[Self.key(endpoint)] ?? ModelCapabilities() } }
  }

  /// Adds to what the endpoint rejects.
  public func refuse(_ fields: Set<RequestField>, at endpoint: ModelEndpoint) {
    known.withLock {
      $0[Self.key(endpoint), default: ModelCapabilities()].refused.formUnion(fields)
    }
  }

  private static func key(_ endpoint: ModelEndpoint) -> Key {
    Key(baseURL: String(endpoint.baseURL.prefix { $0 != "?" }), model: endpoint.model)
  }
}
