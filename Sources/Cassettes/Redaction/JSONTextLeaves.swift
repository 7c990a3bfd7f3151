/// A string in a JSON document, with its place and path.
struct JSONTextLeaf: Hashable {
  /// Names and positions, such as `choices.#0.delta.content`; an element with an `index` member
  /// is identified by it.
  var path: String
  /// The bytes between the quotes in the source.
  var range: Range<Int>

  /// Whether the string belongs to the format rather than to a speaker.
  var isStructural: Bool {
    switch path.split(separator: ".").last {
    case "role", "type", "id", "object", "model", "finish_reason", "stop_reason", "stop_sequence",
      "system_fingerprint", "service_tier", "code", "native_finish_reason":
      true
    default: false
    }
  }

  /// A piece of a text that continues in the next event.
  var isPiece: Bool {
    let names = path.split(separator: ".")
    if names.contains("delta") { return true }
    switch names.last {
    case "content", "text", "response", "completion", "reasoning", "thinking", "partial_json",
      "arguments", "refusal":
      return true
    default: return false
    }
  }
}

/// Finds the strings of a JSON document without changing a byte. If the document was cut short,
/// it reads as far as possible.
struct JSONTextLeaves {
  private let bytes: [UInt8]
  private var position: Int
  private let end: Int
  private(set) var leaves: [JSONTextLeaf] = []
  /// Where valid JSON ends.
  var endOfJSON: Int { position }

  init(_ bytes: [UInt8], in range: Range<Int>) {
    self.bytes = bytes
    position = range.lowerBound
    end = range.upperBound
    leaves = value(depth: 0) ?? []
    skipBlanks()
  }

  private mutating func skipBlanks() {
    while position < end, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
  }

  private mutating func take(_ byte: Unicode.Scalar) -> Bool {
    skipBlanks()
    guard position < end, bytes[position] == UInt8(ascii: byte) else { return false }
    position += 1
    return true
  }

  /// Nil if this is not JSON; then reading stops.
  private mutating func value(depth: Int) -> [JSONTextLeaf]? {
    skipBlanks()
    guard position < end, depth < 64 else { return nil }
    switch bytes[position] {
    case UInt8(ascii: "{"): return object(depth: depth)
    case UInt8(ascii: "["): return array(depth: depth)
    case UInt8(ascii: "\""): return string().map { [JSONTextLeaf(path: "", range: $0)] }
    default:
      let start = position
      while position < end, Self.isLiteral(bytes[position]) { position += 1 }
      guard isScalar(start..<position) else {
        position = start
        return nil
      }
      return []
    }
  }

  /// A number, `true`, `false`, `null`, or the start of one if the document was cut.
  private func isScalar(_ range: Range<Int>) -> Bool {
    let word = bytes[range]
    guard let first = word.first else { return false }
    if first == UInt8(ascii: "-") || (0x30...0x39).contains(first) {
      return word.allSatisfy { $0 < UInt8(ascii: "a") || $0 == UInt8(ascii: "e") }
    }
    return ["true", "false", "null"].contains { name in
      word.elementsEqual(name.utf8) || (range.upperBound == end && name.utf8.starts(with: word))
    }
  }

  private static func isLiteral(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  /// The bytes between the quotes; a string that was cut ends with the input.
  private mutating func string() -> Range<Int>? {
    position += 1
    let start = position
    while position < end, bytes[position] != UInt8(ascii: "\"") {
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    let last = min(position, end)
    position = min(position + 1, end)
    return start..<last
  }

  private mutating func object(depth: Int) -> [JSONTextLeaf]? {
    position += 1
    var found: [JSONTextLeaf] = []
    var index: String?
    while true {
      skipBlanks()
      guard position < end, bytes[position] == UInt8(ascii: "\""), let range = string() else {
        break
      }
      guard take(":") else { break }
      skipBlanks()
      let name = String(decoding: bytes[range], as: UTF8.self)
      let start = position
      let inner = value(depth: depth + 1)
      if name == "index", position > start {
        index = String(decoding: bytes[start..<position], as: UTF8.self)
      }
      // A block's first text and its later additions form one text.
      let step = name == "content_block" ? "delta" : name
      found += (inner ?? []).map { $0.below(step) }
      guard inner != nil, take(",") else { break }
    }
    _ = take("}")
    return index.map { index in found.map { $0.below("#" + index) } } ?? found
  }

  private mutating func array(depth: Int) -> [JSONTextLeaf]? {
    position += 1
    var found: [JSONTextLeaf] = []
    var count = 0
    while true {
      guard let inner = value(depth: depth + 1) else { break }
      found += inner.map { $0.path.hasPrefix("#") ? $0 : $0.below("[\(count)]") }
      count += 1
      guard take(",") else { break }
    }
    _ = take("]")
    return found
  }
}

extension JSONTextLeaf {
  fileprivate func below(_ step: String) -> JSONTextLeaf {
    JSONTextLeaf(path: path.isEmpty ? step : step + "." + path, range: range)
  }
}
