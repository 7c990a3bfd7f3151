/// Tells a number that somebody is typing from digits that were to choose, by what comes behind them.
///
/// What follows a number in speech is an open class ("3 times", "2 kids", "4 bad discs"); what goes on
/// with a sentence is nearly a closed one ("by June", "and my knee hurts"). So only words that go on
/// with a sentence speak for a choice, and all else is taken as it was typed.
struct TypedNumber {
  enum Verdict: Hashable {
    case number, choice
    /// What comes next decides.
    case open
  }

  /// The digits that were typed.
  let digits: String

  /// - Parameters:
  ///   - rest: What was typed behind them.
  ///   - isWhole: Nothing comes behind it any more.
  func verdict(behind rest: Substring, isWhole: Bool = false) -> Verdict {
    // A line of its own is no part of a number.
    guard !rest.contains(where: \.isNewline) else { return .choice }
    guard let first = rest.first else { return isWhole ? .choice : .open }
    let next = rest.dropFirst()
    switch first {
    case _ where first.isWhitespace: return words(rest, Self.goingOn(isAge: isAge), isWhole)
    case _ where isAge || next.first?.isWhitespace == false: return .number
    case ",": return words(next, Self.conjunctions, isWhole)
    case ".", "!": return words(next, Self.subjects, isWhole)
    default: return .number
    }
  }

  /// Twelve and more could be how old somebody is.
  private var isAge: Bool { digits.count > 1 }

  private func words(_ rest: Substring, _ known: Set<String>, _ isWhole: Bool) -> Verdict {
    let rest = rest.drop(while: \.isWhitespace)
    let word = rest.prefix { $0.isLetter || "'\u{2019}".contains($0) }
    let behind = rest.dropFirst(word.count)
    guard !rest.isEmpty else { return isWhole ? .choice : .open }
    let folded = word.lowercased().replacing("\u{2019}", with: "'")
    let isBegun = behind.isEmpty && !isWhole
    guard isBegun else { return known.contains(folded) ? joined(folded, behind, isWhole) : .number }
    return known.contains { $0.hasPrefix(folded) } ? .open : .number
  }

  /// "2 and a half", "2 to 3" and "1 on 1" are numbers yet.
  private func joined(_ word: String, _ behind: Substring, _ isWhole: Bool) -> Verdict {
    guard Self.betweenNumbers.contains(word) else { return .choice }
    let rest = behind.drop(while: \.isWhitespace).lowercased()
    if rest.isEmpty { return isWhole ? .choice : .open }
    let next = rest.prefix { !$0.isWhitespace }
    if next.contains(where: \.isNumber) || Self.numbers.contains(String(next)) { return .number }
    let phrases = Self.fractions.filter { $0.hasPrefix(rest) || rest.hasPrefix($0) }
    if phrases.contains(where: { rest.hasPrefix($0) }) { return .number }
    let isBegun = !rest.contains(where: \.isWhitespace)
    let isNumberBegun = isBegun && Self.numbers.contains { $0.hasPrefix(next) }
    return (isNumberBegun || !phrases.isEmpty) && !isWhole ? .open : .choice
  }

  private static func goingOn(isAge: Bool) -> Set<String> {
    isAge ? behindSeveral : conjunctions.union(others)
  }

  /// What would hardly follow an age.
  private static let behindSeveral: Set<String> = [
    "by", "before", "because", "so", "until", "till", "while", "within", "without", "during",
    "especially", "ideally", "hopefully", "preferably",
  ]

  private static let conjunctions: Set<String> = [
    "and", "but", "because", "so", "since", "while", "when", "whenever", "where", "if", "unless",
    "although", "though", "even", "by", "before", "especially", "ideally", "hopefully",
    "preferably", "mainly", "mostly", "not", "without", "with", "as", "which", "then", "also",
    "particularly",
  ]

  private static let others: Set<String> = [
    "again", "after", "around", "at", "despite", "due", "during", "eventually", "fast", "finally",
    "for", "from", "into", "like", "naturally", "now", "on", "primarily", "quickly", "really",
    "right", "safely", "slowly", "soon", "specifically", "through", "throughout", "till", "to",
    "together", "too", "under", "until", "in", "within", "instead", "anymore", "asap",
    "this", "next",
  ]

  private static let subjects: Set<String> = [
    "i", "i'm", "i've", "i'd", "i'll", "my", "we", "we're", "we've", "our", "it", "it's", "there",
    "there's", "that", "that's", "this", "but", "and", "also",
  ]

  private static let betweenNumbers: Set<String> = ["and", "to", "on"]
  private static let numbers: Set<String> = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "fifteen", "twenty", "thirty", "forty", "fifty", "half",
  ]
  private static let fractions = ["a half", "a quarter", "a bit"]
}
