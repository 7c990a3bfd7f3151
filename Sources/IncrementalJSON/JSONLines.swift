/// Tells in which line of a document a value stands, such as a setting that is wrong.
package struct JSONLines {
  /// One step from a value to a value in it.
  package enum Step: Hashable, Sendable {
    case member(String)
    case element(Int)
  }

  private let bytes: [UInt8]

  /// - Parameter bytes: A valid document; in any other, the lines mean nothing.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The line, counted from 1, in which the value begins: the member's name, or the element. If a
  /// step leads nowhere, the line of the last value found.
  ///
  /// - Parameter least: The result is nil if fewer steps than this lead somewhere.
  package func line(of steps: [Step], atLeast least: Int = 1) -> Int? {
    var cursor = Cursor(bytes: bytes)
    var places: [Int] = []
    for step in steps {
      guard let place = cursor.enter(step) else { break }
      places.append(place)
    }
    guard places.count >= least, let last = places.last else { return nil }
    return bytes[..<last].count { $0 == 0x0A } + 1
  }
}

private struct Cursor {
  let bytes: [UInt8]
  /// At the start of a value, or before the space in front of it.
  private var position = 0

  init(bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  private var next: UInt8 {
    mutating get {
      while position < bytes.count, bytes[position].isJSONSpace { position += 1 }
      return position < bytes.count ? bytes[position] : 0
    }
  }

  /// Moves to a value in this one.
  ///
  /// - Returns: Where its name or, in an array, the value itself begins.
  mutating func enter(_ step: JSONLines.Step) -> Int? {
    switch step {
    case .member(let name): member(name)
    case .element(let index): element(index)
    }
  }

  private mutating func member(_ name: String) -> Int? {
    guard next == UInt8(ascii: "{") else { return nil }
    position += 1
    while next == UInt8(ascii: "\"") {
      let start = position
      skipString()
      let isIt = bytes[(start + 1)..<max(start + 1, position - 1)].elementsEqual(name.utf8)
      guard next == UInt8(ascii: ":") else { return nil }
      position += 1
      if isIt { return start }
      skipValue()
      if next == UInt8(ascii: ",") { position += 1 }
    }
    return nil
  }

  private mutating func element(_ index: Int) -> Int? {
    guard next == UInt8(ascii: "[") else { return nil }
    position += 1
    for _ in 0..<index {
      skipValue()
      guard next == UInt8(ascii: ",") else { return nil }
      position += 1
    }
    let first = next
    return first == 0 || first == UInt8(ascii: "]") ? nil : position
  }

  private mutating func skipString() {
    position += 1
    while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    position = min(position + 1, bytes.count)
  }

  private mutating func skipValue() {
    var depth = 0
    repeat {
      switch next {
      case 0: return
      case UInt8(ascii: "\""): skipString()
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        position += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"): position += 1
      default: skipWord()
      }
    } while depth > 0
  }

  /// Skips a number, `true`, `false` or `null`.
  private mutating func skipWord() {
    position += 1
    while position < bytes.count, !",]}".utf8.contains(bytes[position]),
      !bytes[position].isJSONSpace
    {
      position += 1
    }
  }
}
