/// A number's digits as written in a document, for when parsing the number would change them.
enum JSONNumberText {
  /// - Parameter document: A well-formed object.
  static func ofMember(_ name: String, in document: UnsafeRawBufferPointer) -> String? {
    var depth = 0
    var index = 0
    var found: String?
    while index < document.count {
      switch document[index] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      case UInt8(ascii: "\""):
        let end = endOfString(document, from: index + 1)
        if depth == 1, document[index + 1..<end].elementsEqual(name.utf8),
          let text = number(document, after: end + 1)
        {
          found = text
        }
        index = end
      default: break
      }
      index += 1
    }
    return found
  }

  private static func endOfString(_ document: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    while index < document.count, document[index] != UInt8(ascii: "\"") {
      index += document[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index, document.count)
  }

  /// Nil unless a colon and a number follow.
  private static func number(_ document: UnsafeRawBufferPointer, after start: Int) -> String? {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
    let rest = document[min(start, document.count)...].drop(while: isSpace)
    guard rest.first == UInt8(ascii: ":") else { return nil }
    let digits = rest.dropFirst().drop(while: isSpace).prefix {
      "+-.0123456789eE".utf8.contains($0)
    }
    return digits.isEmpty ? nil : String(decoding: digits, as: UTF8.self)
  }
}
