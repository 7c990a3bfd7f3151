import ContextQuality
import IncrementalJSON
import Intake
import Plans

// What documents rest on, and what becomes of them when it changes.
extension JourneyEngine {
  /// Drops what was written from other answers than those that hold now, where it is about to be shown. What
  /// the person changed or approved goes only if they say so.
  func dropOutdated() async throws {
    guard pending == nil, state.care == nil, let step = currentStep, let kind = step.drafts else {
      return
    }
    let facts = facts(of: kind)
    if let drafting = drafts[kind], drafting.facts != facts {
      drafting.result.cancel()
      drafts[kind] = nil
    }
    guard let known = state.documents[kind], let earlier = known.restsOn, earlier != facts else {
      return
    }
    guard known.isEdited || known.isApproved else {
      return try await store(.documentDropped(kind))
    }
    if step.document == kind { try await store(.asked(.renewal(kind))) }
  }

  /// Documents of which it is not known what they rest on are taken to rest on what is known now. Before
  /// answers can change.
  func noteFacts() async throws {
    for kind in DocumentKind.allCases {
      guard let known = state.documents[kind], known.restsOn == nil else { continue }
      try await store(.documentKept(kind, facts: facts(of: kind).text))
    }
  }

  /// The answers to the questions that come before a document, what was said in conversation and what is not
  /// to be used, as far as the document rests on it; and for a program the goal.
  func facts(of kind: DocumentKind) -> DocumentFacts {
    var facts = DocumentFacts()
    let earlier = Array(journey.steps.prefix { $0.drafts != kind })
    for topic in topics where topic.documents.contains(kind) {
      let facets = facets(of: topic)
      let answers = earlier.compactMap { step -> (String, JSONValue)? in
        guard let name = step.field?.name, let answer = state.answers[name],
          answer.step == step.id, isAbout(topic, step, facets)
        else { return nil }
        return (name, answer.value.json)
      }
      let said = facets.compactMap { facet -> (String, JSONValue)? in
        guard let evidence = intake.ledger.evidence(for: facet), !evidence.isReading,
          !isAnswered(facet, by: evidence)
        else { return nil }
        return (facet.description, .string(evidence.text))
      }
      let withheld = facets.filter(intake.withheld.contains).map(\.description).sorted()
      guard !(answers.isEmpty && said.isEmpty && withheld.isEmpty) else { continue }
      facts.note(
        [
          "answers": .object(JSONObject(answers)), "said": .object(JSONObject(said)),
          "withheld": .strings(withheld),
        ], of: topic.id)
    }
    if kind == .program, earlier.contains(where: { $0.drafts == .goal }),
      let goal = state.documents[.goal]
    {
      facts.note(.string(goal.document.json), of: DocumentFacts.goal)
    }
    return facts
  }

  /// What the person changed since a document was written, as it follows on "You changed".
  func changes(since known: DocumentState) -> [String] {
    guard let earlier = known.restsOn else { return [] }
    let changed = facts(of: known.document.kind).changes(since: earlier)
    return topics.filter { changed.contains($0.id) }.map(\.name)
      + (changed.contains(DocumentFacts.goal) ? [JourneyWords.yourGoal] : [])
  }
}

// Topics.
extension JourneyEngine {
  private func facets(of topic: DocumentRules.Topic) -> [Facet] {
    if let facets = topic.facets { return facets }
    let others = Set(topics.flatMap { $0.facets ?? [] })
    return intake.rubric.facets.map(\.facet).filter { !others.contains($0) }
  }

  /// A name changes no document, and an answer about nothing in particular belongs to the rest.
  private func isAbout(_ topic: DocumentRules.Topic, _ step: Step, _ facets: [Facet]) -> Bool {
    let asked = step.field?.facets ?? []
    return asked.isEmpty
      ? topic.facets == nil && step.kind != .text : asked.contains(where: facets.contains)
  }

  /// Whether the answer itself is among the facts, so that its words need not be.
  private func isAnswered(_ facet: Facet, by evidence: Evidence) -> Bool {
    let step = evidence.answer.flatMap { journey[step: $0.step] }
    return step?.field?.facets.contains(facet) == true
  }
}
