internal import CLineEdit

/// The number of terminal columns a text takes: 2 for East Asian wide characters and emoji, 0 for
/// combining marks (following the C library's `wcwidth`), and one emoji for a joined sequence.
///
/// Newlines and tabs have no width here; theirs depends on their position.
public func displayWidth(of text: String) -> Int {
  if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text.utf8.count }
  return text.reduce(0) { $0 + displayWidth(of: $1) }
}

/// The number of terminal columns one character takes.
public func displayWidth(of character: Character) -> Int {
  if let ascii = character.asciiValue { return (0x20...0x7E).contains(ascii) ? 1 : 0 }
  let scalars = character.unicodeScalars
  if scalars.count > 1, isEmojiSequence(scalars) { return 2 }
  return scalars.reduce(0) { $0 + max(0, Int(cle_width($1.value))) }
}

/// Emoji presentation (U+FE0F), joined emoji, and emoji with a skin tone are drawn as one glyph.
private func isEmojiSequence(_ scalars: Character.UnicodeScalarView) -> Bool {
  guard let first = scalars.first, first.properties.isEmoji else { return false }
  return scalars.dropFirst().contains {
    $0.value == 0xFE0F || $0.value == 0x200D || $0.properties.isEmojiModifier
  }
}

extension String {
  /// The text with spaces behind it up to this many columns, and at least `gap` of them.
  public func padded(to width: Int, gap: Int = 0) -> String {
    self + String(repeating: " ", count: max(gap, width - displayWidth(of: self)))
  }
}

/// The text, or its start and an ellipsis, in at most `width` columns.
public func shortened(_ text: String, to width: Int) -> String {
  guard displayWidth(of: text) > width else { return text }
  var kept = ""
  var columns = 0
  for character in text {
    columns += displayWidth(of: character)
    if columns > width - 1 { break }
    kept.append(character)
  }
  return kept + "…"
}
