import Signals

/// The user chooses between a plan from what is known and more questions.
package struct Offering: Hashable, Sendable, PhaseRules {
  var offer: Offer
  var discovery: Discovery

  var name: Phase.Name { .offering }
  var pending: IntakeState.Pending { .offer(offer) }

  func nextStep(_ state: IntakeState, _ settings: IntakeSettings) -> IntakeStep { .awaitUser }

  func hearing(_ message: UserMessage, _ record: inout Record) -> Phase {
    var next = discovery
    if message.agrees || message.ends {
      next.isEnded = true
    } else {
      next.talkOn(at: record.clock)
      record.asked.talkOn()
      if message.turn.intent != .keepTalking { record.queue.take(message.turn.turn) }
    }
    return message.leavesQuestionOpen
      ? .offering(Offering(offer: offer, discovery: next))
      : .discovering(Discovering(discovery: next))
  }
}
