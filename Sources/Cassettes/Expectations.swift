public import ContextQuality
public import IncrementalJSON
public import Intake
public import LanguageModels
public import Signals

/// What a conversation should produce. Every field is optional; each one that is set must hold.
public struct Expectations: Hashable, Sendable {
  /// How the discovery ended.
  public enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// Enough was known, and the user agreed with the summary.
    case ready
    /// The turns ran out, and the user continued with what was known.
    case turnCap
    /// The time ran out, and the user continued.
    case timeLimit
    /// No questions were left, and the user continued.
    case nothingLeftToAsk
    /// The user ended the questions, and agreed with the summary.
    case ended
    /// The user left without accepting an offer or the summary.
    case declined
    /// The user left, or stopped a reply, before any offer or summary.
    case cancelled
  }

  public var outcome: Outcome?
  public var turns: [Turn] = []
  /// What is known at the end, each item with its turn and quote, or with its reading.
  public var facets: [Evidence]?
  /// Questions never ask about a facet that is already known.
  public var asksOnlyWhatIsMissing: Bool?
  /// Texts that no question contains, ignoring case.
  public var neverAsked: [String] = []
  /// The kinds of the intake's events, in order.
  public var events: [IntakeEvent.Kind]?
  /// Coaching's own events, in order: a kind, such as `coachingNoted`, or the whole event as the session's
  /// log has it.
  public var coachingEvents: [JSONValue]?
  public var synthesis: [PointerClaim] = []
  /// Every constraint in the synthesis rests on the user's words or on a reading.
  public var constraintsRestOnTurns: Bool?
  public var care: [CareClaim]?
  public var discoveryComplete: Completion?
  public var paywall: [PaywallStep]?
  /// The codes of all notices, in order.
  public var notices: [String]?
  /// Tokens for all the answers used.
  public var usage: TokenUsage?
  /// Texts that are never printed, ignoring case.
  public var neverShown: [String] = []

  public init() {}

  /// What holds after a user turn.
  public struct Turn: Hashable, Sendable {
    /// Counted from 1.
    public var turn: Int
    public var overall: Score?
    public var components: [ComponentClaim] = []
    /// Exactly the facets that this turn made known.
    public var new: [Facet]?
    /// What the next question is about, in order; empty if no question follows.
    public var asks: [String]?
    /// Texts that the coach's reply contains.
    public var replyContains: [String] = []
    public var replyLacks: [String] = []

    public init(turn: Int) { self.turn = turn }
  }

  public struct ComponentClaim: Hashable, Sendable {
    public var name: String
    public var score: Score

    public init(name: String, score: Score) {
      self.name = name
      self.score = score
    }
  }

  /// A score from 0 to 1, in ten-thousandths: exact, or between two inclusive bounds.
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
      /// The text, or an element of the list, contains this, ignoring case.
      case contains(String)
      /// This regular expression matches somewhere in the text.
      case matches(String)
      /// The value is missing or null.
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

  /// `discovery_complete` is sent once, in the answer to this user turn, or never.
  public enum Completion: Hashable, Sendable {
    case afterTurn(Int)
    case never
  }

  public enum PaywallStep: String, Hashable, Sendable, CaseIterable {
    case shown, declined, messageHeld, entitled
  }
}
