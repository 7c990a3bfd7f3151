public import ContextQuality
public import FoundationEssentials
public import LanguageModels
public import Signals

/// Something that happened in an intake. All other state is a fold over the list of events.
public indirect enum IntakeEvent: Hashable, Sendable {
  case started(SessionStart)
  case greeted(CoachReply)
  case userSaid(UserTurn)
  case scored(Scoring)
  case cared(CareAnswer)
  case asked(Question)
  case offered(Offer)
  case bodyAsked(BodyQuestion)
  case bodyNoted(BodyNote)
  case synthesised(Synthesis)
  case summarised(CoachReply)
  case discoveryCompleted
  case paywallShown
  case paywallDeclined
  case messageHeld(HeldMessage)
  case entitled(Entitlement)
  case coached(CoachReply)
  case healthNoted(HealthNote)
  /// The user no longer wants their health data used.
  case healthWithdrawn
  case answered(FormAnswer)
  /// The coach asked whether a hypothesis is true.
  case supposed(Hypothesis)
  /// What became of that question.
  case settled(HypothesisAnswer)
  /// The coach answered a question of the user's, or a low moment, before anything else.
  case replied(Aside)
  /// The profile was changed after its summary.
  case amended(Amendment)
}

public struct SessionStart: Hashable, Sendable, Codable {
  /// The prompt pack's name and version.
  public var pack: String
  public var packVersion: String
  public var rubricVersion: Int
  /// Nil if models coach.
  public var source: ProfileSource?
  /// The code of the device's language, such as `de`, which counts until the user's words show one; nil for
  /// English.
  public var language: String?

  public init(
    pack: String, packVersion: String, rubricVersion: Int, source: ProfileSource? = nil,
    language: String? = nil
  ) {
    self.pack = pack
    self.packVersion = packVersion
    self.rubricVersion = rubricVersion
    self.source = source
    self.language = language
  }
}

/// A coach message, or the part that arrived.
public struct CoachReply: Hashable, Sendable, Codable {
  public var text: String
  /// Why the reply ends early; nil if it is complete. A cut reply is retried on resume unless it ``stays``.
  public var cut: CutReason?
  /// Whether the user stopped it and wants no other in its place; nil means no.
  public var stays: Bool?
  public var model: String?
  public var usage: TokenUsage?

  public init(
    text: String, cut: CutReason? = nil, model: String? = nil, usage: TokenUsage? = nil
  ) {
    self.text = text
    self.cut = cut
    self.model = model
    self.usage = usage
  }

  /// Whether the next move is the user's: it is complete, or they want no more of it.
  var isSent: Bool { cut == nil || stays == true }
}

/// Why a reply ends early. Logs store the raw values permanently.
public enum CutReason: String, Hashable, Sendable, Codable, CaseIterable {
  /// The user stopped it.
  case cancelled
  /// The model's length limit was reached.
  case length
  /// The model or its provider refused to continue.
  case refusal
  // The request failed.
  case unreachable, insecure, notEncrypted, unauthorized, outOfCredit, rateLimited, overloaded
  case modelNotFound, promptTooLong, badRequest, truncated, timedOut, tooLarge, protocolViolation

  init(_ kind: ModelError.Kind) {
    self =
      switch kind {
      case .cancelled: .cancelled
      case .unreachable: .unreachable
      case .insecure: .insecure
      case .notEncrypted: .notEncrypted
      case .unauthorized, .keyMissing: .unauthorized
      case .outOfCredit: .outOfCredit
      case .rateLimited: .rateLimited
      case .overloaded, .serverError, .gatewayError: .overloaded
      case .modelNotFound: .modelNotFound
      case .promptTooLong: .promptTooLong
      case .badRequest: .badRequest
      case .truncated: .truncated
      case .timedOut: .timedOut
      case .tooLarge: .tooLarge
      case .protocolViolation, .webPage, .redirected: .protocolViolation
      }
  }
}

/// What the user said, and what code read from it immediately.
///
/// The readings are stored with the words, so that a session keeps its meaning when the phrase
/// lists change.
public struct UserTurn: Hashable, Sendable, Codable {
  /// Counted from 1.
  public var turn: Int
  /// Verbatim, invisible characters included.
  public var text: String
  /// What code knew that the message does: a printed label was chosen, or a session is from before
  /// messages were read for that. Nil if its reading tells.
  public var intent: ReplyIntent?
  /// An unmistakable phrase that needs a care answer before anything else.
  public var care: CareFinding?
  /// The user's age in years, if stated beyond doubt; the scorer reads the others.
  public var statedAge: Int?
  /// Whether this turn sends the messages held at the paywall.
  public var releasesHeld = false
  /// The facet the user keeps private; only in sessions from before the scorer read this.
  public var withholds: Facet?
  /// How often the draft was changed before it was sent. Its text is never kept. Nil if nobody
  /// counted, or for none.
  public var rewrites: Int?
}

extension UserTurn {
  public init(turn: Int, text: String, intent: ReplyIntent? = nil) {
    (self.turn, self.text, self.intent) = (turn, text, intent)
  }
}

/// What one step of a form told. It replaces everything that the step told before.
public struct FormAnswer: Hashable, Sendable, Codable {
  public var step: String
  /// Empty if the answer tells nothing, such as a default that was not touched.
  public var evidence: [Evidence]
  /// The words of an open answer, whether or not they tell something, also if they were picked; nil for other
  /// answers.
  public var words: AnswerSupport?
  /// The person's age in years, if that was asked.
  public var age: Int?
  /// What the answer needed a fixed care text for, which the form has shown.
  public var care: CareKind?
  /// What the person keeps to themselves, as they said on another device.
  public var withheld: [Facet]?

  public init(
    step: String, evidence: [Evidence], words: AnswerSupport? = nil, age: Int? = nil,
    care: CareKind? = nil, withheld: [Facet]? = nil
  ) {
    (self.step, self.evidence, self.words, self.age, self.care) = (step, evidence, words, age, care)
    self.withheld = withheld
  }
}

/// A fixed, reviewed answer that was given instead of a question.
public struct CareAnswer: Hashable, Sendable, Codable {
  public var turn: Int
  public var kind: CareKind
  /// The text that was chosen, such as `crisis-abuse`.
  public var name: String
  public var text: String
}

/// A follow-up question, with what it should find out.
public struct Question: Hashable, Sendable, Codable {
  /// Its component, and a second one if the sentence covers both.
  public var components: [String]
  /// The facets that were missing when it was asked.
  public var facets: [Facet]
  /// One that was known, but perhaps not all of it.
  public var also: Facet?
  /// A critical component asked about explicitly because the turns are used up.
  public var explicit: Bool
  public var reply: CoachReply

  /// Asks how the user is after they were told to get help; not an intake question.
  public var isCheckIn: Bool { components.isEmpty && !explicit }

  /// Asks with the labels of what can be chosen.
  var isMenu: Bool { components.isEmpty && explicit }

  public init(
    components: [String], facets: [Facet], also: Facet? = nil, explicit: Bool, reply: CoachReply
  ) {
    self.components = components
    self.facets = facets
    self.also = also
    self.explicit = explicit
    self.reply = reply
  }
}

/// The choice between a plan from what is known and more questions.
public struct Offer: Hashable, Sendable, Codable {
  public enum Kind: String, Hashable, Sendable, Codable {
    case goOn
    /// Too little is known for more than a cautious start, labeled as such.
    case minimal
  }
  public enum Reason: String, Hashable, Sendable, Codable {
    case turnCap, timeLimit, nothingLeftToAsk
  }
  public var kind: Kind
  public var reason: Reason
  public var text: String
}

public struct BodyQuestion: Hashable, Sendable, Codable {
  /// The implausible values to ask about; nil the first time.
  public var implausible: String?
  public var text: String
}

/// The written coaching system.
public struct Synthesis: Hashable, Sendable, Codable {
  public var system: CoachingSystem
  /// The last user turn it takes into account.
  public var throughTurn: Int
  /// Little was known: a cautious start, so labeled.
  public var isMinimal: Bool
  public var model: String?
  public var usage: TokenUsage?

  public init(
    system: CoachingSystem, throughTurn: Int, isMinimal: Bool, model: String? = nil,
    usage: TokenUsage? = nil
  ) {
    self.system = system
    self.throughTurn = throughTurn
    self.isMinimal = isMinimal
    self.model = model
    self.usage = usage
  }
}

/// A message typed at the paywall. It is held until the conversation may continue.
public struct HeldMessage: Hashable, Sendable, Codable {
  public var text: String
  /// The user turn that holds it; nil in sessions that stored it nowhere else.
  public var turn: Int?
}

/// What the coach says to a question or a low moment that comes before the conversation's next step.
public struct Aside: Hashable, Sendable, Codable {
  /// The user turn that it answers.
  public var turn: Int
  /// Whether it is the user's move afterward.
  public var waits: Bool
  public var reply: CoachReply
}

/// The right to continue after discovery.
public struct Entitlement: Hashable, Sendable, Codable {
  /// Who granted it; `stub` for the local stub.
  public var source: String
  public var grantedAt: Date

  public init(source: String, grantedAt: Date) {
    self.source = source
    self.grantedAt = grantedAt
  }
}
