/// Wraps text at words while it streams.
///
/// Only the current word is held back: it is written as soon as its position is known. The output
/// depends only on the text, never on how it was split into pieces, and undoing the inserted breaks
/// gives the text back. Lines that start with a list marker, a quotation mark (`>`) or an indent
/// continue under their text.
///
/// The text must contain no control sequences; see ``OutputFilter``.
public struct WordWrapper: Sendable {
  /// Columns per line; nil passes text through unchanged. May change at any time.
  public var width: Int?

  /// Input that may still grow: at most one character.
  private var incoming = ""
  private var word = ""
  private var wordWidth = 0
  private var spaces = ""
  private var column = 0
  private var hanging = ""
  /// Columns before the first line's text, which later lines do not indent by.
  private var labelWidth = 0
  private var isInLinePrefix = true

  /// - Parameters:
  ///   - width: Columns per line; nil passes text through.
  ///   - column: Columns already used on the first line, such as by a label.
  public init(width: Int?, column: Int = 0) {
    self.width = width
    self.column = column
    labelWidth = column
  }

  /// The output that the next piece of text completes.
  public mutating func feed(_ text: String) -> String {
    guard let width else {
      let held = finish()
      if let last = text.last { column = last.isNewline ? 0 : 1 }
      return held + text
    }
    incoming += text
    var out = ""
    // The last character can still take a combining mark; a newline can't.
    let settled = incoming.last.map { $0 == "\n" } ?? false ? incoming[...] : incoming.dropLast()
    for character in settled {
      take(character, lineWidth: max(width, 1), into: &out)
    }
    incoming.removeSubrange(..<settled.endIndex)
    if let next = incoming.unicodeScalars.first, WordWrapper.isSpace(next) {
      placeWord(lineWidth: max(width, 1), into: &out)
    }
    return out
  }

  /// The rest of the output. The wrapper then continues on the same line.
  public mutating func finish() -> String {
    let lineWidth = max(width ?? .max / 2, 1)
    var out = ""
    let rest = incoming
    incoming = ""
    for character in rest {
      take(character, lineWidth: lineWidth, into: &out)
    }
    placeWord(lineWidth: lineWidth, into: &out)
    placeTrailingSpaces(lineWidth: lineWidth, into: &out)
    return out
  }
}

extension WordWrapper {
  private mutating func take(_ character: Character, lineWidth: Int, into out: inout String) {
    if character == "\n" || character == "\r\n" {
      placeWord(lineWidth: lineWidth, into: &out)
      placeTrailingSpaces(lineWidth: lineWidth, into: &out)
      out.append(character)
      (column, hanging, isInLinePrefix) = (0, "", true)
      labelWidth = 0
    } else if let first = character.unicodeScalars.first, WordWrapper.isSpace(first) {
      placeWord(lineWidth: lineWidth, into: &out)
      spaces.append(character)
    } else {
      if let last = word.last, LineBreaking.isAllowed(between: last, and: character) {
        placeWord(lineWidth: lineWidth, into: &out)
      }
      grow(by: character, lineWidth: lineWidth, into: &out)
    }
  }

  /// Adds to the word, writing out what fills a whole line.
  private mutating func grow(by character: Character, lineWidth: Int, into out: inout String) {
    let width = displayWidth(of: character)
    if !word.isEmpty, wordWidth + width > capacity(lineWidth) {
      placeWord(lineWidth: lineWidth, into: &out)
      if column + width > lineWidth { breakLine(into: &out) }
    }
    word.append(character)
    wordWidth += width
  }

  private mutating func placeWord(lineWidth: Int, into out: inout String) {
    guard !word.isEmpty else { return }
    let start = WordWrapper.column(after: spaces, from: column)
    if start + wordWidth <= lineWidth {
      out += spaces
      extendPrefix(lineWidth: lineWidth)
      column = start
    } else if column > displayWidth(of: hanging) || column > 0 && !spaces.isEmpty {
      breakLine(into: &out)
    }
    spaces = ""
    writeWord(lineWidth: lineWidth, into: &out)
  }

  /// Writes the word, in parts if the window has become narrower.
  private mutating func writeWord(lineWidth: Int, into out: inout String) {
    var part = ""
    var end = column
    for character in word {
      let width = displayWidth(of: character)
      if end + width > lineWidth, !part.isEmpty {
        out += part
        breakLine(into: &out)
        (part, end) = ("", column)
      }
      part.append(character)
      end += width
    }
    out += part
    column = end
    (word, wordWidth) = ("", 0)
  }

  private mutating func placeTrailingSpaces(lineWidth: Int, into out: inout String) {
    guard !spaces.isEmpty else { return }
    let end = WordWrapper.column(after: spaces, from: column)
    if end < lineWidth {
      out += spaces
      column = end
    }
    spaces = ""
  }

  private mutating func breakLine(into out: inout String) {
    isInLinePrefix = false
    labelWidth = 0
    out += "\n" + hanging
    column = displayWidth(of: hanging)
  }

  /// Reads a line's prefix and remembers how to continue under its text.
  private mutating func extendPrefix(lineWidth: Int) {
    guard isInLinePrefix else { return }
    let end = WordWrapper.column(after: spaces, from: column) - labelWidth
    var prefix = hanging + String(repeating: " ", count: max(0, end - displayWidth(of: hanging)))
    if word == ">" {
      prefix += "> "
    } else if ListMarker.matches(word) {
      prefix += String(repeating: " ", count: wordWidth + 1)
    } else {
      isInLinePrefix = false
    }
    // Don't keep a prefix that leaves too little room for text.
    if displayWidth(of: prefix) <= lineWidth / 2 { hanging = prefix }
  }

  private func capacity(_ lineWidth: Int) -> Int {
    max(lineWidth - displayWidth(of: hanging), 2)
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar == " " || scalar == "\t"
  }

  private static func column(after spaces: String, from column: Int) -> Int {
    spaces.reduce(column) { $1 == "\t" ? ($0 / 8 + 1) * 8 : $0 + 1 }
  }
}

/// What starts a list item in Markdown and in plain text.
private enum ListMarker {
  static func matches(_ word: String) -> Bool {
    if ["-", "*", "+", "•", "–", "·"].contains(word) { return true }
    guard let last = word.last, last == "." || last == ")" else { return false }
    let number = word.dropLast()
    return (1...3).contains(number.count) && number.allSatisfy { ("0"..."9").contains($0) }
  }
}
