import ContextQuality
import IncrementalJSON
package import Signals

/// The names that a pack has for what it understands of a person, from its `understanding.json`.
package struct UnderstandingTerms: Sendable {
  package struct Term: Sendable {
    package var aspect: Understanding.Aspect
    package var name: String
    /// For people.
    package var title: String
    /// What must be said, for a model.
    package var means: String
    /// How to talk to such a person.
    package var speak: String?
    /// How a rehearsal asks such a person, from what its questions offer.
    package var asks: Asking?
    /// Whether its words can name a weight.
    package var hasWeight: Bool
    /// The phrases by which a rehearsal finds it.
    package var hears: [PhrasePattern]

    package var id: String { "\(aspect.rawValue).\(name)" }
  }

  package enum Asking: String, CaseIterable, Sendable {
    /// In few words.
    case short
    /// With something to react to.
    case suggestions
  }

  /// By aspect, in the file's order; empty if the pack understands nothing.
  package private(set) var terms: [Term] = []

  package init() {}

  package subscript(id: String) -> Term? { terms.first { $0.id == id } }
}

extension UnderstandingTerms {
  private enum Member: String, CaseIterable { case title, means, speak, asks, hasWeight, hears }

  /// Each aspect comes from the pack if it has it, and otherwise from the shared file.
  ///
  /// - Parameter faults: Receives what is wrong; the rest is read.
  init(
    shared: [String: String], own: [String: String], folder: String, _ faults: inout PackFaults
  ) {
    let path = "understanding.json"
    var documents: [PackDocument] = []
    for (text, place) in [(own[path], folder), (shared[path], "shared")] {
      guard let text else { continue }
      faults.gather { () throws(PackError) in
        let document = try PackDocument(text, file: "\(place)/\(path)")
        documents.append(document)
        try document.checkKeys(
          of: document.root, Understanding.Aspect.allCases.map(\.rawValue))
      }
    }
    for aspect in Understanding.Aspect.allCases {
      guard let document = documents.first(where: { $0.root[aspect.rawValue] != nil }) else {
        continue
      }
      let members = faults.gather(try document.object(document.root, aspect.rawValue))
      for (name, value) in members ?? [:] {
        let term = faults.gather(try Self.term(aspect, name, value, document))
        if let term { terms.append(term) }
      }
    }
  }

  private static func term(
    _ aspect: Understanding.Aspect, _ name: String, _ value: JSONValue, _ document: PackDocument
  ) throws(PackError) -> Term {
    try document.checkKeys(of: value, Member.allCases.map(\.rawValue))
    var hears: [PhrasePattern] = []
    for phrase in try document.texts(value, "hears") {
      do throws(PhrasePattern.Malformed) {
        hears.append(try PhrasePattern(Array(phrase.utf8)[...]))
      } catch {
        throw document.wrong(
          "\(aspect.rawValue).\(name): \(phrase): \(error.reason)", at: "hears", in: value)
      }
    }
    let asks = value["asks"]?.stringValue.flatMap { Asking(rawValue: $0) }
    if let given = value["asks"], asks == nil {
      throw document.wrong(
        "\(aspect.rawValue).\(name): asks: expected short or suggestions, found \(given.serialized())",
        at: "asks", in: value)
    }
    return Term(
      aspect: aspect, name: name, title: try document.text(value, "title"),
      means: try document.text(value, "means"), speak: value["speak"]?.stringValue, asks: asks,
      hasWeight: value["hasWeight"]?.boolValue ?? false, hears: hears)
  }
}
