public import ContextQuality
public import IncrementalJSON
public import Intake
public import LanguageModels
public import Signals

/// What is to come of a conversation. Everything is optional; what is there must hold.
public struct Expectations: Hashable, Sendable {
  /// How the discovery ended.
  public enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// Enough was known, and the user agreed with the summary.
    case ready
    /// The user went on with what was known when the turns were used up.
    case turnCap
    /// The same, when the time was.
    case timeLimit
    /// The same, when there was nothing left to ask.
    case nothingLeftToAsk
    /// The user left an offer or the summary without taking it.
    case declined
    /// The user left, or stopped a reply, before there was either.
    case cancelled
  }

  public var outcome: Outcome?
  public var turns: [Turn]
  /// What is known at the end: each with its turn and quote, or with its reading.
  public var facets: [Evidence]?
  /// No question is about a facet that is known.
  public var asksOnlyWhatIsMissing: Bool?
  /// Texts that stand in no question, whatever the case.
  public var neverAsked: [String]
  /// The kinds of all events, in order.
  public var events: [IntakeEvent.Kind]?
  public var synthesis: [PointerClaim]
  /// Every constraint of the synthesis rests on words of the user's, or on a reading.
  public var constraintsRestOnTurns: Bool?
  public var care: [CareClaim]?
  public var discoveryComplete: Completion?
  public var paywall: [PaywallStep]?
  /// The codes of all notices, in order.
  public var notices: [String]?
  /// Tokens of all answers that were used.
  public var usage: TokenUsage?
  /// Texts that are never printed, whatever the case.
  public var neverShown: [String]

  public init() {
    turns = []
    neverAsked = []
    synthesis = []
    neverShown = []
  }

  /// What holds after a user turn.
  public struct Turn: Hashable, Sendable {
    /// Counted from 1.
    public var turn: Int
    public var overall: Score?
    public var components: [ComponentClaim]
    /// Exactly what became known with it.
    public var new: [Facet]?
    /// What the question after it is about, in order; empty if there is none.
    public var asks: [String]?
    /// Texts that stand in what the coach says to it.
    public var replyContains: [String]
    public var replyLacks: [String]

    public init(turn: Int) {
      self.turn = turn
      components = []
      replyContains = []
      replyLacks = []
    }
  }

  public struct ComponentClaim: Hashable, Sendable {
    public var name: String
    public var score: Score

    public init(name: String, score: Score) {
      self.name = name
      self.score = score
    }
  }

  /// A score, 0 to 1 in ten-thousandths: exact, or between two bounds that belong to it.
  public enum Score: Hashable, Sendable {
    case exactly(Int)
    case between(Int, Int)

    public func holds(for points: Int) -> Bool {
      switch self {
      case .exactly(let value): points == value
      case .between(let low, let high): (low...max(low, high)).contains(points)
      }
    }
  }

  /// A claim about a place in the synthesis, by JSON Pointer (RFC 6901).
  public struct PointerClaim: Hashable, Sendable {
    public enum Claim: Hashable, Sendable {
      case equals(JSONValue)
      /// The text there, or an element of the list there, has this in it, whatever the case.
      case contains(String)
      /// The text there matches this regular expression somewhere.
      case matches(String)
      /// There is nothing, or null.
      case absent
    }
    public var pointer: String
    public var claim: Claim

    public init(pointer: String, claim: Claim) {
      self.pointer = pointer
      self.claim = claim
    }
  }

  public struct CareClaim: Hashable, Sendable {
    public var turn: Int
    public var kind: CareKind

    public init(turn: Int, kind: CareKind) {
      self.turn = turn
      self.kind = kind
    }
  }

  /// `discovery_complete` is said once, in the answer to this user turn; or never.
  public enum Completion: Hashable, Sendable {
    case afterTurn(Int)
    case never
  }

  public enum PaywallStep: String, Hashable, Sendable, CaseIterable {
    case shown, declined, messageHeld, entitled
  }
}
