public import ContextQuality
import IncrementalJSON

/// The rule files that code uses.
package enum SignalFile: String, CaseIterable, Sendable {
  /// Who words are about.
  case people
  /// What negates the words after it.
  case denial
  /// User text that is not evidence.
  case evidence
  /// Words that carry no fact by themselves.
  case little
  /// Small words that identify a language.
  case language
  /// How clauses join into a sentence.
  case clauses
  /// How a quote fits into the coach's sentence.
  case quoting
  /// Questions without a question mark, and words allowed around a phrase.
  case asking
  /// What a health data reading may omit.
  case grounding
  /// Answers to the program's own yes-or-no questions.
  case consent
  /// Words that turn what a quote says.
  case meaning
  /// What may need a careful answer.
  case hints

  fileprivate var path: String { "signals/\(rawValue).txt" }
  /// The pack's file that replaces the shared one.
  fileprivate var replacement: String { "signals/shared/\(rawValue).txt" }

  /// The rules that code looks up by name.
  package var rules: [String] {
    let names =
      switch self {
      case .people: "self other"
      case .denial: "denied turn negating clause listed or"
      case .evidence:
        (EvidenceGuard.Rule.allCases.map(\.rawValue) + [EvidenceGuard.stating])
          .joined(separator: " ")
      case .little: "little"
      case .language: "english foreign"
      case .clauses: "subject opening link negation infinitive and but"
      case .quoting:
        "pointing joint conjunction closer dangling not-knowing addressing fragment empty meaning "
          + "opener own wish wish-verb"
      case .asking: "filler asking opens-question"
      case .grounding: "linking describing"
      case .consent: "around yes no withdraws-health"
      case .meaning: "negating measuring opposing reversing answering"
      case .hints: "alarming everyday"
      }
    return names.split(separator: " ").map(String.init)
  }
}

/// Word lists and rules that tell who a statement is about, and its mood.
///
/// All packs share a language's lists. A pack's `signals/NAME.txt` adds to the shared file of that
/// name; its `signals/shared/NAME.txt` replaces that file.
public struct SignalRules: Sendable {
  private let folder: String
  private let rules: [SignalFile: RuleSet]
  /// The shared files that the pack replaces.
  private let replaced: Set<SignalFile>
  private let measures: MeasureWords

  /// - Parameters:
  ///   - shared: The shared files' texts, by path in the shared folder.
  ///   - own: The pack's files' texts, by path in the pack's folder.
  ///   - folder: The pack's folder, for errors.
  ///   - measures: Units and number words, which a quote cannot change.
  /// - Throws: `PackError` if a file cannot be read.
  public init(
    shared: [String: String], own: [String: String], folder: String,
    measures: MeasureWords = MeasureWords()
  ) throws(PackError) {
    (self.folder, self.measures) = (folder, measures)
    let texts = Texts(shared: shared, own: own, folder: folder)
    var faults = PackFaults()
    var rules: [SignalFile: RuleSet] = [:]
    for file in SignalFile.allCases {
      rules[file] = faults.gather(try texts.rules(of: file))
    }
    try faults.raise()
    self.rules = rules
    replaced = Set(SignalFile.allCases.filter { own[$0.replacement] != nil })
  }

  package subscript(file: SignalFile) -> RuleSet { rules[file] ?? RuleSet() }

  /// Checks that no rule is missing, and that all facets named are in the rubric.
  public func check(_ rubric: Rubric) throws(PackError) {
    var faults = PackFaults()
    for file in SignalFile.allCases {
      for name in file.rules where self[file][name].isEmpty {
        faults.add(
          PackError(
            file: "\(folder)/\(replaced.contains(file) ? file.replacement : file.path)",
            reason: "[\(name)]: expected at least one phrase"))
      }
      for (name, place) in self[file].facetNames where !rubric.has(name) {
        faults.add(
          PackError(
            file: place.file, line: place.line, reason: place.reason + rubric.hint(for: name)))
      }
    }
    try faults.raise()
  }
}

private struct Texts {
  let shared: [String: String]
  let own: [String: String]
  let folder: String

  func rules(of file: SignalFile) throws(PackError) -> RuleSet {
    let texts = texts(of: file.rawValue)
    var lists = PhrasePattern.Lists()
    for name in texts.flatMap(\.used) {
      for text in self.texts(of: name) { try text.define(in: &lists) }
    }
    for text in texts { try text.define(in: &lists) }
    var faults = PackFaults()
    var rules = RuleSet()
    for text in texts {
      for section in try text.sections(lists) {
        let name = section.heading[0]
        if file.rules.contains(name) {
          faults.gather(try rules.add(section, text))
        } else {
          let hint = name.nearest(among: file.rules).map { "; did you mean [\($0)]?" } ?? ""
          faults.add(
            text.error(
              section.line,
              "[\(name)]: expected one of \(file.rules.joined(separator: ", "))\(hint)"))
        }
      }
    }
    try faults.raise()
    return rules
  }

  /// The shared file or its replacement, then the pack's additions.
  private func texts(of name: String) -> [PhraseFile] {
    let path = "signals/\(name).txt"
    let base =
      own["signals/shared/\(name).txt"].map {
        PhraseFile($0, name: "\(folder)/signals/shared/\(name).txt")
      } ?? shared[path].map { PhraseFile($0, name: "shared/\(path)") }
    let added = own[path].map { PhraseFile($0, name: "\(folder)/\(path)") }
    return [base, added].compactMap(\.self)
  }
}

extension Rubric {
  /// Whether it has the facet, or a component whose facets `component.*` means.
  fileprivate func has(_ name: String) -> Bool {
    guard let facet = Facet(name) else { return false }
    return facet.name == "*" ? self[component: facet.component] != nil : self[facet] != nil
  }
}

extension SignalRules {
  /// They carry no fact by themselves.
  package var littleWords: Set<String> { self[.little]["little"].plainWords }

  /// For `QuoteFitter`.
  package var quoteWords: QuoteWords {
    let (meaning, little, measures) = (self[.meaning], littleWords, measures)
    var words = QuoteWords(
      little: little, negating: meaning["negating"].plainWords,
      measuring: meaning["measuring"].plainWords, answering: meaning["answering"].plainWords)
    words.opposing = meaning["opposing"].plainWords
    words.reversing = meaning["reversing"].plainWords
    words.listed = { Words($0).all.joined() }
    words.measures = { !little.contains($0) && measures.isMeasure($0) }
    return words
  }
}
