public import EncoderScorer
public import OfflineScorer

public struct BatchOptions: Sendable {
  public var format: ScoreFormat = .jsonl
  /// What the output says about how sure a score is.
  public var certainty = CertaintyShown.none
  /// Whether to write component scores for every turn.
  public var turnDetails = false
  /// Cores to use.
  public var jobs = 1
  /// Reads with the encoder; nil reads with the fast scorer.
  public var encoder: EncoderModel?
  /// The share of its work, from 0 to 1, that the encoder does; the fast scorer reads the rest. Nil for
  /// all.
  public var encoderBudget: Double?
  /// Whether some turns are read by the linear scorer and some by the encoder.
  public var isCascade: Bool { encoder != nil && encoderBudget != nil }
  /// Whether to stop at the first bad line.
  public var stopsAtFirstProblem = false
  /// Whether a bad line becomes a record `{"id","error"}`, so that every line has one.
  public var writesErrorsInline = false
  /// Whether to write records at all.
  public var writesRecords = true
  /// The longest accepted line, in bytes.
  public var longestLine = 16 << 20
  /// Which conversations to write, count and show.
  public var selection = ScoreSelection()
  /// Whether the scorer cannot read the language of a user's words. Called only for text in which
  /// many words are unknown; nil asks about none.
  public var isUnread: (@Sendable (String) -> Bool)?
  /// The most conversations that an HTML report shows in full.
  public var reportConversations = ReportData.conversationLimit

  public init() {}
}

/// What records, totals and reports say about how sure the offline scorers are.
public enum CertaintyShown: Sendable {
  case none
  /// The range of the overall score, and the chance of every facet.
  case ranges
  /// Also a third state beside ready and not ready: ``ReadyState/unsure``.
  case abstaining
}

/// A line that was not scored, or was scored with a warning.
public struct LineProblem: Hashable, Sendable, CustomStringConvertible {
  public let file: String
  /// Counted from 1; 0 if the whole file is unreadable.
  public let line: Int
  public let reason: String
  /// The line was scored anyway.
  public let isWarning: Bool

  public init(file: String, line: Int, reason: String, isWarning: Bool) {
    (self.file, self.line, self.reason, self.isWarning) = (file, line, reason, isWarning)
  }

  public var description: String {
    "\(Self.place(file, line)): \(isWarning ? "warning: " : "")\(reason)"
  }

  /// A conversation that has no score because the user said nothing that can be read.
  package static func silent(file: String, line: Int) -> Self {
    LineProblem(
      file: file, line: line, reason: "no user turn that can be read, so it has no score",
      isWarning: true)
  }

  /// The name of a line without an id.
  static func place(_ file: String, _ line: Int) -> String {
    line > 0 ? "\(file):\(line)" : file
  }
}

/// Receives records and problems, in input order.
public protocol BatchSink {
  mutating func write(_ records: UnsafeRawBufferPointer) throws
  mutating func report(_ problem: LineProblem) throws
  /// Called after a file's last line with the number of conversations in it.
  mutating func endFile(conversations: Int) throws
  /// Called after a group of lines, so that problems need not be written one by one.
  mutating func flush() throws
  /// Called from time to time: bytes read of the current file, its size if known, conversations so
  /// far.
  mutating func progress(_ progress: BatchProgress)
}

extension BatchSink {
  mutating func write(_ text: String) throws {
    guard !text.isEmpty else { return }
    try Array(text.utf8).withUnsafeBytes { try write($0) }
  }

  public mutating func endFile(conversations: Int) throws {}
  public mutating func flush() throws {}
}

public struct BatchProgress: Sendable {
  public var bytesRead = 0
  /// The size of all files; nil if one is unknown.
  public var bytesInAll: Int?
  public var conversations = 0

  public init() {}
}

/// The result of a run.
public struct BatchOutcome: Sendable {
  public var totals: ScoreTotals
  public var failed = 0
  /// For the HTML report; nil for other formats.
  public var report: ReportData?

  public init(totals: ScoreTotals) { self.totals = totals }
}

/// Scores files of conversations, in order, on several cores, in constant memory.
public struct BatchRun {
  let table: ScoreTable
  let options: BatchOptions

  public init(table: ScoreTable, options: BatchOptions) {
    (self.table, self.options) = (table, options)
  }

  /// - Throws: What the sink throws. A file that is unreadable, wholly or in part, costs only
  ///   itself.
  @concurrent
  public func score<Sink: BatchSink & Sendable>(
    _ paths: [String], into sink: inout Sink
  ) async throws -> BatchOutcome {
    var state = RunState(
      outcome: BatchOutcome(totals: ScoreTotals(table: table, options)))
    state.progress.bytesInAll = InputPaths.size(of: paths)
    state.best = options.selection.top.map { BestScored(limit: $0) }
    if options.format == .html {
      state.outcome.report = ReportData(conversations: options.reportConversations)
    }
    // People need no header above nothing; programs rely on it.
    if state.best == nil, options.format == .table { state.header = header }
    if state.best == nil, options.format != .table { try sink.write(header) }
    for path in paths where !state.isStopped {
      var reader = ChunkReader(
        path, longestLine: options.longestLine,
        wanted: options.encoder == nil ? ChunkReader.size : ChunkReader.smallSize)
      let before = state.progress.bytesRead
      if options.jobs <= 1 {
        try scoreAlone(&reader, before, &state, &sink)
      } else {
        try await scoreTogether(&reader, before, &state, &sink)
      }
      try state.endFile(&sink)
    }
    // All at once, so that progress and warnings don't come between the header and the rows.
    if state.best != nil { try sink.write(header) }
    try state.writeBest(options, &sink)
    return state.outcome
  }

  /// Empty if there is none.
  private var header: String {
    guard options.writesRecords else { return "" }
    return switch options.format {
    case .csv:
      RecordScorer.csvHeader(
        table, turnDetails: options.turnDetails, certainty: options.certainty,
        tiers: options.isCascade)
    case .table: RecordScorer.tableHeader()
    case .jsonl, .html: ""
    }
  }

  private func scoreAlone<Sink: BatchSink>(
    _ reader: inout ChunkReader, _ before: Int, _ state: inout RunState, _ sink: inout Sink
  ) throws {
    let pool = ScorerPool(table: table, options: options)
    while !state.isStopped, let chunk = reader.next() {
      let result = pool.score(chunk, state.parts)
      state.progress.bytesRead = before + reader.bytesRead
      try state.finish(result, options, &sink)
    }
  }

  /// A few chunks ahead of the slowest: enough work for all cores, without growing memory.
  private func scoreTogether<Sink: BatchSink & Sendable>(
    _ reader: inout ChunkReader, _ before: Int, _ state: inout RunState, _ sink: inout Sink
  ) async throws {
    let pool = ScorerPool(table: table, options: options)
    var window = OrderedWindow()
    try await withThrowingTaskGroup(of: (Int, ScoredChunk).self) { group in
      while !state.isStopped {
        let mustWait = window.inFlight > options.jobs || window.inFlight > 0 && !reader.isReady
        if mustWait, let (number, result) = try await group.next() {
          window.put(result, number)
        } else if let chunk = reader.next() {
          let number = window.begin()
          let parts = state.parts
          group.addTask {
            (number, pool.score(chunk, parts))
          }
        } else {
          break
        }
        state.progress.bytesRead = before + reader.bytesRead
        try state.finish(&window, options, &sink)
      }
      while !state.isStopped, let (number, result) = try await group.next() {
        window.put(result, number)
        try state.finish(&window, options, &sink)
      }
      group.cancelAll()
    }
  }
}

/// Holds early results until their turn comes.
struct OrderedWindow {
  private var waiting: [Int: ScoredChunk] = [:]
  private var begun = 0
  private var next = 0

  /// Started and not taken yet. Finished results that wait count too, because they use memory.
  var inFlight: Int { begun - next }

  mutating func begin() -> Int {
    begun += 1
    return begun - 1
  }

  mutating func put(_ result: ScoredChunk, _ number: Int) {
    waiting[number] = result
  }

  mutating func takeNext() -> ScoredChunk? {
    guard let result = waiting.removeValue(forKey: next) else { return nil }
    next += 1
    return result
  }
}

/// The results of one chunk.
final class ScoredChunk: @unchecked Sendable {  // One task writes it, then it is only read.
  let file: String
  private(set) var records: ByteBuffer
  private(set) var problems: [(line: Int, reason: String)] = []
  private(set) var ids: [(hash: UInt64, line: Int)] = []
  let totals: ScoreTotals
  let parts: ChunkParts
  /// Conversations, selected or not.
  let conversations: Int
  /// Conversations in a language that the scorer does not read.
  let unread: Int
  /// The lines of conversations in which the user said nothing.
  private(set) var silent: [Int] = []

  init(_ chunk: Chunk, _ place: ScorerPool.Place, options: BatchOptions, _ parts: ChunkParts) {
    file = chunk.file
    // A report writes no records, and the best ones are kept elsewhere.
    let isSmall = parts.report != nil || parts.best != nil
    var output = ByteBuffer(capacity: isSmall ? 0 : chunk.count / 2 + 4096)
    place.scorer.begin(parts)
    var problems: [(line: Int, reason: String)] = []
    var ids: [(hash: UInt64, line: Int)] = []
    var silent: [Int] = []
    chunk.forEachLine(blankToo: options.writesErrorsInline) { line, number in
      let start = output.count
      var problem: (id: String?, reason: String)?
      switch line {
      case .unreadable(let reason): problem = (nil, reason)
      case .text(let bytes):
        problem = place.scorer.score(bytes, fallbackID: "\(chunk.file):\(number)", into: &output)
          .map { (place.scorer.id, $0) }
      }
      if let problem {
        problems.append((number, problem.reason))
        if options.writesErrorsInline {
          let id = problem.id ?? LineProblem.place(chunk.file, number)
          output.append(LedgerRecord.failure(id: id, reason: problem.reason))
        }
        return !options.stopsAtFirstProblem
      }
      if place.scorer.isSilent { silent.append(number) }
      let hash = place.scorer.idHash
      if hash != 0 { ids.append((hash, number)) }
      if !options.writesRecords { output.truncate(to: start) }
      return true
    }
    records = output
    self.problems = problems
    self.ids = ids
    self.silent = silent
    totals = place.scorer.totals
    self.parts = place.scorer.parts
    conversations = place.scorer.conversations
    unread = place.scorer.unread
  }
}

/// What chunks collect beside records: part of a report, and the best conversations. Nil for what
/// is not wanted.
struct ChunkParts: Sendable {
  var report: ReportData?
  var best: BestScored<BestRecord>?
}

/// A conversation that may be among the best.
struct BestRecord: Sendable {
  let record: [UInt8]
  let known: [UInt32]
  let isUnread: Bool
  let certainty: Certainty?
  let tiers: [ScoringTier]
}

/// State passed from chunk to chunk, in order.
struct RunState {
  var outcome: BatchOutcome
  var progress = BatchProgress()
  var isStopped = false
  var best: BestScored<BestRecord>?
  /// What is written before the first record.
  var header = ""
  private let seen = SeenIDs()
  private var file = ""
  private var inFile = (conversations: 0, unread: 0)

  init(outcome: BatchOutcome) { self.outcome = outcome }

  /// Empty parts for the next chunk.
  var parts: ChunkParts { ChunkParts(report: outcome.report?.successor, best: best?.successor) }

  /// Reports how many conversations the scorer could not read properly.
  mutating func endFile<Sink: BatchSink>(_ sink: inout Sink) throws {
    defer { inFile = (0, 0) }
    try sink.endFile(conversations: inFile.conversations)
    guard inFile.unread > 0 else { return }
    let (all, unread) = inFile
    let reason =
      (all == 1
        ? "the conversation doesn't look like English, so its score means"
        : "\(unread) of \(all) conversations don't look like English, so their scores mean")
      + " little; --scorer model reads other languages"
    try sink.report(LineProblem(file: file, line: 0, reason: reason, isWarning: true))
    try sink.flush()
  }

  /// Writes and counts the best conversations, once all are known.
  mutating func writeBest<Sink: BatchSink>(_ options: BatchOptions, _ sink: inout Sink) throws {
    guard let best else { return }
    for conversation in best.sorted {
      outcome.totals.count(
        conversation.known, isUnread: conversation.isUnread, certainty: conversation.certainty,
        tiers: conversation.tiers)
      if options.writesRecords {
        try conversation.record.withUnsafeBytes { try sink.write($0) }
      }
    }
    outcome.totals.leaveOut(best.offered - best.count)
  }

  /// Takes results in turn; nothing after the line that ends the run.
  mutating func finish<Sink: BatchSink>(
    _ window: inout OrderedWindow, _ options: BatchOptions, _ sink: inout Sink
  ) throws {
    while !isStopped, let result = window.takeNext() { try finish(result, options, &sink) }
  }

  mutating func finish<Sink: BatchSink>(
    _ chunk: ScoredChunk, _ options: BatchOptions, _ sink: inout Sink
  ) throws {
    if chunk.records.count > 0 {
      try sink.write(header)
      header = ""
      try sink.write(chunk.records.bytes)
    }
    outcome.totals.add(chunk.totals)
    if let report = chunk.parts.report { outcome.report?.add(report) }
    if let found = chunk.parts.best { best?.add(found) }
    file = chunk.file
    inFile.conversations += chunk.conversations
    inFile.unread += chunk.unread
    progress.conversations += chunk.conversations
    outcome.failed += chunk.problems.count
    var notes = chunk.problems.map {
      LineProblem(file: chunk.file, line: $0.line, reason: $0.reason, isWarning: false)
    }
    notes += chunk.silent.map { .silent(file: chunk.file, line: $0) }
    for (hash, line) in chunk.ids where seen.isSecond(hash) {
      notes.append(
        LineProblem(
          file: chunk.file, line: line, reason: "duplicate id", isWarning: true))
    }
    for note in notes.sorted(by: { $0.line < $1.line }) { try sink.report(note) }
    try sink.flush()
    if options.stopsAtFirstProblem, !chunk.problems.isEmpty { isStopped = true }
    sink.progress(progress)
  }
}
