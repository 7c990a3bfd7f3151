import ContextQuality
import Signals

extension IntakeState {
  /// What to do next. Time comes from the events, not from a clock.
  ///
  /// Care comes first. Then unread turns are read, which can call for care. After that, the phase
  /// decides, unless the user was just told to get help or is too young.
  @inline(never)
  public func nextStep(_ settings: IntakeSettings) -> IntakeStep {
    careStep ?? record.queue.nextStep ?? protectionStep ?? phase.rules.nextStep(self, settings)
  }

  /// A fixed answer that can't wait.
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

  /// The user was told to get help and has answered, but hasn't been asked how they are.
  ///
  /// Minors get only fixed texts until they have a coach.
  package var owesCheckIn: Bool {
    safety.awaitsCheckIn(after: record.turns.last) && (!safety.isMinor || entitlement != nil)
  }
}
