public import LanguageModels

/// One request and its answer.
public struct Exchange: Hashable, Sendable {
  /// Nil for requests from other programs.
  public var purpose: RequestPurpose?
  /// What identifies the request; nil in a cassette that is not complete yet.
  public var request: RequestRecord?
  public var response: RecordedResponse
  /// The fault to apply, if any.
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

/// What identifies a recorded request. The fingerprints cover the content, not the bytes.
public struct RequestRecord: Hashable, Sendable {
  public var model: String
  /// See ``RequestContent/structure``.
  public var structure: String?
  /// How many messages were sent.
  public var messages: Int
  /// The user's words so far. With the structure, this finds a recording.
  public var words: String
  /// Covers all messages.
  public var conversation: String
  /// Covers the system prompt and the schema.
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

  /// The kind of answer that the request wants: the first name of its structure; empty for prose.
  ///
  /// Schemas grow at their end, so recordings from before they did still answer.
  package var kind: String {
    structure?.split(separator: ",").first.map(String.init) ?? ""
  }
}
