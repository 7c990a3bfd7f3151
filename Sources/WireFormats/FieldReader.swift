package import IncrementalJSON

/// Reads the members of a JSON object, names the field that is wrong, and refuses unknown
/// members: otherwise a misspelled expectation would always pass.
package struct FieldReader {
  package let object: JSONObject
  package let path: String

  package init(_ value: JSONValue, at path: String, knows names: [String]) throws(FieldError) {
    guard let object = value.objectValue else {
      throw FieldError(path: path, expected: "an object", found: value.kind)
    }
    self.object = object
    self.path = path
    for name in object.names where !names.contains(name) {
      throw FieldError(
        path: Self.join(path, name), expected: "one of \(names.joined(separator: ", "))",
        found: "a field of another name")
    }
  }

  package static func join(_ path: String, _ name: String) -> String {
    path.isEmpty ? name : path + "." + name
  }

  package func path(_ name: String) -> String { Self.join(path, name) }

  package func value(_ name: String) -> JSONValue? {
    object[name].flatMap { $0.isNull ? nil : $0 }
  }

  package func refuseNulls() throws(FieldError) {
    for (name, value) in object where value.isNull {
      throw FieldError(
        path: path(name), expected: "a value; leave out what there is not", found: "null")
    }
  }

  package func required<Value>(
    _ name: String, _ read: (String) throws(FieldError) -> Value?
  ) throws(FieldError) -> Value {
    guard let value = try read(name) else {
      throw FieldError(path: path(name), expected: "a value", found: "nothing")
    }
    return value
  }

  package func requiredCount(_ name: String) throws(FieldError) -> Int {
    try required(name) { name throws(FieldError) in try count(name) }
  }

  package func text(_ name: String) throws(FieldError) -> String? {
    try read(name, "a string", \.stringValue)
  }

  package func flag(_ name: String) throws(FieldError) -> Bool? {
    try read(name, "true or false", \.boolValue)
  }

  package func number(_ name: String) throws(FieldError) -> Double? {
    try read(name, "a number", \.doubleValue)
  }

  package func count(_ name: String, upTo limit: Int = Int(Int32.max)) throws(FieldError) -> Int? {
    guard let value = value(name) else { return nil }
    guard let number = value.intValue, number >= 0, number <= limit else {
      throw FieldError(
        path: path(name), expected: "a whole number from 0 to \(limit)",
        found: value.numberValue?.description ?? value.kind)
    }
    return number
  }

  package func texts(_ name: String) throws(FieldError) -> [String]? {
    try list(name) { value, path throws(FieldError) in
      guard let text = value.stringValue else {
        throw FieldError(path: path, expected: "a string", found: value.kind)
      }
      return text
    }
  }

  package func list<Element>(
    _ name: String, _ element: (JSONValue, String) throws(FieldError) -> Element
  ) throws(FieldError) -> [Element]? {
    guard let values = try read(name, "an array", \.arrayValue) else { return nil }
    var elements: [Element] = []
    for (index, value) in values.enumerated() {
      elements.append(try element(value, "\(path(name))[\(index)]"))
    }
    return elements
  }

  package func members(_ name: String) throws(FieldError) -> JSONObject? {
    try read(name, "an object", \.objectValue)
  }

  /// One of an enumeration's raw values.
  package func choice<Value: RawRepresentable & CaseIterable>(
    _ name: String, _: Value.Type
  ) throws(FieldError) -> Value? where Value.RawValue == String {
    try text(name).map { text throws(FieldError) in try Self.choice(text, path(name)) }
  }

  package func choices<Value: RawRepresentable & CaseIterable>(
    _ name: String, _: Value.Type
  ) throws(FieldError) -> [Value]? where Value.RawValue == String {
    try texts(name)?.enumerated().map { index, text throws(FieldError) in
      try Self.choice(text, "\(path(name))[\(index)]")
    }
  }

  private static func choice<Value: RawRepresentable & CaseIterable>(
    _ text: String, _ path: String
  ) throws(FieldError) -> Value where Value.RawValue == String {
    guard let value = Value(rawValue: text) else {
      let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
      throw FieldError(path: path, expected: "one of \(names)", found: "\"\(text)\"")
    }
    return value
  }

  package func checkOneOf(_ names: [String]) throws(FieldError) {
    let given = names.filter { object[$0] != nil }
    guard given.count != 1 else { return }
    throw FieldError(
      path: path, expected: "one of \(names.joined(separator: ", "))",
      found: given.isEmpty ? "none of them" : given.joined(separator: " and "))
  }

  private func read<Value>(
    _ name: String, _ expected: String, _ get: (JSONValue) -> Value?
  ) throws(FieldError) -> Value? {
    guard let value = value(name) else { return nil }
    guard let read = get(value) else {
      throw FieldError(path: path(name), expected: expected, found: value.kind)
    }
    return read
  }
}
