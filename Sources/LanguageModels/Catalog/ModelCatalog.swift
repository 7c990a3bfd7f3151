import HTTPStreaming
import IncrementalJSON

/// The models available to an endpoint's account.
public struct ModelCatalog: Sendable {
  public let endpoint: ModelEndpoint
  private let runtime: ModelRuntime

  /// The most pages to read, in case a server's list never ends.
  static let pageLimit = 20

  public init(_ endpoint: ModelEndpoint, runtime: ModelRuntime) {
    self.endpoint = endpoint
    self.runtime = runtime
  }

  /// The names of all models, newest first if the server gives dates, otherwise in its order.
  ///
  /// - Throws: ``ModelError``; an empty list is a result, not an error.
  public func models() async throws(ModelError) -> [String] {
    var entries: [ModelListing.Entry] = []
    var query: String? = endpoint.format == .anthropic ? "limit=1000" : nil
    for _ in 0..<Self.pageLimit {
      let exchange = HTTPExchange(endpoint: endpoint, runtime: runtime)
      let body = try await exchange.get(WireFormat.modelsPath, query: query)
      guard let page = ModelListing(body) else {
        throw FailureReport(endpoint).error(
          .protocolViolation, "the list of models has an unknown form")
      }
      entries += page.entries
      guard let next = page.next, next != query else { break }
      query = next
    }
    for entry in entries {
      guard let window = entry.window else { continue }
      runtime.memory.learn(at: endpoint.with(model: entry.id)) { $0.room.window = window }
    }
    return ModelListing.ordered(entries)
  }
}

/// One page of a list of models in the form of OpenAI (`data[].id`), Anthropic (the same with
/// `has_more` and `last_id`) or Ollama's own API (`models[].name`).
struct ModelListing {
  struct Entry: Hashable {
    var id: String
    /// Seconds, or text that sorts by time; nil if the server gives none.
    var age: Double?
    var date: String?
    /// The model's context window in tokens.
    var window: Int?
  }

  var entries: [Entry]
  /// The query of the next page.
  var next: String?

  init?(_ body: [UInt8]) {
    guard let json = try? JSONValue(parsing: body, invalidText: .replaced),
      let items = json["data"]?.arrayValue ?? json["models"]?.arrayValue ?? json.arrayValue
    else { return nil }
    entries = items.compactMap { item in
      let id = (item["id"] ?? item["name"] ?? item["model"])?.stringValue ?? item.stringValue
      guard let id, !id.isEmpty else { return nil }
      // vLLM, OpenRouter, llama.cpp, and others.
      let window =
        (item["max_model_len"] ?? item["context_length"] ?? item["context_window"]
        ?? item["meta"]?["n_ctx"])?.countValue
      return Entry(
        id: id, age: item["created"]?.doubleValue, date: item["created_at"]?.stringValue,
        window: window)
    }
    if json["has_more"] == true, let last = json["last_id"]?.stringValue ?? entries.last?.id {
      next = "limit=1000&after_id=\(last.percentEncoded)"
    }
  }

  static func ordered(_ entries: [Entry]) -> [String] {
    var seen: Set<String> = []
    let unique = entries.filter { seen.insert($0.id).inserted }
    if unique.allSatisfy({ $0.age != nil }) {
      return unique.sorted { ($0.age ?? 0, $1.id) > ($1.age ?? 0, $0.id) }.map(\.id)
    }
    if unique.allSatisfy({ $0.date != nil }) {
      return unique.sorted { ($0.date ?? "", $1.id) > ($1.date ?? "", $0.id) }.map(\.id)
    }
    return unique.map(\.id)
  }
}
