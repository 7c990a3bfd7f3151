package import IncrementalJSON

/// A pack's JSON file. Errors include the file and line.
package struct PackDocument {
  package let root: JSONValue
  package let file: String

  package init(_ text: String, file: String) throws(PackError) {
    self.file = file
    do {
      root = try JSONValue(parsing: text)
    } catch {
      throw PackError(file: file, line: error.line, reason: error.reason)
    }
  }

  package func wrong(_ reason: String) -> PackError { PackError(file: file, reason: reason) }

  package func text(_ object: JSONValue, _ key: String) throws(PackError) -> String {
    guard let text = object[key]?.stringValue, !text.isEmpty else {
      throw wrong("\(key): expected a text, found \(object[key]?.serialized() ?? "nothing")")
    }
    return text
  }

  /// Empty if the key is missing.
  package func texts(_ object: JSONValue, _ key: String) throws(PackError) -> [String] {
    guard let value = object[key] else { return [] }
    let texts = value.arrayValue?.compactMap(\.stringValue)
    guard let texts, texts.count == value.arrayValue?.count else {
      throw wrong("\(key): expected a list of texts, found \(value.serialized().prefix(60))")
    }
    return texts
  }

  /// Empty if the key is missing.
  package func object(_ parent: JSONValue, _ key: String) throws(PackError) -> JSONObject {
    guard let value = parent[key] else { return JSONObject() }
    guard let object = value.objectValue else {
      throw wrong("\(key): expected an object, found \(value.serialized().prefix(60))")
    }
    return object
  }

  package func facet(
    _ value: JSONValue, of key: String, _ rubric: Rubric
  ) throws(PackError) -> Facet {
    guard let facet = Facet(value.stringValue ?? ""), rubric[facet] != nil else {
      throw wrong("\(key): expected a facet of the rubric, found \(value.serialized())")
    }
    return facet
  }

  /// Otherwise a misspelled key would be silently ignored.
  package func checkKeys(of object: JSONValue, _ known: [String]) throws(PackError) {
    let names = (object.objectValue ?? [:]).map(\.name)
    guard let unknown = names.first(where: { !known.contains($0) }) else { return }
    throw wrong("\(unknown): expected one of \(known.joined(separator: ", "))")
  }
}
