import ContextQuality
import Signals

extension IntakeState {
  /// What to do next. Time comes from the events, not from a clock.
  ///
  /// Care comes first. Then unread turns are read, which can call for care. After that, the phase
  /// decides, unless the user was just told to get help or is too young.
  @inline(never)
  public func nextStep(_ settings: IntakeSettings) -> IntakeStep {
    careStep ?? record.queue.nextStep ?? protectionStep ?? asideStep(settings)
      ?? phase.rules.nextStep(self, settings)
  }

  /// What is owed to the user before the phase's next step.
  private func asideStep(_ settings: IntakeSettings) -> IntakeStep? {
    guard record.floor == .coach else { return nil }
    let next = phase.rules.nextStep(self, settings)
    switch record.owed {
    case .comfort(let turn):
      return next == .coach ? nil : .reply(AsidePlan(cause: .lowMoment, turn: turn, waits: true))
    case .patience(let turn):
      return next == .coach
        ? nil : .reply(AsidePlan(cause: .postponement, turn: turn, waits: true))
    case .talk(let turn):
      if case .ask = next { return nil }
      return .reply(AsidePlan(cause: .talk, turn: turn, waits: true))
    case .clarity:
      // What can't be read at the paywall is kept first.
      if case .hold = next { return nil }
      return .askPlainly
    case .answer(let turn, let about):
      switch next {
      // These answer it themselves.
      case .ask, .offer, .coach, .end: return nil
      default: break
      }
      let waits = phase.rules.waitsAfterAnswering
      return .reply(AsidePlan(cause: .question(about), turn: turn, waits: waits))
    case nil: break
    }
    // A low moment isn't followed by a text of ours at once.
    guard let low = record.lowTurn, followsLowMoment else { return nil }
    switch next {
    case .offer, .askBody:
      return .reply(AsidePlan(cause: .talk, turn: low + 1, waits: true))
    default: return nil
    }
  }

  /// A fixed answer that cannot wait.
  private var careStep: IntakeStep? {
    if let due = safety.careDue { return .care(due) }
    guard !healthContext.readingsDue.isEmpty, !record.transcript.messages.isEmpty else {
      return nil
    }
    return .care(CareStep(kind: .medical, name: CareStep.reading, turn: record.turns.count))
  }

  /// Replaces the phase's step if the user needs help or is too young.
  private var protectionStep: IntakeStep? {
    if owesCheckIn, record.floor == .coach { return .checkIn }
    guard safety.isMinor, entitlement == nil, let turn = record.turns.last?.turn else { return nil }
    if record.floor == .user { return .awaitUser }
    return .care(CareStep(kind: .minor, name: CareStep.minorAgain, turn: turn))
  }

  /// The user was told to get help and has answered, but has not been asked how they are.
  ///
  /// Minors get only fixed texts until they have a coach.
  package var owesCheckIn: Bool {
    safety.awaitsCheckIn(after: record.turns.last) && (!safety.isMinor || entitlement != nil)
  }
}
