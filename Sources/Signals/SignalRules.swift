public import ContextQuality
import Synchronization

/// The files of rules that code asks.
package enum SignalFile: String, CaseIterable, Sendable {
  /// Whom words are about.
  case people
  /// What takes back the words behind it.
  case denial
  /// What is no evidence, although the user wrote it.
  case evidence
  /// Words that carry no fact by themselves.
  case little
  /// The small words by which a language is told.
  case language
  /// How clauses are joined to one sentence.
  case clauses
  /// How a quote is taken up in a sentence of the coach's.
  case quoting
  /// What is a question without its mark, and what may stand around a phrase.
  case asking
  /// What a reading from health data may leave out.
  case grounding

  /// The rules that code asks for by name.
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
      }
    return names.split(separator: " ").map(String.init)
  }
}

/// What is said about whom and in what mood, as data: word lists and rules over them.
///
/// The lists of a language are shared by all packs. A pack's `signals/NAME.txt` adds to the shared
/// file of that name; its `signals/shared/NAME.txt` replaces that file. Each file is read when a
/// rule in it is first asked for.
public final class SignalRules: Sendable {
  private let shared: [String: String]
  private let own: [String: String]
  private let folder: String
  private let read = Mutex<[SignalFile: RuleSet]>([:])

  /// - Parameters:
  ///   - shared: The shared files' texts, by their path below the shared folder.
  ///   - own: The pack's files' texts, by their path below the pack's folder.
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

  /// Reads all files, so that a mistake is reported before it matters.
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

  /// The shared file, or the one that replaces it, and what the pack adds.
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
