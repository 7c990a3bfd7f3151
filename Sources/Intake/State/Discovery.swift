import ContextQuality
import Signals

/// Discovery state that carries over between phases.
package struct Discovery: Hashable, Sendable {
  /// User turns since the user last chose to keep talking.
  var turns = 0
  /// Conversation time at which the user last chose to keep talking.
  private var beganAt = 0.0
  /// The user wants a summary of what is known, whatever the scores say, and no more questions.
  var isEnded = false
  /// The user would rather talk than hear a summary, so the summary is offered, not begun.
  var wantsToTalk = false
  private var bodyQuestions = 0
  /// The user asked what height and weight are for.
  private var bodyReason = BodyReason.notAsked

  private enum BodyReason: Hashable { case notAsked, due, given }

  /// The limit the discovery has reached; nil if neither.
  func limit(_ clock: ConversationClock, _ settings: IntakeSettings) -> Offer.Reason? {
    if turns >= settings.maxTurns { return .turnCap }
    return .seconds(clock.activeSeconds - beganAt) >= settings.timeLimit ? .timeLimit : nil
  }

  /// Whether the user's last message chose to keep talking.
  var hasJustTalkedOn: Bool { turns == 0 }

  /// Restarts the turn and time counts.
  mutating func talkOn(at clock: ConversationClock) {
    turns = 0
    beganAt = clock.activeSeconds
    isEnded = false
  }

  var offering: Discovery {
    var next = self
    next.wantsToTalk = false
    return next
  }

  /// Asks for height and weight once, and again if the answer is implausible. An age fills their facet, but
  /// a plan to lose or gain weight needs the height as well.
  ///
  /// Waits while the last turn is unread, because it may say that they are private.
  func bodyStep(_ state: IntakeState) -> IntakeStep? {
    guard let facet = state.bodyFacet,
      !state.ledger.known.contains(facet) || state.needsHeight, !state.withheld.contains(facet),
      state.record.queue.missed.isEmpty,
      !state.careGiven.contains(where: state.careNotes.hidesSensitive),
      // Right after a low moment, something else is said in its place.
      !state.isTender || state.followsLowMoment
    else { return nil }
    if bodyReason == .due { return .askBody(.withReason) }
    switch (bodyQuestions, state.body?.implausible) {
    case (0, _): return .askBody(state.body?.weightKilograms == nil ? .first : .height)
    case (1, let implausible?): return .askBody(.again(implausible: implausible))
    default: return nil
    }
  }

  /// Asking why is no answer, so the question comes once more, with its reason.
  ///
  /// - Returns: false if the reason was already due or given.
  mutating func hearWhyBodyIsAsked() -> Bool {
    guard bodyReason == .notAsked else { return false }
    bodyReason = .due
    return true
  }

  var askingForMeasurements: Discovery {
    var next = self
    if bodyReason == .due { next.bodyReason = .given } else { next.bodyQuestions += 1 }
    return next
  }
}
