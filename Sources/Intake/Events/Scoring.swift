public import ContextQuality
public import LanguageModels
public import Signals

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

/// A turn that the scorer marked as needing a care answer before anything else.
public struct CareMark: Hashable, Sendable, Codable {
  public var kind: CareKind
  public var turn: Int
  /// The text that answers it, such as `minor-child`; nil for the kind's default.
  public var name: String?
}
