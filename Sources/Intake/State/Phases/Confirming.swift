import ContextQuality
import Signals

/// The coaching system is written, summarized, and checked with the user.
package struct Confirming: Hashable, Sendable, PhaseRules {
  package enum Stage: String, Hashable, Sendable, CaseIterable {
    /// The summary is due once the synthesis is current.
    case preparing
    /// The user was asked whether the summary is right.
    case asking
    /// The user rejected it without saying what is wrong.
    case correcting
    /// The user put it off. The summary and the question stay open.
    case waiting
    case agreed
  }

  var conclusion: Conclusion
  package var stage = Stage.preparing

  var name: Phase.Name { .confirming }
  var pending: IntakeState.Pending { stage == .asking ? .confirmation : .nothing }

  func nextStep(_ state: IntakeState, _ settings: IntakeSettings) -> IntakeStep {
    // In a journey the profile is written beside its documents, and nobody is asked about a summary.
    if settings.ending != .summary { return .end }
    if state.record.floor == .user { return .awaitUser }
    switch stage {
    case .agreed: return .complete
    case .correcting: return .askCorrection
    case .waiting: return .letWait
    case .preparing, .asking:
      let minimal = state.isLittleKnown
      return conclusion.isCurrent(state.record) ? .confirm : .synthesise(minimal: minimal)
    }
  }

  func after(_ event: IntakeEvent) -> Phase? {
    switch event {
    case .asked(let question) where question.isCheckIn:
      .confirming(stage == .agreed ? self : at(.preparing))
    case .asked(let question) where question.components.isEmpty: .confirming(at(.asking))
    case .synthesised(let synthesis): .confirming(with(synthesis))
    case .summarised(let reply):
      .confirming(reply.cut == nil ? with(summary: reply.text) : at(.preparing))
    case .discoveryCompleted: .atPaywall(Paywall(conclusion: conclusion))
    default: nil
    }
  }

  func hearing(_ message: UserMessage, _ record: inout Record) -> Phase {
    if message.isOpen {
      record.queue.readAlone(message.turn.turn)
      return .confirming(self)
    }
    let isCurrent = conclusion.isCurrent(record)
    if stage == .asking, message.isPlain, ![.other, .asksWhy].contains(message.turn.intent) {
      switch message.turn.intent {
      case .goAhead: return .confirming(at(isCurrent ? .agreed : .preparing))
      case .notNow, .stop: return .confirming(at(.waiting))
      default: return .confirming(at(.correcting))
      }
    }
    // After a yes to a cut summary, there's nothing to agree to yet.
    if stage == .asking || !(message.agrees && isCurrent) {
      record.queue.take(message.turn.turn)
    }
    return .confirming(stage == .asking && !message.leavesQuestionOpen ? at(.preparing) : self)
  }

  func heeding(_ reading: HeededReading, _ record: inout Record) -> Phase {
    guard stage == .asking else { return .confirming(meanwhile(reading, &record)) }
    guard let acts = reading.acts else {
      record.owed = .clarity(reading.turn)
      return .confirming(self)
    }
    record.owe(acts, at: reading.turn)
    let refuses = acts.has(.rejects, .postpones, .notNow)
    // A no that tells something says what is wrong.
    if acts.has(.corrects) || acts.has(.rejects) && reading.tells {
      return .confirming(correcting(by: reading.turn, &record))
    } else if acts.has(.agrees, .goesOn, .continues) {
      // A yes and a no in one message is neither.
      guard refuses else {
        return .confirming(at(conclusion.isCurrent(record) ? .agreed : .preparing))
      }
      record.owed = .clarity(reading.turn)
    } else if acts.has(.rejects) {
      record.oweOnlyAnswers()
      return .confirming(at(.correcting))
    } else if acts.has(.postpones, .notNow, .stops) {
      record.oweOnlyAnswers()
      return .confirming(at(.waiting))
    } else if record.owed == nil {
      if reading.tells { return .confirming(correcting(by: reading.turn, &record)) }
      record.owed = .talk(reading.turn)
    } else if reading.tells {
      // It's answered first; a yes after it is to a profile that has this in it.
      record.queue.noteContent(reading.turn)
    }
    return .confirming(self)
  }

  /// There is nothing to agree to now, but what is said belongs into it, and a yes can be taken back.
  private func meanwhile(_ reading: HeededReading, _ record: inout Record) -> Confirming {
    guard let acts = reading.acts else { return correcting(by: reading.turn, &record) }
    record.owe(acts, at: reading.turn)
    if acts.has(.corrects) || reading.tells { return correcting(by: reading.turn, &record) }
    if stage == .agreed, acts.has(.rejects) { return at(.correcting) }
    return stage == .agreed && acts.has(.postpones, .notNow, .stops) ? at(.waiting) : self
  }

  /// The profile is put right by what the message says.
  private func correcting(by turn: Int, _ record: inout Record) -> Confirming {
    record.queue.noteContent(turn)
    return at(.preparing)
  }

  private func at(_ stage: Stage) -> Confirming {
    Confirming(conclusion: conclusion, stage: stage)
  }

  private func with(_ synthesis: Synthesis) -> Confirming {
    var next = at(.preparing)
    next.conclusion.synthesis = synthesis
    return next
  }

  private func with(summary: String) -> Confirming {
    var next = at(.asking)
    next.conclusion.summary = summary
    return next
  }
}

/// The synthesis and the summary given to the user.
package struct Conclusion: Hashable, Sendable {
  var synthesis: Synthesis
  /// The last summary sent in full.
  var summary: String?

  /// Whether it takes every turn with content into account.
  func isCurrent(_ record: Record) -> Bool {
    synthesis.throughTurn >= record.queue.lastContentTurn
  }
}

extension IntakeState {
  /// Whether a summary was given before. If so, the next one is a revision.
  package var wasSummarised: Bool { lastSummary != nil }
}
