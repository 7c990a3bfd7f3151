/// Which words of two lines differ.
public struct WordDifference: Hashable, Sendable {
  /// A stretch of a line.
  public struct Piece: Hashable, Sendable {
    public var text: String
    public var isChanged: Bool
  }

  public let left: [Piece]
  public let right: [Piece]

  /// Nil if the lines have too little in common for marks to help.
  public init?(_ left: String, _ right: String) {
    let (one, other) = (Self.tokens(left), Self.tokens(right))
    let rows = Alignment.rows(one, other) { $0 }
    let same = rows.filter { row in
      row.isSame && row.left?.contains(where: \.isLetterOrDigit) == true
    }
    let words = [one, other].map { $0.count { $0.contains(where: \.isLetterOrDigit) } }
    guard same.count * 3 >= max(words[0], words[1]), !same.isEmpty else { return nil }
    self.left = Self.pieces(rows.compactMap { row in row.left.map { ($0, !row.isSame) } })
    self.right = Self.pieces(rows.compactMap { row in row.right.map { ($0, !row.isSame) } })
  }

  /// Words and numbers, marks, and the space between them.
  private static func tokens(_ line: String) -> [String] {
    var tokens: [String] = []
    var isInWord = false
    let characters = Array(line)
    for (index, character) in characters.enumerated() {
      // The point of "0.5" and the apostrophe of "don't" are part of a word.
      let isInside =
        isInWord && ".,'\u{2019}-".contains(character) && index + 1 < characters.count
        && characters[index + 1].isLetterOrDigit
      let isWord = character.isLetterOrDigit || isInside
      if isWord && isInWord {
        tokens[tokens.count - 1].append(character)
      } else {
        tokens.append(String(character))
      }
      isInWord = isWord
    }
    return tokens
  }

  /// Neighbors of one kind joined; the space between two changed words counts as changed.
  private static func pieces(_ tokens: [(text: String, isChanged: Bool)]) -> [Piece] {
    var pieces: [Piece] = []
    for (index, token) in tokens.enumerated() {
      let isBetween =
        token.text == " " && index > 0 && index + 1 < tokens.count && tokens[index - 1].isChanged
        && tokens[index + 1].isChanged
      let isChanged = token.text == " " ? isBetween : token.isChanged
      if let last = pieces.last, last.isChanged == isChanged {
        pieces[pieces.count - 1].text += token.text
      } else {
        pieces.append(Piece(text: token.text, isChanged: isChanged))
      }
    }
    return pieces
  }
}

extension Character {
  fileprivate var isLetterOrDigit: Bool { isLetter || isNumber }
}
