import ContextQuality
package import IncrementalJSON

extension JSONValue {
  /// Without control characters in its texts: they can turn what stands beside a name around, or ring a bell.
  package var visible: JSONValue {
    switch self {
    case .string(let text): .string(PlainText.visible(text))
    case .array(let elements): .array(elements.map(\.visible))
    case .object(let members): .object(JSONObject(members.map { ($0.name, $0.value.visible) }))
    case .null, .bool, .number: self
    }
  }
}
