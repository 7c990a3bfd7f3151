import Signals

/// The phase of a conversation. Each phase decides its next step and which events can
/// happen in it.
package enum Phase: Hashable, Sendable {
  case greeting(Greeting)
  case discovering(Discovering)
  case offering(Offering)
  case askingForMeasurements(AskingForMeasurements)
  case confirming(Confirming)
  case atPaywall(Paywall)
  case coaching(Coaching)

  package enum Name: String, Hashable, Sendable, CaseIterable {
    case greeting, discovering, offering, askingForMeasurements, confirming, atPaywall, coaching
  }
}

/// What a phase decides.
protocol PhaseRules {
  var name: Phase.Name { get }
  /// What the coach's last message asks of the user.
  var pending: IntakeState.Pending { get }
  /// Whether nothing else is due once a question of the user's was answered.
  var waitsAfterAnswering: Bool { get }

  /// The next step when every turn has been read and nothing needs care.
  func nextStep(_ state: IntakeState, _ settings: IntakeSettings) -> IntakeStep

  /// The phase after an event from the coach or the program; nil if it cannot happen here.
  func after(_ event: IntakeEvent) -> Phase?

  /// The phase after a user message. Turns to read are queued in the record.
  func hearing(_ message: UserMessage, _ record: inout Record) -> Phase

  /// The phase after a reading of the message that is open here. What the coach owes the user first is
  /// put into the record.
  func heeding(_ reading: HeededReading, _ record: inout Record) -> Phase
}

extension PhaseRules {
  var pending: IntakeState.Pending { .nothing }

  var waitsAfterAnswering: Bool { pending != .nothing }

  func after(_ event: IntakeEvent) -> Phase? { nil }
}

/// A user turn with what it means for the phase.
struct UserMessage {
  var turn: UserTurn
  /// It is not about care, neither needing it nor answering it, so it can answer a menu or question.
  var isPlain: Bool
  /// Whether it shows that a user who seemed to be a minor is not one.
  var correctsTheirAge: Bool

  var agrees: Bool { isPlain && turn.intent == .goAhead }
  var ends: Bool { isPlain && turn.intent == .stop }
  var asksWhy: Bool { isPlain && turn.intent == .asksWhy }
  /// What it does is for its reading to tell.
  var isOpen: Bool { turn.intent == nil }
  /// Care is answered first, and the question stays open.
  var leavesQuestionOpen: Bool { turn.care != nil }
}

/// A reading of the message that waits for the coach.
struct HeededReading {
  /// The last user turn that it read.
  var turn: Int
  /// What the message does; nil if the reading could not tell.
  var acts: [Act]?
  /// Whether the message told something new.
  var tells: Bool
}

extension Phase {
  var rules: any PhaseRules {
    switch self {
    case .greeting(let phase): phase
    case .discovering(let phase): phase
    case .offering(let phase): phase
    case .askingForMeasurements(let phase): phase
    case .confirming(let phase): phase
    case .atPaywall(let phase): phase
    case .coaching(let phase): phase
    }
  }

  package var name: Name { rules.name }

  /// The conclusion; nil before a synthesis exists.
  var conclusion: Conclusion? {
    switch self {
    case .greeting(let phase): phase.conclusion
    case .discovering, .offering, .askingForMeasurements: nil
    case .confirming(let phase): phase.conclusion
    case .atPaywall(let phase): phase.conclusion
    case .coaching(let phase): phase.conclusion
    }
  }

  var entitlement: Entitlement? {
    if case .coaching(let phase) = self { phase.entitlement } else { nil }
  }

  /// Messages held at the paywall.
  var held: [HeldMessage] {
    switch self {
    case .atPaywall(let phase): phase.held
    case .coaching(let phase): phase.held
    default: []
    }
  }
}
