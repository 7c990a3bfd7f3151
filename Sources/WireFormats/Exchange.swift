public import LanguageModels

/// One request and its answer.
public struct Exchange: Hashable, Sendable {
  /// Nil if a stranger asked.
  public var purpose: RequestPurpose?
  /// What the request is known by; nil in a cassette that is yet to be completed.
  public var request: RequestRecord?
  public var response: RecordedResponse
  /// What goes wrong on the way.
  public var fault: Fault?

  public init(
    purpose: RequestPurpose?, request: RequestRecord? = nil, response: RecordedResponse,
    fault: Fault? = nil
  ) {
    self.purpose = purpose
    self.request = request
    self.response = response
    self.fault = fault
  }
}

/// What a recorded request is known by. The fingerprints are of the content, not of the bytes.
public struct RequestRecord: Hashable, Sendable {
  public var model: String
  /// See ``RequestContent/structure``.
  public var structure: String?
  /// How many messages were sent.
  public var messages: Int
  /// Of the user's words so far: what a recording is found by, with the structure.
  public var words: String
  /// Of all messages.
  public var conversation: String
  /// Of the system prompt and the schema.
  public var prompt: String

  public init(
    model: String, structure: String?, messages: Int, words: String, conversation: String,
    prompt: String
  ) {
    self.model = model
    self.structure = structure
    self.messages = messages
    self.words = words
    self.conversation = conversation
    self.prompt = prompt
  }
}
