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

  /// The number that a word means; nil if it's none, or may be several.
  func value(_ word: String) -> Double? {
    values[word].flatMap { $0.count == 1 ? $0.first : nil }
  }

  /// Whether a quote has a number, as digits or as a word.
  ///
  /// - Parameter said: The number as it stands in the quote.
  func tells(_ said: String, _ value: Double, in quote: String) -> Bool {
    let said = said.lowercased()
    guard !said.isEmpty,
      quote.lowercased().split(whereSeparator: {
        !$0.isNumber && !$0.isLetter && !"-.,".contains($0)
      })
      .contains(where: { Self.isPart(said, of: $0) })
    else { return false }
    if values[said]?.contains(value) == true { return true }
    // A comma is a decimal one or groups thousands.
    return [
      said.replacing(",", with: "."), said.replacing(",", with: ""), said.replacing(".", with: ""),
    ]
    .contains { Double($0) == value }
  }

  /// "5" is a part of "5k" and of "15x5", and not of "15".
  private static func isPart(_ said: String, of word: Substring) -> Bool {
    word.ranges(of: said).contains { range in
      func goesOn(_ character: Character?) -> Bool {
        guard let character, let edge = said.first else { return false }
        return edge.isNumber ? character.isNumber : character.isLetter
      }
      let after = range.upperBound < word.endIndex ? word[range.upperBound] : nil
      return !goesOn(word[..<range.lowerBound].last) && !goesOn(after)
    }
  }
}
