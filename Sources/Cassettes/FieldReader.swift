import IncrementalJSON

/// Reads the members of a JSON object, names the field that is wrong, and refuses what it does not
/// know: a misspelt expectation would otherwise pass for ever.
struct FieldReader {
  let object: JSONObject
  let path: String

  init(_ value: JSONValue, at path: String, knows names: [String]) throws(CassetteError) {
    guard let object = value.objectValue else {
      throw CassetteError(path: path, expected: "an object", found: value.kind)
    }
    self.object = object
    self.path = path
    for name in object.names where !names.contains(name) {
      throw CassetteError(
        path: Self.join(path, name), expected: "one of \(names.joined(separator: ", "))",
        found: "a field of another name")
    }
  }

  static func join(_ path: String, _ name: String) -> String {
    path.isEmpty ? name : path + "." + name
  }

  func path(_ name: String) -> String { Self.join(path, name) }

  func value(_ name: String) -> JSONValue? {
    object[name].flatMap { $0.isNull ? nil : $0 }
  }

  func refuseNulls() throws(CassetteError) {
    for (name, value) in object where value.isNull {
      throw CassetteError(
        path: path(name), expected: "a value; leave out what there is not", found: "null")
    }
  }

  func required<Value>(
    _ name: String, _ read: (String) throws(CassetteError) -> Value?
  ) throws(CassetteError) -> Value {
    guard let value = try read(name) else {
      throw CassetteError(path: path(name), expected: "a value", found: "nothing")
    }
    return value
  }

  func text(_ name: String) throws(CassetteError) -> String? {
    try read(name, "a string", \.stringValue)
  }

  func flag(_ name: String) throws(CassetteError) -> Bool? {
    try read(name, "true or false", \.boolValue)
  }

  func number(_ name: String) throws(CassetteError) -> Double? {
    try read(name, "a number", \.doubleValue)
  }

  func count(_ name: String, upTo limit: Int = Int(Int32.max)) throws(CassetteError) -> Int? {
    guard let value = value(name) else { return nil }
    guard let number = value.intValue, number >= 0, number <= limit else {
      throw CassetteError(
        path: path(name), expected: "a whole number from 0 to \(limit)",
        found: value.numberValue?.description ?? value.kind)
    }
    return number
  }

  func texts(_ name: String) throws(CassetteError) -> [String]? {
    try list(name) { value, path throws(CassetteError) in
      guard let text = value.stringValue else {
        throw CassetteError(path: path, expected: "a string", found: value.kind)
      }
      return text
    }
  }

  func list<Element>(
    _ name: String, _ element: (JSONValue, String) throws(CassetteError) -> Element
  ) throws(CassetteError) -> [Element]? {
    guard let values = try read(name, "an array", \.arrayValue) else { return nil }
    var elements: [Element] = []
    for (index, value) in values.enumerated() {
      elements.append(try element(value, "\(path(name))[\(index)]"))
    }
    return elements
  }

  func members(_ name: String) throws(CassetteError) -> JSONObject? {
    try read(name, "an object", \.objectValue)
  }

  /// One of an enumeration's raw values.
  func choice<Value: RawRepresentable & CaseIterable>(
    _ name: String, _: Value.Type
  ) throws(CassetteError) -> Value? where Value.RawValue == String {
    guard let text = try text(name) else { return nil }
    guard let value = Value(rawValue: text) else {
      let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
      throw CassetteError(path: path(name), expected: "one of \(names)", found: "\"\(text)\"")
    }
    return value
  }

  func checkOneOf(_ names: [String]) throws(CassetteError) {
    let given = names.filter { object[$0] != nil }
    guard given.count != 1 else { return }
    throw CassetteError(
      path: path, expected: "one of \(names.joined(separator: ", "))",
      found: given.isEmpty ? "none of them" : given.joined(separator: " and "))
  }

  private func read<Value>(
    _ name: String, _ expected: String, _ get: (JSONValue) -> Value?
  ) throws(CassetteError) -> Value? {
    guard let value = value(name) else { return nil }
    guard let read = get(value) else {
      throw CassetteError(path: path(name), expected: expected, found: value.kind)
    }
    return read
  }
}
