import ContextQuality
import Signals

/// A clause in which somebody says that it's not what was heard: "it's not the heat that stops me".
struct DeniedWords {
  /// Verbatim.
  let clause: String
  /// What they say it is instead: "my shifts" of "it's my shifts".
  let instead: String?

  private let words: [String]
  /// Where "not" stands; nil if it says that something is so that was denied.
  private let negation: Int?
  private let rules: Rules

  /// The words that make a denial, and those that mean nothing alone.
  struct Rules {
    let negating: PhraseRule
    let empty: PhraseRule

    init(_ signals: SignalRules) {
      (negating, empty) = (signals[.denial]["negating"], signals[.quoting]["empty"])
    }
  }

  /// The clauses of a message that say "not"; in an objection, those that don't, too.
  static func all(in text: String, _ rules: Rules, objects: Bool) -> [DeniedWords] {
    let clauses = text.split { ",;:.!?\n\u{2014}\u{2013}".contains($0) }
      .flatMap { $0.split(separator: " but ") }.map(\.trimmed)
    let sentences = PatternReader.sentences(of: text)
    return clauses.indices.compactMap { place in
      let clause = clauses[place]
      let words = Words(clause).all
      let negation = words.firstIndex(where: rules.negating.contains)
      if negation == nil, !objects { return nil }
      let beside = [place + 1, place - 1].filter(clauses.indices.contains).lazy
      let others = sentences.filter { !$0.contains(clause) }
      let instead =
        negation == nil
        ? (others.count == 1 ? others.first : nil)
        : beside.compactMap { namedInstead(clauses[$0], rules) }.first
      return DeniedWords(
        clause: clause, instead: instead, words: words, negation: negation, rules: rules)
    }
  }

  /// "my shifts" of "it's my shifts".
  private static func namedInstead(_ clause: String, _ rules: Rules) -> String? {
    let spoken = clause.split(whereSeparator: \.isWhitespace)
    guard let first = spoken.first.map({ Words(String($0)).all.joined() }) else { return nil }
    let isSplit = first == "it" && spoken.count > 1
    let verb = isSplit ? Words(String(spoken[1])).all.first : nil
    guard first == "its" || ["is", "was"].contains(verb) else { return nil }
    let rest = spoken.dropFirst(isSplit ? 2 : 1)
    guard let start = rest.first?.startIndex, let end = rest.last?.endIndex else { return nil }
    let words = Words(String(clause[start..<end])).all
    let hasContent = words.contains { !rules.empty.contains($0) }
    return hasContent && !words.contains(where: rules.negating.contains)
      ? String(clause[start..<end]) : nil
  }

  /// Whether it takes back what was said in other words. A denial of something that was denied itself
  /// says it again, and to say that it's so takes the denial back: "I have time" after "I have no time".
  func takesBack(_ said: String) -> Bool {
    let clauses = said.split { ",;:.!?\n".contains($0) }.map { Words(String($0)).all }
    guard let negation else {
      let own = Set(contents(words[...]))
      return clauses.contains { clause in
        let denied = contents(clause[...])
        return clause.contains(where: rules.negating.contains) && !denied.isEmpty
          && denied.allSatisfy(own.contains)
      }
    }
    let known = clauses.flatMap(\.self)
    guard !known.contains(where: rules.negating.contains) else { return false }
    let content = Set(contents(known[...]))
    let denied = contents(words[..<negation]) + contents(words[(negation + 1)...])
    return !denied.isEmpty && denied.allSatisfy(content.contains)
  }

  /// Whether it only says what something isn't: "it's not the heat that stops me".
  var namesNothing: Bool {
    guard let negation else { return false }
    return contents(words[..<negation]).isEmpty
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
