/// Any JSON value.
public enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

extension JSONValue {
  /// A number from an integer.
  public init(_ value: Int) { self = .number(JSONNumber(value)) }

  /// A number from a double, or nil if it is infinite or NaN, which JSON cannot represent.
  public init?(_ value: Double) {
    guard let number = JSONNumber(value) else { return nil }
    self = .number(number)
  }

  public init(_ value: String) { self = .string(value) }
  public init(_ value: Bool) { self = .bool(value) }

  package static func strings(_ values: [String]) -> JSONValue {
    .array(values.map { .string($0) })
  }

  /// Null without a value.
  package static func optional(_ value: (some JSONRepresentable)?) -> JSONValue {
    value?.asJSON ?? .null
  }

  /// An object without the members that have no value.
  package static func members(_ members: [(String, JSONValue?)]) -> JSONValue {
    .object(JSONObject(members.compactMap { name, value in value.map { (name, $0) } }))
  }

  /// The same, from plain values.
  package static func members(
    _ members: KeyValuePairs<String, (any JSONRepresentable)?>
  ) -> JSONValue {
    .object(JSONObject(members.compactMap { name, value in value.map { (name, $0.asJSON) } }))
  }
}

/// What stands in JSON as it is.
package protocol JSONRepresentable {
  var asJSON: JSONValue { get }
}

extension JSONValue: JSONRepresentable { package var asJSON: JSONValue { self } }
extension String: JSONRepresentable { package var asJSON: JSONValue { .string(self) } }
extension Int: JSONRepresentable { package var asJSON: JSONValue { JSONValue(self) } }
extension Double: JSONRepresentable { package var asJSON: JSONValue { JSONValue(self) ?? .null } }
extension Bool: JSONRepresentable { package var asJSON: JSONValue { .bool(self) } }
extension Array: JSONRepresentable where Element: JSONRepresentable {
  package var asJSON: JSONValue { .array(map(\.asJSON)) }
}

extension JSONValue {
  /// An object's member, or nil if it is missing or this is not an object.
  public subscript(name: String) -> JSONValue? { objectValue?[name] }

  /// An array's element, or nil if it is missing or this is not an array.
  public subscript(index: Int) -> JSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  public var isNull: Bool { self == .null }

  public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }

  public var stringValue: String? { if case .string(let value) = self { value } else { nil } }

  public var arrayValue: [JSONValue]? { if case .array(let value) = self { value } else { nil } }

  public var objectValue: JSONObject? { if case .object(let value) = self { value } else { nil } }

  public var numberValue: JSONNumber? { if case .number(let value) = self { value } else { nil } }

  /// The number if it is whole and fits, in any notation (`3`, `3.0`, `3e0`).
  /// `true` is not a number.
  public var intValue: Int? { numberValue?.intValue }

  /// The number as the nearest double; always finite.
  public var doubleValue: Double? { numberValue?.doubleValue }

  /// The kind of value, for messages: `null`, `true or false`, `a number`…
  public var kind: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }

  public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }

  /// A literal too large for a double is `null`.
  public init(floatLiteral value: Double) { self = JSONValue(value) ?? .null }

  public init(booleanLiteral value: Bool) { self = .bool(value) }

  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  /// If a name repeats, the last value is kept.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(JSONObject(elements))
  }
}
