package import ContextQuality
import Signals

/// Questions are asked until enough is known to coach.
package struct Discovering: Hashable, Sendable, PhaseRules {
  /// The question waiting for an answer; nil if the last message asked none.
  var question: Question?
  var discovery = Discovery()

  var name: Phase.Name { .discovering }
  var pending: IntakeState.Pending { question.map { .question($0) } ?? .nothing }

  func nextStep(_ state: IntakeState, _ settings: IntakeSettings) -> IntakeStep {
    if state.record.floor == .user { return .awaitUser }
    let scores = state.components(settings)
    let limit = discovery.limit(state.record.clock, settings)
    let isOver = discovery.isEnded || limit != nil
    func asking(
      within topics: Set<String>? = nil, unless isOver: Bool = false, or other: IntakeStep
    ) -> IntakeStep {
      let next = isOver ? nil : settings.nextQuestion(scores, state, within: topics)
      return next.map { .ask($0) } ?? other
    }
    switch settings.ending {
    case .summary: break
    case .ready: return asking(unless: isOver || scores.isReadyForCoaching, or: .end)
    case .topics(let topics):
      let open = Set(topics.flatMap { $0.open(state) }.map(\.component))
      return asking(within: open, unless: isOver, or: .end)
    }
    if scores.isReadyForCoaching, discovery.wantsToTalk, !discovery.isEnded {
      return asking(
        unless: !discovery.hasJustTalkedOn, or: .offer(.goOn, .nothingLeftToAsk))
    }
    if scores.isReadyForCoaching || discovery.isEnded {
      let body = discovery.isEnded ? nil : discovery.bodyStep(state)
      return body ?? .synthesise(minimal: state.isLittleKnown)
    }
    let offer = state.isLittleKnown ? Offer.Kind.minimal : .goOn
    guard let limit else { return asking(or: .offer(offer, .nothingLeftToAsk)) }
    return FollowUpPolicy.lastQuestion(scores, state).map { .ask($0) } ?? .offer(offer, limit)
  }

  func after(_ event: IntakeEvent) -> Phase? {
    switch event {
    case .asked(let question) where question.isCheckIn || !question.components.isEmpty:
      .discovering(
        Discovering(question: question.isCheckIn ? nil : question, discovery: discovery))
    case .offered(let offer): .offering(Offering(offer: offer, discovery: discovery.offering))
    case .bodyAsked:
      .askingForMeasurements(AskingForMeasurements(discovery: discovery.askingForMeasurements))
    case .synthesised(let synthesis):
      .confirming(Confirming(conclusion: Conclusion(synthesis: synthesis)))
    default: nil
    }
  }

  func hearing(_ message: UserMessage, _ record: inout Record) -> Phase {
    var next = self
    next.discovery.turns += 1
    if message.ends { next.discovery.isEnded = true }
    if message.isPlain, message.turn.intent == .keepTalking {
      next.discovery.talkOn(at: record.clock)
      next.discovery.wantsToTalk = true
    }
    record.queue.take(message.turn.turn)
    if let question, message.isPlain, message.turn.intent == .declineToAnswer {
      record.asked.decline(question)
      if question.facets.contains(where: { $0 == record.bodyFacet }) { record.withholdBody() }
    }
    if !message.leavesQuestionOpen { next.question = nil }
    return .discovering(next)
  }

  func heeding(_ reading: HeededReading, _ record: inout Record) -> Phase {
    guard let acts = reading.acts else { return .discovering(self) }
    var next = self
    if acts.has(.stops, .goesOn) { next.discovery.isEnded = true }
    if let question = record.asked.open, acts.declines(question.facets) {
      record.asked.decline(question)
      if question.facets.contains(where: { $0 == record.bodyFacet }) { record.withholdBody() }
    }
    record.owe(acts, at: reading.turn)
    if acts.has(.talksOn), !next.discovery.isEnded {
      next.discovery.wantsToTalk = true
      record.oweTalk(at: reading.turn)
    }
    return .discovering(next)
  }

  /// After the user has stopped the questions.
  var ended: Phase {
    var next = self
    next.discovery.isEnded = true
    return .discovering(next)
  }
}

extension IntakeSettings.Topic {
  /// The facets that can still be asked for.
  package func open(_ state: IntakeState) -> [Facet] {
    facets.filter {
      !state.ledger.known.contains($0) && !state.withheld.contains($0)
        && !state.setAside.contains($0.component)
    }
  }
}
