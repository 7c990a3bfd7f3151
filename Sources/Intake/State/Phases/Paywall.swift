/// The discovery is over, and coaching needs an entitlement. This is the one gate.
package struct Paywall: Hashable, Sendable, PhaseRules {
  var conclusion: Conclusion
  /// Messages that wait until the conversation may continue.
  private(set) var held: [String] = []
  /// Whether the user has seen it since it was last due.
  private(set) var isUp = false
  /// Whether it was ever shown, which announced the end of discovery.
  private(set) var wasShown = false

  init(conclusion: Conclusion) { self.conclusion = conclusion }

  var name: Phase.Name { .atPaywall }

  func nextStep(_ state: IntakeState, _ settings: IntakeSettings) -> IntakeStep {
    isUp ? .awaitUser : .paywall
  }

  func after(_ event: IntakeEvent) -> Phase? {
    var next = self
    switch event {
    case .paywallShown: (next.isUp, next.wasShown) = (true, true)
    case .paywallDeclined: next.isUp = true
    case .messageHeld(let message):
      next.held.append(message.text)
      next.isUp = false
    case .entitled(let entitlement):
      return .coaching(Coaching(entitlement: entitlement, after: self))
    case .asked(let question) where question.isCheckIn: break
    default: return nil
    }
    return .atPaywall(next)
  }

  func hearing(_ message: UserMessage, _ record: inout Record) -> Phase {
    message.correctsTheirAge ? .atPaywall(shownAgain) : .atPaywall(self)
  }

  /// It was hidden because the user seemed to be a minor.
  fileprivate var shownAgain: Paywall {
    var next = self
    next.isUp = false
    return next
  }

  /// Whether to hold a message for later. Messages that need care are answered for free.
  func holds(_ turn: UserTurn, _ safety: Safety) -> Bool {
    !safety.isMinor && turn.care == nil && safety.helpTurn == nil
  }
}

extension Phase {
  /// After the user turned out to be an adult.
  mutating func showPaywallAgain() {
    if case .atPaywall(let paywall) = self { self = .atPaywall(paywall.shownAgain) }
  }
}
