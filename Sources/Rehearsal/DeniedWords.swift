import ContextQuality
import Signals

/// A clause in which somebody says that it's not what was heard: "it's not the heat that stops me".
struct DeniedWords {
  /// Verbatim.
  let clause: String
  /// What they say it is instead: "my shifts" of "it's my shifts".
  let instead: String?

  private let words: [String]
  private let negation: Int
  private let rules: Rules

  /// The words that make a denial, and those that mean nothing alone.
  struct Rules {
    let negating: PhraseRule
    let empty: PhraseRule

    init(_ signals: SignalRules) {
      (negating, empty) = (signals[.denial]["negating"], signals[.quoting]["empty"])
    }
  }

  /// The clauses of a message that say "not".
  static func all(in text: String, _ rules: Rules) -> [DeniedWords] {
    let clauses = text.split { ",;:.!?\n\u{2014}\u{2013}".contains($0) }
      .flatMap { $0.split(separator: " but ") }.map(\.trimmed)
    return clauses.indices.compactMap { place in
      let words = Words(clauses[place]).all
      guard let negation = words.firstIndex(where: rules.negating.contains) else { return nil }
      let beside = [place + 1, place - 1].filter(clauses.indices.contains).lazy
      return DeniedWords(
        clause: clauses[place],
        instead: beside.compactMap { namedInstead(clauses[$0], rules) }.first,
        words: words, negation: negation, rules: rules)
    }
  }

  /// "my shifts" of "it's my shifts".
  private static func namedInstead(_ clause: String, _ rules: Rules) -> String? {
    let spoken = clause.split(whereSeparator: \.isWhitespace)
    guard let first = spoken.first.map({ Words(String($0)).all.joined() }) else { return nil }
    let isSplit = ["it", "that"].contains(first) && spoken.count > 1
    let verb = isSplit ? Words(String(spoken[1])).all.first : nil
    guard ["its", "thats"].contains(first) || ["is", "was"].contains(verb) else { return nil }
    let rest = spoken.dropFirst(isSplit ? 2 : 1)
    guard let start = rest.first?.startIndex, let end = rest.last?.endIndex else { return nil }
    let words = Words(String(clause[start..<end])).all
    let hasContent = words.contains { !rules.empty.contains($0) }
    return hasContent && !words.contains(where: rules.negating.contains)
      ? String(clause[start..<end]) : nil
  }

  /// Whether it takes back what was said in other words. A denial of something that was denied itself
  /// says it again.
  func takesBack(_ said: String) -> Bool {
    let known = Words(said).all
    guard !known.contains(where: rules.negating.contains) else { return false }
    let content = Set(known.filter { !rules.empty.contains($0) }.map(Self.stem))
    let (before, after) = (contents(words[..<negation]), contents(words[(negation + 1)...]))
    guard !before.isEmpty || !after.isEmpty else { return false }
    return (before + after).allSatisfy(content.contains)
  }

  /// Whether it only says what something isn't: "it's not the heat that stops me".
  var namesNothing: Bool {
    contents(words[..<negation]).isEmpty
      && words[..<negation].contains { ["it", "its"].contains($0) }
      && words[negation...].contains { ["that", "which", "who"].contains($0) }
  }

  private func contents(_ words: ArraySlice<String>) -> [String] {
    words.filter { !rules.empty.contains($0) && !rules.negating.contains($0) }.map(Self.stem)
  }

  /// "Stops" is "stop".
  private static func stem(_ word: String) -> String {
    word.count > 3 && word.hasSuffix("s") ? String(word.dropLast()) : word
  }
}
