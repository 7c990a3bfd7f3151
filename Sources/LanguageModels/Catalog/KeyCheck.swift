import IncrementalJSON

/// Checks a key with real requests: lists the account's models, and asks for one token, because an
/// account without credit can still list models.
public struct KeyCheck: Sendable {
  public enum Outcome: Hashable, Sendable {
    /// The key works; the available models, newest first.
    case ok(models: [String])
    case wrongKey(ModelError)
    case noNetwork(ModelError)
    case noCredit(ModelError)
    /// The key works, but there is no chat model.
    case noModels
    case other(ModelError)
  }

  private let endpoint: ModelEndpoint
  private let runtime: ModelRuntime

  /// - Parameter endpoint: Its model is tried if it names one; otherwise the fast default.
  public init(_ endpoint: ModelEndpoint, runtime: ModelRuntime) {
    self.endpoint = endpoint
    self.runtime = runtime
  }

  public func outcome() async -> Outcome {
    let models: [String]
    do {
      models = try await ModelCatalog(endpoint, runtime: runtime).models()
    } catch {
      // Some servers list nothing, yet answer for a named model.
      guard error.kind == .modelNotFound, !endpoint.model.isEmpty else {
        return Self.outcome(of: error)
      }
      return await trial(of: endpoint.model, models: [endpoint.model])
    }
    let choice = endpoint.model.isEmpty ? DefaultModels.choose(from: models)[.fast] : endpoint.model
    guard let choice, !models.isEmpty || !endpoint.model.isEmpty else { return .noModels }
    return await trial(of: choice, models: models)
  }

  /// llama.cpp tells its window beside the API.
  private func learnWindow(of model: String) async {
    let tried = endpoint.with(model: model)
    guard endpoint.format == .openAI, !endpoint.isVendor, runtime.memory[tried].window == nil else {
      return
    }
    var root = endpoint
    root.baseURL = endpoint.identity.endpoint
    let exchange = HTTPExchange(endpoint: root, runtime: runtime)
    guard let body = try? await exchange.get("/props"),
      let json = try? JSONValue(parsing: body, invalidText: .replaced),
      let window = (json["default_generation_settings"]?["n_ctx"] ?? json["n_ctx"])?.countValue
    else { return }
    runtime.memory.learn(at: tried) { $0.window = window }
  }

  private func trial(of model: String, models: [String]) async -> Outcome {
    await learnWindow(of: model)
    var runtime = runtime
    runtime.retries = .never
    // What a chat needs besides words: what the server rejects of it is remembered, and left out.
    let request = ModelRequest(
      purpose: .validate, system: "Say hi.", messages: [ModelMessage(.user, "Hi")],
      schema: Self.form, maxOutputTokens: 1)
    let reply = HTTPModel(endpoint.with(model: model), runtime: runtime).reply(to: request)
    do throws(ModelError) {
      for try await _ in reply {}
      return .ok(models: models)
    } catch {
      return Self.isProofOfLife(error) ? .ok(models: models) : Self.outcome(of: error)
    }
  }

  private static let form = ResponseSchema(
    name: "greeting",
    json: #"""
      {"type": "object", "properties": {"words": {"type": "string"}}, "required": ["words"], \#
      "additionalProperties": false}
      """#)

  /// A reasoning model may spend the one token without text, and an overloaded one still accepts
  /// the key.
  private static func isProofOfLife(_ error: ModelError) -> Bool {
    switch error.kind {
    case .rateLimited, .overloaded, .serverError: true
    case .truncated: error.status == nil
    case .badRequest: error.detail.contains("max_tokens") || error.detail.contains("output limit")
    default: false
    }
  }

  static func outcome(of error: ModelError) -> Outcome {
    switch error.kind {
    case .unauthorized, .keyMissing: .wrongKey(error)
    case .outOfCredit: .noCredit(error)
    case .unreachable, .timedOut, .insecure, .notEncrypted: .noNetwork(error)
    default: .other(error)
    }
  }
}
