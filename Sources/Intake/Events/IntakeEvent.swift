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

/// The scorer's findings in the new turns, with every quote checked.
public struct Scoring: Hashable, Sendable, Codable {
  /// The user turns to read: new ones, and those that could not be read before.
  public var turns: [Int]
  public var evidence: [Evidence] = []
  public var retracted: [Retraction] = []
  /// Counts of findings that the check rejected, by reason.
  public var dropped: [String: Int] = [:]
  /// Counts of quotes that were not verbatim and were replaced by the user's words, by what
  /// differed; nil if none.
  public var snapped: [String: Int]?
  public var care: CareMark?
  /// What the turns do. Nil if the reading says nothing about that: it failed, it is from before
  /// readings told, or nobody asked.
  public var acts: [Act]?
  /// What the user would rather not tell; nil if nothing. Only in sessions from before acts.
  public var withheld: [Withheld]?
  /// The last age the user stated in these turns.
  public var age: AgeNote?
  /// The current height and weight stated in these turns.
  public var body: BodyNote?
  /// What these turns show about the person, with its quotes; nil if nothing new.
  public var understanding: [Understanding.Part]?
  /// Words to remember; nil if none.
  public var notes: [MemoryNote]?
  /// The answer to the hypothesis that the coach asked about, if it has one.
  public var hypothesis: HypothesisAnswer.Claim?
  /// The program's own reader, if it found the evidence because the model could not.
  public var reader: String?
  /// Why the model could not read the turns; the ledger is then unchanged, but for what `reader` found.
  public var failure: ScoringFailure?
  /// The overall score afterward, in ten-thousandths; for people who read the log.
  public var points = 0
  /// The model that read the turns; nil if they plainly say nothing, or if reading failed.
  public var model: String?
  public var usage: TokenUsage?
  /// Whether the evidence adds to what is known of a facet. Not so in sessions from before facets had several
  /// pieces.
  package var addsUp = true

  private enum CodingKeys: String, CodingKey {
    case turns, evidence, retracted, dropped, snapped, care, acts, withheld, age, body,
      understanding, notes
    case hypothesis, reader, failure, points, model, usage
  }

  /// The turns that a scorer has read.
  public var readTurns: [Int] { model == nil ? [] : turns }
}

extension Scoring {
  public init(
    turns: [Int], evidence: [Evidence] = [], retracted: [Retraction] = [], acts: [Act]? = nil,
    body: BodyNote? = nil, notes: [MemoryNote]? = nil, model: String? = nil
  ) {
    (self.turns, self.evidence, self.retracted) = (turns, evidence, retracted)
    (self.acts, self.body, self.notes, self.model) = (acts, body, notes, model)
  }
}

/// Why turns could not be scored.
public struct ScoringFailure: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// The server dropped the beginning of the prompt, so the scorer did not see everything.
    case promptCut
    /// The model or its provider refused to read the conversation.
    case refused
    /// The answer hit the length limit.
    case tooLong
    /// The request failed in a way that a retry cannot fix.
    case requestFailed
    /// Nobody read: no model was available, or the user did not wait.
    case unread
    /// The answer was unusable twice.
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

  /// Logs from rapport 0.1 store only the detail, as a string.
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

  /// Prefixes of the details from rapport 0.1.
  private static let kinds: [(start: String, kind: Kind)] = [
    ("the server cut the prompt", .promptCut), ("the model or its provider refused", .refused),
    ("the answer reached the length limit", .tooLong),
  ]
}

/// Something the user keeps private, with the words that say so.
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

/// A turn that the scorer marked as needing a care answer before anything else.
public struct CareMark: Hashable, Sendable, Codable {
  public var kind: CareKind
  public var turn: Int
  /// The text that answers it, such as `minor-child`; nil for the kind's default.
  public var name: String?
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

/// The answer about height and weight, in metric units.
public struct BodyNote: Hashable, Sendable, Codable {
  public var turn: Int
  public var heightCentimetres: Double?
  public var weightKilograms: Double?
  /// The user's words for them.
  public var quotes: [String] = []
  /// The words for the height, if this note has it; nil in older sessions.
  public var heightQuote: String?
  /// The words for the weight, if this note has it; nil in older sessions.
  public var weightQuote: String?
  public var skipped = false
  /// An implausible value that was read, such as `1.80 kg`.
  public var implausible: String?
  /// The answer has more than numbers, so the scorer reads it. Nil means no.
  public var isForScorer: Bool?

  /// Fills in values missing here from an earlier answer.
  func completed(by earlier: BodyNote?) -> BodyNote {
    guard let earlier else { return self }
    var note = self
    note.heightCentimetres = heightCentimetres ?? earlier.heightCentimetres
    note.weightKilograms = weightKilograms ?? earlier.weightKilograms
    return note
  }

  /// Without what rests on these quotes; nil if all of it does, or if an older note does not say what does.
  func without(_ isGone: (String) -> Bool) -> BodyNote? {
    guard quotes.contains(where: isGone) else { return self }
    var note = self
    note.quotes.removeAll(where: isGone)
    if heightQuote.map(isGone) == true { (note.heightCentimetres, note.heightQuote) = (nil, nil) }
    if weightQuote.map(isGone) == true { (note.weightKilograms, note.weightQuote) = (nil, nil) }
    return note.heightQuote == nil && note.weightQuote == nil ? nil : note
  }
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

extension BodyNote {
  init(turn: Int, stated facts: BodyFacts) {
    self.init(
      turn: turn, heightCentimetres: facts.heightCentimetres,
      weightKilograms: facts.weightKilograms, quotes: facts.quotes,
      heightQuote: facts.quotesByKind[.height], weightQuote: facts.quotesByKind[.weight],
      implausible: facts.implausible)
  }

  /// Code's reading of an answer about height and weight: only numbers, or only a
  /// refusal.
  init(answer text: String, turn: Int, _ pack: PromptPack) {
    if let facts = pack.measureWords.bareAnswer(text) {
      self.init(turn: turn, stated: facts)
    } else {
      let skips = pack.consent.isYes(PlainText.visible(text)) == false
      self.init(turn: turn, skipped: skips, isForScorer: skips ? nil : true)
    }
  }
}
