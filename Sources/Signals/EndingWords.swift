/// Tells a message that ends the questions, or asks what one is for, from everything else.
///
/// "I want to stop smoking" ends nothing: a phrase counts only if it is a whole clause, apart from
/// words that may stand around it.
package struct EndingWords {
  private let rules: RuleSet

  package init(_ rules: SignalRules) { self.rules = rules[.ending] }

  /// `stop` if the message ends the questions, `asksWhy` if it only asks why; nil otherwise.
  ///
  /// - Parameter isOffered: Whether going on without more questions was just offered.
  package func intent(of text: String, isOffered: Bool) -> ReplyIntent? {
    Cut.of(text).lazy.compactMap { intent(of: clauses(text, $0), isOffered) }.first
  }

  private func intent(of clauses: [[PhrasePattern.Text]], _ isOffered: Bool) -> ReplyIntent? {
    guard let last = clauses.last else { return nil }
    let isAlone = clauses.count == 1
    if matches("stop", last) || isAlone && matches("stop-alone", last)
      || isAlone && isOffered && matches("stop-offered", last)
    {
      return .stop
    }
    return clauses.allSatisfy { matches("asks-why", $0) } ? .asksWhy : nil
  }

  /// Whether the message says nothing else.
  package func isOnlyThat(_ text: String) -> Bool {
    let rules = ["stop", "stop-alone", "stop-offered", "asks-why"]
    return Cut.of(text).contains { cut in
      clauses(text, cut).allSatisfy { clause in rules.contains { matches($0, clause) } }
    }
  }

  /// Where a message is cut: "no more questions, give me the plan" is two parts, "use what you
  /// have, please" is one.
  private enum Cut {
    case atSentences, atCommas

    /// Those that differ.
    static func of(_ text: String) -> [Cut] {
      text.contains(", ") ? [.atSentences, .atCommas] : [.atSentences]
    }
  }

  /// The variants of each part.
  private func clauses(_ text: String, _ cut: Cut) -> [[PhrasePattern.Text]] {
    let text = cut == .atCommas ? text.replacing(", ", with: "; ") : text
    return Words(text).sentences.map(variants).filter { !$0.isEmpty }
  }

  private func matches(_ name: String, _ variants: [PhrasePattern.Text]) -> Bool {
    let rule = rules[name]
    return variants.contains { rule.matches($0) }
  }

  /// The sentence with more and more of the words left out that may stand around a phrase; empty
  /// if it has no others.
  private func variants(_ sentence: [String]) -> [PhrasePattern.Text] {
    let ranges = rules["around"].ranges(in: PhrasePattern.Text(sentence))
    var starts = [0]
    for start in sentence.indices where starts.contains(start) {
      starts += ranges.filter { $0.lowerBound == start }.map(\.upperBound)
    }
    guard !starts.contains(sentence.count) else { return [] }
    var ends = [sentence.count]
    for end in sentence.indices.reversed() where ends.contains(end + 1) {
      ends += ranges.filter { $0.upperBound == end + 1 }.map(\.lowerBound)
    }
    return starts.flatMap { start in
      ends.filter { start < $0 }.map { PhrasePattern.Text(Array(sentence[start..<$0])) }
    }
  }
}
