/// Reads HTML as strictly as it can be written: every tag closed, every value quoted, every `<` and
/// `&` in its place. What a browser would have to guess about is an error.
struct PageReader {
  struct Element: Hashable, CustomStringConvertible {
    var name: String
    var attributes: [String: String] = [:]

    var description: String {
      "<\(name)\(attributes.sorted { $0.key < $1.key }.map { " \($0.key)=\"\($0.value)\"" }.joined())>"
    }
  }

  struct Malformed: Error, CustomStringConvertible {
    let description: String
  }

  private(set) var elements: [Element] = []
  /// Text outside the style sheet, with the elements it is in.
  private(set) var texts: [(path: [String], text: String)] = []
  private var path: [String] = []
  private var rest: Substring

  init(_ page: String) throws {
    rest = page[...]
    guard take("<!DOCTYPE html>") else { throw Malformed(description: "no doctype") }
    while !rest.isEmpty { try next() }
    guard path.isEmpty else { throw Malformed(description: "never closed: \(path)") }
  }

  func count(_ name: String, class kind: String? = nil) -> Int {
    elements.count { element in
      let kinds = element.attributes["class"]?.split(separator: " ").map(String.init) ?? []
      return element.name == name && (kind.map(kinds.contains) ?? true)
    }
  }

  var text: String { texts.map(\.text).joined() }

  private mutating func take(_ prefix: String) -> Bool {
    guard rest.hasPrefix(prefix) else { return false }
    rest.removeFirst(prefix.count)
    return true
  }

  private mutating func next() throws {
    if take("</") { return try close() }
    if take("<") { return try open() }
    let end = rest.firstIndex(of: "<") ?? rest.endIndex
    texts.append((path, try Self.unescape(rest[..<end])))
    rest = rest[end...]
  }

  private mutating func close() throws {
    let name = String(try upTo(">"))
    guard path.popLast() == name else { throw Malformed(description: "</\(name)> closes nothing") }
  }

  private mutating func open() throws {
    var tag = try upTo(">")
    let closesItself = tag.last == "/"
    if closesItself { tag.removeLast() }
    let element = try Self.element(tag)
    elements.append(element)
    if element.name == "style" {
      guard let end = rest.firstRange(of: "</style>") else {
        throw Malformed(description: "endless style")
      }
      rest = rest[end.upperBound...]
    } else if !closesItself, element.name != "meta" {
      path.append(element.name)
    }
  }

  /// The tag's text: a `>` inside a value would be an escape that is missing.
  private mutating func upTo(_ end: Character) throws -> Substring {
    guard let index = rest.firstIndex(of: end) else { throw Malformed(description: "endless tag") }
    defer { rest = rest[rest.index(after: index)...] }
    return rest[..<index]
  }

  private static func element(_ tag: Substring) throws -> Element {
    let name = tag.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
    guard let first = name.first, first.isLetter else {
      throw Malformed(description: "not a tag: <\(tag.prefix(40))")
    }
    var element = Element(name: String(name))
    var rest = tag[name.endIndex...]
    while !rest.isEmpty {
      guard rest.first == " " else { throw Malformed(description: "in a tag: \(tag.prefix(80))") }
      rest.removeFirst()
      let key = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
      guard !key.isEmpty else { throw Malformed(description: "no name: \(tag.prefix(80))") }
      rest = rest[key.endIndex...]
      var value = ""
      if rest.hasPrefix("=\"") {
        rest.removeFirst(2)
        guard let end = rest.firstIndex(of: "\"") else {
          throw Malformed(description: "endless value: \(tag.prefix(80))")
        }
        value = try unescape(rest[..<end])
        rest = rest[rest.index(after: end)...]
      }
      guard element.attributes.updateValue(value, forKey: String(key)) == nil else {
        throw Malformed(description: "\(key) twice: \(tag.prefix(80))")
      }
    }
    return element
  }

  private static let entities = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "#39": "'"]

  private static func unescape(_ text: Substring) throws -> String {
    guard !text.unicodeScalars.contains(where: { "<>".unicodeScalars.contains($0) }) else {
      throw Malformed(description: "not escaped: \(text.prefix(80))")
    }
    var pieces = text.split(separator: "&", omittingEmptySubsequences: false)[...]
    var result = String(pieces.removeFirst())
    for piece in pieces {
      guard let end = piece.firstIndex(of: ";"), let plain = entities[String(piece[..<end])] else {
        throw Malformed(description: "not escaped: &\(piece.prefix(40))")
      }
      result += plain + piece[piece.index(after: end)...]
    }
    return result
  }
}
