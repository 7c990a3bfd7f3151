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
  func nextQuestion(_ scores: ContextComponents, _ state: IntakeState) -> QuestionPlan? {
    let candidates = Self.movingOn(scores.weakest(excluding: state.closed), state).map(\.name)
    guard let worst = candidates.first else { return nil }
    switch self {
    case .largestShortfall:
      return QuestionPlan(worst, with: candidates.dropFirst().first, state)
    case .lowest:
      let others = Set(scores.components.map(\.name)).subtracting(candidates)
      return QuestionPlan(scores.lowest(excluding: others)?.name ?? worst, state)
    }
  }

  /// A rehearsal's simple reading may have missed the last answer. If anything else is left to
  /// ask, it doesn't repeat the question right away.
  private static func movingOn(
    _ candidates: [ContextComponents.Component], _ state: IntakeState
  ) -> [ContextComponents.Component] {
    guard state.start?.source == .rehearsal else { return candidates }
    let others = candidates.filter { $0.name != state.asked.justAnswered }
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
    self.init(
      component: component, companion: companion, missing: state.missing(component),
      companionMissing: companion.map { state.missing($0) } ?? [], explicit: isExplicit)
  }
}
