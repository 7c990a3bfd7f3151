public import ContextQuality
import Synchronization

/// The rule files that code uses.
package enum SignalFile: String, CaseIterable, Sendable {
  /// Who words are about.
  case people
  /// What negates the words after it.
  case denial
  /// User text that isn't evidence.
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
  /// How users end the questions, and ask what a question is for.
  case ending

  /// The rules that code looks up by name.
  package var rules: [String] {
    let names =
      switch self {
      case .people: "self other"
      case .denial: "denied turn"
      case .evidence: EvidenceGuard.Rule.allCases.map(\.rawValue).joined(separator: " ")
      case .little: "little"
      case .language: "english foreign"
      case .clauses: "subject opening link negation infinitive and but"
      case .quoting:
        "pointing joint conjunction closer dangling not-knowing addressing fragment empty opener "
          + "own wish wish-verb"
      case .asking: "filler asking opens-question"
      case .grounding: "linking describing"
      case .ending: "around stop stop-alone stop-offered asks-why"
      }
    return names.split(separator: " ").map(String.init)
  }
}

/// Word lists and rules that tell who a statement is about, and its mood.
///
/// All packs share a language's lists. A pack's `signals/NAME.txt` adds to the shared file of that
/// name; its `signals/shared/NAME.txt` replaces that file. Each file is read when one of its rules
/// is first used.
public final class SignalRules: Sendable {
  private let shared: [String: String]
  private let own: [String: String]
  private let folder: String
  private let read = Mutex<[SignalFile: RuleSet]>([:])

  /// - Parameters:
  ///   - shared: The shared files' texts, by path in the shared folder.
  ///   - own: The pack's files' texts, by path in the pack's folder.
  ///   - folder: The pack's folder, for errors.
  public init(shared: [String: String], own: [String: String], folder: String) {
    (self.shared, self.own, self.folder) = (shared, own, folder)
  }

  /// The rules of a file. Empty if it cannot be read; ``check(_:)`` says why.
  package subscript(file: SignalFile) -> RuleSet {
    read.withLock { read in
      if let rules = read[file] { return rules }
      let rules = (try? rules(of: file)) ?? RuleSet()
      read[file] = rules
      return rules
    }
  }

  /// Reads all files, so that mistakes are reported early.
  public func check(_ rubric: Rubric) throws(PackError) {
    for file in SignalFile.allCases {
      let rules = try rules(of: file)
      for name in file.rules where rules[name].isEmpty {
        throw PackError(
          file: "\(folder)/\(Self.path(file))", reason: "[\(name)]: expected at least one phrase")
      }
      for (name, place) in rules.facetNames where !rubric.has(name) { throw place }
    }
  }

  private func rules(of file: SignalFile) throws(PackError) -> RuleSet {
    let texts = texts(of: file.rawValue)
    var lists = PhrasePattern.Lists()
    for name in texts.flatMap(\.used) {
      for text in self.texts(of: name) { try text.define(in: &lists) }
    }
    for text in texts { try text.define(in: &lists) }
    var rules = RuleSet()
    for text in texts {
      for section in try text.sections(lists) {
        guard file.rules.contains(section.heading[0]) else {
          throw text.error(
            section.line,
            "[\(section.heading[0])]: expected one of \(file.rules.joined(separator: ", "))")
        }
        try rules.add(section, text)
      }
    }
    return rules
  }

  private static func path(_ file: SignalFile) -> String { "signals/\(file.rawValue).txt" }

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
  /// For `QuoteVerifier`.
  package var littleWords: Set<String> { self[.little]["little"].plainWords }
}
