import ContextQuality
import Signals

/// Combines several suggestions into one natural sentence.
///
/// A repeated subject appears once ("I want to lose fat but have limited time"). The grammar comes
/// from `signals/clauses.txt`. Text in another language stays as separate sentences.
struct StarterSentence: Sendable {
  private let signals: SignalRules

  init(_ signals: SignalRules) { self.signals = signals }

  /// - Parameters:
  ///   - suggestions: In any order.
  ///   - words: The user's own words, which come first.
  func combine(_ suggestions: [Starters.Suggestion], after words: String = "") -> String {
    let grammar = Grammar(signals[.clauses])
    let clauses = Self.order.compactMap { category -> Clause? in
      let texts = suggestions.filter { $0.category == category }.map(\.text)
      return texts.isEmpty ? nil : Clause(texts, isContrast: category == .challenges, grammar)
    }
    guard clauses.allSatisfy(\.isKnown) else {
      let sentences = clauses.flatMap(\.texts).map(\.capitalisedFirst)
      return Self.append(sentences.joined(separator: ". "), beside: words)
    }
    let sentence = joined(clauses, grammar)
    if LanguageGuess(words, signals) == .other { return Self.append(sentence, beside: words) }
    return append(sentence, to: words, isContrast: clauses.first?.isContrast ?? false, grammar)
  }

  /// Whether the text starts in the first person, in the rules' language.
  func opens(_ text: String) -> Bool { Grammar(signals[.clauses]).opens(text) }

  /// Circumstances first: "I want to lose fat and work long hours" would be two wishes.
  private static let order: [Starters.Category] = [.context, .goals, .preferences, .challenges]

  private func joined(_ clauses: [Clause], _ grammar: Grammar) -> String {
    var sentence = ""
    var subject: Substring?
    for clause in clauses {
      let text = clause.text
      if sentence.isEmpty {
        sentence = text
      } else {
        let contrasts = clause.isContrast && !sentence.contains(" \(grammar.but) ")
        let rest = subject == clause.subject ? clause.withoutSubject : grammar.uncapitalised(text)
        sentence += " \(contrasts ? grammar.but : grammar.and) " + rest
      }
      subject = clause.lastSubject
    }
    return sentence.capitalisedFirst
  }

  /// Appends a sentence that the grammar cannot join.
  private static func append(_ sentence: String, beside words: String) -> String {
    var words = words.trimmed[...]
    while let last = words.last, ",;:".contains(last) { words.removeLast() }
    guard let last = words.last, !sentence.isEmpty else {
      return words.isEmpty ? sentence : String(words)
    }
    return words + (".!?…)。！？".contains(last) ? " " : ". ") + sentence.capitalisedFirst
  }

  private func append(
    _ sentence: String, to words: String, isContrast: Bool, _ grammar: Grammar
  ) -> String {
    let words = words.trimmed
    guard let last = words.last, !sentence.isEmpty else { return words.isEmpty ? sentence : words }
    if ".!?…)".contains(last) { return words + " " + sentence }
    let rest = grammar.uncapitalised(sentence)
    let ending = words.split(separator: " ").last ?? ""
    if ",;:-–—".contains(last) || grammar.link.contains(ending.folded) { return words + " " + rest }
    return words + " \(isContrast ? grammar.but : grammar.and) " + rest
  }
}

/// The words that mark and join clauses.
private struct Grammar {
  let subject: PhraseRule
  let opening: PhraseRule
  let link: PhraseRule
  let negation: PhraseRule
  let infinitive: PhraseRule
  let and: String
  let but: String

  init(_ rules: RuleSet) {
    (subject, opening, link) = (rules["subject"], rules["opening"], rules["link"])
    (negation, infinitive) = (rules["negation"], rules["infinitive"])
    (and, but) = (rules["and"].firstWord, rules["but"].firstWord)
  }

  func opens(_ text: String) -> Bool {
    guard let first = text.split(separator: " ").first else { return false }
    return isSubject(first) || isOpening(first)
  }

  /// "Ill" is not "I'll".
  func isSubject(_ word: Substring) -> Bool {
    word.first?.isUppercase == true && (word.count == 1 || word.contains(where: \.isApostrophe))
      && subject.contains(word.folded)
  }

  func isOpening(_ word: Substring) -> Bool { opening.contains(word.folded) }

  /// Lowercases only words that cannot be names.
  func uncapitalised(_ text: String) -> String {
    let first = text.prefix { !$0.isWhitespace }
    guard isOpening(first), !isSubject(first) else { return text }
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}

/// The suggestions of one category, as one clause.
private struct Clause {
  let texts: [String]
  let isContrast: Bool
  private let grammar: Grammar

  init(_ texts: [String], isContrast: Bool, _ grammar: Grammar) {
    self.texts = texts.map { $0.replacing("\u{2019}", with: "'") }
    (self.isContrast, self.grammar) = (isContrast, grammar)
  }

  /// Whether all of it is in the rules' language.
  var isKnown: Bool { texts.allSatisfy(grammar.opens) }

  /// The first-person subject at the start, as written.
  var subject: Substring? { subject(of: texts.first) }
  /// The subject of the last text.
  var lastSubject: Substring? { subject(of: texts.last) }

  private func subject(of text: String?) -> Substring? {
    text?.split(separator: " ").first.flatMap { grammar.isSubject($0) ? $0 : nil }
  }

  var withoutSubject: String {
    subject.map { String(text.dropFirst($0.count + 1)) } ?? text
  }

  /// `a, b and c`, with their shared start said once.
  var text: String {
    let words = texts.map { $0.split(separator: " ") }
    let shared = sharedCount(words)
    let items = words.enumerated().map { index, words in
      let item = index == 0 ? words[...] : words.dropFirst(shared)
      let text = item.joined(separator: " ")
      return index == 0 || shared > 0 ? text : grammar.uncapitalised(text)
    }
    guard items.count > 1, let last = items.last else { return items.first ?? "" }
    return items.dropLast().joined(separator: ", ") + " \(grammar.and) " + last
  }

  /// The number of shared leading words that need to appear only once.
  private func sharedCount(_ all: [[Substring]]) -> Int {
    guard all.count > 1, let first = all.first, let subject = first.first,
      grammar.isSubject(subject)
    else { return 0 }
    var count = 0
    while all.allSatisfy({ $0.count > count + 1 && $0[count] == first[count] }) {
      // "I don't like gyms and have time" would negate the wrong part.
      if grammar.negation.contains(first[count].folded) { break }
      count += 1
    }
    // "I want to run and more energy": the remaining words must be the same kind.
    let kinds = Set(
      all.map { $0.count > count && grammar.infinitive.contains($0[count].folded) })
    return kinds.count > 1 ? min(count, 1) : count
  }
}

extension StringProtocol {
  /// The word as the rules spell it.
  fileprivate var folded: String { lowercased().filter { !$0.isApostrophe } }

  package var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension Character {
  fileprivate var isApostrophe: Bool { self == "'" || self == "\u{2019}" }
}
