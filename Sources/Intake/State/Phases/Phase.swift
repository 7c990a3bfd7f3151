import Signals

/// Where a conversation is. Each phase says by itself which step comes next and which events can
/// happen in it.
package enum Phase: Hashable, Sendable {
  case greeting(Greeting)
  case discovering(Discovering)
  case offering(Offering)
  case askingForBody(AskingForBody)
  case confirming(Confirming)
  case atPaywall(Paywall)
  case coaching(Coaching)

  package enum Name: String, Hashable, Sendable, CaseIterable {
    case greeting, discovering, offering, askingForBody, confirming, atPaywall, coaching
  }
}

/// What a phase decides.
protocol PhaseRules {
  var name: Phase.Name { get }
  /// What the last thing the coach said asks of the user.
  var pending: IntakeState.Pending { get }

  /// The next step once everything said has been read and nothing needs care.
  func nextStep(_ state: IntakeState, _ settings: IntakeSettings) -> IntakeStep

  /// The phase after the coach said or the program did something; nil if it can't happen here.
  func after(_ event: IntakeEvent) -> Phase?

  /// The phase after the user said something. What has to be read is queued in the record.
  func hearing(
    _ message: UserMessage, _ record: inout Record, _ asked: inout AskedQuestions
  ) -> Phase
}

extension PhaseRules {
  var pending: IntakeState.Pending { .nothing }
}

/// A user turn with what it means for the phase.
struct UserMessage {
  var turn: UserTurn
  /// It needs no care and answers no text about care, so it can answer a menu or a question.
  var isPlain: Bool
  /// It tells that somebody who seemed to be a minor isn't one.
  var correctsTheirAge: Bool

  var agrees: Bool { isPlain && turn.intent == .goAhead }
  /// Care is answered first, and the question stays open.
  var leavesQuestionOpen: Bool { turn.care != nil }
}

extension Phase {
  var rules: any PhaseRules {
    switch self {
    case .greeting(let phase): phase
    case .discovering(let phase): phase
    case .offering(let phase): phase
    case .askingForBody(let phase): phase
    case .confirming(let phase): phase
    case .atPaywall(let phase): phase
    case .coaching(let phase): phase
    }
  }

  package var name: Name { rules.name }

  /// What was written down; nil before there is a synthesis.
  var understanding: Understanding? {
    switch self {
    case .greeting, .discovering, .offering, .askingForBody: nil
    case .confirming(let phase): phase.understanding
    case .atPaywall(let phase): phase.understanding
    case .coaching(let phase): phase.understanding
    }
  }

  var entitlement: Entitlement? {
    if case .coaching(let phase) = self { phase.entitlement } else { nil }
  }

  /// Messages kept at the paywall.
  var held: [String] {
    switch self {
    case .atPaywall(let phase): phase.held
    case .coaching(let phase): phase.held
    default: []
    }
  }
}
