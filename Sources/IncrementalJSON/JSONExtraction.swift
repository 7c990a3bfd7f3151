/// The JSON object in a model's complete answer, ignoring the text around it.
///
/// Works like ``IncrementalJSONReader``: takes the first object, and skips `<think>` blocks and
/// code fences.
public enum JSONExtraction: Hashable, Sendable {
  case object(JSONObject)
  /// The text contains no object.
  case none
  /// The text ends inside the object. Its start may be shown, but not acted on.
  case unfinished(JSONObject)
  /// The text contains something like an object that is not JSON.
  case invalid

  public init(from text: String) {
    var reader = IncrementalJSONReader()
    reader.receive(text)
    switch (reader.status, reader.complete) {
    case (.done, .object(let object)?): self = .object(object)
    case (.open, .object(let object)?): self = .unfinished(object)
    case (.invalid, _): self = .invalid
    default: self = .none
    }
  }

  /// The object, if it is complete.
  public var object: JSONObject? { if case .object(let object) = self { object } else { nil } }
}
