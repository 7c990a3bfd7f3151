import IncrementalJSON

// The members of a request's body. Null is as good as none.
extension JSONObject {
  func text(_ name: String) throws(Problem) -> String? {
    try member(name, "a string", \.stringValue)
  }

  func flag(_ name: String) throws(Problem) -> Bool? {
    try member(name, "true or false", \.boolValue)
  }

  private func member<Value>(
    _ name: String, _ expected: String, _ read: (JSONValue) -> Value?
  ) throws(Problem) -> Value? {
    guard let value = self[name], !value.isNull else { return nil }
    guard let read = read(value) else {
      throw .badRequest("\(name) must be \(expected).", field: name)
    }
    return read
  }

  func require(onlyMembers known: [String]) throws(Problem) {
    guard let unknown = names.first(where: { !known.contains($0) }) else { return }
    throw .badRequest(
      "There's no member of this name. Known: \(known.joined(separator: ", ")).",
      field: String(unknown.prefix(64)))
  }
}
