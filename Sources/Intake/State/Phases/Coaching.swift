/// The conversation after the discovery.
package struct Coaching: Hashable, Sendable, PhaseRules {
  let entitlement: Entitlement
  let conclusion: Conclusion
  /// Messages held at the paywall that have not been sent yet.
  private(set) var held: [HeldMessage]
  /// The paywall announced the end of the discovery.
  private let wasAnnounced: Bool
  /// The coach has given a whole reply.
  private(set) var hasReplied = false
  /// The user has said something since coaching began.
  private(set) var hasHeard = false

  init(entitlement: Entitlement, after paywall: Paywall) {
    self.entitlement = entitlement
    conclusion = paywall.conclusion
    held = paywall.held
    wasAnnounced = paywall.wasShown
  }

  /// Subscribers see no paywall, so the first reply announces the end of the discovery.
  var owesAnnouncement: Bool { !wasAnnounced && !hasReplied }

  var name: Phase.Name { .coaching }

  func nextStep(_ state: IntakeState, _ settings: IntakeSettings) -> IntakeStep {
    // Words that no turn holds are said now.
    if held.contains(where: { $0.turn == nil }) { return .releaseHeld }
    return state.record.floor == .user ? .awaitUser : .coach
  }

  func after(_ event: IntakeEvent) -> Phase? {
    var next = self
    switch event {
    case .coached(let reply):
      next.hasReplied = hasReplied || reply.isSent
      if reply.isSent { next.held = [] }
    case .asked(let question) where question.isCheckIn: break
    default: return nil
    }
    return .coaching(next)
  }

  func hearing(_ message: UserMessage, _ record: inout Record) -> Phase {
    var next = self
    next.hasHeard = true
    if message.turn.releasesHeld { next.held = [] }
    record.queue.take(message.turn.turn)
    return .coaching(next)
  }

  func heeding(_ reading: HeededReading, _ record: inout Record) -> Phase { .coaching(self) }
}

extension IntakeState {
  /// The coach has given a whole reply after the discovery.
  package var wasCoached: Bool {
    if case .coaching(let phase) = phase { phase.hasReplied } else { false }
  }

  /// The first coaching reply is due, and answers nothing that was said.
  var owesFirstReplyAlone: Bool {
    guard case .coaching(let phase) = phase else { return false }
    return !phase.hasReplied && !phase.hasHeard && phase.held.isEmpty
  }

  /// The user has not been told yet that discovery is complete.
  var owesAnnouncement: Bool {
    if case .coaching(let phase) = phase { phase.owesAnnouncement } else { false }
  }
}
