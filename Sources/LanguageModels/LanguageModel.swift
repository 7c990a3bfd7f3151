/// Something that answers a conversation with text.
///
/// The engine knows models only through this protocol: a provider over HTTP, a recorded
/// conversation and a test's script are the same to it.
public protocol LanguageModel: Sendable {
  /// What is answering, for messages to the user and for the session's record.
  var identity: ModelIdentity { get }

  /// Starts an answer. Nothing is sent before the reply is iterated.
  func reply(to request: ModelRequest) -> ModelReply
}

/// The name of a model and where it is reached. Holds no secret.
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

/// What a model is used for; each role can have a model of its own.
public enum ModelRole: String, Sendable, CaseIterable, Codable {
  /// Scoring: short, structured, after every user turn.
  case fast
  /// The interview: what the user reads and waits for.
  case coach
  /// Synthesis, and coaching after the paywall.
  case deep
}

/// Why a request is made. Cassettes, logs and scripted models tell requests apart by it.
public enum RequestPurpose: String, Sendable, CaseIterable, Codable {
  case greet, score, ask, offer, synthesise, confirm, coach, validate, starters
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
  /// Instructions, kept apart from the conversation.
  public var system: String
  /// The conversation, oldest first; may be empty.
  public var messages: [ModelMessage]
  /// The shape the answer must have; nil asks for prose.
  public var schema: ResponseSchema?
  /// The most tokens the answer may use.
  public var maxOutputTokens: Int
  /// Asked beside the conversation, which would go the same way without it. Recordings leave it out.
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

/// A JSON Schema that an answer is asked to follow. Servers may ignore it: validate what comes.
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
  /// Text to append to what was received before.
  case delta(String)
  /// The model cannot answer yet and the request will be sent again; nothing was shown so far.
  case waiting(ModelWait)
  /// The answer is whole. Always the last event.
  case completed(ModelCompletion)
}

/// A pause before another attempt.
public struct ModelWait: Hashable, Sendable {
  public enum Reason: String, Hashable, Sendable {
    case rateLimited, overloaded, serverError, unreachable
  }
  public var reason: Reason
  public var delay: Duration
  /// The attempt that follows the wait, counted from 1.
  public var nextAttempt: Int

  public init(reason: Reason, delay: Duration, nextAttempt: Int) {
    self.reason = reason
    self.delay = delay
    self.nextAttempt = nextAttempt
  }
}

/// How a whole answer ended.
public struct ModelCompletion: Hashable, Sendable {
  public enum FinishReason: Hashable, Sendable {
    case stop
    /// The token limit cut the answer; structured output is then incomplete.
    case length
    /// The model or its provider declined.
    case refusal
    /// A reason this program does not know, as the server spelled it.
    case other(String)
  }
  public var finish: FinishReason
  public var usage: TokenUsage?
  /// The provider's request id, for support.
  public var requestID: String?
  /// How many requests it took, at least 1.
  public var attempts: Int
  /// The server dropped the oldest part of the prompt: the answer rests on less than was sent.
  public var promptWasCut: Bool

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

/// Tokens as the provider counted them.
public struct TokenUsage: Hashable, Sendable, Codable {
  /// All input tokens, cached ones included.
  public var input: Int
  public var output: Int

  public init(input: Int, output: Int) {
    self.input = input
    self.output = output
  }
}
