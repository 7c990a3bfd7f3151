import IncrementalJSON

/// Text for use in a prompt.
package enum PlainText {
  /// The text without characters that a person cannot see and a model can read: tag characters,
  /// zero-width and bidirectional controls, and control codes other than line ends and tabs.
  ///
  /// The stored original keeps them.
  package static func visible(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isInvisible) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where !isInvisible(scalar) { result.append(scalar) }
    return String(result)
  }

  package static func isBlank(_ text: String) -> Bool {
    visible(text).unicodeScalars.allSatisfy(\.properties.isWhitespace)
  }

  /// Runs between white space.
  package static func wordCount(_ text: String) -> Int {
    var count = 0
    var isInWord = false
    for scalar in text.unicodeScalars {
      if !scalar.isSpace, !isInWord { count += 1 }
      isInWord = !scalar.isSpace
    }
    return count
  }

  /// A line as a JSON string, so it is only data.
  package static func quoted(_ text: String) -> String { JSONValue.string(line(text)).serialized() }

  /// One fully visible line, so that file content cannot pose as another line.
  package static func line(_ text: String) -> String {
    visible(text).split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x20...0x7E: false
    case 0...0x1F, 0x7F...0x9F: true
    case 0xAD, 0x61C, 0x180E, 0x200B, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A...0x202E: true
    case 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE0FFF: true
    default: false
    }
  }
}

extension StringProtocol {
  package var trimmed: String {
    var scalars = Substring(self).unicodeScalars
    while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
    while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
    return String(scalars)
  }
}
