/// Text as its words and numbers in lower case, for comparing names.
enum PlainWords {
  static func split(_ text: String) -> [String] {
    var words: [String] = []
    var word = ""
    func end() {
      if !word.isEmpty { words.append(word) }
      word = ""
    }
    for character in text.lowercased() {
      switch character {
      case "’": word += "'"
      case "'": if !word.isEmpty { word.append(character) }
      case _ where character.isLetter || character.isNumber:
        if let last = word.last, last.isNumber != character.isNumber { end() }
        word.append(character)
      default: end()
      }
    }
    end()
    return words.map { $0.hasSuffix("'") ? String($0.dropLast()) : $0 }
  }
}

/// Phrases, each as its words, the longest first.
struct WordLists: Sendable {
  private let phrases: [[String]]

  init(_ texts: [String]) {
    phrases = texts.map { PlainWords.split($0) }.filter { !$0.isEmpty }
      .sorted { $0.count > $1.count }
  }

  /// How many words the longest one takes that begins at a word; nil if none does.
  func length(at index: Int, of words: [String]) -> Int? {
    guard words.indices.contains(index) else { return nil }
    return phrases.first { words[index...].starts(with: $0) }?.count
  }

  func isIn(_ words: [String]) -> Bool {
    words.indices.contains { length(at: $0, of: words) != nil }
  }
}

extension Substring {
  var trimmingSpaces: String {
    let front = drop(while: \.isWhitespace)
    return String(front.reversed().drop(while: \.isWhitespace).reversed())
  }
}
