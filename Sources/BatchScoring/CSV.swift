enum CSV {
  static func field(_ text: String) -> String {
    var text = text
    var output = ByteBuffer(capacity: 64)
    text.withUTF8 { if let start = $0.baseAddress { append(start, $0.count, &output) } }
    return String(decoding: output.bytes, as: UTF8.self)
  }

  /// A field in RFC 4180 form without terminal escapes. A field that a spreadsheet would treat as a
  /// formula is defused.
  static func append(_ text: UnsafePointer<UInt8>, _ length: Int, _ output: inout ByteBuffer) {
    let bytes = UnsafeBufferPointer(start: text, count: length)
    let isPlain = bytes.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
        || $0 == 0x5F
    }
    if isPlain { return output.append(text, length) }
    append(
      Array(ShownText.of(String(decoding: bytes, as: UTF8.self), linesToo: true).utf8), &output)
  }

  private static func append(_ bytes: [UInt8], _ output: inout ByteBuffer) {
    // Spreadsheets ignore spaces before a formula's sign.
    let isFormula = bytes.first { $0 > 0x20 }.map { "=+-@".utf8.contains($0) } ?? false
    guard isFormula || bytes.contains(where: { $0 == 0x22 || $0 == 0x2C || $0 < 0x20 }) else {
      return output.append(bytes)
    }
    output.append(UInt8(ascii: "\""))
    if isFormula { output.append(UInt8(ascii: "'")) }
    for byte in bytes {
      if byte == 0x22 { output.append(byte) }
      output.append(byte)
    }
    output.append(UInt8(ascii: "\""))
  }
}
