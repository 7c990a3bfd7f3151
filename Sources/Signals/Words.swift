import ContextQuality

/// The words of a text, sentence by sentence, folded for comparing with phrase lists.
package struct Words {
  /// Each sentence's words in order.
  package let sentences: [[String]]
  /// For each sentence, the words that a comma, a dash or the like stands before.
  package let pauses: [[Int]]

  package init(_ text: String) {
    var sentences: [[String]] = []
    var pauses: [[Int]] = []
    var words: [String] = []
    var within: [Int] = []
    // As bytes: whole files of other languages come through here.
    var word: [UInt8] = []
    func endWord() {
      guard !word.isEmpty else { return }
      words.append(Self.settled(word))
      word.removeAll(keepingCapacity: true)
    }
    func endSentence() {
      endWord()
      if !words.isEmpty {
        sentences.append(words)
        pauses.append(within.filter { $0 < words.count })
      }
      (words, within) = ([], [])
    }
    let scalars = Array(PlainText.visible(text).unicodeScalars)
    /// "8-year-old" and "12kg" are words of their own behind the number; "8th" is not.
    var followsNumber = false
    func splitBehindNumber(at index: Int) {
      guard Self.isNumber(word), !Self.isOrdinal(scalars[index...]) else { return }
      endWord()
      followsNumber = true
    }
    for (index, scalar) in scalars.enumerated() {
      let next = index + 1 < scalars.count ? scalars[index + 1] : " "
      let isInsideNumber =
        (scalar == "." || scalar == ",") && next.isDigit && index > 0 && scalars[index - 1].isDigit
      switch scalar {
      case "0"..."9": word.append(UInt8(truncatingIfNeeded: scalar.value))
      case _ where Self.isPartOfWord(scalar):
        splitBehindNumber(at: index)
        Self.append(scalar, to: &word)
      case "'", "\u{2019}", "\u{2018}", "`", "\u{B4}": splitBehindNumber(at: index)
      case "-" where followsNumber || Self.isNumber(word):
        endWord()
        followsNumber = true
        continue
      case "-" where !word.isEmpty && Self.isPartOfWord(next): word.append(UInt8(ascii: "-"))
      case "," where isInsideNumber: break
      case "." where isInsideNumber: word.append(UInt8(ascii: "."))
      case "!", "?", ";", "\n": endSentence()
      case "." where !Self.isPartOfWord(next): endSentence()
      case _ where Self.isPause(scalar):
        endWord()
        if !words.isEmpty, within.last != words.count { within.append(words.count) }
      default: endWord()
      }
      if word.isEmpty { followsNumber = false }
    }
    endSentence()
    (self.sentences, self.pauses) = (sentences, pauses)
  }

  /// All words of all sentences.
  package var all: [String] { sentences.flatMap(\.self) }

  private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII {
      return scalar.isDigit || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    }
    return scalar.properties.isAlphabetic || scalar.isDigit
      || scalar.properties.generalCategory == .nonspacingMark
  }

  private static func isPause(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case ",", ":", "(", ")", "-", "\u{2013}", "\u{2014}", "\u{2026}", "\u{3001}", "\u{FF0C}": true
    default: scalar.properties.isEmojiPresentation
    }
  }

  private static func isNumber(_ word: [UInt8]) -> Bool {
    word.first.map { (0x30...0x39).contains($0) } ?? false
      && word.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
  }

  /// Whether "st", "nd", "rd" or "th" and no more of a word comes next.
  private static func isOrdinal(_ rest: ArraySlice<Unicode.Scalar>) -> Bool {
    let letters = rest.prefix(3).prefix { isPartOfWord($0) }
    var ending = String.UnicodeScalarView()
    ending.append(contentsOf: letters)
    return ["st", "nd", "rd", "th"].contains(String(ending).lowercased())
  }

  /// "pleeease" is "please": no listed word repeats a letter three times.
  private static func settled(_ word: [UInt8]) -> String {
    guard isUnsettled(word) else { return String(decoding: word, as: UTF8.self) }
    var kept: [UInt8] = []
    var run = 0
    for byte in word {
      run = kept.last == byte ? run + 1 : 1
      let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      if isLetter && run == 3 { kept.removeLast() }
      if !isLetter || run < 3 { kept.append(byte) }
    }
    if kept.last == UInt8(ascii: "-") { kept.removeLast() }
    return String(decoding: kept, as: UTF8.self)
  }

  /// Whether it ends with a hyphen or repeats a byte three times.
  private static func isUnsettled(_ word: [UInt8]) -> Bool {
    word.last == UInt8(ascii: "-")
      || word.indices.dropFirst(2).contains { word[$0] == word[$0 - 1] && word[$0] == word[$0 - 2] }
  }

  private static func append(_ scalar: Unicode.Scalar, to word: inout [UInt8]) {
    let value = Int(scalar.value)
    switch value {
    case 0x41...0x5A: word.append(UInt8(value) | 0x20)
    case ..<0x80: word.append(UInt8(value))
    case ..<0x180: word += latin[value - 0x80]
    default: word += folded(scalar).utf8
    }
  }

  /// The folded forms of the letters from U+0080 on.
  private static let latin: [[UInt8]] = (0x80..<0x180).map { value in
    Unicode.Scalar(value).map { Array(folded($0).utf8) } ?? []
  }

  /// Lowercase, without accents, which people often omit when typing fast.
  private static func folded(_ scalar: Unicode.Scalar) -> String {
    if scalar.properties.generalCategory == .nonspacingMark { return "" }
    let lower = scalar.properties.lowercaseMapping
    return lower.unicodeScalars.map { plain[$0] ?? String($0) }.joined()
  }

  private static let plain: [Unicode.Scalar: String] = {
    let pairs = [
      ("a", "àáâãäåā"), ("c", "çćč"), ("e", "èéêëęė"), ("i", "ìíîïı"), ("l", "ł"), ("n", "ñń"),
      ("o", "òóôõöøō"), ("s", "śšş"), ("u", "ùúûüū"), ("y", "ýÿ"), ("z", "źżž"), ("g", "ğ"),
      ("ss", "ß"), ("ae", "æ"), ("oe", "œ"),
    ]
    var table: [Unicode.Scalar: String] = [:]
    for (plain, accented) in pairs {
      for scalar in accented.unicodeScalars { table[scalar] = plain }
    }
    return table
  }()
}

extension Unicode.Scalar {
  package var isDigit: Bool { (0x30...0x39).contains(value) }
}
