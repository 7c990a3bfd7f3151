public import ContextQuality
public import Signals

/// What the engine does next. A pure function of the state; taking a step stores an event.
public enum IntakeStep: Hashable, Sendable {
  case greet
  /// The user's move.
  case awaitUser
  case score(turns: [Int])
  case care(CareStep)
  case ask(QuestionPlan)
  /// Ask how they are, before anything else: they have just been told to get help.
  case checkIn
  case offer(Offer.Kind, Offer.Reason)
  case askBody(implausible: String?)
  /// The summary was turned down without a word about what is wrong with it.
  case askCorrection
  /// The summary was put off: it stays, and so does the question whether it is right.
  case letWait
  /// Read height and weight from the answer in this user turn.
  case noteBody(turn: Int)
  case synthesise(minimal: Bool)
  case confirm
  case complete
  case paywall
  /// Send what was kept at the paywall.
  case releaseHeld
  case coach
}

/// A fixed answer that is due.
public struct CareStep: Hashable, Sendable {
  public var kind: CareKind
  /// The text's name in the pack.
  public var name: String
  public var turn: Int
}

extension CareStep {
  static let minorAgain = "minor-again"
  /// The user said how old they are, so they aren't asked.
  static let minorStated = "minor-stated"
  /// Their health data says so.
  static let minorData = "minor-data"
  /// The plan would be for a child; the user is an adult.
  static let minorChild = "minor-child"
  /// Health data holds a reading that a doctor should see.
  static let reading = "reading"
}

/// What a follow-up question should find out.
public struct QuestionPlan: Hashable, Sendable {
  /// The component the question is about.
  public var component: String
  /// A second one that may come along in the same sentence.
  public var companion: String?
  /// What is missing in the component, in the rubric's order.
  public var missing: [Facet]
  public var companionMissing: [Facet]
  /// Ask explicitly: the turns are used up and this is critical.
  public var explicit: Bool

  public var components: [String] { [component] + (companion.map { [$0] } ?? []) }
}
