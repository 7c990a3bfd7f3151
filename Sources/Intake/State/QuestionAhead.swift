import ContextQuality
import FoundationEssentials
import Signals

/// A question that is asked before the last message has been read.
struct QuestionAhead: Hashable, Sendable {
  /// The turn that is read meanwhile.
  var turn: Int
  var plan: QuestionPlan
  /// The state in which it is asked, by the quick reading.
  var state: IntakeState
}

extension IntakeState {
  /// The question to ask while the model reads the last message.
  ///
  /// Nil if the model's reading could well lead to anything but a question, or if there is nothing to
  /// ask for that the message cannot have told.
  func questionAhead(
    _ reading: QuickReading, _ signals: SignalRules, _ settings: IntakeSettings
  ) -> QuestionAhead? {
    guard case .score(let turns) = nextStep(settings), let last = turns.last, turns == [last],
      phase.name == .discovering, record.turns.last?.turn == last, hypotheses.open == nil,
      record.turns.last?.intent == nil, reading.mayAct == false,
      !CareHints(signals).mayNeedCare(
        record.turns.last?.text ?? "", tellsOfConditions: reading.tellsOfConditions)
    else { return nil }
    func after(_ others: some Sequence<Facet>) -> IntakeState {
      let text = record.turns.last?.text ?? ""
      let evidence = others.map { Evidence(facet: $0, quote: text, turn: last) }
      let provisional = (reading.evidence + evidence).map { evidence in
        var evidence = evidence
        evidence.mark = .provisional
        return evidence
      }
      return self.after(Scoring(turns: turns, evidence: provisional))
    }
    // Whether the model finds nothing, the same, or what's likely besides: a question must follow.
    for state in [self.after(Scoring(turns: turns)), after(reading.likely)] {
      guard case .ask = state.nextStep(settings) else { return nil }
    }
    let ahead = after([])
    guard case .ask(let first) = ahead.nextStep(settings) else { return nil }
    let next = after(first.missing).nextStep(settings)
    let wanted = settings.wantedFacets(ahead)
    let plans = [.ask(first), next].lazy.compactMap {
      reading.question($0, within: wanted, ahead)
    }
    return plans.first.map { QuestionAhead(turn: last, plan: $0, state: ahead) }
  }

  /// The state after a reading.
  func after(_ scoring: Scoring) -> IntakeState {
    var next = self
    next.apply(
      RecordedEvent(
        position: position + 1, at: lastEventAt ?? .distantPast, event: .scored(scoring)))
    return next
  }
}

extension IntakeSettings {
  /// The facets that may be asked for; nil for all.
  fileprivate func wantedFacets(_ state: IntakeState) -> Set<Facet>? {
    guard case .topics(let topics) = ending else { return nil }
    return Set(topics.flatMap { $0.open(state) })
  }
}

// Where the bounds come from: "Reading ahead of a model" in docs/training.md.
extension QuickReading {
  /// What may decide the next step.
  fileprivate var likely: [Facet] { chances.filter { $0.value >= 0.3 }.map(\.key) }

  /// The question as far as it asks for nothing that the user told; nil if that could be all of it.
  ///
  /// If the user may have told every facet, the least likely one is asked for.
  fileprivate func question(
    _ step: IntakeStep, within wanted: Set<Facet>?, _ state: IntakeState
  ) -> QuestionPlan? {
    guard case .ask(var plan) = step, !plan.explicit else { return nil }
    if let wanted { plan.missing.removeAll { !wanted.contains($0) } }
    let untold = plan.missing.filter { chance($0) <= 0.005 }
    let least = plan.missing.min { chance($0) < chance($1) }
    guard let least, chance(least) <= 0.15 else { return nil }
    let chosen = untold.isEmpty ? [least] : untold
    // What these rest on is asked for with them, unless it may have been told.
    let needed = Set(chosen.compactMap { state.rubric[$0]?.needs })
    plan.missing = state.askable(
      plan.missing.filter { chosen.contains($0) || needed.contains($0) && chance($0) <= 0.15 })
    guard !plan.missing.isEmpty else { return nil }
    let told = Set(evidence.map(\.facet.component))
    if let companion = plan.companion,
      told.contains(companion) || plan.companionMissing.contains(where: { chance($0) > 0.005 })
    {
      (plan.companion, plan.companionMissing) = (nil, [])
    }
    return plan
  }

  private func chance(_ facet: Facet) -> Double { chances[facet] ?? 0 }
}
