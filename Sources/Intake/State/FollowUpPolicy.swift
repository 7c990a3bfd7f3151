import ContextQuality

/// Chooses the next question's topic.
public enum FollowUpPolicy: String, Hashable, Sendable, CaseIterable, Codable {
  /// The component whose shortfall costs the most overall score, critical ones first. A second
  /// one may be added if one sentence covers both.
  case largestShortfall = "shortfall"
  /// The component with the lowest raw score.
  case lowest
}

extension FollowUpPolicy {
  /// Nil if nothing is left to ask.
  ///
  /// - Parameters:
  ///   - topics: The components to ask about; nil for all.
  ///   - trial: An order to try instead of the policy's own.
  func nextQuestion(
    _ scores: ContextComponents, _ state: IntakeState, within topics: Set<String>? = nil,
    trial: TrialOrder? = nil
  ) -> QuestionPlan? {
    var closed = state.closed
    if let topics {
      closed.formUnion(Set(scores.components.map(\.name)).subtracting(topics))
    } else {
      closed.formUnion(state.asked.covered)
    }
    let open = Self.movingOn(scores.weakest(excluding: closed), state)
    let candidates = (trial?.sorted(open, scores, state) ?? open).map(\.name)
    guard let worst = candidates.first else { return nil }
    let companion = candidates.dropFirst().first { !state.asked.wasHalfAnswered(worst, $0) }
    guard trial == nil, self == .lowest else {
      return QuestionPlan(worst, with: companion, state)
    }
    let others = Set(scores.components.map(\.name)).subtracting(candidates)
    return QuestionPlan(scores.lowest(excluding: others)?.name ?? worst, state)
  }

  /// The last answer may have been missed: by a rehearsal's simple reading, or because reading it
  /// failed. If anything else is left to ask, the question is not repeated right away.
  private static func movingOn(
    _ candidates: [ContextComponents.Component], _ state: IntakeState
  ) -> [ContextComponents.Component] {
    var answered: Set<String> = []
    if state.start?.source == .rehearsal {
      answered.formUnion(state.asked.justAnswered.map { [$0] } ?? [])
    }
    if state.missedLastTurn { answered.formUnion(state.asked.open?.components ?? []) }
    let others = candidates.filter { !answered.contains($0.name) }
    return others.isEmpty ? candidates : others
  }

  /// At the limit, a critical component that is still unclear is asked about once, explicitly.
  static func lastQuestion(_ scores: ContextComponents, _ state: IntakeState) -> QuestionPlan? {
    let unclear = scores.missingCritical.first {
      !state.asked.explicit.contains($0.name) && !state.declined.contains($0.name)
        && !state.missing($0.name).isEmpty
    }
    return unclear.map { QuestionPlan($0.name, isExplicit: true, state) }
  }
}

extension QuestionPlan {
  fileprivate init(
    _ component: String, with companion: String? = nil, isExplicit: Bool = false,
    _ state: IntakeState
  ) {
    let also = isExplicit ? nil : state.halfTold
    // One question holds two topics at most.
    let companion = also == nil ? companion : nil
    self.init(
      component: component, companion: companion, missing: state.missing(component),
      companionMissing: companion.map { state.missing($0) } ?? [], also: also, explicit: isExplicit)
  }
}

extension IntakeState {
  /// A sore knee says nothing of an illness or a medicine, which is asked for once.
  var halfTold: Facet? {
    rubric.facets.first { definition in
      let pieces = ledger.pieces(for: definition.facet)
      return definition.alsoAsk != nil && !pieces.isEmpty
        && !pieces.contains { $0.evidence.mark?.isMedical == true }
        && !asked.facets.contains(definition.facet)
        && !withheld.contains(definition.facet)
        && !setAside.contains(definition.facet.component)
    }?.facet
  }
}
