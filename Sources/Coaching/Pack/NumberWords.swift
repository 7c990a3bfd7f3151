import ContextQuality
import IncrementalJSON

/// The numbers that people write as words, in each language of the pack.
struct NumberWords: Sendable {
  private let values: [String: Set<Double>]

  init(_ document: PackDocument) throws(PackError) {
    var values: [String: Set<Double>] = [:]
    for (language, table) in document.root.objectValue ?? [:] {
      guard let table = table.objectValue else {
        throw document.wrong("\(language): expected an object of words and their numbers")
      }
      for (word, value) in table {
        guard let number = value.doubleValue else {
          throw document.wrong("\(language): \(word): expected a number")
        }
        values[word, default: []].insert(number)
      }
    }
    self.values = values
  }

  /// The number that a word means; nil if it is none, or may be several.
  func value(_ word: String) -> Double? {
    values[word].flatMap { $0.count == 1 ? $0.first : nil }
  }

  /// What words such as "thirty-six", "treinta y seis" or "sechsunddreißig" come to; nil if they are not tens and
  /// ones of a number.
  private func compound(_ said: String) -> Double? {
    var words = said.split { !$0.isLetter }.map(String.init).filter { $0 != "y" }
    if words.count == 1, let infix = words[0].firstRange(of: "und") {
      words = [String(words[0][infix.upperBound...]), String(words[0][..<infix.lowerBound])]
    }
    guard words.count == 2, let tens = value(words[0]), let ones = value(words[1]), tens >= 20,
      tens.remainder(dividingBy: 10) == 0, (1...9).contains(ones)
    else { return nil }
    return tens + ones
  }

  /// Whether a phrase can mean a number. What fractions and several numbers come to ("a quarter of an hour", "two
  /// and a half") is read, not reckoned here.
  private func isPhrase(_ said: String, _ value: Double) -> Bool {
    let words = said.split { !$0.isLetter }.map(String.init)
    guard words.count > 1, !said.contains(where: \.isNumber) else { return false }
    let numbers = words.compactMap { values[$0] }
    let others = numbers.filter { !$0.contains(1) }
    if others.joined().contains(where: { Int(exactly: $0) == nil }) { return true }
    return others.count < 2 && (others.first ?? numbers.first)?.contains(value) ?? false
  }

  /// Whether words of a quote hold no number. "My kilometre" is one.
  func areNone(in said: String, of quote: String) -> Bool {
    let words = said.lowercased().split { !$0.isLetter }.map(String.init)
    return !words.isEmpty && !said.contains(where: \.isNumber)
      && words.allSatisfy { values[$0] == nil } && quote.lowercased().contains(said.lowercased())
  }

  /// Whether a quote has a number, as digits or as a word.
  ///
  /// - Parameter said: The number as it stands in the quote.
  func tells(_ said: String, _ value: Double, in quote: String) -> Bool {
    let said = said.lowercased()
    if let compound = compound(said) {
      return compound == value && quote.lowercased().contains(said)
    }
    if isPhrase(said, value), quote.lowercased().contains(said) { return true }
    guard !said.isEmpty,
      quote.lowercased().split(whereSeparator: {
        !$0.isNumber && !$0.isLetter && !"-.,".contains($0)
      })
      .contains(where: { Self.isPart(said, of: $0) })
    else { return false }
    if values[said]?.contains(value) == true { return true }
    // A comma is a decimal one, or groups thousands.
    if Double(said.replacing(",", with: ".")) == value { return true }
    return [",", "."].contains { sign in
      let groups = said.split(separator: sign, omittingEmptySubsequences: false)
      return groups.count > 1 && groups.dropFirst().allSatisfy { $0.count == 3 }
        && Double(groups.joined()) == value
    }
  }

  /// "5" is a part of "5k" and of "15x5", and not of "15".
  private static func isPart(_ said: String, of word: Substring) -> Bool {
    word.ranges(of: said).contains { range in
      func goesOn(_ rest: some Collection<Character>) -> Bool {
        guard let character = rest.first, let edge = said.first else { return false }
        guard edge.isNumber else { return character.isLetter }
        // "5" is no part of "1.5".
        return character.isNumber
          || ".,".contains(character) && rest.dropFirst().first?.isNumber == true
      }
      return !goesOn(word[..<range.lowerBound].reversed()) && !goesOn(word[range.upperBound...])
    }
  }
}
