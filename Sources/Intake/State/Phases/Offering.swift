import Signals

/// The user chooses between a plan from what is known and more questions.
package struct Offering: Hashable, Sendable, PhaseRules {
  var offer: Offer
  var discovery: Discovery

  var name: Phase.Name { .offering }
  var pending: IntakeState.Pending { .offer(offer) }

  func nextStep(_ state: IntakeState, _ settings: IntakeSettings) -> IntakeStep { .awaitUser }

  func after(_ event: IntakeEvent) -> Phase? {
    guard case .asked(let question) = event else { return nil }
    return question.isMenu || question.isCheckIn ? .offering(self) : nil
  }

  func hearing(_ message: UserMessage, _ record: inout Record) -> Phase {
    if message.isOpen {
      record.queue.take(message.turn.turn)
      return .offering(self)
    }
    var next = discovery
    if message.agrees || message.ends {
      next.isEnded = true
    } else {
      next.talkOn(at: record.clock)
      record.asked.talkOn()
      if message.turn.intent == .keepTalking {
        next.wantsToTalk = true
        record.oweTalk(at: message.turn.turn)
      } else {
        record.queue.take(message.turn.turn)
      }
    }
    return message.leavesQuestionOpen
      ? .offering(Offering(offer: offer, discovery: next))
      : .discovering(Discovering(discovery: next))
  }

  func heeding(_ reading: HeededReading, _ record: inout Record) -> Phase {
    // Whoever tells more is talking on, even if what else it does couldn't be read.
    guard let acts = reading.acts ?? (reading.tells ? [] : nil) else {
      record.owed = .clarity(reading.turn)
      return .offering(self)
    }
    let (ends, talksOn) = (acts.has(.goesOn, .stops, .agrees, .continues), acts.has(.talksOn))
    var next = discovery
    if ends, talksOn {
      record.owed = .clarity(reading.turn)
      return .offering(self)
    }
    record.owe(acts, at: reading.turn)
    if ends {
      next.isEnded = true
      return .discovering(Discovering(discovery: next))
    }
    if !talksOn, !reading.tells, record.owed != nil { return .offering(self) }
    // A no says neither, and asking on would overrule it.
    if !talksOn, !reading.tells, acts.has(.declines, .rejects, .unsure) {
      record.owed = .clarity(reading.turn)
      return .offering(self)
    }
    next.talkOn(at: record.clock)
    record.asked.talkOn()
    // Telling more is talking on. Whoever chose to keep talking is asked at least once more.
    next.wantsToTalk = talksOn || !reading.tells
    if talksOn, !reading.tells { record.oweTalk(at: reading.turn) }
    return .discovering(Discovering(discovery: next))
  }
}
