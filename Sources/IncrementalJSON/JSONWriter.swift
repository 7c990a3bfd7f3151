extension JSONValue {
  /// The value as JSON text, with members in order.
  ///
  /// Escapes control characters (C0, DEL, C1), line and paragraph separators and direction-changing
  /// characters, so that a line of JSON cannot affect a terminal.
  ///
  /// - Parameter pretty: One member or element per line, indented by two spaces.
  public func serialized(pretty: Bool = false) -> String {
    String(decoding: serializedBytes(pretty: pretty), as: UTF8.self)
  }

  /// The UTF-8 bytes of ``serialized(pretty:)``.
  public func serializedBytes(pretty: Bool = false) -> [UInt8] {
    var writer = JSONWriter(isPretty: pretty)
    writer.write(self, level: 0)
    return writer.output
  }

  /// The value as JSON text for people: arrays and objects that fit this many bytes stay on one
  /// line; others have one element per line, indented by two spaces.
  public func serialized(lineWidth: Int) -> String {
    var writer = JSONWriter(isPretty: true, lineWidth: lineWidth)
    writer.write(self, level: 0)
    return String(decoding: writer.output, as: UTF8.self)
  }
}

private struct JSONWriter {
  let isPretty: Bool
  /// Nil breaks every array and object into lines.
  let lineWidth: Int?
  /// Writes on one line, with spaces for people, up to this many bytes.
  var room: Int?
  var output: [UInt8] = []
  private var lineStart = 0

  init(isPretty: Bool, lineWidth: Int? = nil) {
    self.isPretty = isPretty
    self.lineWidth = lineWidth
  }

  mutating func write(_ value: JSONValue, level: Int) {
    switch value {
    case .null: output.append(contentsOf: "null".utf8)
    case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
    case .number(let value): output.append(contentsOf: value.description.utf8)
    case .string(let value): write(value)
    case .array, .object: if !writeOnOneLine(value) { writeItems(value, level: level) }
    }
  }

  /// Undoes the output if the line becomes too long.
  private mutating func writeOnOneLine(_ value: JSONValue) -> Bool {
    guard isPretty, let lineWidth else { return false }
    let room = lineWidth - (output.count - lineStart)
    var line = JSONWriter(isPretty: false)
    line.room = room
    line.writeItems(value, level: 0)
    guard line.output.count <= room else { return false }
    output += line.output
    return true
  }

  private mutating func writeItems(_ value: JSONValue, level: Int) {
    switch value {
    case .array(let elements):
      write("[", "]", elements, level: level) { writer, element in
        writer.write(element, level: level + 1)
      }
    case .object(let members):
      write("{", "}", members, level: level) { writer, member in
        writer.write(member.name)
        writer.output.append(contentsOf: (writer.isPretty || writer.room != nil ? ": " : ":").utf8)
        writer.write(member.value, level: level + 1)
      }
    case .null, .bool, .number, .string: write(value, level: level)
    }
  }

  private mutating func write<Items: Collection>(
    _ open: Unicode.Scalar, _ close: Unicode.Scalar, _ items: Items, level: Int,
    _ writeItem: (inout JSONWriter, Items.Element) -> Void
  ) {
    output.append(UInt8(ascii: open))
    var isFirst = true
    for item in items {
      if let room, output.count > room { return }
      if !isFirst { output.append(contentsOf: (room == nil ? "," : ", ").utf8) }
      isFirst = false
      breakLine(level: level + 1)
      writeItem(&self, item)
    }
    if !items.isEmpty { breakLine(level: level) }
    output.append(UInt8(ascii: close))
  }

  private mutating func breakLine(level: Int) {
    guard isPretty else { return }
    output.append(0x0A)
    lineStart = output.count
    output.append(contentsOf: repeatElement(0x20, count: 2 * level))
  }

  private mutating func write(_ text: String) {
    output.append(UInt8(ascii: "\""))
    var copy = text
    copy.withUTF8 { writeString($0) }
    output.append(UInt8(ascii: "\""))
  }

  /// Copies runs without escapes at once.
  private mutating func writeString(_ bytes: UnsafeBufferPointer<UInt8>) {
    var (start, index) = (0, 0)
    let raw = UnsafeRawBufferPointer(bytes)
    while index < bytes.count {
      // Prompts are long and hardly have anything to escape, so eight bytes are looked at together.
      if index + 8 <= bytes.count,
        Self.arePlain(raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      {
        index += 8
        continue
      }
      let byte = bytes[index]
      if byte >= 0x20, byte < 0x7F, byte != 0x22, byte != 0x5C {
        index += 1
        continue
      }
      let length = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
      let end = min(index + length, bytes.count)
      let scalar = byte < 0x80 ? Unicode.Scalar(byte) : Self.scalar(bytes[index..<end])
      if byte < 0x80 || scalar.isUnsafeInTerminals {
        output.append(contentsOf: bytes[start..<index])
        write(scalar)
        start = end
      }
      index = end
    }
    output.append(contentsOf: bytes[start..<bytes.count])
  }

  /// Whether no byte needs a closer look: all are ASCII, and none is a control, a quote or a backslash.
  ///
  /// A false alarm costs time only. For each byte below 0x80, subtracting n sets the top bit if it is
  /// smaller than n; an exclusive or makes the byte that is looked for zero. A borrow from a smaller byte
  /// only happens behind one that has set its own bit.
  private static func arePlain(_ word: UInt64) -> Bool {
    let each: UInt64 = 0x0101_0101_0101_0101
    let quotes = (word ^ each &* 0x22) &- each
    let backslashes = (word ^ each &* 0x5C) &- each
    let controls = word &- each &* 0x20
    let deletes = (word ^ each &* 0x7F) &- each
    return (word | quotes | backslashes | controls | deletes) & (each &* 0x80) == 0
  }

  private static func scalar(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Unicode.Scalar {
    let lead: UInt32 = bytes.count == 2 ? 0x1F : bytes.count == 3 ? 0x0F : 0x07
    let value = bytes.dropFirst().reduce(UInt32(bytes.first ?? 0) & lead) {
      $0 << 6 | UInt32($1 & 0x3F)
    }
    return Unicode.Scalar(value) ?? "\u{FFFD}"
  }

  private mutating func write(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "\"": output.append(contentsOf: #"\""#.utf8)
    case "\\": output.append(contentsOf: #"\\"#.utf8)
    case "\n": output.append(contentsOf: #"\n"#.utf8)
    case "\r": output.append(contentsOf: #"\r"#.utf8)
    case "\t": output.append(contentsOf: #"\t"#.utf8)
    default: writeEscape(UInt16(truncatingIfNeeded: scalar.value))
    }
  }

  private mutating func writeEscape(_ unit: UInt16) {
    let digits = String(unit, radix: 16)
    output.append(contentsOf: #"\u"#.utf8)
    output.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count))
    output.append(contentsOf: digits.utf8)
  }
}

extension Unicode.Scalar {
  /// Controls, line separators, and the direction marks of UAX #9; all in the basic plane.
  fileprivate var isUnsafeInTerminals: Bool {
    switch value {
    case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029: true
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
