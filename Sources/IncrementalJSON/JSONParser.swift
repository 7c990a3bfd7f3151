extension JSONValue {
  /// The deepest accepted nesting of arrays and objects.
  public static let depthLimit = 64

  /// How to treat invalid Unicode: bad UTF-8 bytes and unpaired surrogates.
  public enum InvalidText: Sendable {
    case refused
    /// Each becomes U+FFFD.
    case replaced
  }

  /// Parses a whole JSON document (RFC 8259), strictly.
  ///
  /// Also rejects what some parsers accept: duplicate names in an object, numbers that overflow a
  /// double, nesting deeper than ``depthLimit``, trailing commas, comments, NaN. Skips a leading
  /// byte order mark. Time is linear in the length.
  public init(
    parsing text: String, invalidText: InvalidText = .refused
  ) throws(JSONError) {
    var copy = text
    let result = copy.withUTF8 { bytes in
      Self.parse(UnsafeRawBufferPointer(bytes), invalidText: invalidText)
    }
    self = try result.get()
  }

  /// Parses a whole JSON document from UTF-8 bytes; see `init(parsing:invalidText:)`.
  public init(
    parsing bytes: some Sequence<UInt8>, invalidText: InvalidText = .refused
  ) throws(JSONError) {
    let direct = bytes.withContiguousStorageIfAvailable { bytes in
      Self.parse(UnsafeRawBufferPointer(bytes), invalidText: invalidText)
    }
    if let direct {
      self = try direct.get()
    } else {
      let copy = Array(bytes)
      self = try copy.withUnsafeBytes { Self.parse($0, invalidText: invalidText) }.get()
    }
  }

  static func parse(
    _ bytes: UnsafeRawBufferPointer, invalidText: InvalidText
  ) -> Result<JSONValue, JSONError> {
    Result { () throws(JSONError) in
      var parser = JSONParser(bytes: bytes, invalidText: invalidText)
      return try parser.document()
    }
  }
}

/// A recursive parser of one document; the depth limit bounds the recursion.
struct JSONParser {
  let bytes: UnsafeRawBufferPointer
  let invalidText: JSONValue.InvalidText
  private var position = 0
  private var depth = 0
  private var scratch: [UInt8] = []

  init(bytes: UnsafeRawBufferPointer, invalidText: JSONValue.InvalidText) {
    self.bytes = bytes
    self.invalidText = invalidText
  }

  mutating func document() throws(JSONError) -> JSONValue {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    skipSpace()
    let value = try value()
    skipSpace()
    guard position == bytes.count else { throw error("nothing after the value") }
    return value
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while position < bytes.count, bytes[position].isJSONSpace { position += 1 }
  }

  private func error(
    _ expected: String, at offset: Int? = nil, found: String? = nil
  ) -> JSONError {
    if let encoding = otherEncoding(of: bytes) {
      return JSONError(at: 0, in: bytes, expected: "UTF-8", found: encoding)
    }
    return JSONError(at: offset ?? position, in: bytes, expected: expected, found: found)
  }

  private mutating func value() throws(JSONError) -> JSONValue {
    switch next {
    case UInt8(ascii: "{"): try object()
    case UInt8(ascii: "["): try array()
    case UInt8(ascii: "\""): .string(try string())
    case UInt8(ascii: "t"): try literal("true", .bool(true))
    case UInt8(ascii: "f"): try literal("false", .bool(false))
    case UInt8(ascii: "n"): try literal("null", .null)
    case let byte? where byte == UInt8(ascii: "-") || byte.isASCIIDigit: .number(try number())
    default: throw error("a value")
    }
  }

  private mutating func literal(
    _ word: StaticString, _ value: JSONValue
  ) throws(JSONError) -> JSONValue {
    for index in 0..<word.utf8CodeUnitCount {
      guard next == word.utf8Start[index] else { throw error("\"\(word)\"") }
      position += 1
    }
    return value
  }

  private mutating func enter() throws(JSONError) {
    guard depth < JSONValue.depthLimit else {
      throw error(
        "at most \(JSONValue.depthLimit) levels of nesting", found: "one more")
    }
    depth += 1
    position += 1
    skipSpace()
  }

  private mutating func leave() {
    depth -= 1
    position += 1
  }

  private mutating func array() throws(JSONError) -> JSONValue {
    try enter()
    var elements: [JSONValue] = []
    if next == UInt8(ascii: "]") {
      leave()
      return .array(elements)
    }
    while true {
      elements.append(try value())
      skipSpace()
      if next == UInt8(ascii: "]") { break }
      guard next == UInt8(ascii: ",") else { throw error("\",\" or \"]\"") }
      position += 1
      skipSpace()
    }
    leave()
    return .array(elements)
  }

  private mutating func object() throws(JSONError) -> JSONValue {
    try enter()
    var object = JSONObject()
    if next == UInt8(ascii: "}") {
      leave()
      return .object(object)
    }
    while true {
      try member(&object)
      skipSpace()
      if next == UInt8(ascii: "}") { break }
      guard next == UInt8(ascii: ",") else { throw error("\",\" or \"}\"") }
      position += 1
      skipSpace()
    }
    leave()
    return .object(object)
  }

  private mutating func member(_ object: inout JSONObject) throws(JSONError) {
    guard next == UInt8(ascii: "\"") else { throw error("a name in double quotes") }
    let start = position
    let name = try string()
    skipSpace()
    guard next == UInt8(ascii: ":") else { throw error("\":\"") }
    position += 1
    skipSpace()
    guard object[name] == nil else {
      let shown = JSONValue.string(String(name.prefix(40))).serialized()
      throw error("each name once", at: start, found: "\(shown) again")
    }
    _ = object.append(name, try value())
  }

  private mutating func number() throws(JSONError) -> JSONNumber {
    var grammar = JSONNumberGrammar()
    let start = position
    while let byte = next, grammar.accept(byte) { position += 1 }
    guard grammar.isWhole else { throw error("a digit") }
    let digits = UnsafeRawBufferPointer(rebasing: bytes[start..<position])
    guard let number = JSONNumber(grammatical: digits) else {
      throw error("a number that a double can hold", at: start, found: "one that overflows")
    }
    return number
  }

  private mutating func string() throws(JSONError) -> String {
    position += 1
    let start = position
    while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 {
      position += 1
    }
    let plain = UnsafeRawBufferPointer(rebasing: bytes[start..<position])
    if next == UInt8(ascii: "\"") {
      position += 1
      return try text(plain, at: start)
    }
    scratch.removeAll(keepingCapacity: true)
    scratch.append(contentsOf: plain)
    try escapedString()
    let collected = scratch
    return try collected.withUnsafeBytes { bytes in
      Result { () throws(JSONError) in try text(bytes, at: start) }
    }.get()
  }

  private mutating func escapedString() throws(JSONError) {
    while true {
      switch next {
      case nil: throw error("the end of the string")
      case UInt8(ascii: "\""):
        position += 1
        return
      case UInt8(ascii: "\\"): try escape()
      case let byte? where byte < 0x20: throw error("an escape for the control character")
      case _?:
        let start = position
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20
        {
          position += 1
        }
        scratch.append(contentsOf: bytes[start..<position])
      }
    }
  }

  private mutating func escape() throws(JSONError) {
    position += 1
    guard let byte = next else { throw error("an escape") }
    if byte == UInt8(ascii: "u") { return try unicodeEscape() }
    guard let meaning = JSONEscape.meaning(of: byte) else { throw error("an escape") }
    scratch.append(meaning)
    position += 1
  }

  private mutating func unicodeEscape() throws(JSONError) {
    let start = position - 1
    let unit = try hexUnit()
    if let scalar = Unicode.Scalar(unit) {
      scratch.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      return
    }
    if unit < 0xDC00, next == UInt8(ascii: "\\"), position + 1 < bytes.count,
      bytes[position + 1] == UInt8(ascii: "u")
    {
      let back = position
      position += 1
      let low = try hexUnit()
      if let scalar = JSONEscape.scalar(high: unit, low: low) {
        scratch.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        return
      }
      position = back
    }
    guard invalidText == .replaced else {
      throw error("a surrogate pair", at: start, found: "half of one")
    }
    scratch.append(contentsOf: UTF8.encodedReplacementCharacter)
  }

  /// Reads `u` and four hex digits.
  private mutating func hexUnit() throws(JSONError) -> UInt16 {
    position += 1
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = byte.hexDigitValue else { throw error("a hex digit") }
      unit = unit << 4 | digit
      position += 1
    }
    return unit
  }

  private func text(
    _ bytes: UnsafeRawBufferPointer, at start: Int
  ) throws(JSONError) -> String {
    guard invalidText == .refused else { return String(decoding: bytes, as: UTF8.self) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw error("UTF-8 text in the string", at: start, found: "other bytes")
    }
    return text
  }
}
