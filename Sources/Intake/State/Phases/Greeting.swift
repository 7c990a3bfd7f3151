/// Before the user's first words.
package struct Greeting: Hashable, Sendable, PhaseRules {
  var name: Phase.Name { .greeting }

  func nextStep(_ state: IntakeState, _ settings: IntakeSettings) -> IntakeStep {
    state.record.floor == .user ? .awaitUser : .greet
  }

  func after(_ event: IntakeEvent) -> Phase? {
    if case .greeted = event { .greeting(self) } else { nil }
  }

  func hearing(_ message: UserMessage, _ record: inout Record) -> Phase {
    Discovering().hearing(message, &record)
  }
}
