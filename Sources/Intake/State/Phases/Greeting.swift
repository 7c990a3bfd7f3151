import ContextQuality

/// Before the user's first words.
package struct Greeting: Hashable, Sendable, PhaseRules {
  /// What a form told, once it was written down. A conversation begins all the same.
  var conclusion: Conclusion?

  var name: Phase.Name { .greeting }

  func nextStep(_ state: IntakeState, _ settings: IntakeSettings) -> IntakeStep {
    if state.record.floor == .user { return .awaitUser }
    // Somebody who has filled in a form isn't asked what it's about.
    guard state.hasAnswers else { return .greet }
    if case .ask(let plan) = Discovering().nextStep(state, settings) { return .ask(plan) }
    // A form that told enough leaves something to talk about before there's a summary.
    guard case .summary = settings.ending else { return .greet }
    return settings.nextQuestion(state.components(settings), state).map { .ask($0) } ?? .greet
  }

  func after(_ event: IntakeEvent) -> Phase? {
    switch event {
    case .greeted, .asked: .greeting(self)
    case .synthesised(let synthesis):
      .greeting(Greeting(conclusion: Conclusion(synthesis: synthesis)))
    case .discoveryCompleted: conclusion.map { .atPaywall(Paywall(conclusion: $0)) }
    default: nil
    }
  }

  func hearing(_ message: UserMessage, _ record: inout Record) -> Phase {
    Discovering().hearing(message, &record)
  }

  func heeding(_ reading: HeededReading, _ record: inout Record) -> Phase { .greeting(self) }
}

extension IntakeState {
  fileprivate var hasAnswers: Bool {
    ledger.entries.contains { if case .answer = $0.evidence.basis { true } else { false } }
  }
}
