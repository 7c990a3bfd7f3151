/// Whether text looks like English, judged by common small words.
///
/// Use it only to decide what to show next to the user's words: short texts and rare languages
/// stay unclear.
package enum LanguageGuess: Hashable {
  case english, other, unclear

  package init(_ text: String, _ rules: SignalRules) {
    let words = Words(text).all.filter { $0.contains(where: \.isLetter) }
    let letters = text.unicodeScalars.filter(\.properties.isAlphabetic)
    let latin = letters.count { $0.value < 0x250 || (0x1E00..<0x1F00).contains($0.value) }
    let (english, foreign) = (rules[.language]["english"], rules[.language]["foreign"])
    let englishWords = words.count(where: english.contains)
    if latin * 2 < letters.count || words.count(where: foreign.contains) > englishWords {
      self = .other
    } else if englishWords > 0 {
      self = .english
    } else {
      // An English sentence has one of its small words among five.
      self = words.count > 4 ? .other : .unclear
    }
  }
}
