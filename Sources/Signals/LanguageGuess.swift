/// Whether text looks like English, judged by common small words.
///
/// Use it only to decide what to show next to the user's words: short texts and rare languages
/// stay unclear.
package enum LanguageGuess: Hashable {
  case english, other, unclear

  package init(_ text: String, _ rules: SignalRules) {
    let words = Words(text).all.filter { $0.unicodeScalars.contains(where: Self.isLetter) }
    var (letters, latin) = (0, 0)
    for scalar in text.unicodeScalars where Self.isLetter(scalar) {
      letters += 1
      if scalar.value < 0x250 || (0x1E00..<0x1F00).contains(scalar.value) { latin += 1 }
    }
    let (english, foreign) = (rules[.language]["english"], rules[.language]["foreign"])
    let englishWords = words.count(where: english.contains)
    if letters < 2 {
      // A "y" is a yes as well as a Spanish "and".
      self = .unclear
    } else if latin * 2 < letters || words.count(where: foreign.contains) > englishWords {
      self = .other
    } else if englishWords > 0 {
      self = .english
    } else {
      // An English sentence has one of its small words among five.
      self = words.count > 4 ? .other : .unclear
    }
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII
      ? (0x61...0x7A).contains(scalar.value | 0x20) : scalar.properties.isAlphabetic
  }
}
