public import IncrementalJSON

/// Checks values against a JSON Schema (draft 2020-12), as far as this project's schemas go. A
/// keyword that it does not know is an error, so that none is passed over.
public struct JSONSchema {
  private let root: JSONValue

  public struct Unsupported: Error, CustomStringConvertible {
    public let description: String
  }

  public init(_ root: JSONValue) { self.root = root }

  /// What is wrong with the value, each with its place; empty where nothing is.
  public func problems(_ value: JSONValue) throws -> [String] {
    try problems(value, root, at: "$")
  }

  private func problems(_ value: JSONValue, _ schema: JSONValue, at path: String) throws -> [String]
  {
    guard let keywords = schema.objectValue else {
      throw Unsupported(description: "a schema that is \(schema.kind)")
    }
    var problems: [String] = []
    for (keyword, argument) in keywords {
      problems += try check(keyword, argument, value, keywords, at: path)
    }
    return problems
  }

  private func check(
    _ keyword: String, _ argument: JSONValue, _ value: JSONValue, _ schema: JSONObject,
    at path: String
  ) throws -> [String] {
    func unless(_ holds: Bool) -> [String] { holds ? [] : ["\(path): \(keyword)"] }
    switch keyword {
    case "$schema", "$id", "$defs", "title", "description", "default": return []
    case "allOf":
      return try (argument.arrayValue ?? []).flatMap { try problems(value, $0, at: path) }
    case "unevaluatedProperties":
      let known = try evaluated(value, .object(schema))
      return (value.objectValue?.names ?? []).filter { !known.contains($0) }.map {
        "\(path).\($0): \(keyword)"
      }
    case "exclusiveMinimum":
      return unless(value.doubleValue.map { $0 > argument.doubleValue ?? 0 } ?? true)
    case "minLength":
      return unless(value.stringValue.map { $0.count >= argument.intValue ?? 0 } ?? true)
    case "maxLength":
      return unless(value.stringValue.map { $0.count <= argument.intValue ?? 0 } ?? true)
    case "uniqueItems":
      return unless(value.arrayValue.map { Set($0).count == $0.count } ?? true)
    case "maxProperties":
      return unless(value.objectValue.map { $0.count <= argument.intValue ?? 0 } ?? true)
    case "$ref": return try problems(value, definition(argument), at: path)
    case "const": return unless(value == argument)
    case "enum": return unless(argument.arrayValue?.contains(value) ?? false)
    case "type": return unless(Self.isOfType(value, argument.stringValue ?? ""))
    case "minimum":
      return unless(value.doubleValue.map { $0 >= argument.doubleValue ?? 0 } ?? true)
    case "maximum":
      return unless(value.doubleValue.map { $0 <= argument.doubleValue ?? 0 } ?? true)
    case "minItems":
      return unless(value.arrayValue.map { $0.count >= argument.intValue ?? 0 } ?? true)
    case "maxItems":
      return unless(value.arrayValue.map { $0.count <= argument.intValue ?? 0 } ?? true)
    case "minProperties":
      return unless(value.objectValue.map { $0.count >= argument.intValue ?? 0 } ?? true)
    case "pattern":
      let pattern = try Regex(argument.stringValue ?? "")
      return unless(value.stringValue.map { $0.firstMatch(of: pattern) != nil } ?? true)
    case "required":
      let names = argument.arrayValue?.compactMap(\.stringValue) ?? []
      return unless(
        value.objectValue.map { object in names.allSatisfy { object[$0] != nil } } ?? true)
    case "oneOf": return unless(try matches(value, argument) == 1)
    case "anyOf": return unless(try matches(value, argument) > 0)
    case "items":
      return try (value.arrayValue ?? []).enumerated().flatMap {
        try problems($0.element, argument, at: "\(path)[\($0.offset)]")
      }
    case "propertyNames":
      return try (value.objectValue?.names ?? []).flatMap {
        try problems(.string($0), argument, at: "\(path).\($0)")
      }
    case "properties":
      return try (value.objectValue ?? [:]).flatMap { name, member in
        try argument[name].map { try problems(member, $0, at: "\(path).\(name)") } ?? []
      }
    case "additionalProperties":
      let known = schema["properties"]?.objectValue?.names ?? []
      return try (value.objectValue ?? [:]).filter { !known.contains($0.name) }.flatMap {
        name, member in
        argument == false
          ? ["\(path).\(name): \(keyword)"] : try problems(member, argument, at: "\(path).\(name)")
      }
    default: throw Unsupported(description: "\(keyword) at \(path)")
    }
  }

  /// The members that the schema has looked at, also in the parts that apply to the value.
  private func evaluated(_ value: JSONValue, _ schema: JSONValue) throws -> Set<String> {
    var names = Set(schema["properties"]?.objectValue?.names ?? [])
    if let reference = schema["$ref"] {
      names.formUnion(try evaluated(value, try definition(reference)))
    }
    for part in schema["allOf"]?.arrayValue ?? [] { names.formUnion(try evaluated(value, part)) }
    for part in (schema["oneOf"]?.arrayValue ?? []) + (schema["anyOf"]?.arrayValue ?? [])
    where try problems(value, part, at: "").isEmpty {
      names.formUnion(try evaluated(value, part))
    }
    return names
  }

  private func matches(_ value: JSONValue, _ schemas: JSONValue) throws -> Int {
    try (schemas.arrayValue ?? []).filter { try problems(value, $0, at: "").isEmpty }.count
  }

  private func definition(_ reference: JSONValue) throws -> JSONValue {
    let name = reference.stringValue?.split(separator: "/").last.map(String.init) ?? ""
    guard let found = root["$defs"]?[name] else {
      throw Unsupported(description: "$ref \(reference.serialized())")
    }
    return found
  }

  private static func isOfType(_ value: JSONValue, _ type: String) -> Bool {
    switch type {
    case "object": value.objectValue != nil
    case "array": value.arrayValue != nil
    case "string": value.stringValue != nil
    case "boolean": value.boolValue != nil
    case "number": value.numberValue != nil
    case "integer": value.intValue != nil
    case "null": value.isNull
    default: false
    }
  }
}
