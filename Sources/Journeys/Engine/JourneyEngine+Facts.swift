import ContextQuality
import IncrementalJSON
import Intake

// What documents rest on, and what becomes of them when it changes.
extension JourneyEngine {
  /// Drops what was written from other answers than those that hold now, where it's about to be shown. What
  /// the person changed or approved goes only if they say so.
  func dropOutdated() async throws {
    guard overlay == nil, state.care == nil, let step = currentStep, let kind = step.drafts else {
      return
    }
    let facts = fingerprint(of: kind)
    if let drafting = drafts[kind], drafting.facts != facts {
      drafting.result.cancel()
      drafts[kind] = nil
    }
    guard let known = state.documents[kind], let earlier = known.facts, earlier != facts else {
      return
    }
    guard known.isEdited || known.isApproved else {
      return try await store(.documentDropped(kind))
    }
    if step.document == kind { overlay = .confirmDraft(kind) }
  }

  /// Documents of which it isn't known what they rest on are taken to rest on what is known now. Before
  /// answers can change.
  func noteFacts() async throws {
    for kind in DocumentKind.allCases {
      guard let known = state.documents[kind], known.facts == nil else { continue }
      try await store(.documentKept(kind, facts: fingerprint(of: kind)))
    }
  }

  /// The answers to the questions that come before a document, what was said in conversation, what isn't
  /// to be used, and for a program the goal. The same on every device.
  func fingerprint(of kind: DocumentKind) -> String {
    let earlier = journey.steps.prefix { $0.drafts != kind }
    let answers = earlier.compactMap { step -> (String, JSONValue)? in
      guard let name = step.field?.name, let answer = state.answers[name], answer.step == step.id
      else { return nil }
      return (name, answer.value.json)
    }
    let said = intake.rubric.facets.compactMap { definition -> (String, JSONValue)? in
      guard let evidence = intake.ledger.evidence(for: definition.facet), !evidence.isReading,
        evidence.answer.flatMap({ journey[step: $0.step] }) == nil
      else { return nil }
      return (definition.facet.description, .string(evidence.text))
    }
    let goal = earlier.contains { $0.drafts == .goal } ? state.documents[.goal] : nil
    let facts: JSONValue = [
      "answers": .object(JSONObject(answers)), "said": .object(JSONObject(said)),
      "withheld": .strings(intake.withheld.map(\.description).sorted()),
      "goal": goal.map { .string($0.document.json) } ?? .null,
    ]
    // FNV-1a: the same on every machine.
    let hash = facts.serialized().utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
    return String(hash, radix: 16)
  }

  /// What a document goes against by now, in words.
  func contradictions(of document: DraftedDocument) -> [String] {
    (try? DocumentMaker(document.kind, facts))?.limits.problems(of: document) ?? []
  }
}
