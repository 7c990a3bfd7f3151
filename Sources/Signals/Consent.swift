/// Answers to the program's own yes-or-no questions, from a pack's `signals/consent.txt`: consents,
/// and fields of a form. What a message to the coach does is read instead.
public struct Consent: Sendable {
  private let rules: RuleSet

  public init(_ rules: SignalRules) { self.rules = rules[.consent] }

  /// Whether the whole reply says yes; nil if it says neither yes nor no.
  public func isYes(_ reply: String) -> Bool? {
    // A question is never an answer.
    guard !reply.contains("?") else { return nil }
    let words = Words(reply).all
    // A thumb says it without a word.
    if words.isEmpty {
      return rules["yes"].matches(PhrasePattern.Text([]), literal: reply) ? true : nil
    }
    if consists(words, of: "yes") { return true }
    return consists(words, of: "no") ? false : nil
  }

  /// Whether a sentence begins by asking to stop using health data.
  public func withdrawsHealth(_ text: String) -> Bool {
    Words(text).sentences.contains { words in
      let start = words.firstIndex { !rules["around"].contains($0) } ?? 0
      return rules["withdraws-health"].ranges(in: PhrasePattern.Text(words)).contains {
        $0.lowerBound == start
      }
    }
  }

  /// Whether its phrases are all there is, apart from words that may stand around them.
  private func consists(_ words: [String], of name: String) -> Bool {
    let phrases = rules[name].ranges(in: PhrasePattern.Text(words))
    return !phrases.isEmpty
      && words.indices.allSatisfy { index in
        phrases.contains { $0.contains(index) } || rules["around"].contains(words[index])
      }
  }
}
