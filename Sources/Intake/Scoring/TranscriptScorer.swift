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

  public enum Outcome: Sendable {
    case scored(Ledger)
    /// Scoring failed for this conversation. Others may work, especially if the model answered.
    case failed(String, isAnswered: Bool)
  }

  /// - Parameter turns: The user turns to read; nil means all that say something.
  /// - Throws: `ModelError` if no model is available.
  public func score(
    _ transcript: Transcript, turns: [Int]? = nil
  ) async throws(ModelError) -> Outcome {
    let reading: Reading
    do throws(PackError) {
      reading = try Self.reading(transcript, turns, pack)
    } catch {
      return .failed(error.description, isAnswered: false)
    }
    var result = ScoringPass.Reading(scoring: Scoring(turns: []))
    if !reading.turns.isEmpty {
      let pass = ScoringPass(
        pack: pack, model: model, transcript: transcript, ledger: Ledger(), turns: reading.turns)
      result = try await pass.read({ _ in }).get()
    }
    let scoring = result.scoring
    if let failure = scoring.failure {
      return .failed(failure.detail, isAnswered: result.error.map(Self.isAboutTheWords) ?? true)
    }
    var ledger = Ledger()
    ledger.apply(reading.body + scoring.evidence, retracted: scoring.retracted)
    return .scored(ledger)
  }

  /// The request to the model; nil if there is nothing to ask.
  ///
  /// - Throws: ``PackError`` if the pack's prompt can't be rendered.
  public static func request(
    _ transcript: Transcript, turns: [Int]? = nil, pack: PromptPack
  ) throws(PackError) -> ModelRequest? {
    let reading = try reading(transcript, turns, pack)
    guard !reading.turns.isEmpty else { return nil }
    return try ScoringPass(
      pack: pack, model: NoModel(), transcript: transcript, ledger: Ledger(), turns: reading.turns
    ).request()
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

  private struct Reading {
    var turns: [Int] = []
    var body: [Evidence] = []
  }

  /// The turns that a live session would score, and what code alone reads in them.
  private static func reading(
    _ transcript: Transcript, _ turns: [Int]?, _ pack: PromptPack
  ) throws(PackError) -> Reading {
    var reading = Reading()
    let bodyQuestion = try pack.render(.bodyQuestion, [:])
    var answersBodyQuestion = false
    var turn = 0
    for message in transcript.messages {
      guard message.speaker == .user else {
        answersBodyQuestion = message.text == bodyQuestion
        continue
      }
      turn += 1
      if answersBodyQuestion { reading.body += bodyEvidence(message.text, turn, pack) }
      answersBodyQuestion = false
      if turns?.contains(turn) ?? !saysNothing(message.text, pack) { reading.turns.append(turn) }
    }
    return reading
  }

  /// A plain "idk" or "I'd rather not say" contains no facts, so it needs no request.
  private static func saysNothing(_ text: String, _ pack: PromptPack) -> Bool {
    let intent = pack.intents.intent(of: PlainText.visible(text))
    return intent == .nonAnswer || intent == .declineToAnswer || PlainText.isBlank(text)
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

/// A placeholder for building a request without sending it.
private struct NoModel: LanguageModel {
  let identity = ModelIdentity(provider: "", model: "")

  func reply(to request: ModelRequest) -> ModelReply { ModelReply(events: []) }
}
