/// The words of a text, sentence by sentence, folded for comparing with phrase lists.
struct Words {
  /// Each sentence's words in order.
  let sentences: [[String]]

  init(_ text: String) {
    var sentences: [[String]] = []
    var words: [String] = []
    var word = ""
    func endWord() {
      guard !word.isEmpty else { return }
      words.append(Self.settled(word))
      word = ""
    }
    func endSentence() {
      endWord()
      if !words.isEmpty { sentences.append(words) }
      words = []
    }
    let scalars = Array(PromptText.visible(text).unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      let next = index + 1 < scalars.count ? scalars[index + 1] : " "
      let isInsideNumber =
        (scalar == "." || scalar == ",") && next.isDigit && index > 0 && scalars[index - 1].isDigit
      switch scalar {
      case "a"..."z", "0"..."9": word.unicodeScalars.append(scalar)
      case _ where Self.isPartOfWord(scalar): word += Self.folded(scalar)
      case "'", "\u{2019}", "\u{2018}", "`", "\u{B4}": break
      case "-" where !word.isEmpty && Self.isPartOfWord(next): word += "-"
      case _ where isInsideNumber: word += scalar == "," ? "" : "."
      case "!", "?", ";", "\n": endSentence()
      case "." where !Self.isPartOfWord(next): endSentence()
      default: endWord()
      }
    }
    endSentence()
    self.sentences = sentences
  }

  /// All words, whatever the sentence.
  var all: [String] { sentences.flatMap(\.self) }

  private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.isDigit || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) }
    return scalar.properties.isAlphabetic || scalar.isDigit
      || scalar.properties.generalCategory == .nonspacingMark
  }

  private static func settled(_ word: String) -> String {
    word.hasSuffix("-") ? String(word.dropLast()) : word
  }

  /// Lower case, without the accents that people leave out when they type in a hurry.
  private static func folded(_ scalar: Unicode.Scalar) -> String {
    if scalar.value < 0x80 { return scalar.properties.lowercaseMapping }
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
  var isDigit: Bool { (0x30...0x39).contains(value) }
}
