public import BatchScoring
public import ContextQuality
public import Intake
public import LanguageModels

/// The result of a run with a model.
public struct ModelBatchOutcome: Sendable {
  public var batch: BatchOutcome
  /// Conversations that an earlier run finished.
  public var skipped = 0
  public var usage = ModelUsage()
  /// Why the run ended before its input did; what was written is complete.
  public var halt: ModelBatchHalt?
  /// What a cascade sent to the model; nil if it was not one.
  public var cascade: CascadeTotals?
}

/// Why the run stopped asking.
public enum ModelBatchHalt: Error, Hashable, Sendable {
  /// No model is available.
  case noModel(ModelError)
  /// Too many requests in a row failed to expect the next to succeed.
  case failures(Int, last: String)
}

/// Scores files of conversations with a model: parallel requests, records in order.
///
/// A conversation starts only after the one `options.jobs` places before it has been written, so a
/// kill loses only requests in progress.
public struct ModelBatchRun: Sendable {
  /// Receives each conversation and what was found in it, in input order.
  public typealias Reading = @Sendable (RecordedConversation, Ledger) -> Void

  /// How often to read a conversation, and what to change each time.
  package typealias Plan = @Sendable (RecordedConversation) -> [PlannedReading]

  private let pack: PromptPack
  private let options: BatchOptions
  private let plan: Plan
  /// What the model may read of what the offline tiers have read; nil if it reads everything.
  private let budget: ModelBudget?

  /// `options.jobs` is the number of parallel requests.
  public init(pack: PromptPack, options: BatchOptions) {
    self.init(pack: pack, options: options) { [PlannedReading(conversation: $0)] }
  }

  /// A cascade: `options.encoder` and its budget say how the offline tiers read, and the model reads
  /// the conversations where it may change most. Every file is read twice.
  public init(pack: PromptPack, options: BatchOptions, cascade budget: ModelBudget) {
    (self.pack, self.options, self.budget) = (pack, options, budget)
    plan = { [PlannedReading(conversation: $0)] }
  }

  package init(pack: PromptPack, options: BatchOptions, plan: @escaping Plan) {
    (self.pack, self.options, self.plan, budget) = (pack, options, plan, nil)
  }

  /// Failed requests in a row after which the model, not a conversation, must be the cause.
  static let mostFailuresInARow = 20

  /// Counts the requests of a run without sending any.
  @concurrent
  public func estimate(
    _ paths: [String], skipping finished: FinishedRecords
  ) async throws -> TokenEstimate {
    var finished = finished
    var estimate = TokenEstimate()
    let cascade = try await cascade(paths)
    for path in paths {
      var reader = ConversationReader(path, longestLine: options.longestLine)
      while let item = reader.read() {
        guard case .conversation(let conversation) = item else {
          estimate.problems += 1
          continue
        }
        estimate.conversations += 1
        let isWanted = cascade.map { $0.plan.rank[estimate.conversations - 1] != nil } ?? true
        for reading in plan(conversation) {
          let conversation = reading.conversation
          if finished.isFinished(conversation.id) {
            estimate.finished += 1
          } else if isWanted,
            let request = try TranscriptScorer.request(
              conversation.transcript, turns: conversation.scoredTurns, pack: pack,
              listing: reading.listing)
          {
            estimate.add(request, userTurns: conversation.transcript.userTurns.count)
          }
        }
      }
    }
    return estimate
  }

  /// - Parameters:
  ///   - endpoint: The model that scores.
  ///   - runtime: Provides the retries. A wait holds back all requests, not just the one that
  ///     caused it.
  ///   - reading: Receives each scored conversation.
  /// - Throws: What the sink throws. An unavailable model is a result.
  @concurrent
  public func score<Sink: BatchSink & Sendable>(
    _ paths: [String], with endpoint: ModelEndpoint, runtime: ModelRuntime,
    skipping finished: FinishedRecords, into sink: inout Sink, reading: Reading? = nil
  ) async throws -> ModelBatchOutcome {
    let cascade = try await cascade(paths)
    let gate = RequestGate(most: options.jobs, sleep: runtime.sleep)
    var runtime = runtime
    runtime.sleep = { try await gate.pause($0) }
    let meter = UsageMeter()
    let scorer = PacedScorer(
      pack: pack, model: HTTPModel(endpoint, runtime: runtime), gate: gate, meter: meter)
    var progress = ModelBatchProgress(
      sink, options, pack.rubric, finished, InputPaths.size(of: paths), scorer: endpoint.model,
      cascade)
    defer { sink = progress.sink }
    progress.reading = reading
    try progress.writeHeader()
    for path in paths where !progress.isStopped {
      var reader = ConversationReader(
        path, longestLine: options.longestLine, countsBlankLines: options.writesErrorsInline)
      try await score(&reader, scorer, gate, &progress)
      progress.endFile(reader.bytesRead)
    }
    try progress.writeBest()
    progress.outcome.usage = meter.usage
    progress.outcome.cascade = cascade?.spending.totals
    return progress.outcome
  }

  private func cascade(_ paths: [String]) async throws -> CascadeTask? {
    guard let budget else { return nil }
    return try await CascadeTask(paths, pack: pack, options: options, budget: budget)
  }

  private func score<Sink: BatchSink & Sendable>(
    _ reader: inout ConversationReader, _ scorer: PacedScorer, _ gate: RequestGate,
    _ progress: inout ModelBatchProgress<Sink>
  ) async throws {
    try await withThrowingTaskGroup(of: (Int, ModelBatchResult).self) { group in
      do {
        try await score(&reader, scorer, gate, &group, &progress)
      } catch {
        // Wake everyone who waits for a place that will never be free.
        await gate.close()
        throw error
      }
      if progress.isStopped { await gate.close() }
      group.cancelAll()
    }
  }

  private func score<Sink: BatchSink & Sendable>(
    _ reader: inout ConversationReader, _ scorer: PacedScorer, _ gate: RequestGate,
    _ group: inout ThrowingTaskGroup<(Int, ModelBatchResult), any Error>,
    _ progress: inout ModelBatchProgress<Sink>
  ) async throws {
    var planned: ArraySlice<PlannedReading> = []
    while !progress.isStopped {
      let waits =
        progress.isClosing || progress.outstanding >= progress.mostOutstanding
        || progress.outstanding > 0 && planned.isEmpty && !reader.isReady
      if !waits, let reading = planned.popFirst() {
        begin(reading, reader.bytesReturned, scorer, &group, &progress)
      } else if !waits, let item = reader.read() {
        switch item {
        case .conversation(let conversation): planned = plan(conversation)[...]
        case .problem(let problem, let id):
          let number = progress.begin(upTo: reader.bytesReturned)
          try progress.put(.problem(problem, id: id), number)
        }
      } else if let (number, result) = try await group.next() {
        if case .noModel = result { await gate.close() }
        try progress.put(result, number)
      } else {
        break
      }
      progress.show()
    }
  }

  private func begin<Sink>(
    _ reading: PlannedReading, _ end: Int, _ scorer: PacedScorer,
    _ group: inout ThrowingTaskGroup<(Int, ModelBatchResult), any Error>,
    _ progress: inout ModelBatchProgress<Sink>
  ) {
    let place = progress.nextPlace()
    guard !progress.skips(reading.conversation, upTo: end) else {
      progress.cascade?.skip(place)
      return
    }
    let number = progress.begin(upTo: end)
    if let cascade = progress.cascade {
      let conversation = reading.conversation
      group.addTask {
        let read = await cascade.read(conversation, place, scorer)
        return (number, .scored(conversation, read.ledger, tiers: read.tiers))
      }
    } else {
      group.addTask { (number, await ModelBatchResult(reading, scorer)) }
    }
  }
}

/// One reading of a conversation.
package struct PlannedReading: Sendable {
  /// Under the reading's own id, perhaps with other words.
  package var conversation: RecordedConversation
  package var listing = RubricListing.given
  /// Whether the record also tells what became of the quotes, and the cost.
  package var isDetailed = false

  package init(
    conversation: RecordedConversation, listing: RubricListing = .given, isDetailed: Bool = false
  ) {
    (self.conversation, self.listing, self.isDetailed) = (conversation, listing, isDetailed)
  }
}

/// Scores through the gate, and counts the cost of each reading.
struct PacedScorer: Sendable {
  let pack: PromptPack
  let model: any LanguageModel
  let gate: RequestGate
  let meter: UsageMeter

  func read(
    _ reading: PlannedReading, counting usage: UsageMeter
  ) async throws(ModelError) -> Result<TranscriptReading, TranscriptFailure> {
    try await TranscriptScorer(
      pack: pack, model: PacedModel(base: model, gate: gate, meter: usage)
    ).read(
      reading.conversation.transcript, turns: reading.conversation.scoredTurns,
      listing: reading.listing)
  }
}

/// The result of one line.
enum ModelBatchResult: Sendable {
  /// - Parameters:
  ///   - details: What its record adds; nil for nothing.
  ///   - tiers: Who read it; nil outside a cascade.
  case scored(
    RecordedConversation, Ledger, details: ReadingDetails? = nil, tiers: TierDetails? = nil)
  case failed(RecordedConversation, String, isAnswered: Bool)
  case problem(LineProblem, id: String)
  case noModel(ModelError)

  init(_ reading: PlannedReading, _ scorer: PacedScorer) async {
    let meter = UsageMeter(within: scorer.meter)
    do throws(ModelError) {
      switch try await scorer.read(reading, counting: meter) {
      case .success(let found):
        self = .scored(
          reading.conversation, found.ledger,
          details: reading.isDetailed ? ReadingDetails(found, meter.usage) : nil)
      case .failure(let failure):
        self = .failed(reading.conversation, failure.reason, isAnswered: failure.isAnswered)
      }
    } catch {
      self = .noModel(error)
    }
  }
}
