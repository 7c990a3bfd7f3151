/// The config file's text, for changing one member and leaving the rest as it was written.
///
/// The text must be valid; ``ConfigFile`` reports what is not.
struct ConfigText {
  private struct Member {
    var key: String
    /// From the key to the end of the value.
    var range: Range<Int>
    var value: Range<Int>
    /// After the comma, if there is one.
    var end: Int
  }

  private var bytes: [UInt8]

  init(_ text: String) { bytes = Array(text.utf8) }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Lines that begin with `//` are comments. Spaces take their place, so that every line keeps its
  /// number.
  static func withoutComments(_ text: String) -> String {
    String(decoding: withoutComments(Array(text.utf8)), as: UTF8.self)
  }

  /// - Parameter json: The value as JSON.
  mutating func set(_ key: String, to json: String) {
    let members = members
    if let member = members.first(where: { $0.key == key }) {
      bytes.replaceSubrange(member.value, with: json.utf8)
    } else if let last = members.last {
      let before = bytes[..<last.range.lowerBound]
      let space = before.suffix(while: Self.isSpace)
      let isSpread = space.contains(0x0A)
      let separator =
        isSpread ? "\n" + String(decoding: space.suffix(while: { $0 != 0x0A }), as: UTF8.self) : " "
      let new = ",\(separator)\"\(key)\": \(json)"
      bytes.insert(contentsOf: new.utf8, at: last.range.upperBound)
    } else if let open = bytes.firstIndex(of: 0x7B) {
      bytes.insert(contentsOf: "\n  \"\(key)\": \(json)\n".utf8, at: open + 1)
    } else {
      bytes = Array("{\n  \"\(key)\": \(json)\n}\n".utf8)
    }
  }

  /// Returns whether there was such a member.
  mutating func remove(_ key: String) -> Bool {
    let members = members
    guard let index = members.firstIndex(where: { $0.key == key }) else { return false }
    let member = members[index]
    cut(member.range.lowerBound..<member.end)
    if index == members.count - 1, index > 0 {
      // The comma before the last member.
      bytes.removeSubrange(members[index - 1].range.upperBound..<members[index - 1].end)
    }
    return true
  }

  /// Removes a range, with its line if nothing else is on it.
  private mutating func cut(_ range: Range<Int>) {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start > 0, Self.isBlank(bytes[start - 1]) { start -= 1 }
    while end < bytes.count, Self.isBlank(bytes[end]) { end += 1 }
    let isAlone =
      start > 0 && bytes[start - 1] == 0x0A && end < bytes.count && bytes[end] == 0x0A
    bytes.removeSubrange(isAlone ? start..<(end + 1) : range.lowerBound..<end)
  }

  /// The members of the outermost object, in order.
  private var members: [Member] {
    var scanner = Scanner(bytes: Self.withoutComments(bytes))
    var members: [Member] = []
    guard scanner.take(0x7B) else { return [] }
    while let key = scanner.string(), scanner.take(0x3A), let value = scanner.value() {
      let end = scanner.take(0x2C) ? scanner.place : value.upperBound
      let name = String(decoding: bytes[key].dropFirst().dropLast(), as: UTF8.self)
      members.append(
        Member(key: name, range: key.lowerBound..<value.upperBound, value: value, end: end))
    }
    return members
  }

  private static func withoutComments(_ bytes: [UInt8]) -> [UInt8] {
    var result = bytes
    let lines = bytes.indices.split(omittingEmptySubsequences: false) { bytes[$0] == 0x0A }
    for line in lines where bytes[line].drop(while: isBlank).starts(with: [0x2F, 0x2F]) {
      for index in line { result[index] = 0x20 }
    }
    return result
  }

  fileprivate static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0D
  }
  fileprivate static func isSpace(_ byte: UInt8) -> Bool { isBlank(byte) || byte == 0x0A }
}

/// Finds the tokens of a flat JSON object.
private struct Scanner {
  let bytes: [UInt8]
  private(set) var place = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func skipSpace() {
    while place < bytes.count, ConfigText.isSpace(bytes[place]) { place += 1 }
  }

  mutating func take(_ byte: UInt8) -> Bool {
    skipSpace()
    guard place < bytes.count, bytes[place] == byte else { return false }
    place += 1
    return true
  }

  /// A string with its quotation marks.
  mutating func string() -> Range<Int>? {
    let start = place
    guard take(0x22) else { return nil }
    let first = place - 1
    while place < bytes.count, bytes[place] != 0x22 {
      place += bytes[place] == 0x5C ? 2 : 1
    }
    guard place < bytes.count else {
      place = start
      return nil
    }
    place += 1
    return first..<place
  }

  /// A string, or a number.
  mutating func value() -> Range<Int>? {
    if let string = string() { return string }
    skipSpace()
    let start = place
    while place < bytes.count, !ConfigText.isSpace(bytes[place]),
      ![0x2C, 0x7D].contains(bytes[place])
    { place += 1 }
    return start < place ? start..<place : nil
  }
}

extension BidirectionalCollection {
  fileprivate func suffix(while isIncluded: (Element) -> Bool) -> SubSequence {
    var start = endIndex
    while start > startIndex, isIncluded(self[index(before: start)]) { formIndex(before: &start) }
    return self[start...]
  }
}
