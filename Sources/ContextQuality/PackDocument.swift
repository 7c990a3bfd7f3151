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
