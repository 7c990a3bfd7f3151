/// Outside text made safe for a terminal: no control sequences or direction changes.
public enum ShownText {
  /// - Parameter linesToo: Whether to keep tabs and line ends.
  public static func of(_ text: String, linesToo: Bool = false) -> String {
    if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where isHarmless(scalar, linesToo) { shown.append(scalar) }
    return String(shown)
  }

  static func append(_ text: UnsafeBufferPointer<UInt8>, _ output: inout ByteBuffer) {
    if let start = text.baseAddress, text.allSatisfy({ (0x20...0x7E).contains($0) }) {
      return output.append(start, text.count)
    }
    output.append(Array(of(String(decoding: text, as: UTF8.self)).utf8))
  }

  private static func isHarmless(_ scalar: Unicode.Scalar, _ linesToo: Bool) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D: linesToo
    case 0..<0x20, 0x7F...0x9F: false
    // Line and paragraph separators, and characters that set the direction of later text.
    case 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: false
    default: true
    }
  }
}
