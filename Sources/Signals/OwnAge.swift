/// The `[age]` phrases of `care/everywhere.txt`: the user's clearly stated age.
///
/// Clear cases only. The scorer reads the rest ("I turn 30 next spring").
package struct OwnAge: Sendable {
  /// Each phrase has one number, the age. The first match wins.
  var rule = PhraseRule()

  package static let plausible = 5...110

  /// The age that a text states, in years.
  package func stated(in text: String) -> Int? {
    let clauses = Self.clauses(text).map { PhrasePattern.Text($0) }
      .filter { !rule.exceptions.matches($0) }
    for phrase in rule.patterns {
      for clause in clauses {
        guard let match = (phrase.matches(in: clause) as [Range<Int>]).first else { continue }
        if let age = clause.words[match].lazy.compactMap(Self.years).last { return age }
      }
    }
    return nil
  }

  /// The age in a reply to a question about age: a number alone is enough, or
  /// with a word or two ("38 years", "thirty-eight, ok?").
  package func answered(in text: String) -> Int? {
    if let age = stated(in: text) { return age }
    let words = (Self.clauses(text).first ?? []).flatMap {
      $0.split(separator: "-").map(String.init)
    }
    let numbers = words.compactMap(PhrasePattern.value)
    guard words.count <= 3, let tens = numbers.first else { return nil }
    let isTensAndOnes =
      numbers.count == 2 && tens >= 20 && tens.remainder(dividingBy: 10) == 0 && numbers[1] < 10
    guard numbers.count == 1 || isTensAndOnes else { return nil }
    return Int(exactly: numbers.reduce(0, +)).flatMap { Self.plausible.contains($0) ? $0 : nil }
  }

  private static func years(_ word: String) -> Int? {
    let years = PhrasePattern.value(word).flatMap { Int(exactly: $0) }
    return years.flatMap { plausible.contains($0) ? $0 : nil }
  }

  /// Sentences, also ended by a comma after a number: "I'm 34, that's my kid's phone". If
  /// another number follows, the two belong together ("I'm 60, 165").
  private static func clauses(_ text: String) -> [[String]] {
    Words(endingNumbers(text)).sentences
  }

  /// With a semicolon for the comma between a number and a word.
  private static func endingNumbers(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: ",")) else { return text }
    var result = ""
    var rest = Substring(text)
    while let comma = rest.firstIndex(of: ",") {
      let after = rest[rest.index(after: comma)...]
      let next = after.first { !$0.isWhitespace }
      let endsNumber =
        rest[..<comma].last.map(isDigit) == true && after.first?.isWhitespace == true
        && next.map { !isDigit($0) } == true
      result += rest[..<comma] + (endsNumber ? ";" : ",")
      rest = after
    }
    return result + rest
  }

  private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }
}

extension CareNet {
  /// The user's age in years, if clearly stated: "I'm 27", "17 years old here".
  public func statedAge(in text: String) -> Int? { ownAge.stated(in: text) }

  /// The age in a reply to a question about age: a bare number is enough.
  public func answeredAge(in text: String) -> Int? { ownAge.answered(in: text) }
}
