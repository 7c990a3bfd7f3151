import ContextQuality
import FoundationEssentials
import Signals

/// A question that is asked before the last message has been read.
struct QuestionAhead: Hashable, Sendable {
  /// The turn that is read meanwhile.
  var turn: Int
  var plan: QuestionPlan
  /// The state in which it's asked, by the quick reading.
  var state: IntakeState
}

extension IntakeState {
  /// The question to ask while the model reads the last message.
  ///
  /// Nil if the model's reading could lead to anything but a question, or if the question could ask
  /// for what the message tells.
  func questionAhead(_ reading: QuickReading, _ settings: IntakeSettings) -> QuestionAhead? {
    guard case .score(let turns) = nextStep(settings), let last = turns.last, turns == [last],
      phase.name == .discovering, record.turns.last?.turn == last,
      record.turns.last?.intent == .other, hypotheses.open == nil, !reading.mayNeedCare
    else { return nil }
    let text = record.turns.last?.text ?? ""
    let possible = reading.doubtful.map { Evidence(facet: $0, quote: text, turn: last) }
    // Whether the model finds nothing, the same, or all of it: a question must follow.
    for evidence in [[], reading.evidence + possible] {
      guard case .ask = after(Scoring(turns: turns, evidence: evidence)).nextStep(settings)
      else { return nil }
    }
    let ahead = after(Scoring(turns: turns, evidence: reading.evidence))
    guard case .ask(var plan) = ahead.nextStep(settings), !plan.explicit else { return nil }
    plan.missing.removeAll { reading.doubtful.contains($0) }
    guard !plan.missing.isEmpty else { return nil }
    let told = reading.doubtful.union(reading.evidence.map(\.facet)).map(\.component)
    if let companion = plan.companion, told.contains(companion) {
      (plan.companion, plan.companionMissing) = (nil, [])
    }
    return QuestionAhead(turn: last, plan: plan, state: ahead)
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
