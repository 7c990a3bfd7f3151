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

  /// What was remembered of the address is learned again.
  public func outcome() async -> Outcome {
    runtime.memory.forget(at: endpoint)
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

  private func trial(of model: String, models: [String]) async -> Outcome {
    let probe = RoomProbe(endpoint.with(model: model), runtime: runtime)
    await probe.learn()
    var runtime = runtime
    runtime.retries = .never
    // What a chat needs besides words: what the server rejects of it is remembered, and left out.
    let request = ModelRequest(
      purpose: .validate, system: "Say hi.", messages: [ModelMessage(.user, "Hi")],
      schema: Self.form, maxOutputTokens: 1)
    let reply = HTTPModel(endpoint.with(model: model), runtime: runtime).reply(to: request)
    do throws(ModelError) {
      var text = ""
      for try await event in reply {
        if case .delta(let piece) = event { text += piece }
      }
      // A server that knows no schemas can ignore one without a word.
      if let start = text.first(where: { !$0.isWhitespace }), start != "{", start != "`" {
        runtime.memory.refuse(
          [endpoint.format == .openAI ? .jsonSchema : .outputConfig],
          at: endpoint.with(model: model))
      }
      // Ollama knows a model's window once it has loaded it.
      await probe.learn()
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
