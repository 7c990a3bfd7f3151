import BatchScoring
import ContextQuality
import Glibc
import Intake
import LanguageModels
import OfflineScorer

/// What a cascade found in a conversation.
struct TieredReading: Sendable {
  let offline: OfflineReading
  /// What the model found; nil if it did not read.
  var model: Ledger?
  /// Why it did not, although it should have.
  var modelError: String?

  var ledger: Ledger { model ?? offline.ledger }

  var tiers: TierDetails {
    guard model == nil else { return TierDetails(turns: offline.tiers.map { _ in .model }) }
    return TierDetails(
      turns: offline.tiers, certainty: offline.certainty, modelError: modelError)
  }
}

/// Reads conversations with the offline tiers, and with the model those that are planned for it.
struct CascadeTask: Sendable {
  private let readers: OfflineReaders
  let plan: CascadePlan
  let spending: CascadeSpending

  init(
    _ paths: [String], pack: PromptPack, options: BatchOptions, budget: ModelBudget
  ) async throws {
    let readers = OfflineReaders(
      table: ScoreTable(pack.rubric), encoder: options.encoder, budget: options.encoderBudget)
    let survey = CascadeSurvey(readers: readers, pack: pack, options: options)
    self.readers = readers
    plan = CascadePlan(try await survey.candidates(paths), budget: budget)
    spending = CascadeSpending(plan, budget: budget)
  }

  /// - Parameter place: The conversation's place in the input, from 0.
  func skip(_ place: Int) {
    if plan.rank[place] != nil { spending.skip(tokens: plan.candidates[place].tokens) }
  }

  func read(
    _ conversation: RecordedConversation, _ place: Int, _ scorer: PacedScorer
  ) async -> TieredReading {
    var reading = TieredReading(
      offline: readers.read(conversation.transcript, turns: conversation.scoredTurns))
    guard plan.rank[place] != nil else { return reading }
    let estimate = plan.candidates[place].tokens
    if let reason = spending.reserve(tokens: estimate) {
      reading.modelError = reason
      return reading
    }
    let meter = UsageMeter(within: scorer.meter)
    do throws(ModelError) {
      switch try await scorer.read(PlannedReading(conversation: conversation), counting: meter) {
      case .success(let found):
        spending.answered(estimate, meter.usage)
        reading.model = found.ledger
      case .failure(let failure):
        reading.modelError = failure.reason
        let isOver = spending.failed(
          estimate, meter.usage, failure.reason, isAnswered: failure.isAnswered)
        if isOver { await scorer.gate.close() }
      }
    } catch {
      reading.modelError = spending.stop(estimate, meter.usage, error)
      await scorer.gate.close()
    }
    return reading
  }
}

/// Reads all conversations with the offline tiers to see where a model could change most.
struct CascadeSurvey: Sendable {
  let readers: OfflineReaders
  let pack: PromptPack
  let options: BatchOptions

  /// Conversations that one task reads.
  private static let batch = 32

  /// In input order. Lines that cannot be read do not count; reading them later tells what is wrong.
  func candidates(_ paths: [String]) async throws -> [CascadeCandidate] {
    var found: [Int: [CascadeCandidate]] = [:]
    var batches = 0
    let most = 2 * max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    try await withThrowingTaskGroup(of: (Int, [CascadeCandidate]).self) { group in
      var (waiting, running): ([RecordedConversation], Int) = ([], 0)
      func send() async throws {
        if running >= most, let (number, candidates) = try await group.next() {
          found[number] = candidates
          running -= 1
        }
        let (number, conversations) = (batches, waiting)
        group.addTask { (number, try conversations.map(candidate)) }
        (batches, running, waiting) = (batches + 1, running + 1, [])
      }
      for path in paths {
        var reader = ConversationReader(path, longestLine: options.longestLine)
        while let item = reader.read() {
          guard case .conversation(let conversation) = item else { continue }
          waiting.append(conversation)
          if waiting.count == Self.batch { try await send() }
        }
      }
      if !waiting.isEmpty { try await send() }
      while let (number, candidates) = try await group.next() { found[number] = candidates }
    }
    return (0..<batches).flatMap { found[$0] ?? [] }
  }

  private func candidate(_ conversation: RecordedConversation) throws -> CascadeCandidate {
    let table = ScoreTable(pack.rubric)
    let reading = readers.read(conversation.transcript, turns: conversation.scoredTurns)
    var estimate = TokenEstimate()
    guard
      let request = try TranscriptScorer.request(
        conversation.transcript, turns: conversation.scoredTurns, pack: pack)
    else { return CascadeCandidate(worth: 0, tokens: 0) }
    estimate.add(request, userTurns: conversation.transcript.userTurns.count)
    return CascadeCandidate(
      worth: reading.worth(table, isUnread: isUnread(conversation, reading)),
      tokens: estimate.inputTokens + estimate.outputTokens)
  }

  /// The first of the user's words, enough to tell a language.
  private static let sample = 240

  private func isUnread(_ conversation: RecordedConversation, _ reading: OfflineReading) -> Bool {
    guard reading.hasManyUnknownWords, let isUnread = options.isUnread else { return false }
    let words = conversation.transcript.userTurns.joined(separator: "\n")
    return isUnread(String(words.prefix(Self.sample)))
  }
}
