import ContextQuality
import Signals

/// What a discovery carries from phase to phase.
package struct Discovery: Hashable, Sendable {
  /// User turns since the user last chose to keep talking.
  var turns = 0
  /// Conversation time at which the user last chose to keep talking.
  private var beganAt = 0.0
  /// The offer that the user took: a plan from what is known, whatever the scores say.
  var accepted: Offer?
  private var bodyQuestions = 0

  /// Which limit the discovery has reached; nil if neither.
  func limit(_ clock: ConversationClock, _ settings: IntakeSettings) -> Offer.Reason? {
    if turns >= settings.maxTurns { return .turnCap }
    return .seconds(clock.activeSeconds - beganAt) >= settings.timeLimit ? .timeLimit : nil
  }

  /// Turns and time start over.
  mutating func talkOn(at clock: ConversationClock) {
    turns = 0
    beganAt = clock.activeSeconds
    accepted = nil
  }

  /// Height and weight are asked for once, and once more if the answer can't be right.
  ///
  /// Not while the user's last words are unread: they may say that it's private.
  func bodyStep(_ state: IntakeState) -> IntakeStep? {
    guard let facet = state.bodyFacet, !state.ledger.known.contains(facet),
      !state.withheld.contains(facet), state.record.queue.missed.isEmpty,
      !state.careGiven.contains(where: state.careNotes.hidesWeight)
    else { return nil }
    switch (bodyQuestions, state.body?.implausible) {
    case (0, _): return .askBody(implausible: nil)
    case (1, let implausible?): return .askBody(implausible: implausible)
    default: return nil
    }
  }

  var askingForBody: Discovery {
    var next = self
    next.bodyQuestions += 1
    return next
  }
}
