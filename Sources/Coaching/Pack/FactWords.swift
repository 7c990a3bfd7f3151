import ContextQuality
import IncrementalJSON

/// What a model is told about coaching, from a pack's `coaching/prompts.json`.
struct FactWords: Sendable {
  enum Fact: String, CaseIterable {
    case goal, sessions, amended, archived, lapsed, holds, follows, asked, week, plateau
  }

  /// How entries are reported.
  let instructions: String
  private let facts: [String: String]

  init(_ document: PackDocument) throws(PackError) {
    try document.checkKeys(of: document.root, ["instructions", "facts"])
    instructions = try document.text(document.root, "instructions")
    let facts = JSONValue.object(try document.object(document.root, "facts"))
    try document.checkKeys(of: facts, Fact.allCases.map(\.rawValue))
    var texts: [String: String] = [:]
    for fact in Fact.allCases { texts[fact.rawValue] = try document.text(facts, fact.rawValue) }
    self.facts = texts
  }

  func callAsFunction(_ fact: Fact, _ values: [String: String]) -> String {
    var text = facts[fact.rawValue] ?? ""
    for (name, value) in values { text = text.replacing("{{\(name)}}", with: value) }
    return text
  }
}
