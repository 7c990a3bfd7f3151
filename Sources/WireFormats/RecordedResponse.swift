public import HTTPStreaming
public import IncrementalJSON
public import LanguageModels

/// A response as it came over the wire.
public struct RecordedResponse: Hashable, Sendable {
  public var status: Int
  /// The relevant headers; `content-type` is derived from the content if missing.
  public var headers: HTTPHeaders
  public var content: Content
  public var ending: Ending

  public init(
    status: Int = 200, headers: HTTPHeaders = [:], content: Content, ending: Ending = .whole
  ) {
    self.status = status
    self.headers = headers
    self.content = content
    self.ending = ending
  }

  public enum Content: Hashable, Sendable {
    /// What a model says, framed as the format's servers do.
    case answer(ModelAnswer)
    /// The event stream, frame by frame.
    case frames([Frame])
    /// One document, such as an error.
    case body(String)
  }

  /// How the body ends.
  public enum Ending: String, Hashable, Sendable, CaseIterable {
    case whole
    /// The connection closes in the middle of the body.
    case cut
    /// The connection is reset.
    case reset
    /// The connection stays open, but no more bytes arrive.
    case held
  }

  /// A piece of an event stream.
  public struct Frame: Hashable, Sendable {
    /// Milliseconds since the response's head.
    public var at: Int
    public var content: Content

    public enum Content: Hashable, Sendable {
      /// `event:` and `data:`, ended by a blank line. A string is sent as it is (`[DONE]`).
      case event(String?, JSONValue)
      case raw(String)
      case bytes([UInt8])
    }

    public init(at: Int = 0, _ content: Content) {
      self.at = at
      self.content = content
    }
  }
}

/// A whole answer, before it is split into frames.
public struct ModelAnswer: Hashable, Sendable {
  public enum Body: Hashable, Sendable {
    case text(String)
    /// A structured answer.
    case json(JSONValue)
  }

  public var body: Body
  public var usage: TokenUsage?
  /// The format's spelling; nil is its value for a complete answer.
  public var finish: String?

  public init(_ body: Body, usage: TokenUsage? = nil, finish: String? = nil) {
    self.body = body
    self.usage = usage
    self.finish = finish
  }

  public var text: String {
    switch body {
    case .text(let text): text
    case .json(let value): value.serialized()
    }
  }
}
