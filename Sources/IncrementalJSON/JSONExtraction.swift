/// The JSON object in a model's complete answer, ignoring the text around it.
///
/// Works like ``IncrementalJSONReader``: takes the first object, and skips `<think>` blocks and
/// code fences. Told what the answer must have, it takes the last object that has it if words come
/// first: those words may be a draft that contains other objects.
public enum JSONExtraction: Hashable, Sendable {
  case object(JSONObject)
  /// The text contains no object.
  case none
  /// The text ends inside the object. Its start may be shown, but not acted on.
  case unfinished(JSONObject)
  /// The text contains something like an object that is not JSON.
  case invalid

  /// - Parameter members: What the answer must have; empty if that is not known.
  public init(from text: String, having members: [String] = []) {
    self.init(first: text)
    let draft = text.prefix { $0 != "{" }.filter(\.isLetter).lowercased()
    guard !members.isEmpty, self != .none, draft != "", draft != "json" else { return }
    var (rest, failures) = (text.utf8[...], 0)
    while failures < Self.mostFailures, let start = rest.firstIndex(of: UInt8(ascii: "{")) {
      rest = rest[start...]
      guard let end = Self.end(of: rest) else { break }
      let found = Self(first: String(Substring(rest[..<end])))
      if let object = found.object {
        if members.allSatisfy({ object[$0] != nil }) { self = found }
        rest = rest[end...]
      } else {
        failures += 1
        rest = rest.dropFirst()
      }
    }
  }

  /// Braces in prose.
  private static let mostFailures = 100

  /// Behind the brace that closes the first one.
  private static func end(of text: Substring.UTF8View) -> String.Index? {
    var (depth, isInString, isEscaped) = (0, false, false)
    for index in text.indices {
      switch text[index] {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\") where isInString: isEscaped = true
      case UInt8(ascii: "\""): isInString.toggle()
      case UInt8(ascii: "{") where !isInString: depth += 1
      case UInt8(ascii: "}") where !isInString:
        depth -= 1
        if depth == 0 { return text.index(after: index) }
      default: break
      }
    }
    return nil
  }

  private init(first text: String) {
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
