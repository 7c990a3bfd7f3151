import ContextQuality
import Signals

/// Makes one sentence of several suggestions, as a person would say it.
///
/// The subject is said once where it stays the same ("I want to lose fat but have limited time").
/// Words in another language than English, whose grammar nobody knows here, stand as sentences
/// side by side.
enum StarterSentence {
  /// - Parameters:
  ///   - suggestions: In any order.
  ///   - words: What stands in front, in the person's own words.
  static func combine(_ suggestions: [Starters.Suggestion], after words: String = "") -> String {
    let clauses = Self.order.compactMap { category -> Clause? in
      let texts = suggestions.filter { $0.category == category }.map(\.text)
      return texts.isEmpty ? nil : Clause(texts, isContrast: category == .challenges)
    }
    let sentence =
      clauses.allSatisfy(\.isEnglish)
      ? joined(clauses) : clauses.flatMap(\.texts).map(capitalised).joined(separator: ". ")
    guard clauses.allSatisfy(\.isEnglish), LanguageGuess(words) != .other else {
      return appendAsOwn(sentence, to: words)
    }
    return append(sentence, to: words, isContrast: clauses.first?.isContrast ?? false)
  }

  /// Circumstances first: "I want to lose fat and work long hours" would be two wishes.
  private static let order: [Starters.Category] = [.context, .goals, .preferences, .challenges]

  private static func joined(_ clauses: [Clause]) -> String {
    var sentence = ""
    var subject: Substring?
    for clause in clauses {
      let text = clause.text
      if sentence.isEmpty {
        sentence = text
      } else {
        let contrasts = clause.isContrast && !sentence.contains(" but ")
        let rest = subject == clause.subject ? clause.withoutSubject : uncapitalised(text)
        sentence += (contrasts ? " but " : " and ") + rest
      }
      subject = clause.lastSubject
    }
    return capitalised(sentence)
  }

  /// What cannot be joined by the grammar of one language stands beside it.
  private static func appendAsOwn(_ sentence: String, to words: String) -> String {
    var words = words.trimmed[...]
    while let last = words.last, ",;:".contains(last) { words.removeLast() }
    guard let last = words.last, !sentence.isEmpty else {
      return words.isEmpty ? sentence : String(words)
    }
    return words + (".!?…)。！？".contains(last) ? " " : ". ") + capitalised(sentence)
  }

  private static func append(
    _ sentence: String, to words: String, isContrast: Bool
  ) -> String {
    let words = words.trimmed
    guard let last = words.last, !sentence.isEmpty else { return words.isEmpty ? sentence : words }
    if ".!?…)".contains(last) { return words + " " + sentence }
    let rest = uncapitalised(sentence)
    let ending = words.split(separator: " ").last.map { $0.lowercased() } ?? ""
    if ",;:-–—".contains(last) || linkWords.contains(ending) { return words + " " + rest }
    return words + (isContrast ? " but " : " and ") + rest
  }

  /// Whether the words begin as somebody would speak of themselves in English.
  static func opensInEnglish(_ text: String) -> Bool {
    let text = text.replacing("\u{2019}", with: "'")
    guard let first = text.split(separator: " ").first else { return false }
    return Clause.subjects.contains(first) || Clause.openings.contains(first.lowercased())
  }

  private static let linkWords: Set<String> = ["and", "but", "because", "so", "or", "since", "as"]

  fileprivate static func capitalised(_ text: String) -> String {
    text.prefix(1).uppercased() + text.dropFirst()
  }

  /// Only words that are surely no names lose their capital.
  fileprivate static func uncapitalised(_ text: String) -> String {
    let first = text.prefix { !$0.isWhitespace }
    let isName = !Clause.openings.contains(first.lowercased()) || Clause.subjects.contains(first)
    return isName ? text : text.prefix(1).lowercased() + text.dropFirst()
  }
}

/// The suggestions of one category, said in one breath.
private struct Clause {
  static let subjects: Set<Substring> = ["I", "I'm", "I've", "I'd", "I'll"]
  /// How English clauses begin here, beside those of the first person.
  static let openings: Set<String> = [
    "my", "our", "we", "we're", "we've", "there", "there's", "it", "it's", "the", "a", "an", "no",
    "not", "nothing", "mornings", "evenings", "weekends", "work", "being", "having",
  ]

  let texts: [String]
  let isContrast: Bool

  init(_ texts: [String], isContrast: Bool) {
    self.texts = texts.map { $0.replacing("\u{2019}", with: "'") }
    self.isContrast = isContrast
  }

  var isEnglish: Bool { texts.allSatisfy(StarterSentence.opensInEnglish) }

  /// The first person with which the words begin, as it is written.
  var subject: Substring? { Self.subject(of: texts.first) }
  /// The one with which they go on.
  var lastSubject: Substring? { Self.subject(of: texts.last) }

  private static func subject(of text: String?) -> Substring? {
    text?.split(separator: " ").first.flatMap { subjects.contains($0) ? $0 : nil }
  }

  var withoutSubject: String {
    subject.map { String(text.dropFirst($0.count + 1)) } ?? text
  }

  /// `a, b and c`, with what they all begin with said once.
  var text: String {
    let words = texts.map { $0.split(separator: " ") }
    let shared = Self.sharedCount(words)
    let items = words.enumerated().map { index, words in
      let item = index == 0 ? words[...] : words.dropFirst(shared)
      let text = item.joined(separator: " ")
      return index == 0 || shared > 0 ? text : StarterSentence.uncapitalised(text)
    }
    guard items.count > 1, let last = items.last else { return items.first ?? "" }
    return items.dropLast().joined(separator: ", ") + " and " + last
  }

  /// Words at the beginning that all have in common and that need saying only once.
  private static func sharedCount(_ all: [[Substring]]) -> Int {
    guard all.count > 1, let first = all.first, let subject = first.first,
      subjects.contains(subject)
    else { return 0 }
    var count = 0
    while all.allSatisfy({ $0.count > count + 1 && $0[count] == first[count] }) {
      // "I don't like gyms and have time" would deny the wrong thing.
      if isNegation(first[count]) { break }
      count += 1
    }
    // "I want to run and more energy": what follows the shared words must be of one kind.
    let kinds = Set(all.map { $0.count > count && $0[count] == "to" })
    return kinds.count > 1 ? min(count, 1) : count
  }

  private static func isNegation(_ word: Substring) -> Bool {
    word.hasSuffix("n't") || ["not", "never", "no", "hardly", "rarely"].contains(word)
  }
}
