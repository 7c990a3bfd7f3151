import ContextQuality
import Signals

/// Bank phrases and where they count in a message.
struct BankPattern: Sendable {
  enum Place: String, CaseIterable {
    case anywhere = "when"
    /// At the start of a sentence, or after its opening words.
    case start
    /// In a sentence that asks something.
    case asked
    /// The whole sentence.
    case sentence
    /// The whole message.
    case whole
    /// At least two different words in a message, and a quarter of it.
    case two
  }

  var place: Place
  var phrase: PhrasePattern

  static func matches(_ patterns: [BankPattern], _ text: String, _ rules: RuleSet) -> Bool {
    let parts = Sentence.all(of: text, rules)
    func phrases(_ place: Place) -> [PhrasePattern] {
      patterns.filter { $0.place == place }.map(\.phrase)
    }
    return patterns.contains { pattern in parts.contains { $0.matches(pattern) } }
      || parts.contains { $0.consists(of: phrases(.sentence), orFillersAlone: false) }
      || isWhole(parts, phrases(.whole)) || holdsTwo(parts, phrases(.two))
  }

  private static func isWhole(_ parts: [Sentence], _ phrases: [PhrasePattern]) -> Bool {
    !phrases.isEmpty
      && parts.allSatisfy { $0.consists(of: phrases, orFillersAlone: true) }
      && parts.contains { $0.consists(of: phrases, orFillersAlone: false) }
  }

  private static func holdsTwo(_ parts: [Sentence], _ phrases: [PhrasePattern]) -> Bool {
    let all = parts.flatMap(\.text.words)
    let found = parts.flatMap { part in
      phrases.flatMap { $0.matches(in: part.text) }.flatMap { part.text.words[$0] }
    }
    return Set(found).count >= 2 && found.count * 4 >= all.count
  }
}

/// A message's sentence, prepared for matching bank phrases.
private struct Sentence {
  let text: PhrasePattern.Text
  private let isMarkedQuestion: Bool
  /// Where it begins after words like "well".
  private let start: Int
  private let filler: PhraseRule
  private let asking: PhraseRule

  private init(_ words: [String], isMarkedQuestion: Bool, _ rules: RuleSet) {
    text = PhrasePattern.Text(words)
    self.isMarkedQuestion = isMarkedQuestion
    let filler = rules["filler"]
    (self.filler, asking) = (filler, rules["asking"])
    start = words.firstIndex { !filler.contains($0) } ?? words.count
  }

  static func all(of text: String, _ rules: RuleSet) -> [Sentence] {
    var rest = PlainText.visible(text)[...]
    var sentences: [Sentence] = []
    while !rest.isEmpty {
      let end = rest.firstIndex(of: "?")
      let all = Words(String(rest[..<(end ?? rest.endIndex)])).sentences
      for (index, words) in all.enumerated() {
        sentences.append(
          Sentence(words, isMarkedQuestion: end != nil && index == all.count - 1, rules))
      }
      rest = end.map { rest[rest.index(after: $0)...] } ?? ""
    }
    return sentences
  }

  /// Whether the phrase counts anywhere in the sentence.
  func matches(_ pattern: BankPattern) -> Bool {
    switch pattern.place {
    case .anywhere: pattern.phrase.matches(in: text)
    case .start: pattern.phrase.matches(in: text).contains { $0.lowerBound == start }
    case .asked: isQuestion && pattern.phrase.matches(in: text)
    case .sentence, .whole, .two: false
    }
  }

  /// Whether it contains only the phrases and words that mean nothing alone.
  func consists(of phrases: [PhrasePattern], orFillersAlone: Bool) -> Bool {
    let found = phrases.flatMap { $0.matches(in: text) }
    guard orFillersAlone || !found.isEmpty else { return false }
    return text.words.indices.allSatisfy { index in
      filler.contains(text.words[index]) || found.contains { $0.contains(index) }
    }
  }

  /// "How much does it cost" asks without a mark; "what it would cost me" does not ask.
  private var isQuestion: Bool {
    isMarkedQuestion || asking.matches(Array(text.words[start...]))
  }
}
