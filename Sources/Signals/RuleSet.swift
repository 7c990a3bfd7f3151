import ContextQuality

/// The rules of one file in `signals/`.
package struct RuleSet: Sendable {
  /// A rule and its scope.
  struct Entry: Sendable {
    enum Scope { case sentence, clause }

    var name: String
    var scope = Scope.sentence
    /// Only in a sentence that ends in a question mark.
    var isQuestion = false
    /// `component.facet` or `component.*`.
    var except: [String] = []
    var only: [String] = []
    var rule = PhraseRule()

    func applies(to facet: Facet) -> Bool {
      (only.isEmpty || only.contains { Self.means($0, facet) })
        && !except.contains { Self.means($0, facet) }
    }

    private static func means(_ name: String, _ facet: Facet) -> Bool {
      name == facet.description || name == facet.component + ".*"
    }
  }

  /// In file order.
  private(set) var entries: [Entry] = []
  /// The facets that it names, with where.
  private(set) var facetNames: [(name: String, place: PackError)] = []

  package subscript(name: String) -> PhraseRule {
    entries.first { $0.name == name }?.rule ?? PhraseRule()
  }

  mutating func add(_ section: PhraseFile.Section, _ file: PhraseFile) throws(PackError) {
    let name = section.heading[0]
    let index = entries.firstIndex { $0.name == name }
    var entry = index.map { entries[$0] } ?? Entry(name: name)
    try read(section, file, into: &entry)
    entry.rule.add(section.entries)
    if let index { entries[index] = entry } else { entries.append(entry) }
  }

  private mutating func read(
    _ section: PhraseFile.Section, _ file: PhraseFile, into entry: inout Entry
  ) throws(PackError) {
    var part = ""
    for word in section.heading.dropFirst() {
      switch (part, word) {
      case (_, "except"), (_, "only"): part = word
      case ("", "clause"): entry.scope = .clause
      case ("", "question"): entry.isQuestion = true
      case ("", _):
        throw file.error(
          section.line, "expected clause, question, except or only, found \(word)")
      default:
        if part == "only" { entry.only.append(word) } else { entry.except.append(word) }
        let place = file.error(section.line, "\(word): expected a facet of the rubric")
        facetNames.append((word, place))
      }
    }
  }
}
