package import IncrementalJSON

/// A pack's JSON file. Errors include the file and line.
package struct PackDocument {
  package let root: JSONValue
  package let file: String
  private let source: String

  package init(_ text: String, file: String) throws(PackError) {
    (self.file, source) = (file, text)
    do {
      root = try JSONValue(parsing: text)
    } catch {
      throw PackError(file: file, line: error.line, reason: error.reason)
    }
  }

  /// - Parameters:
  ///   - key: The member that is wrong; nil for the value itself.
  ///   - value: The object that has the member, or the value that is wrong; nil for the root.
  package func wrong(
    _ reason: String, at key: String? = nil, in value: JSONValue? = nil
  ) -> PackError {
    PackError(file: file, line: line(of: key, in: value), reason: reason)
  }

  private func line(of key: String?, in value: JSONValue?) -> Int? {
    var steps: [JSONLines.Step] = []
    if let value { steps = Self.path(in: root) { $0 == value } ?? [] }
    if let key { steps.append(.member(key)) }
    return JSONLines(Array(source.utf8)).line(of: steps)
  }

  /// The line of the first object whose `key` is the text; nil if there is none.
  package func line(whereText key: String, is text: String) -> Int? {
    Self.path(in: root) { $0[key]?.stringValue == text }.flatMap {
      JSONLines(Array(source.utf8)).line(of: $0)
    }
  }

  private static func path(
    in value: JSONValue, to isIt: (JSONValue) -> Bool
  ) -> [JSONLines.Step]? {
    if isIt(value) { return [] }
    let parts: [(JSONLines.Step, JSONValue)] =
      value.objectValue.map { $0.map { (.member($0.name), $0.value) } }
      ?? (value.arrayValue ?? []).enumerated().map { (.element($0.offset), $0.element) }
    for (step, part) in parts {
      if let rest = path(in: part, to: isIt) { return [step] + rest }
    }
    return nil
  }

  package func text(_ object: JSONValue, _ key: String) throws(PackError) -> String {
    guard let text = object[key]?.stringValue, !text.isEmpty else {
      let found = object[key]?.serialized() ?? "nothing"
      throw wrong("\(key): expected a text, found \(found)", at: key, in: object)
    }
    return text
  }

  /// Empty if the key is missing.
  package func texts(_ object: JSONValue, _ key: String) throws(PackError) -> [String] {
    object[key] == nil ? [] : try value(object, key, "a list of texts", \.texts)
  }

  /// Empty if the key is missing.
  package func object(_ parent: JSONValue, _ key: String) throws(PackError) -> JSONObject {
    parent[key] == nil ? JSONObject() : try value(parent, key, "an object", \.objectValue)
  }

  func value<Value>(
    _ object: JSONValue, _ key: String, _ expected: String, _ read: (JSONValue) -> Value?
  ) throws(PackError) -> Value {
    if let member = object[key], let value = read(member) { return value }
    let found = object[key]?.serialized() ?? "nothing"
    throw wrong("\(key): expected \(expected), found \(found.prefix(60))", at: key, in: object)
  }

  package func facet(
    _ value: JSONValue, of key: String, _ rubric: Rubric
  ) throws(PackError) -> Facet {
    guard let facet = Facet(value.stringValue ?? ""), rubric[facet] != nil else {
      throw wrong(
        "\(key): expected a facet of the rubric, found \(value.serialized())"
          + rubric.hint(for: value.stringValue ?? ""), in: value)
    }
    return facet
  }

  /// Otherwise a misspelled key would be silently ignored. All that are unknown are named.
  package func checkKeys(of object: JSONValue, _ known: [String]) throws(PackError) {
    var faults = PackFaults()
    for (name, _) in object.objectValue ?? [:] where !known.contains(name) {
      let names = known.joined(separator: ", ") + name.hint(among: known)
      faults.add(wrong("\(name): expected one of \(names)", at: name, in: object))
    }
    try faults.raise()
  }
}

extension JSONValue {
  /// Nil unless it is a list of nothing but texts.
  var texts: [String]? {
    let texts = arrayValue?.compactMap(\.stringValue)
    return texts?.count == arrayValue?.count ? texts : nil
  }
}

extension String {
  /// Ends an error about a name that is unknown: the one that was probably meant, if any.
  package func hint(among names: [String]) -> String {
    nearest(among: names).map { "; did you mean \($0)?" } ?? ""
  }
}

extension Rubric {
  /// Ends an error about a facet that does not exist: the one that was probably meant, or all there are.
  package func hint(for name: String) -> String {
    let names = facets.map(\.facet.description)
    return name.nearest(among: names).map { "; did you mean \($0)?" }
      ?? "; the rubric has \(names.joined(separator: ", "))"
  }

  /// The same for a component.
  package func hint(forComponent name: String) -> String {
    let names = components.map(\.name)
    return name.nearest(among: names).map { "; did you mean \($0)?" }
      ?? "; the rubric has \(names.joined(separator: ", "))"
  }
}
