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
    if let topics { closed.formUnion(Set(scores.components.map(\.name)).subtracting(topics)) }
    let open = Self.movingOn(scores.weakest(excluding: closed), state)
    let candidates = (trial?.sorted(open, scores, state) ?? open).map(\.name)
    guard let worst = candidates.first else { return nil }
    let companion = candidates.dropFirst().first { !state.neverAsked($0).isEmpty }
    if trial != nil { return QuestionPlan(worst, with: companion, state) }
    switch self {
    case .largestShortfall: return QuestionPlan(worst, with: companion, state)
    case .lowest:
      let others = Set(scores.components.map(\.name)).subtracting(candidates)
      return QuestionPlan(scores.lowest(excluding: others)?.name ?? worst, state)
    }
  }

  /// Words that answered the last question aren't asked for again right away if anything else is left to ask:
  /// they may have been missed by a rehearsal's simple reading, or because reading them failed, or they
  /// may be all that the user has to say about it. With a model, what is critical is asked once more.
  private static func movingOn(
    _ candidates: [ContextComponents.Component], _ state: IntakeState
  ) -> [ContextComponents.Component] {
    var answered: Set<String> = []
    if let last = state.asked.justAnswered,
      state.start?.source == .rehearsal
        || state.asked.wasAskedInVain(last) && !state.rubric.critical.contains(last)
    {
      answered.insert(last)
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
    let new = state.neverAsked(component)
    self.init(
      component: component, companion: companion,
      missing: new + state.missing(component).filter { !new.contains($0) },
      companionMissing: companion.map(state.neverAsked) ?? [], explicit: isExplicit)
  }
}

extension IntakeState {
  /// What is missing in a component and was part of no question yet.
  fileprivate func neverAsked(_ component: String) -> [Facet] {
    missing(component).filter { !asked.facets.contains($0) }
  }
}
