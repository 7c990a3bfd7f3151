public import ContextQuality
public import Signals

/// What the engine does next. A pure function of the state; every step but `awaitUser` stores an
/// event. Indirect, because a waiting function holds several copies.
public indirect enum IntakeStep: Hashable, Sendable {
  case greet
  /// Wait for the user.
  case awaitUser
  case score(turns: [Int])
  case care(CareStep)
  case ask(QuestionPlan)
  /// Ask how the user is before anything else, since they were just told to get help.
  case checkIn
  case offer(Offer.Kind, Offer.Reason)
  case askBody(BodyAsking)
  /// The user rejected the summary without saying what is wrong.
  case askCorrection
  /// The user put off the summary. It stays open, and so does the question about it.
  case letWait
  /// Read height and weight from the answer in this user turn.
  case noteBody(turn: Int)
  case synthesise(minimal: Bool)
  case confirm
  case complete
  case paywall
  /// Answer a question or a low moment of the user's before anything else.
  case reply(AsidePlan)
  /// Ask with the labels, since what the user wants could not be read.
  case askPlainly
  /// The user wants to subscribe.
  case subscribe
  case declinePaywall
  /// Keep the user turn for the time after the paywall.
  case hold(turn: Int)
  /// Send the messages held at the paywall that no turn holds.
  case releaseHeld
  case coach
  /// The questions are over, and nothing follows them.
  case end

  var isQuestion: Bool { if case .ask = self { true } else { false } }

  /// Whether a model is asked for it. Those that only lead to such a step are stored at once.
  var asksModel: Bool {
    switch self {
    case .greet, .score, .ask, .checkIn, .offer, .reply, .synthesise, .confirm, .coach: true
    case .awaitUser, .care, .askBody, .askCorrection, .letWait, .noteBody, .complete, .askPlainly,
      .subscribe, .declinePaywall, .hold, .paywall, .releaseHeld, .end:
      false
    }
  }
}

/// What an answer is to that comes before the conversation's next step.
public struct AsidePlan: Hashable, Sendable {
  public enum Cause: Hashable, Sendable {
    case question(Act.Subject?)
    case lowMoment
    /// They cannot continue now.
    case postponement
    /// Nothing that moves the conversation on.
    case talk
  }

  public var cause: Cause
  /// The user turn.
  public var turn: Int
  /// Whether it is the user's move afterward.
  public var waits: Bool
}

/// How height and weight are asked for.
public enum BodyAsking: Hashable, Sendable {
  case first
  /// The height alone; the weight is known.
  case height
  /// With an implausible value that was read, such as `1.80 kg`.
  case again(implausible: String)
  /// With what they are for, since the user asked.
  case withReason
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
  /// The user stated their age, so they are not asked.
  package static let minorStated = "minor-stated"
  /// The user's health data says so.
  static let minorData = "minor-data"
  /// The plan would be for a child; the user is an adult.
  static let minorChild = "minor-child"
  /// Health data holds a reading that a doctor should see.
  static let reading = "reading"
  /// The texts that no phrase calls for.
  static let namesInEveryPack = [minorAgain, minorStated, minorData, minorChild, reading]
}

/// What a follow-up question should find out.
public struct QuestionPlan: Hashable, Sendable {
  /// The component the question is about.
  public var component: String
  /// A second component that the same sentence may cover.
  public var companion: String?
  /// The component's missing facets, in rubric order.
  public var missing: [Facet]
  public var companionMissing: [Facet]
  /// Known, but with more to tell that the question may reach for.
  public var also: Facet?
  /// Ask explicitly: the turns are used up and this is critical.
  public var explicit: Bool

  public var components: [String] { [component] + (companion.map { [$0] } ?? []) }
}
