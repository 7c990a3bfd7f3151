/// The discovery is over, and coaching needs an entitlement. This is the one gate.
package struct Paywall: Hashable, Sendable, PhaseRules {
  /// What follows from a message.
  enum Due: Hashable, Sendable {
    case subscribe, decline
    case hold(turn: Int)
  }

  var conclusion: Conclusion
  /// Messages that wait until the conversation may continue.
  private(set) var held: [HeldMessage] = []
  /// Whether the user has seen it since it was last due.
  private(set) var isUp = false
  /// Whether it was ever shown, which announced the end of discovery.
  private(set) var wasShown = false
  private(set) var due: Due?

  init(conclusion: Conclusion) { self.conclusion = conclusion }

  var name: Phase.Name { .atPaywall }
  var waitsAfterAnswering: Bool { due == nil }

  func nextStep(_ state: IntakeState, _ settings: IntakeSettings) -> IntakeStep {
    switch due {
    case .subscribe: .subscribe
    case .decline: .declinePaywall
    case .hold(let turn): .hold(turn: turn)
    case nil: isUp ? .awaitUser : .paywall
    }
  }

  func after(_ event: IntakeEvent) -> Phase? {
    var next = self
    next.due = nil
    switch event {
    case .paywallShown: (next.isUp, next.wasShown) = (true, true)
    case .paywallDeclined: next.isUp = true
    case .messageHeld(let message):
      next.held.append(message)
      next.isUp = false
    case .entitled(let entitlement):
      return .coaching(Coaching(entitlement: entitlement, after: self))
    case .asked(let question) where question.isMenu: next.isUp = wasShown
    case .asked(let question) where question.isCheckIn: break
    default: return nil
    }
    return .atPaywall(next)
  }

  func hearing(_ message: UserMessage, _ record: inout Record) -> Phase {
    var next = message.correctsTheirAge ? shownAgain : self
    next.due = nil
    if message.isOpen { record.queue.readAlone(message.turn.turn) }
    return .atPaywall(next)
  }

  /// What follows comes after what is owed. What cannot be taken here is held.
  func heeding(_ reading: HeededReading, _ record: inout Record) -> Phase {
    var next = self
    guard let acts = reading.acts else {
      next.due = .hold(turn: reading.turn)
      record.owed = .clarity(reading.turn)
      return .atPaywall(next)
    }
    // A yes to something else, such as an answer, takes no subscription.
    let (agrees, refuses) = (
      acts.has(.continues), acts.has(.notNow, .postpones, .rejects, .declines, .stops)
    )
    record.owe(acts.answeredAtPaywall, at: reading.turn)
    let waits = acts.contains { $0.name == .asks && $0.about == .coaching }
    switch (agrees, refuses) {
    case (true, true): record.owed = .clarity(reading.turn)
    // A low moment has the turn to itself; the paywall can wait unanswered.
    case (false, true) where acts.has(.confides): break
    case (false, true):
      next.due = .decline
      record.oweOnlyAnswers()
    case (true, false): if record.owesOnlyAnswers { next.due = .subscribe }
    case (false, false):
      if waits { next.due = .hold(turn: reading.turn) }
      guard record.owed == nil, !waits else { break }
      if acts.has(.agrees, .goesOn) {
        record.owed = .clarity(reading.turn)
      } else {
        next.due = .hold(turn: reading.turn)
      }
    }
    return .atPaywall(next)
  }

  /// It was hidden because the user seemed to be a minor.
  fileprivate var shownAgain: Paywall {
    var next = self
    next.isUp = false
    return next
  }
}

extension Phase {
  /// After the user turned out to be an adult.
  mutating func showPaywallAgain() {
    if case .atPaywall(let paywall) = self { self = .atPaywall(paywall.shownAgain) }
  }
}
