import ContextQuality
import Signals

extension IntakeState {
  /// What to do next. Reads no clock: time is what the events say.
  ///
  /// Care comes first. Then everything said is read, which can call for care. After that the phase
  /// alone decides.
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

  /// What somebody who needs help, or is too young, gets instead of the phase's step.
  private var protectionStep: IntakeStep? {
    if owesCheckIn, record.floor == .coach { return .checkIn }
    guard safety.isMinor, entitlement == nil, let turn = record.turns.last?.turn else { return nil }
    if record.floor == .user { return .awaitUser }
    return .care(CareStep(kind: .minor, name: CareStep.minorAgain, turn: turn))
  }

  /// Somebody who was told to get help has answered, and nobody has asked how they are.
  ///
  /// Minors hear nothing but fixed texts before they have a coach.
  package var owesCheckIn: Bool {
    safety.awaitsCheckIn(after: record.turns.last) && (!safety.isMinor || entitlement != nil)
  }
}
