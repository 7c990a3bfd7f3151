/// Scores one conversation after another: no allocation once its buffers have grown.
///
/// Hand it the messages in order. Bytes need to stay where they are until the next call only.
public struct ConversationScorer: ~Copyable {
  /// What is known about one facet.
  public struct Finding: Hashable, Sendable {
    /// The user turn, counted from 1.
    public var turn: Int32
    /// The quote's place in that turn, in bytes.
    public var start: Int32
    public var end: Int32
    /// The turn that took it back; 0 while it is known.
    public var until: Int32
  }

  let model: ScorerModel
  private let thresholds: SIMD32<Int16>
  private let bias: SIMD32<Int16>
  private let askBonus: SIMD32<Int16>
  private let strongBonus: SIMD32<Int16>
  private let askThreshold: SIMD32<Int16>
  private let askStrong: SIMD32<Int16>

  var tokens = FlatBuffer<Token>(capacity: 1024)
  var clauses = FlatBuffer<Clause>(capacity: 256)
  private var coachTokens = FlatBuffer<Token>(capacity: 512)
  private var coachClauses = FlatBuffer<Clause>(capacity: 64)
  private var coachText: UnsafeBufferPointer<UInt8>?
  private var isAnswer = false
  private var askedMask = SIMD32<Int16>()
  private var strongMask = SIMD32<Int16>()
  private var best = SIMD32<Int16>()
  private var bestClause = FlatBuffer<Int32>(capacity: 32)

  public private(set) var turn: Int32 = 0
  /// One bit for each facet that is known now, in the order of ``facets``.
  public var known: UInt32 { facetsKnown.known }
  /// What the last message changed: facets that became known, or were taken back.
  public private(set) var changes: UInt32 = 0
  private var facetsKnown = KnownFacets()
  /// What every facet last rested on; meaningless where it never was known.
  public private(set) var findings: FlatFindings

  public init(model: ScorerModel = .builtIn) {
    self.model = model
    thresholds = model.lanes(.threshold)
    bias = model.lanes(.bias)
    askBonus = model.lanes(.askBonus)
    strongBonus = model.lanes(.strongBonus)
    askThreshold = model.lanes(.askThreshold)
    askStrong = model.lanes(.askStrong)
    findings = FlatFindings()
    for _ in 0..<32 { bestClause.append(0) }
  }

  /// Forgets the conversation.
  public mutating func begin() {
    turn = 0
    facetsKnown = KnownFacets()
    findings = FlatFindings()
    coachText = nil
  }

  /// What the coach said; only what was said last before a user's message matters.
  public mutating func coachSaid(_ text: UnsafeBufferPointer<UInt8>) {
    coachText = text
  }

  public mutating func userSaid(_ text: UnsafeBufferPointer<UInt8>) {
    turn += 1
    changes = 0
    readQuestion()
    guard let start = text.baseAddress else { return }
    readAnswer(start, text.count)
    scoreClauses()
    takeFindings()
  }

  func bestScore(_ facet: Int) -> Int16 { best[facet + 8] }
  func isAsked(_ facet: Int) -> Bool { askedMask[facet + 8] != 0 }

  // MARK: The question

  private mutating func readQuestion() {
    askedMask = SIMD32()
    strongMask = SIMD32()
    isAnswer = false
    guard let text = coachText, let start = text.baseAddress else { return }
    coachTokens.removeAll()
    coachClauses.removeAll()
    var tokenizer = Tokenizer(model: model, text: start, count: text.count)
    tokenizer.run(into: &coachTokens)
    ClauseCutter.cut(coachTokens, into: &coachClauses)
    var sink = QuestionSink(model: model)
    sink.add(Hash.feature(FeatureKind.coachConstant, 0))
    for index in 0..<coachClauses.count {
      Features.ofCoach(coachClauses[index], coachTokens.base, into: &sink)
    }
    askedMask.replace(with: -1, where: sink.sums .> askThreshold)
    strongMask.replace(with: -1, where: sink.sums .> askStrong)
    isAnswer = (askedMask & Self.laneMask) != SIMD32()
    coachText = nil
  }

  // MARK: The answer

  private mutating func readAnswer(_ text: UnsafePointer<UInt8>, _ count: Int) {
    tokens.removeAll()
    clauses.removeAll()
    var tokenizer = Tokenizer(model: model, text: text, count: count)
    tokenizer.run(into: &tokens)
    ClauseCutter.cut(tokens, into: &clauses)
  }

  private mutating func scoreClauses() {
    best = SIMD32(repeating: -12_000)
    let constant = bias &+ (askBonus & askedMask) &+ (strongBonus & strongMask)
    for index in 0..<clauses.count {
      var sink = ClauseSink(model: model)
      Features.of(context(index), tokens.base, into: &sink)
      let score = sink.sums &+ (sink.askedSums & askedMask) &+ constant
      let better = score .> best
      best.replace(with: score, where: better)
      for lane in 8..<32 where better[lane] { bestClause[lane] = Int32(index) }
    }
  }

  private func context(_ index: Int) -> ClauseContext {
    ClauseContext(
      clause: clauses[index], before: index > 0 ? clauses[index - 1] : nil,
      after: index + 1 < clauses.count ? clauses[index + 1] : nil, index: index,
      clauseCount: clauses.count, tokenCount: tokens.count, isAnswer: isAnswer,
      isFirstTurn: turn == 1)
  }

  private mutating func takeFindings() {
    guard clauses.count > 0 else { return }
    var margins = best &- thresholds
    var found = facetsKnown.take(margins: &margins)
    changes |= found
    while found != 0 {
      let facet = found.trailingZeroBitCount
      found &= found &- 1
      let clause = clauses[Int(bestClause[facet + 8])]
      findings[facet] = Finding(
        turn: turn, start: Int32(tokens[Int(clause.first)].start),
        end: Int32(tokens[Int(clause.end) - 1].end), until: 0)
    }
  }

  /// Lanes 8 to 31 hold the facets; the first eight are what else lies in a row of the tables.
  private static let laneMask: SIMD32<Int16> = {
    var mask = SIMD32<Int16>(repeating: -1)
    for lane in 0..<8 { mask[lane] = 0 }
    return mask
  }()
}

/// A finding for each facet, without an array's reference count.
public struct FlatFindings {
  private var storage = InlineFindings()

  public subscript(facet: Int) -> ConversationScorer.Finding {
    get {
      let value = storage.values[facet]
      return ConversationScorer.Finding(turn: value.x, start: value.y, end: value.z, until: value.w)
    }
    set { storage.values[facet] = SIMD4(newValue.turn, newValue.start, newValue.end, newValue.until) }
  }
}

struct InlineFindings {
  var values: InlineArray<24, SIMD4<Int32>> = .init(repeating: SIMD4())
}

private struct ClauseSink: FeatureSink {
  let rows: UnsafeRawPointer
  let mask: UInt64
  var sums = SIMD32<Int16>()
  var askedSums = SIMD32<Int16>()

  init(model: ScorerModel) { (rows, mask) = (model.clauseRows, model.clauseMask) }

  @inline(__always)
  mutating func add(_ key: UInt64) {
    FeatureTable.add(key, rows: rows, mask: mask, to: &sums)
  }

  @inline(__always)
  mutating func addAsked(_ key: UInt64) {
    FeatureTable.add(key, rows: rows, mask: mask, to: &askedSums)
  }
}

private struct QuestionSink: FeatureSink {
  let rows: UnsafeRawPointer
  let mask: UInt64
  var sums = SIMD32<Int16>()

  init(model: ScorerModel) { (rows, mask) = (model.questionRows, model.questionMask) }

  @inline(__always)
  mutating func add(_ key: UInt64) {
    FeatureTable.add(key, rows: rows, mask: mask, to: &sums)
  }

  @inline(__always)
  mutating func addAsked(_ key: UInt64) {}
}
