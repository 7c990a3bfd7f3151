import IncrementalJSON

/// A location in a JSON document (RFC 6901).
struct JSONPointer {
  let tokens: [String]

  /// The empty string points to the whole document.
  init(_ text: String) {
    tokens = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
      String($0).replacing("~1", with: "/").replacing("~0", with: "~")
    }
  }

  /// Nil if there is no value.
  func value(in document: JSONValue) -> JSONValue? {
    var value = document
    for token in tokens {
      let next: JSONValue? =
        switch value {
        case .object(let members): members[token]
        case .array(let elements):
          Int(token).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
        case .null, .bool, .number, .string: nil
        }
      guard let next else { return nil }
      value = next
    }
    return value
  }
}
