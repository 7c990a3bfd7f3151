package import IncrementalJSON

extension JSONValue {
  /// What of this isn't as a schema wants it, by place; a member that may be left out counts, too.
  package func faults(_ schema: JSONValue, at place: String = "") -> [String] {
    let types =
      schema["type"]?.arrayValue?.compactMap(\.stringValue) ?? [
        schema["type"]?.stringValue ?? ""
      ]
    if self == .null { return types.contains("null") ? [] : ["\(place): null"] }
    if let choices = schema["enum"]?.arrayValue { return choices.contains(self) ? [] : [place] }
    switch types[0] {
    case "object":
      let members = schema["properties"]?.objectValue ?? [:]
      let given = Set((objectValue ?? [:]).map(\.name))
      let asked = Set(members.map(\.name))
      return given.symmetricDifference(asked).map { "\(place)/\($0)" }
        + members.flatMap { (self[$0.name] ?? .null).faults($0.value, at: "\(place)/\($0.name)") }
    case "array":
      guard let items = arrayValue, let item = schema["items"] else { return [place] }
      return items.enumerated().flatMap { $0.element.faults(item, at: "\(place)/\($0.offset)") }
    case "string": return stringValue == nil ? [place] : []
    case "integer": return intValue == nil ? [place] : []
    case "number": return doubleValue == nil ? [place] : []
    default: return ["\(place): \(types)"]
    }
  }

  /// The object after "example: " in a prompt's line; nil if there is none.
  package init?(exampleIn instructions: String) {
    guard let lead = instructions.firstRange(of: "xample: ") else { return nil }
    let rest = instructions[lead.upperBound...]
    let ends = rest.indices.filter { rest[$0] == "}" }
    let found = ends.lazy.compactMap { try? JSONValue(parsing: String(rest[...$0])) }.first
    guard let found else { return nil }
    self = found
  }
}
