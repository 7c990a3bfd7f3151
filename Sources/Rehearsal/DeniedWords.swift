import ContextQuality
import Signals

/// A clause in which somebody says that it is not what was heard: "it's not the heat that stops me".
struct DeniedWords {
  /// Verbatim.
  let clause: String
  /// What they say it is instead: "my shifts" of "it's my shifts".
  private(set) var instead: String?

  private let words: [String]
  /// Where "not" stands; nil if it says that something is so that was denied.
  private let negation: Int?
  private let rules: Rules

  /// The words that make a denial, and those that mean nothing alone.
  struct Rules {
    let negating: PhraseRule
    let empty: PhraseRule
    let joining: PhraseRule
    /// What begins the words that are meant: "I meant", "rather".
    let meaning: PhraseRule
    private let no: PhraseRule

    init(_ signals: SignalRules) {
      (negating, empty) = (signals[.denial]["negating"], signals[.quoting]["empty"])
      (joining, meaning) = (signals[.quoting]["conjunction"], signals[.quoting]["meaning"])
      no = signals[.consent]["no"]
    }

    /// "It's my hip" of "no it's my hip".
    func withoutNo(_ clause: String) -> String {
      let words = clause.split(whereSeparator: \.isWhitespace)
      guard words.count > 1, no.contains(words[0].lowercased()),
        empty.contains(Words(String(words[1])).all.joined())
      else { return clause }
      return String(clause[words[1].startIndex...])
    }
  }

  /// The clauses of a message that say "not"; in an objection, those that do not, too.
  static func all(in text: String, _ rules: Rules, objects: Bool) -> [DeniedWords] {
    let clauses = text.split { ",;:.!?\n\u{2014}\u{2013}".contains($0) }
      .flatMap { $0.split(separator: " but ") }.map(\.trimmed)
    let sentences = PatternReader.sentences(of: text)
    return clauses.indices.compactMap { place in
      let clause = objects ? rules.withoutNo(clauses[place]) : clauses[place]
      let words = Words(clause).all
      let negation = words.firstIndex(where: rules.negating.contains)
      if negation == nil, !objects { return nil }
      let beside = [place + 1, place - 1].filter { other in
        guard clauses.indices.contains(other) else { return false }
        // "This year, not next year. And I have a bad back": what is meant stands in the same sentence.
        return negation != 0
          || sentences.contains { $0.contains(clauses[place]) && $0.contains(clauses[other]) }
      }.lazy
      let others = sentences.filter { !$0.contains(clause) }
      var denied = DeniedWords(
        clause: clause, instead: others.count == 1 ? others.first : nil, words: words,
        negation: negation, rules: rules)
      if negation != nil {
        // A "sorry" beside it is no news.
        denied.instead = beside.compactMap { denied.namedInstead(clauses[$0]) }
          .max {
            denied.contents(Words($0).all[...]).count < denied.contents(Words($1).all[...]).count
          }
      } else if denied.saysWhich {
        denied.instead = denied.namedInstead(clause)
      }
      return denied
    }
  }

  /// What a clause beside it says that it is: "my shifts" of "it's my shifts", and "hay fever" of "I meant hay
  /// fever", of "I have hay fever" beside "I don't have asthma", and of "hay fever" beside "not asthma".
  private func namedInstead(_ clause: String) -> String? {
    let spoken = clause.split(whereSeparator: \.isWhitespace)
    let words = spoken.map { Words(String($0)).all.joined() }
    let leads = [["its"], ["it", "is"], ["it", "was"]]
    var lead = leads.first(where: words.starts)?.count
    if lead == nil, let place = words.prefix(2).firstIndex(where: rules.meaning.contains) {
      lead = place + 1
    }
    if lead == nil, namesNothing || words.starts(with: self.lead) {
      lead = namesNothing ? 0 : self.lead.count
    }
    guard let lead, let start = spoken.dropFirst(lead).first?.startIndex,
      !words.contains(where: rules.negating.contains),
      words.dropFirst(lead).contains(where: { !rules.empty.contains($0) })
    else { return nil }
    return String(clause[start...])
  }

  /// The words before those that are denied: "I have" of "I don't have asthma".
  private var lead: [String] {
    if negation == 0 { return [] }
    let said = words.enumerated().filter { $0.offset != negation }.map(\.element)
    return Array(said.prefix { rules.empty.contains($0) })
  }

  /// Whether it takes back what was said in other words. A denial of something that was denied itself
  /// says it again, and to say that it is so takes the denial back: "I have time" after "I have no time".
  func takesBack(_ said: String) -> Bool {
    let clauses = said.split { ",;:.!?\n".contains($0) }.map { Words(String($0)).all }
    guard let negation else {
      if saysWhich {
        let known = Set(clauses.flatMap { contents(affirmed($0)) })
        return contents(words[whatItDoes...]).allSatisfy(known.contains)
          && !contents(words[..<whatItDoes]).allSatisfy(known.contains)
      }
      let own = Set(contents(words[...]))
      return clauses.contains { clause in
        let denied = contents(clause[...])
        return clause.contains(where: rules.negating.contains) && !denied.isEmpty
          && denied.allSatisfy(own.contains)
      }
    }
    let content = Set(clauses.flatMap { contents(affirmed($0)) })
    let denied = contents(words[..<negation]) + contents(words[(negation + 1)..<whatItDoes])
    // "Not next year" puts a part right of what is about more.
    return !denied.isEmpty && denied.allSatisfy(content.contains)
      && (namesNothing || content.subtracting(denied).isEmpty)
  }

  /// Whether it puts a part right of what was said in other words: "Mondays don't work" after "Mondays and
  /// Fridays", "it isn't 10 kg" after "lose 10 kg by summer".
  func touches(_ said: String) -> Bool {
    guard let negation else { return false }
    let content = Set(contents(Words(said).all[...]))
    let before = contents(words[..<negation])
    let named = before.isEmpty ? contents(words[(negation + 1)..<whatItDoes]) : before
    return !named.isEmpty && named.allSatisfy(content.contains)
  }

  /// The words behind "I meant" where nothing is denied: "by July" of "sorry, I meant by July".
  var meant: String? {
    guard negation == nil else { return nil }
    let spoken = clause.split(whereSeparator: \.isWhitespace)
    guard let place = words.prefix(2).firstIndex(where: rules.meaning.contains),
      spoken.indices.contains(place + 1)
    else { return nil }
    return String(clause[spoken[place + 1].startIndex...])
  }

  /// Whether it only says what something is not: "it's not the heat that stops me".
  var namesNothing: Bool {
    guard let negation, isBare else { return false }
    return words[..<negation].contains { ["it", "its"].contains($0) }
      && whatItDoes < words.endIndex
  }

  /// Whether only filler words come before the "not": "not next year", "it isn't 10 kg", "I'm not 45".
  var isBare: Bool { negation.map { contents(words[..<$0]).isEmpty } ?? false }

  /// Whether it names another one that does the same: "it's my ankle that hurts".
  private var saysWhich: Bool {
    negation == nil && words.contains { ["it", "its"].contains($0) }
      && !contents(words[..<whatItDoes]).isEmpty && !contents(words[whatItDoes...]).isEmpty
  }

  /// Where "that stops me" begins behind what is denied.
  private var whatItDoes: Int {
    let behind = words[(negation ?? 0)...]
    return behind.firstIndex { ["that", "which", "who"].contains($0) } ?? words.endIndex
  }

  /// What stands before a denial: "I have asthma" of "I have asthma and not much time".
  private func affirmed(_ clause: [String]) -> ArraySlice<String> {
    let denial = clause.firstIndex(where: rules.negating.contains)
    guard let denial else { return clause[...] }
    return clause[..<(clause[..<denial].lastIndex(where: rules.joining.contains) ?? 0)]
  }

  private func contents(_ words: ArraySlice<String>) -> [String] {
    words.filter { !rules.empty.contains($0) && !rules.negating.contains($0) }.map(Self.stem)
  }

  /// "Stops" is "stop".
  private static func stem(_ word: String) -> String {
    word.count > 3 && word.hasSuffix("s") ? String(word.dropLast()) : word
  }
}
