/// The JSON object in a whole answer of a model, whatever is written around it.
///
/// Follows ``IncrementalJSONReader``: the first object counts, `<think>` blocks and code fences are
/// skipped.
public enum JSONExtraction: Hashable, Sendable {
  case object(JSONObject)
  /// There is no object in the text.
  case none
  /// The text ends inside the object. What is there may be shown, not acted on.
  case unfinished(JSONObject)
  /// There is something like an object, which is not JSON.
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

  /// The object, if there is a whole one.
  public var object: JSONObject? { if case .object(let object) = self { object } else { nil } }
}
