public import ContextQuality
public import LanguageModels
import Signals

/// Runs the live scorer on a finished conversation, with one request for all turns, and one more if
/// the answer is unusable.
public struct TranscriptScorer: Sendable {
  public let pack: PromptPack
  private let model: any LanguageModel

  public init(pack: PromptPack, model: any LanguageModel) {
    (self.pack, self.model) = (pack, model)
  }

  /// - Parameters:
  ///   - turns: The user turns to read; nil means all that say something.
  ///   - listing: The order in which the prompt lists the rubric.
  /// - Throws: `ModelError` if no model is available. A failure is one of this conversation: others may work.
  public func read(
    _ transcript: Transcript, turns: [Int]? = nil, listing: RubricListing = .given
  ) async throws(ModelError) -> Result<TranscriptReading, TranscriptFailure> {
    let plan: Plan
    do throws(PackError) {
      plan = try Self.plan(transcript, turns, pack)
    } catch {
      return .failure(TranscriptFailure(reason: error.description, isAnswered: false))
    }
    var result = TurnReading(Scoring(turns: []))
    if !plan.turns.isEmpty {
      var pass = ScoringPass(
        pack: pack, model: model, transcript: transcript, ledger: Ledger(), turns: plan.turns)
      pass.listing = listing
      result = try await pass.read({ _ in }).get()
    }
    let scoring = result.scoring
    if let failure = scoring.failure {
      return .failure(
        TranscriptFailure(
          reason: failure.detail, isAnswered: result.error.map(Self.isAboutTheWords) ?? true))
    }
    var reading = TranscriptReading(
      accepted: result.accepted, snapped: result.snapped,
      snaps: scoring.snapped ?? [:], refused: scoring.dropped)
    reading.ledger.apply(plan.body + scoring.evidence, retracted: scoring.retracted)
    return .success(reading)
  }

  /// The request to the model; nil if there is nothing to ask.
  ///
  /// - Throws: `PackError` if the pack's prompt cannot be rendered.
  public static func request(
    _ transcript: Transcript, turns: [Int]? = nil, pack: PromptPack,
    listing: RubricListing = .given
  ) throws(PackError) -> ModelRequest? {
    let plan = try plan(transcript, turns, pack)
    guard !plan.turns.isEmpty else { return nil }
    var pass = ScoringPass(
      pack: pack, model: NoModel(), transcript: transcript, ledger: Ledger(), turns: plan.turns)
    pass.listing = listing
    return try pass.request()
  }
}

extension TranscriptScorer {
  /// Whether the text is too long, or a filter refused it (Azure's code is `content_filter`).
  private static func isAboutTheWords(_ error: ModelError) -> Bool {
    switch error.kind {
    case .promptTooLong, .tooLarge: true
    case .badRequest: error.description.contains("content_filter")
    default: false
    }
  }

  private struct Plan {
    var turns: [Int] = []
    var body: [Evidence] = []
  }

  /// The turns that a live session would score, and what code alone reads in them.
  private static func plan(
    _ transcript: Transcript, _ turns: [Int]?, _ pack: PromptPack
  ) throws(PackError) -> Plan {
    var plan = Plan()
    let bodyQuestions = [
      try pack.render(.bodyQuestion, [:]), try pack.render(.bodyHeight, [:]),
    ]
    var answersBodyQuestion = false
    var turn = 0
    for message in transcript.messages {
      guard message.speaker == .user else {
        answersBodyQuestion = bodyQuestions.contains(message.text)
        continue
      }
      turn += 1
      if answersBodyQuestion { plan.body += bodyEvidence(message.text, turn, pack) }
      answersBodyQuestion = false
      if turns?.contains(turn) ?? !PlainText.isBlank(message.text) { plan.turns.append(turn) }
    }
    return plan
  }

  private static func bodyEvidence(
    _ text: String, _ turn: Int, _ pack: PromptPack
  ) -> [Evidence] {
    let note = BodyNote(answer: text, turn: turn, pack)
    guard let facet = pack.bodyFacet, note.implausible == nil, let quote = note.quotes.first
    else { return [] }
    return [Evidence(facet: facet, quote: quote, turn: turn)]
  }
}

/// What a model found in a conversation, and what became of its quotes.
public struct TranscriptReading: Sendable {
  public var ledger = Ledger()
  /// Quotes that were accepted.
  public var accepted = 0
  /// Of these, quotes that were not verbatim and were replaced by the user's words.
  public var snapped = 0
  /// How those differed; one can differ in several ways.
  public var snaps: [String: Int] = [:]
  /// Quotes that were refused, by reason.
  public var refused: [String: Int] = [:]
}

/// Why a conversation has no score.
public struct TranscriptFailure: Error, Hashable, Sendable {
  public var reason: String
  /// Whether the model answered, so that others may work.
  public var isAnswered: Bool
}

/// A placeholder for building a request without sending it.
private struct NoModel: LanguageModel {
  let identity = ModelIdentity(provider: "", model: "")

  func reply(to request: ModelRequest) -> ModelReply { ModelReply(events: []) }
}
