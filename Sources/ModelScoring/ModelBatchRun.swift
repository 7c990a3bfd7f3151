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
}

/// Why the run stopped asking.
public enum ModelBatchHalt: Error, Sendable {
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

  private let pack: PromptPack
  private let options: BatchOptions

  /// `options.jobs` is the number of parallel requests.
  public init(pack: PromptPack, options: BatchOptions) {
    (self.pack, self.options) = (pack, options)
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
    for path in paths {
      var reader = ConversationReader(path, longestLine: options.longestLine)
      while let item = reader.read() {
        guard case .conversation(let conversation) = item else {
          estimate.problems += 1
          continue
        }
        estimate.conversations += 1
        if finished.isFinished(conversation.id) {
          estimate.finished += 1
        } else if let request = try TranscriptScorer.request(
          conversation.transcript, turns: conversation.scoredTurns, pack: pack)
        {
          estimate.add(request, userTurns: conversation.transcript.userTurns.count)
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
    let gate = RequestGate(most: options.jobs, sleep: runtime.sleep)
    var runtime = runtime
    runtime.sleep = { try await gate.pause($0) }
    let meter = UsageMeter()
    let model = PacedModel(base: HTTPModel(endpoint, runtime: runtime), gate: gate, meter: meter)
    let scorer = TranscriptScorer(pack: pack, model: model)
    var progress = ModelBatchProgress(
      options, pack.rubric, finished, InputPaths.size(of: paths), scorer: endpoint.model)
    progress.reading = reading
    try progress.writeHeader(&sink)
    for path in paths where !progress.isStopped {
      var reader = ConversationReader(
        path, longestLine: options.longestLine, countsBlankLines: options.writesErrorsInline)
      try await score(&reader, scorer, gate, &progress, &sink)
      progress.endFile(reader.bytesRead)
    }
    try progress.writeBest(&sink)
    progress.outcome.usage = meter.usage
    return progress.outcome
  }

  private func score<Sink: BatchSink & Sendable>(
    _ reader: inout ConversationReader, _ scorer: TranscriptScorer, _ gate: RequestGate,
    _ progress: inout ModelBatchProgress, _ sink: inout Sink
  ) async throws {
    try await withThrowingTaskGroup(of: (Int, ModelBatchResult).self) { group in
      do {
        try await score(&reader, scorer, gate, &group, &progress, &sink)
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
    _ reader: inout ConversationReader, _ scorer: TranscriptScorer, _ gate: RequestGate,
    _ group: inout ThrowingTaskGroup<(Int, ModelBatchResult), any Error>,
    _ progress: inout ModelBatchProgress, _ sink: inout Sink
  ) async throws {
    while !progress.isStopped {
      let waits =
        progress.isClosing || progress.outstanding >= options.jobs
        || progress.outstanding > 0 && !reader.isReady
      if !waits, let item = reader.read() {
        try begin(item, reader.bytesReturned, scorer, &group, &progress, &sink)
      } else if let (number, result) = try await group.next() {
        if case .noModel = result { await gate.close() }
        try progress.put(result, number, &sink)
      } else {
        break
      }
      progress.show(&sink)
    }
  }

  private func begin<Sink: BatchSink & Sendable>(
    _ item: ConversationReader.Item, _ end: Int, _ scorer: TranscriptScorer,
    _ group: inout ThrowingTaskGroup<(Int, ModelBatchResult), any Error>,
    _ progress: inout ModelBatchProgress, _ sink: inout Sink
  ) throws {
    switch item {
    case .problem(let problem, let id):
      try progress.put(.problem(problem, id: id), progress.begin(upTo: end), &sink)
    case .conversation(let conversation) where progress.skips(conversation, upTo: end):
      break
    case .conversation(let conversation):
      let number = progress.begin(upTo: end)
      group.addTask { (number, await ModelBatchResult(conversation, scorer)) }
    }
  }
}

/// The result of one line.
enum ModelBatchResult: Sendable {
  case scored(RecordedConversation, Ledger)
  case failed(RecordedConversation, String, isAnswered: Bool)
  case problem(LineProblem, id: String)
  case noModel(ModelError)

  init(_ conversation: RecordedConversation, _ scorer: TranscriptScorer) async {
    do throws(ModelError) {
      switch try await scorer.score(conversation.transcript, turns: conversation.scoredTurns) {
      case .scored(let ledger): self = .scored(conversation, ledger)
      case .failed(let reason, let isAnswered):
        self = .failed(conversation, reason, isAnswered: isAnswered)
      }
    } catch {
      self = .noModel(error)
    }
  }
}
