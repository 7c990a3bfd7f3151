import BatchScoring
import ContextQuality
import LanguageModels
import OfflineScorer

/// Puts results back in order and writes each as soon as its turn comes.
struct ModelBatchProgress<Sink: BatchSink> {
  var outcome: ModelBatchOutcome
  private(set) var sink: Sink
  var reading: ModelBatchRun.Reading?
  /// Nil if the model reads everything.
  let cascade: CascadeTask?
  private(set) var isStopped = false
  /// A request found no model: starts nothing new, but lets running requests end.
  private(set) var isClosing = false
  private var halt: ModelError?
  private let options: BatchOptions
  private let rubric: Rubric
  private let record: LedgerRecord
  private var finished: FinishedRecords
  private var seen: [String: Bool] = [:]
  private var waiting: [Int: ModelBatchResult] = [:]
  /// Where what is begun and not yet written ends, in bytes of all files.
  private var ends: [Int: Int] = [:]
  private var begun = 0
  private var written = 0
  private var failuresInARow = 0
  private var shown = BatchProgress()
  private var bytesBefore = 0
  private var best: BestScored<Scored>?

  /// A conversation that may be among the best.
  private struct Scored {
    let record: [UInt8]
    let ledger: Ledger
    let scores: [ContextComponents]
    let tiers: TierDetails?
  }

  init(
    _ sink: Sink, _ options: BatchOptions, _ rubric: Rubric, _ finished: FinishedRecords,
    _ size: Int?, scorer: String, _ cascade: CascadeTask? = nil
  ) {
    (self.sink, self.options, self.rubric, self.finished) = (sink, options, rubric, finished)
    self.cascade = cascade
    let totals =
      cascade == nil
      ? ScoreTotals(rubric: rubric) : ScoreTotals(table: ScoreTable(rubric), options)
    outcome = ModelBatchOutcome(batch: BatchOutcome(totals: totals))
    if options.format == .html {
      outcome.batch.report = ReportData(conversations: options.reportConversations)
    }
    record = LedgerRecord(
      rubric: rubric, format: options.format, turnDetails: options.turnDetails, scorer: scorer,
      isCascade: cascade != nil)
    shown.bytesInAll = size
    best = options.selection.top.map { BestScored(limit: $0) }
  }

  /// The most conversations that may be under way. In a cascade few of them wait for the model.
  var mostOutstanding: Int { cascade == nil ? options.jobs : 16 * options.jobs }

  /// The next conversation's place in the input, from 0.
  mutating func nextPlace() -> Int {
    places += 1
    return places - 1
  }
  private var places = 0

  /// Started but not written yet.
  var outstanding: Int { begun - written }

  /// - Parameter bytes: Where it ends in its file.
  mutating func begin(upTo bytes: Int) -> Int {
    begun += 1
    ends[begun - 1] = bytesBefore + bytes
    return begun - 1
  }

  mutating func skips(_ conversation: RecordedConversation, upTo bytes: Int) -> Bool {
    guard finished.isFinished(conversation.id) else { return false }
    outcome.skipped += 1
    if outstanding == 0 { shown.bytesRead = bytesBefore + bytes }
    return true
  }

  /// Writes everything whose turn has come.
  mutating func put(_ result: ModelBatchResult, _ number: Int) throws {
    waiting[number] = result
    if case .noModel(let error) = result {
      isClosing = true
      // Requests that the end of the run prevented don't count as a reason for it.
      if halt == nil || halt?.kind == .cancelled { halt = error }
    }
    while !isStopped, let result = waiting.removeValue(forKey: written) {
      // Reading is far ahead of the model, so what is read isn't what is done.
      shown.bytesRead = ends.removeValue(forKey: written) ?? shown.bytesRead
      written += 1
      try write(result)
    }
    try sink.flush()
  }

  private mutating func write(_ result: ModelBatchResult) throws {
    switch result {
    case .scored(let conversation, let ledger, let details, let tiers):
      try write(conversation, ledger, details, tiers)
    case .problem(let problem, let id): try fail(id, problem)
    case .failed(let conversation, let reason, let isAnswered):
      failuresInARow = isAnswered ? 0 : failuresInARow + 1
      try fail(conversation.id, problem(conversation, reason))
      if failuresInARow >= ModelBatchRun.mostFailuresInARow {
        stop(.failures(failuresInARow, last: reason))
      }
    case .noModel(let error): stop(.noModel(halt ?? error))
    }
  }

  private mutating func stop(_ halt: ModelBatchHalt) {
    isStopped = true
    outcome.halt = halt
  }

  private func problem(
    _ conversation: RecordedConversation, _ reason: String, isWarning: Bool = false
  ) -> LineProblem {
    LineProblem(
      file: conversation.file, line: conversation.line, reason: reason, isWarning: isWarning)
  }

  private mutating func write(
    _ conversation: RecordedConversation, _ ledger: Ledger, _ details: ReadingDetails?,
    _ tiers: TierDetails?
  ) throws {
    failuresInARow = 0
    let scores = record.scores(ledger, turns: conversation.transcript.userTurns.count)
    shown.conversations += 1
    reading?(conversation, ledger)
    if isSelected(scores) {
      let writes = options.writesRecords && options.format != .html
      let bytes =
        writes
        ? record.bytes(
          id: conversation.id, ledger, scores, reading: details?.json, tiers: tiers) : []
      try take(
        Scored(record: bytes, ledger: ledger, scores: scores, tiers: tiers), of: conversation)
    } else {
      outcome.batch.totals.leaveOut(1)
    }
    if scores.isEmpty {
      try sink.report(.silent(file: conversation.file, line: conversation.line))
    }
    if isSecond(conversation.id) {
      try sink.report(problem(conversation, "duplicate id", isWarning: true))
    }
  }

  private func isSelected(_ scores: [ContextComponents]) -> Bool {
    guard let last = scores.last else { return options.selection.isEverything }
    return options.selection.accepts(
      points: last.points, state: last.isReadyForCoaching ? .ready : .notReady)
  }

  private mutating func take(_ scored: Scored, of conversation: RecordedConversation) throws {
    if best != nil {
      best?.offer(points: scored.scores.last?.points ?? 0) { scored }
      return
    }
    try write(scored)
    if !scored.scores.isEmpty {
      let table = ScoreTable(rubric)
      outcome.batch.report?.count(conversation, scored.ledger, table: table)
    }
  }

  private mutating func write(_ scored: Scored) throws {
    let (scores, ledger) = (scored.scores, scored.ledger)
    if scores.isEmpty {
      outcome.batch.totals.countSilent()
    } else if let tiers = scored.tiers {
      outcome.batch.totals.count(
        scores.indices.map { ledger.bits(after: $0 + 1) }, certainty: tiers.certainty,
        tiers: tiers.turns)
    } else {
      let rubric = rubric
      outcome.batch.totals.count(scores, ledger, rubric: rubric)
    }
    try write(scored.record)
  }

  /// Writes and counts the best conversations, once all are known.
  mutating func writeBest() throws {
    guard let best else { return }
    for conversation in best.sorted { try write(conversation) }
    outcome.batch.totals.leaveOut(best.offered - best.count)
  }

  private mutating func fail(_ id: String, _ problem: LineProblem) throws {
    outcome.batch.failed += 1
    if options.writesErrorsInline, !finished.saysFailed(id) {
      try write(LedgerRecord.failure(id: id, reason: problem.reason))
    }
    try sink.report(problem)
    if options.stopsAtFirstProblem { isStopped = true }
  }

  mutating func writeHeader() throws {
    if options.writesRecords { try write(record.header) }
  }

  private mutating func write(_ bytes: [UInt8]) throws {
    if !bytes.isEmpty { try bytes.withUnsafeBytes { try sink.write($0) } }
  }

  /// True for every repeated id; tracks only the first million ids, to limit memory.
  private mutating func isSecond(_ id: String) -> Bool {
    if let wasNamed = seen[id] {
      seen[id] = true
      return !wasNamed
    }
    if seen.count < 1_000_000 { seen[id] = false }
    return false
  }

  mutating func show() { sink.progress(shown) }

  mutating func endFile(_ bytesRead: Int) { bytesBefore += bytesRead }
}
