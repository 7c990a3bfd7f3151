public import ContextQuality
public import FoundationEssentials
public import LanguageModels
public import Signals

/// Something that happened in an intake. The list of them is the only truth; all else is a fold.
public enum IntakeEvent: Hashable, Sendable {
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
}

public struct SessionStart: Hashable, Sendable, Codable {
  /// The prompt pack's name and version.
  public var pack: String
  public var packVersion: String
  public var rubricVersion: Int
  /// Nil if models coach.
  public var source: ProfileSource?

  public init(
    pack: String, packVersion: String, rubricVersion: Int, source: ProfileSource? = nil
  ) {
    self.pack = pack
    self.packVersion = packVersion
    self.rubricVersion = rubricVersion
    self.source = source
  }
}

/// Something the coach said, as far as it came.
public struct CoachReply: Hashable, Sendable, Codable {
  public var text: String
  /// Why the reply ends early; nil when it is whole. A cut reply is asked for again on resume.
  public var cut: CutReason?
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
}

/// Why a reply ends early. The raw values are in logs for good.
public enum CutReason: String, Hashable, Sendable, Codable, CaseIterable {
  /// The user stopped it.
  case cancelled
  /// The model's length limit was reached.
  case length
  /// The model or its provider refused to go on.
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
      case .unauthorized: .unauthorized
      case .outOfCredit: .outOfCredit
      case .rateLimited: .rateLimited
      case .overloaded: .overloaded
      case .modelNotFound: .modelNotFound
      case .promptTooLong: .promptTooLong
      case .badRequest: .badRequest
      case .truncated: .truncated
      case .timedOut: .timedOut
      case .tooLarge: .tooLarge
      case .protocolViolation: .protocolViolation
      }
  }
}

/// What the user said, and what code read from it at once.
///
/// The readings are stored with the words, so that a session means the same after the phrase
/// lists have changed.
public struct UserTurn: Hashable, Sendable, Codable {
  /// Counted from 1.
  public var turn: Int
  /// Verbatim, invisible characters included.
  public var text: String
  /// What a short reply as a whole comes to, such as a plain go-ahead.
  public var intent: ReplyIntent
  /// An unmistakable phrase that is answered with care before anything else.
  public var care: CareFinding?
  /// An own age the user named beyond doubt, in years; the scorer reads the others.
  public var statedAge: Int?
  /// These are the messages that were kept at the paywall, sent now.
  public var releasesHeld: Bool
  /// What they say that they keep to themselves; only in sessions of before the scorer read that.
  public var withholds: Facet?

  public init(
    turn: Int, text: String, intent: ReplyIntent = .other, care: CareFinding? = nil,
    statedAge: Int? = nil, releasesHeld: Bool = false, withholds: Facet? = nil
  ) {
    self.turn = turn
    self.text = text
    self.intent = intent
    self.care = care
    self.statedAge = statedAge
    self.releasesHeld = releasesHeld
    self.withholds = withholds
  }
}

/// What the scorer found in the new turns, after every quote was checked.
public struct Scoring: Hashable, Sendable, Codable {
  /// The user turns that were new to the scorer.
  public var turns: [Int]
  public var evidence: [Evidence]
  public var retracted: [Retraction]
  /// What the scorer said and the check refused, by reason.
  public var dropped: [String: Int]
  public var care: CareMark?
  /// What the user would rather not tell; nil for nothing.
  public var withheld: [Withheld]?
  /// The age that the user named last in these turns.
  public var age: AgeNote?
  /// Height and weight as they are now, said in these turns.
  public var body: BodyNote?
  /// Why the turns could not be scored; the ledger then stands as it was.
  public var failure: ScoringFailure?
  /// The overall score afterwards, in ten-thousandths; for people who read the log.
  public var points: Int
  /// Who read the turns; nil if nobody did, because they plainly say nothing, or it failed.
  public var model: String?
  public var usage: TokenUsage?

  public init(
    turns: [Int], evidence: [Evidence] = [], retracted: [Retraction] = [],
    dropped: [String: Int] = [:], care: CareMark? = nil, withheld: [Withheld]? = nil,
    age: AgeNote? = nil, body: BodyNote? = nil, failure: ScoringFailure? = nil, points: Int = 0,
    model: String? = nil, usage: TokenUsage? = nil
  ) {
    self.turns = turns
    self.evidence = evidence
    self.retracted = retracted
    self.dropped = dropped
    self.care = care
    self.withheld = withheld
    self.age = age
    self.body = body
    self.failure = failure
    self.points = points
    self.model = model
    self.usage = usage
  }

  /// The turns that a scorer has read.
  public var readTurns: [Int] { model == nil ? [] : turns }
}

/// Why turns could not be scored.
public struct ScoringFailure: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// The server dropped the beginning of the prompt, so the scorer didn't see everything.
    case promptCut
    /// The model or its provider refused to read the conversation.
    case refused
    /// The answer reached the length limit before its end.
    case tooLong
    /// The request failed in a way that asking again doesn't mend.
    case requestFailed
    /// The answer could not be used, twice.
    case unusableAnswer
    /// The pack's prompt could not be rendered, so nothing was sent.
    case noPrompt
    /// Written before failures had kinds.
    case other
  }
  public var kind: Kind
  /// For engineers.
  public var detail: String

  public init(_ kind: Kind, _ detail: String) { (self.kind, self.detail) = (kind, detail) }
}

extension ScoringFailure: Codable, CustomStringConvertible {
  public var description: String { detail }

  /// Logs of rapport 0.1 hold the detail alone, as a string.
  public init(from decoder: any Decoder) throws {
    if let detail = try? decoder.singleValueContainer().decode(String.self) {
      self.init(Self.kinds.first { detail.hasPrefix($0.start) }?.kind ?? .other, detail)
      return
    }
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try container.decode(Kind.self, forKey: .kind),
      try container.decode(String.self, forKey: .detail))
  }

  /// How the details of rapport 0.1 begin.
  private static let kinds: [(start: String, kind: Kind)] = [
    ("the server cut the prompt", .promptCut), ("the model or its provider refused", .refused),
    ("the answer reached the length limit", .tooLong),
  ]
}

/// Something that the user keeps to themselves, with the words that say so.
public struct Withheld: Hashable, Sendable, Codable {
  public var facet: Facet
  /// The user turn, counted from 1.
  public var turn: Int
  public var quote: String
}

/// The user's own age, with the words that state it.
public struct AgeNote: Hashable, Sendable, Codable {
  public var years: Int
  /// The user turn, counted from 1.
  public var turn: Int
  public var quote: String
}

/// A turn that must be answered with care before anything else, as the scorer marked it.
public struct CareMark: Hashable, Sendable, Codable {
  public var kind: CareKind
  public var turn: Int
  /// The text that answers it, such as `minor-child`; nil for the kind's own.
  public var name: String?

  public init(kind: CareKind, turn: Int, name: String? = nil) {
    self.kind = kind
    self.turn = turn
    self.name = name
  }
}

/// A fixed, reviewed answer that was given instead of a question.
public struct CareAnswer: Hashable, Sendable, Codable {
  public var turn: Int
  public var kind: CareKind
  /// The text that was chosen, such as `crisis-abuse`.
  public var name: String
  public var text: String

  public init(turn: Int, kind: CareKind, name: String, text: String) {
    self.turn = turn
    self.kind = kind
    self.name = name
    self.text = text
  }
}

/// A follow-up question, with what it was meant to find out.
public struct Question: Hashable, Sendable, Codable {
  /// The component it is about, and the second one where a sentence covers both.
  public var components: [String]
  /// The facets that were missing when it was asked.
  public var facets: [Facet]
  /// A critical component asked about explicitly because the turns are used up.
  public var explicit: Bool
  public var reply: CoachReply

  /// How they are, asked of somebody who was told to get help: about nothing of the intake.
  public var isCheckIn: Bool { components.isEmpty && !explicit }

  public init(components: [String], facets: [Facet], explicit: Bool, reply: CoachReply) {
    self.components = components
    self.facets = facets
    self.explicit = explicit
    self.reply = reply
  }
}

/// The choice between going on with what is known and talking on.
public struct Offer: Hashable, Sendable, Codable {
  public enum Kind: String, Hashable, Sendable, Codable {
    case goOn
    /// Too little is known for more than a careful start, marked as one.
    case minimal
  }
  public enum Reason: String, Hashable, Sendable, Codable {
    case turnCap, timeLimit, nothingLeftToAsk
  }
  public var kind: Kind
  public var reason: Reason
  public var text: String

  public init(kind: Kind, reason: Reason, text: String) {
    self.kind = kind
    self.reason = reason
    self.text = text
  }
}

public struct BodyQuestion: Hashable, Sendable, Codable {
  /// The values that could not be right and are asked about; nil the first time.
  public var implausible: String?
  public var text: String

  public init(implausible: String? = nil, text: String) {
    self.implausible = implausible
    self.text = text
  }
}

/// What the answer about height and weight said, in metric.
public struct BodyNote: Hashable, Sendable, Codable {
  public var turn: Int
  public var heightCentimetres: Double?
  public var weightKilograms: Double?
  /// The user's words for them.
  public var quotes: [String]
  public var skipped: Bool
  /// What was read and cannot be right, such as `1.80 kg`.
  public var implausible: String?
  /// The answer is more than bare numbers: the scorer reads it. Nil for no.
  public var isForScorer: Bool?

  public init(
    turn: Int, heightCentimetres: Double? = nil, weightKilograms: Double? = nil,
    quotes: [String] = [], skipped: Bool = false, implausible: String? = nil,
    isForScorer: Bool? = nil
  ) {
    self.turn = turn
    self.heightCentimetres = heightCentimetres
    self.weightKilograms = weightKilograms
    self.quotes = quotes
    self.skipped = skipped
    self.implausible = implausible
    self.isForScorer = isForScorer
  }

  /// What an earlier answer said stays where this one says nothing of it.
  func completed(by earlier: BodyNote?) -> BodyNote {
    guard let earlier else { return self }
    var note = self
    note.heightCentimetres = heightCentimetres ?? earlier.heightCentimetres
    note.weightKilograms = weightKilograms ?? earlier.weightKilograms
    return note
  }
}

/// What was understood, written down.
public struct Synthesis: Hashable, Sendable, Codable {
  public var system: CoachingSystem
  /// The last user turn that it takes into account.
  public var throughTurn: Int
  /// Little was known: a careful start, marked as one.
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

/// A message typed at the paywall: kept, and sent once the conversation may go on.
public struct HeldMessage: Hashable, Sendable, Codable {
  public var text: String

  public init(text: String) { self.text = text }
}

/// The right to go on after discovery.
public struct Entitlement: Hashable, Sendable, Codable {
  /// Who granted it; the local stub says `stub`.
  public var source: String
  public var grantedAt: Date

  public init(source: String, grantedAt: Date) {
    self.source = source
    self.grantedAt = grantedAt
  }
}

extension BodyNote {
  init(turn: Int, stated facts: BodyFacts) {
    self.init(
      turn: turn, heightCentimetres: facts.heightCentimetres,
      weightKilograms: facts.weightKilograms, quotes: facts.quotes, implausible: facts.implausible)
  }

  /// What code alone reads in an answer to the question for height and weight: bare numbers, or a
  /// bare refusal.
  init(answer text: String, turn: Int, _ pack: PromptPack) {
    if let facts = pack.measureWords.bareAnswer(text) {
      self.init(turn: turn, stated: facts)
    } else {
      let intent = pack.intents.intent(of: PlainText.visible(text))
      self.init(
        turn: turn, skipped: intent != .other, isForScorer: intent == .other ? true : nil)
    }
  }
}
