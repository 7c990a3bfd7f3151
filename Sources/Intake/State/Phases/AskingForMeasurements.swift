/// Height and weight were asked for.
package struct AskingForMeasurements: Hashable, Sendable, PhaseRules {
  var discovery: Discovery

  var name: Phase.Name { .askingForMeasurements }
  var pending: IntakeState.Pending { .body }

  func nextStep(_ state: IntakeState, _ settings: IntakeSettings) -> IntakeStep {
    state.record.floor == .user ? .awaitUser : answered.nextStep(state, settings)
  }

  func after(_ event: IntakeEvent) -> Phase? { answered.after(event) }

  func hearing(_ message: UserMessage, _ record: inout Record) -> Phase {
    var next = discovery
    if message.ends {
      next.isEnded = true
    } else if message.asksWhy, next.hearWhyBodyIsAsked() {
      next.turns += 1
    } else if message.isPlain {
      record.queue.bodyAnswer = message.turn.turn
    } else {
      next.turns += 1
      record.queue.take(message.turn.turn)
    }
    return message.isOpen || message.leavesQuestionOpen
      ? .askingForMeasurements(AskingForMeasurements(discovery: next))
      : .discovering(Discovering(discovery: next))
  }

  func heeding(_ reading: HeededReading, _ record: inout Record) -> Phase {
    guard let acts = reading.acts else { return .askingForMeasurements(self) }
    var next = discovery
    if acts.has(.stops, .goesOn) { next.isEnded = true }
    if acts.has(.declines) { record.withholdBody() }
    // Its reason is a text of ours, and the question comes with it.
    let asksWhy = acts.first(.asks)?.about == .question
    if !(asksWhy && next.hearWhyBodyIsAsked()) { record.owe(acts, at: reading.turn) }
    return .askingForMeasurements(AskingForMeasurements(discovery: next))
  }

  /// Whatever was answered, the discovery continues.
  private var answered: Discovering { Discovering(discovery: discovery) }
}
