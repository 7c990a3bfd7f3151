import Synchronization

/// A request field that some servers or models reject.
public enum RequestField: String, Hashable, Sendable, CaseIterable, Codable {
  case maxTokens = "max_tokens"
  case maxCompletionTokens = "max_completion_tokens"
  case streamOptions = "stream_options"
  /// `strict: true` of a JSON schema, which allows only a subset of JSON Schema.
  case strictSchema = "strict_schema"
  case jsonSchema = "json_schema"
  case jsonObject = "json_object"
  /// Anthropic's structured output.
  case outputConfig = "output_config"
  /// A message of the role `system`.
  case systemRole = "system_role"
}

/// What one model at one endpoint is known to reject, and how it answers.
public struct ModelCapabilities: Hashable, Sendable, Codable {
  public var refused: Set<RequestField>
  /// Whether its answers begin with a draft that has no opening tag.
  public var draftsFirst: Bool
  /// Whether an answer comes in one piece although it was asked for as a stream.
  public var answersAtOnce = false
  /// How much its server takes.
  public var room: ServerRoom
  /// Whether the server was asked for its room, and has no answer to that.
  public var keepsRoomSecret = false

  public init(
    refused: Set<RequestField> = [], draftsFirst: Bool = false, room: ServerRoom = ServerRoom()
  ) {
    self.refused = refused
    self.draftsFirst = draftsFirst
    self.room = room
  }

  /// The request as it fits into the window together with its answer: without the oldest messages,
  /// and with fewer tokens for the answer. The instructions, which tell what is known, and the last
  /// message always stay.
  func fitted(_ request: ModelRequest) -> ModelRequest {
    guard let window = room.window else { return request }
    var fitted = request
    let answer = min(request.maxOutputTokens, max(Self.leastAnswer, window / 4))
    while fitted.messages.count > 1, window - tokens(of: fitted) < answer {
      fitted.messages.removeFirst()
    }
    fitted.maxOutputTokens = min(
      request.maxOutputTokens, max(Self.leastAnswer, window - tokens(of: fitted)))
    return fitted
  }

  private static let leastAnswer = 128

  /// A cautious estimate for most languages. The instructions are English.
  private func tokens(of request: ModelRequest) -> Int {
    let isInWords = !allows(.jsonSchema)
    let instructions =
      request.system.utf8.count + (isInWords ? request.schema?.json.utf8.count ?? 0 : 0)
    let words = request.messages.reduce(0) { $0 + $1.text.utf8.count + Self.frame }
    return instructions * 2 / 7 + words / 3 + Self.frame
  }

  /// What a chat template adds to a message, in bytes or tokens.
  private static let frame = 24

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
  /// What this process has seen servers take.
  private let taken = Mutex<[Key: Set<RequestField>]>([:])
  /// What servers may reject.
  private let suspects = Mutex<[Key: Set<RequestField>]>([:])
  /// Addresses that answered in place of the ones that were set.
  private let addresses = Mutex<[String: String]>([:])

  private let moved: @Sendable (String) -> Void

  /// - Parameter moved: Called with the address that answers in place of the one that was set, once for each.
  public init(
    _ snapshot: Snapshot = Snapshot(), moved: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.moved = moved
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
    learn(at: endpoint) { $0.refused.formUnion(fields) }
  }

  /// Adds what an answered request was sent without, as far as the server has not taken it before.
  ///
  /// - Parameter isSure: Whether it was that. If not, it is suspected until a request with it is answered.
  func refuse(
    _ withheld: Set<RequestField>, unlessTakenBefore fields: Set<RequestField>, isSure: Bool,
    at endpoint: ModelEndpoint
  ) {
    suspects.withLock { suspects in
      suspects[Self.key(endpoint), default: []].subtract(fields)
      if !isSure { suspects[Self.key(endpoint), default: []].formUnion(withheld) }
    }
    let before = taken.withLock { taken in
      defer { taken[Self.key(endpoint), default: []].formUnion(fields) }
      return taken[Self.key(endpoint)] ?? []
    }
    let refused = isSure ? withheld.subtracting(before) : []
    if !refused.isEmpty { refuse(refused, at: endpoint) }
  }

  func suspected(at endpoint: ModelEndpoint) -> Set<RequestField> {
    suspects.withLock { $0[Self.key(endpoint)] ?? [] }
  }

  /// Whether a request was answered in this process.
  func hasAnswered(_ endpoint: ModelEndpoint) -> Bool {
    taken.withLock { $0[Self.key(endpoint)] != nil }
  }

  /// Changes what is known of the endpoint.
  func learn(at endpoint: ModelEndpoint, _ change: (inout ModelCapabilities) -> Void) {
    known.withLock { change(&$0[Self.key(endpoint), default: ModelCapabilities()]) }
  }

  /// Forgets all models at the endpoint's address.
  func forget(at endpoint: ModelEndpoint) {
    let addresses = [endpoint, endpoint.versioned].compactMap(\.self).map { Self.key($0).baseURL }
    known.withLock { known in known = known.filter { !addresses.contains($0.key.baseURL) } }
  }

  /// The address that answers for this one; nil if it answers itself, or is not known.
  public func address(insteadOf baseURL: String) -> String? {
    addresses.withLock { $0[baseURL] }
  }

  func answers(_ endpoint: ModelEndpoint, insteadOf baseURL: String) {
    guard endpoint.baseURL != baseURL else { return }
    let isNew = addresses.withLock { $0.updateValue(endpoint.baseURL, forKey: baseURL) == nil }
    if isNew { moved(String(endpoint.baseURL.prefix { $0 != "?" })) }
  }

  /// What was learned under one address counts for the other.
  public func moved(from baseURL: String, to address: String) {
    known.withLock { known in
      for (key, capabilities) in known where key.baseURL == baseURL.prefix(while: { $0 != "?" }) {
        let moved = Key(baseURL: String(address.prefix { $0 != "?" }), model: key.model)
        known[moved] = known[moved] ?? capabilities
      }
    }
  }

  /// The endpoint at the address that is known to answer.
  func reachable(_ endpoint: ModelEndpoint) -> ModelEndpoint {
    guard let address = address(insteadOf: endpoint.baseURL) else { return endpoint }
    var copy = endpoint
    copy.baseURL = address
    return copy
  }

  private static func key(_ endpoint: ModelEndpoint) -> Key {
    Key(baseURL: String(endpoint.baseURL.prefix { $0 != "?" }), model: endpoint.model)
  }
}
