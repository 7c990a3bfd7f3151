/// Takes the blank lines around a reply away while it arrives.
struct OuterBlanks {
  private var hasBegun = false
  /// The line breaks and blanks that end the text so far.
  private var held = ""

  /// - Returns: What can be shown now.
  mutating func pass(_ piece: String) -> String {
    let text = held + piece
    let words = hasBegun ? text[...] : text.drop(while: \.isWhitespace)
    if !words.isEmpty { hasBegun = true }
    let end = words.lastIndex { !$0.isWhitespace }.map { words.index(after: $0) }
    let blanks = words[(end ?? words.startIndex)...]
    let kept = blanks.firstIndex(where: \.isNewline).map { words[..<$0] } ?? words
    held = String(words[kept.endIndex...])
    return String(kept)
  }
}
