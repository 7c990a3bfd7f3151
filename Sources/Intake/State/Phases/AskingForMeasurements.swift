/// Height and weight were asked for.
package struct AskingForMeasurements: Hashable, Sendable, PhaseRules {
  var discovery: Discovery

  var name: Phase.Name { .askingForMeasurements }
  var pending: IntakeState.Pending { .body }

  func nextStep(_ state: IntakeState, _ settings: IntakeSettings) -> IntakeStep { .awaitUser }

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
    return message.leavesQuestionOpen
      ? .askingForMeasurements(AskingForMeasurements(discovery: next))
      : .discovering(Discovering(discovery: next))
  }
}
