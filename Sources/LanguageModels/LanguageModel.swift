/// Something that answers a conversation with text.
///
/// The engine uses models only through this protocol, so an HTTP provider, a recorded conversation
/// and a test's script look the same to it.
public protocol LanguageModel: Sendable {
  /// The model that answers, for messages to the user and for the session's record.
  var identity: ModelIdentity { get }

  /// Starts an answer. Nothing is sent until the reply is iterated.
  func reply(to request: ModelRequest) -> ModelReply

  /// Where an answer can be read without a change of threads for each piece; nil for anywhere. What is
  /// done there between the pieces should be short.
  var readingExecutor: (any TaskExecutor)? { get }

  /// What is known of the server's room, which can change with each answer.
  var room: ServerRoom { get }
}

extension LanguageModel {
  public var readingExecutor: (any TaskExecutor)? { nil }
  public var room: ServerRoom { ServerRoom() }
}

/// How much a model's server takes. Nil where it does not tell.
public struct ServerRoom: Hashable, Sendable, Codable {
  /// The tokens that fit into prompt and answer together.
  public var window: Int?
  /// How many requests it answers at the same time.
  public var slots: Int?

  public init(window: Int? = nil, slots: Int? = nil) {
    (self.window, self.slots) = (window, slots)
  }
}

/// A model's name and location. Contains no secret.
public struct ModelIdentity: Hashable, Sendable {
  /// The provider's name for people, such as `OpenAI`.
  public var provider: String
  /// The model's name as the provider spells it.
  public var model: String
  /// The scheme and host that requests go to; empty for a model without a network.
  public var endpoint: String

  public init(provider: String, model: String, endpoint: String = "") {
    self.provider = provider
    self.model = model
    self.endpoint = endpoint
  }
}

/// What a model is used for; each role can have a different model.
public enum ModelRole: String, Sendable, CaseIterable, Codable {
  /// Scoring: short, structured, after every user turn.
  case fast
  /// The interview: what the user reads and waits for.
  case coach
  /// Synthesis, and coaching after the paywall.
  case deep
}

/// The purpose of a request, by which cassettes, logs and scripted models tell requests apart.
public enum RequestPurpose: String, Sendable, CaseIterable, Codable {
  case greet, score, ask, offer, reply, synthesise, confirm, coach, validate, starters, draft, edit
}

/// One message of the conversation that is sent.
public struct ModelMessage: Hashable, Sendable {
  public enum Author: String, Sendable { case user, assistant }
  public var author: Author
  public var text: String

  public init(_ author: Author, _ text: String) {
    self.author = author
    self.text = text
  }
}

/// Everything a model needs for one answer.
public struct ModelRequest: Hashable, Sendable {
  public var purpose: RequestPurpose
  /// Instructions, separate from the conversation.
  public var system: String
  /// The conversation, oldest first; may be empty.
  public var messages: [ModelMessage]
  /// The required form of the answer; nil asks for prose.
  public var schema: ResponseSchema?
  /// The most tokens that the answer may use.
  public var maxOutputTokens: Int
  /// Whether the request runs beside the conversation without affecting it. Recordings leave it
  /// out.
  public var isBackground: Bool

  public init(
    purpose: RequestPurpose, system: String, messages: [ModelMessage],
    schema: ResponseSchema? = nil, maxOutputTokens: Int = 1024, isBackground: Bool = false
  ) {
    self.purpose = purpose
    self.system = system
    self.messages = messages
    self.schema = schema
    self.maxOutputTokens = maxOutputTokens
    self.isBackground = isBackground
  }
}

/// A JSON Schema for the answer. Servers may ignore it, so validate the result.
public struct ResponseSchema: Hashable, Sendable {
  /// Matches `[A-Za-z0-9_-]{1,64}`.
  public var name: String
  /// The schema as JSON text.
  public var json: String

  public init(name: String, json: String) {
    self.name = name
    self.json = json
  }
}

/// One step of an answer. A reply that does not throw ends with exactly one `completed`.
public enum ModelEvent: Hashable, Sendable {
  /// Text to append to what came before.
  case delta(String)
  /// The model cannot answer yet, and the request will be sent again; nothing has been shown.
  case waiting(ModelWait)
  /// The answer is complete. Always the last event.
  case completed(ModelCompletion)
}

/// A pause before another attempt.
public struct ModelWait: Hashable, Sendable {
  public enum Reason: String, Hashable, Sendable {
    case rateLimited, overloaded, serverError, unreachable
  }
  public var reason: Reason
  public var delay: Duration
  /// The attempt after the wait, counted from 1.
  public var nextAttempt: Int

  public init(reason: Reason, delay: Duration, nextAttempt: Int) {
    self.reason = reason
    self.delay = delay
    self.nextAttempt = nextAttempt
  }
}

/// How a complete answer ended.
public struct ModelCompletion: Hashable, Sendable {
  public enum FinishReason: Hashable, Sendable {
    case stop
    /// The token limit cut the answer off; structured output is then incomplete.
    case length
    /// The model or its provider declined.
    case refusal
    /// Another reason, as the server spelled it.
    case other(String)

    /// Whether the model ended the answer by itself. Only reasons that are known to mean this do.
    public var isWhole: Bool {
      switch self {
      case .stop: true
      case .length, .refusal: false
      // It ended to call a tool.
      case .other(let reason): ["tool_calls", "function_call", "tool_use"].contains(reason)
      }
    }
  }
  public var finish: FinishReason
  public var usage: TokenUsage?
  /// The provider's request id, for support.
  public var requestID: String?
  /// The number of requests it took, at least 1.
  public var attempts: Int
  /// The server dropped the oldest part of the prompt, so the answer rests on less than was sent.
  public var promptWasCut: Bool
  /// The model was thinking before it answered, or instead.
  public var hasReasoning = false
  /// The answer's words, if the deltas began with a draft that was recognized too late.
  public var replacement: String?

  public init(
    finish: FinishReason, usage: TokenUsage? = nil, requestID: String? = nil, attempts: Int = 1,
    promptWasCut: Bool = false
  ) {
    self.finish = finish
    self.usage = usage
    self.requestID = requestID
    self.attempts = attempts
    self.promptWasCut = promptWasCut
  }
}

/// Token counts from the provider.
public struct TokenUsage: Hashable, Sendable, Codable {
  /// All input tokens, including cached ones.
  public var input: Int
  public var output: Int

  public init(input: Int, output: Int) {
    self.input = input
    self.output = output
  }
}
