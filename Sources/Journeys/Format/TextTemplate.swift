import ContextQuality

/// A text with the answers filled in: `{{name}}`, `{{name|friend}}`, `{{window.length}}`.
enum TextTemplate {
  struct Tag: Hashable {
    var name: String
    /// The words if there is no value.
    var otherwise: String?
  }

  static func tags(in text: String) -> [Tag] {
    var tags: [Tag] = []
    _ = filled(text) { tag in
      tags.append(tag)
      return nil
    }
    return tags
  }

  /// - Parameter value: A tag's value; nil if there is none.
  static func filled(_ text: String, _ value: (Tag) -> String?) -> String {
    var result = ""
    var rest = text[...]
    while let open = rest.firstRange(of: "{{") {
      guard let close = rest[open.upperBound...].firstRange(of: "}}") else { break }
      result += rest[..<open.lowerBound]
      let parts = rest[open.upperBound..<close.lowerBound].split(
        separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
      let tag = Tag(
        name: String(parts[0]).trimmed, otherwise: parts.count > 1 ? String(parts[1]) : nil)
      result += value(tag) ?? tag.otherwise ?? ""
      rest = rest[close.upperBound...]
    }
    return result + rest
  }
}
