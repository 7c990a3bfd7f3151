import IncrementalJSON
import TestSupport

/// Random JSON values and texts, the same for the same seed.
struct JSONSamples {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func object() -> JSONValue { .object(members(depth: 0)) }

  mutating func choose(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

  private mutating func members(depth: Int) -> JSONObject {
    var object = JSONObject()
    for _ in 0..<choose(0..<5) { object[text()] = value(depth: depth + 1) }
    return object
  }

  private mutating func value(depth: Int) -> JSONValue {
    switch choose(0..<(depth > 4 ? 6 : 8)) {
    case 0: .null
    case 1: .bool(Bool.random(using: &generator))
    case 2: JSONValue(choose(-1_000_000..<1_000_000))
    case 3: JSONValue(Double(choose(-100_000..<100_000)) / 1024) ?? .null
    case 4, 5: .string(text())
    case 6: .array((0..<choose(0..<4)).map { _ in value(depth: depth + 1) })
    default: .object(members(depth: depth + 1))
    }
  }

  private mutating func text() -> String {
    let alphabet: [Unicode.Scalar] = [
      "a", "b", " ", "\"", "\\", "\n", "{", "}", "é", "你", "🥗", "\u{301}", "\u{0}", "<", ":", ",",
    ]
    var text = ""
    for _ in 0..<choose(0..<9) { text.unicodeScalars.append(alphabet[choose(0..<alphabet.count)]) }
    return text
  }

  /// The value in one of the many ways that mean the same: spaces, escapes, spellings of numbers.
  mutating func spelled(_ value: JSONValue) -> String {
    switch value {
    case .null, .bool: value.serialized()
    case .number(let number): spelled(number)
    case .string(let text): spelled(text)
    case .array(let elements):
      "[" + space() + elements.map { spelled($0) + space() }.joined(separator: "," + space()) + "]"
    case .object(let members):
      "{" + space()
        + members.map { spelled($0.name) + space() + ":" + space() + spelled($0.value) + space() }
        .joined(separator: "," + space()) + "}"
    }
  }

  private mutating func space() -> String {
    choose(0..<4) == 0 ? [" ", "\n", "\t", "\r\n"][choose(0..<4)] : ""
  }

  private mutating func spelled(_ number: JSONNumber) -> String {
    guard let integer = number.intValue, choose(0..<3) == 0 else { return number.description }
    return choose(0..<2) == 0 ? "\(integer).0" : "\(integer)E+0"
  }

  private mutating func spelled(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      let mustEscape = scalar == "\"" || scalar == "\\" || scalar.value < 0x20
      guard mustEscape || choose(0..<5) == 0 else {
        result.unicodeScalars.append(scalar)
        continue
      }
      for unit in String(scalar).utf16 {
        let digits = String(unit, radix: 16, uppercase: choose(0..<2) == 0)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return result + "\""
  }
}
