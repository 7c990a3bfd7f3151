import CScorerModel
import ContextQuality

/// Scores conversations one after another, without allocating once its buffers have grown.
///
/// Pass the messages in order. Bytes need to stay valid only during the call.
public struct ConversationScorer: ~Copyable {
  /// What is known about one facet.
  public struct Finding: Hashable, Sendable {
    /// The user turn, counted from 1.
    public var turn: Int32
    /// The quote's place in that turn, in bytes.
    public var start: Int32
    public var end: Int32
    /// The turn that took it back; 0 while it is still known.
    public var until: Int32

    package init(turn: Int32, start: Int32, end: Int32, until: Int32) {
      (self.turn, self.start, self.end, self.until) = (turn, start, end, until)
    }
  }

  let model: ScorerModel
  private let thresholds: SIMD32<Int16>
  private let leastMargin: ScorerModel.LeastMargin
  private let bias: SIMD32<Int16>
  private let askBonus: SIMD32<Int16>
  private let strongBonus: SIMD32<Int16>
  private let askThreshold: SIMD32<Int16>
  private let askStrong: SIMD32<Int16>

  private let memory: WordMemory
  private let questionMemory = QuestionMemory()
  var tokens = FlatBuffer<Token>(capacity: 1024)
  var clauses = FlatBuffer<Clause>(capacity: 256)
  private var coachTokens = FlatBuffer<Token>(capacity: 512)
  private var coachClauses = FlatBuffer<Clause>(capacity: 64)
  private var coachText = FlatBuffer<UInt8>(capacity: 2048)
  private var isAnswer = false
  private var askedMask = SIMD32<Int16>()
  /// The initial scores for every clause of the message.
  private var start = SIMD32<Int16>()
  private var best = SIMD32<Int16>()
  /// Enough for the features of the longest clause and its neighbors.
  private var keys = FlatBuffer<UInt64>(capacity: 32 * ClauseCutter.longest)
  private var askedKeys = FlatBuffer<UInt64>(capacity: 8 * ClauseCutter.longest)
  private let guards = ClauseGuard()
  private let retractions = RetractionReader()
  private var refusals = FlatBuffer<UInt32>(capacity: 256)
  private var topics = FlatBuffer<FacetTopic>(capacity: 24)
  private var latest: UInt32 = 0
  private var clauseScores = FlatBuffer<SIMD32<Int16>>(capacity: 256)
  /// The largest margin of each facet so far, and the one with which it became known.
  private var peaks = Self.unseen
  private var clear = Self.unseen
  private static let unseen = SIMD32<Int16>(repeating: -12_000)

  public private(set) var turn: Int32 = 0
  private(set) var words = 0
  private(set) var unknownWords = 0
  /// Whether the user's words may be in a language that the scorer does not read: two in five of
  /// them are not in its lexicon.
  public var hasManyUnknownWords: Bool { unknownWords * 5 >= words * 2 && words > 0 }
  /// One bit for each facet known now, in the order of ``OfflineScorer/facets``.
  public var known: UInt32 { facetsKnown.known }
  /// What the last message changed: facets that became known or were taken back.
  public private(set) var changes: UInt32 = 0
  private var facetsKnown = KnownFacets()
  /// The latest evidence for every facet; meaningless for facets that were never known.
  public private(set) var findings: FlatFindings

  public init(model: ScorerModel = .builtIn) {
    self.model = model
    memory = WordMemory(model: model)
    thresholds = model.lanes(.threshold)
    leastMargin = model.leastMargin
    bias = model.lanes(.bias)
    askBonus = model.lanes(.askBonus)
    strongBonus = model.lanes(.strongBonus)
    askThreshold = model.lanes(.askThreshold)
    askStrong = model.lanes(.askStrong)
    findings = FlatFindings()
    for _ in 0..<24 { topics.append(FacetTopic()) }
  }

  /// Starts a new conversation.
  public mutating func begin() {
    turn = 0
    (words, unknownWords) = (0, 0)
    facetsKnown = KnownFacets()
    findings = FlatFindings()
    coachText.removeAll()
    latest = 0
    (peaks, clear) = (Self.unseen, Self.unseen)
  }

  /// Starts at a message of a conversation that another reader has read so far.
  package mutating func begin(at turn: Int, known bits: UInt32) {
    begin()
    self.turn = Int32(turn - 1)
    facetsKnown.known = bits
  }

  /// Passes the coach's message; only the last one before a user's message matters.
  public mutating func coachSaid(_ text: UnsafeBufferPointer<UInt8>) {
    coachText.replace(with: text)
  }

  /// Corrects what is known, before the next message, to what another reader made of the others.
  package mutating func assume(known bits: UInt32) { facetsKnown.known = bits }

  public mutating func userSaid(_ text: UnsafeBufferPointer<UInt8>) {
    turn += 1
    changes = 0
    readQuestion()
    guard let start = text.baseAddress else { return coachText.removeAll() }
    readAnswer(start, text.count)
    guards.refusals(
      tokens, clauses, text: text, isAnswer: isAnswer && asksQuestion, into: &refusals)
    let earlier = known
    let withdrawn = retractions.takeBack(
      clauses, tokens, known: known, latest: latest, topics: topics, refusals: &refusals)
    facetsKnown.known &= ~withdrawn
    scoreClauses()
    if isPlainYes { takeOffer() }
    coachText.removeAll()
    takeFindings(withdrawn: withdrawn)
    latest = known & ~earlier
  }

  /// Skips a user message that is not about the user, such as a command to the program.
  public mutating func passOver() {
    turn += 1
    changes = 0
    coachText.removeAll()
  }

  /// How sure it is of what is known after the last message.
  public func certainty(_ table: ScoreTable) -> Certainty {
    Calibration.offline.certainty(
      known: known, turns: Int(turn), words: words, unknownWords: unknownWords, table: table
    ) { clearness($0) }
  }

  /// A facet's margin in hundreds, at least -12.
  package func clearness(_ facet: Int) -> Double {
    max(-12, Double((known >> UInt32(facet) & 1 == 1 ? clear : peaks)[facet + 8]) / 100)
  }

  /// The margin of a facet of which a message can say nothing.
  package static let leastMargin = -12.0

  /// What the last message says of a facet, in hundreds above the threshold, at least -12.
  package func margin(_ facet: Int) -> Double {
    max(Self.leastMargin, Double(best[facet + 8] &- thresholds[facet + 8]) / 100)
  }

  /// Where the clause that says most about a facet begins in the last message, in bytes; nil if it has
  /// no words.
  package func place(_ facet: Int) -> Int? {
    clauses.count > 0 ? Int(tokens[Int(bestClause(facet).first)].start) : nil
  }

  func bestScore(_ facet: Int) -> Int16 { best[facet + 8] }
  func threshold(_ facet: Int) -> Int16 { thresholds[facet + 8] }
  func isAsked(_ facet: Int) -> Bool { askedMask[facet + 8] != 0 }

  // MARK: The question

  /// Whether the coach's message has a question mark.
  private var asksQuestion: Bool {
    UnsafeBufferPointer(start: coachText.base, count: coachText.count).contains(UInt8(ascii: "?"))
  }

  private mutating func readQuestion() {
    askedMask = SIMD32()
    start = bias
    isAnswer = false
    guard coachText.count > 0 else { return }
    let question =
      questionMemory.reading(of: coachText.base, coachText.count) ?? readingOfNewQuestion()
    (askedMask, start) = (question.asked, question.start)
    isAnswer = question.asksForAny
  }

  private mutating func readingOfNewQuestion() -> QuestionMemory.Reading {
    let questions = QuestionFinder(UnsafePointer(coachText.base), coachText.count)
    var sink = KeySink(always: keys.base, asked: askedKeys.base)
    sink.add(FeatureKind.coachConstant, 0)
    var sums = SIMD32<Int16>()
    for question in 0..<questions.count {
      readCoach(
        from: Int(questions.ranges[question].start), to: Int(questions.ranges[question].end))
      for index in 0..<coachClauses.count {
        Features.ofCoach(coachClauses[index], coachTokens.base, into: &sink)
        add(sink.always, sink.alwaysCount, to: &sums)
        sink.alwaysCount = 0
      }
    }
    let asked = Self.above(sums, askThreshold)
    let reading = QuestionMemory.Reading(
      asked: asked, start: start(asked: asked, surely: Self.above(sums, askStrong)),
      asksForAny: (0..<24).contains { asked[$0 + 8] != 0 })
    questionMemory.keep(reading, of: coachText.base, coachText.count)
    return reading
  }

  // MARK: Yes

  /// "yes", "yep that's right", and no more.
  private var isPlainYes: Bool {
    guard coachText.count > 0, (1...4).contains(tokens.count),
      tokens[0].symbol == guards.classes.yes
    else { return false }
    for index in 0..<tokens.count {
      let token = tokens[index]
      if token.flags.contains(.inQuestion) || token.symbol == guards.classes.not
        || token.symbol == guards.classes.but
      {
        return false
      }
    }
    return true
  }

  /// Reads what the coach offers as if the user had said it: "so you train at home?" is "so I train
  /// at home". A recap before "did I get that right?" is offered as a whole.
  private mutating func takeOffer() {
    let questions = QuestionFinder(UnsafePointer(coachText.base), coachText.count)
    guard questions.count > 0 else { return }
    let last = questions.ranges[questions.count - 1]
    guard coachText[Int(last.end) - 1] == UInt8(ascii: "?") else { return }
    let offer = OfferReader(classes: guards.classes)
    readCoach(from: Int(last.start), to: Int(last.end))
    if offer.isCheck(coachTokens) {
      guard last.start > 0 else { return }
      readCoach(from: 0, to: Int(last.start))
    } else if !offer.isOffer(coachTokens) {
      return
    }
    offer.turnAround(&coachTokens)
    for index in 0..<coachClauses.count { addOffer(index) }
  }

  private mutating func readCoach(from start: Int, to end: Int) {
    coachTokens.removeAll()
    coachClauses.removeAll()
    var tokenizer = Tokenizer(
      model: model, memory: memory, text: coachText.base + start, count: end - start)
    tokenizer.run(into: &coachTokens)
    ClauseCutter.cut(coachTokens, into: &coachClauses)
  }

  private mutating func addOffer(_ index: Int) {
    var clause = coachClauses[index]
    clause.isQuestion = false
    var sink = KeySink(always: keys.base, asked: askedKeys.base)
    Features.of(
      ClauseContext(
        clause: clause, before: nil, index: index, clauseCount: coachClauses.count,
        tokenCount: coachTokens.count, isAnswer: false, isFirstTurn: false),
      coachTokens.base, into: &sink)
    var score = bias
    add(sink.always, sink.alwaysCount, to: &score)
    // The words are the coach's, so they must be clearer.
    for lane in 8..<32 { best[lane] = max(best[lane], score[lane] &- OfferReader.caution) }
  }

  // MARK: The answer

  private mutating func readAnswer(_ text: UnsafePointer<UInt8>, _ count: Int) {
    tokens.removeAll()
    clauses.removeAll()
    var tokenizer = Tokenizer(model: model, memory: memory, text: text, count: count)
    tokenizer.run(into: &tokens)
    ClauseCutter.cut(tokens, into: &clauses)
    words &+= tokens.count
    for index in 0..<tokens.count {
      unknownWords &+= Symbol.isUnknownWord(tokens.base[index].symbol) ? 1 : 0
    }
  }

  private mutating func scoreClauses() {
    best = SIMD32(repeating: -12_000)
    clauseScores.removeAll()
    var constant = start
    var turnSink = KeySink(always: keys.base, asked: askedKeys.base)
    Features.ofTurn(Int(turn), known: known, into: &turnSink)
    add(turnSink.always, turnSink.alwaysCount, to: &constant)
    for index in 0..<clauses.count {
      var sink = KeySink(always: keys.base, asked: askedKeys.base)
      Features.of(context(index), tokens.base, into: &sink)
      var score = constant
      var askedScore = SIMD32<Int16>()
      add(sink.always, sink.alwaysCount, to: &score)
      add(sink.asked, sink.askedCount, to: &askedScore)
      let refused = refusals[index]
      if refused != 0 {
        for facet in 0..<24 where refused >> UInt32(facet) & 1 == 1 { score[facet + 8] = -12_000 }
      }
      rank(&score, refused == 0 ? askedScore : SIMD32())
      clauseScores.append(score)
    }
  }

  /// The first clause with a facet's best score.
  private func bestClause(_ facet: Int) -> Clause {
    let lane = facet + 8
    for index in 0..<clauses.count where clauseScores.base[index][lane] == best[lane] {
      return clauses[index]
    }
    return clauses[0]
  }

  private func start(asked: SIMD32<Int16>, surely: SIMD32<Int16>) -> SIMD32<Int16> {
    var sum = bias
    for lane in 8..<32 {
      sum[lane] &+= (askBonus[lane] & asked[lane]) &+ (strongBonus[lane] & surely[lane])
    }
    return sum
  }

  @inline(__always)
  private func add(_ keys: UnsafePointer<UInt64>, _ count: Int, to sums: inout SIMD32<Int16>) {
    guard count > 0 else { return }
    var table = model.features
    withUnsafeMutableBytes(of: &sums) { sums in
      scorer_add(&table, keys, count, sums.lanes)
    }
  }

  @inline(__always)
  private mutating func rank(_ score: inout SIMD32<Int16>, _ asked: SIMD32<Int16>) {
    withUnsafeBytes(of: asked) { asked in
      withUnsafeBytes(of: askedMask) { mask in
        withUnsafeMutableBytes(of: &score) { score in
          withUnsafeMutableBytes(of: &best) { best in
            scorer_rank(asked.lanes, mask.lanes, score.lanes, best.lanes)
          }
        }
      }
    }
  }

  private static func above(_ sums: SIMD32<Int16>, _ thresholds: SIMD32<Int16>) -> SIMD32<Int16> {
    var mask = SIMD32<Int16>()
    withUnsafeBytes(of: sums) { sums in
      withUnsafeBytes(of: thresholds) { thresholds in
        withUnsafeMutableBytes(of: &mask) { scorer_above(sums.lanes, thresholds.lanes, $0.lanes) }
      }
    }
    return mask
  }

  private func context(_ index: Int) -> ClauseContext {
    ClauseContext(
      clause: clauses[index], before: index > 0 ? clauses[index - 1] : nil,
      index: index,
      clauseCount: clauses.count, tokenCount: tokens.count, isAnswer: isAnswer,
      isFirstTurn: turn == 1)
  }

  private mutating func takeFindings(withdrawn: UInt32) {
    var margins = best &- thresholds
    let seen = margins
    peaks = pointwiseMax(peaks, seen)
    var found: UInt32 = 0
    if clauses.count > 0 {
      found = facetsKnown.take(margins: &margins, atLeast: leastMargin.lanes(asked: askedMask))
    }
    let tooMany = overload(of: found, margins)
    facetsKnown.known &= ~tooMany
    found &= ~tooMany
    changes = (found | withdrawn) & ~(found & withdrawn)
    var gone = withdrawn & ~found
    while gone != 0 {
      findings[gone.trailingZeroBitCount].until = turn
      peaks[gone.trailingZeroBitCount + 8] = Self.unseen[0]
      gone &= gone &- 1
    }
    while found != 0 {
      let facet = found.trailingZeroBitCount
      found &= found &- 1
      let clause = bestClause(facet)
      topics[facet] = FacetTopic(of: clause, tokens)
      clear[facet + 8] = seen[facet + 8]
      // A corrected facet stays known since its first turn.
      guard withdrawn >> UInt32(facet) & 1 == 0 else { continue }
      findings[facet] = Finding(
        turn: turn, start: Int32(tokens[Int(clause.first)].start),
        end: Int32(tokens[Int(clause.end) - 1].end), until: 0)
    }
  }

  /// The least certain facets, if there are more than the words can carry (see ``EvidenceLoad``).
  /// All of them if there is hardly a word for each, which is stuffing.
  private func overload(of found: UInt32, _ margins: SIMD32<Int16>) -> UInt32 {
    let (words, facts) = (Double(tokens.count), found.nonzeroBitCount)
    guard facts >= EvidenceLoad.denseFacets, words < EvidenceLoad.leastWordsPerFacet * Double(facts)
    else { return 0 }
    guard words >= EvidenceLoad.stuffedWordsPerFacet * Double(facts) else { return found }
    var rest = found
    while rest.nonzeroBitCount >= EvidenceLoad.denseFacets,
      words < EvidenceLoad.leastWordsPerFacet * Double(rest.nonzeroBitCount)
    {
      var weakest = rest.trailingZeroBitCount
      for facet in weakest..<24
      where rest >> UInt32(facet) & 1 == 1 && margins[facet + 8] < margins[weakest + 8] {
        weakest = facet
      }
      rest &= ~(1 << UInt32(weakest))
    }
    return found & ~rest
  }
}

extension UnsafeRawBufferPointer {
  @inline(__always)
  fileprivate var lanes: UnsafePointer<Int16>? { assumingMemoryBound(to: Int16.self).baseAddress }
}

extension UnsafeMutableRawBufferPointer {
  @inline(__always)
  fileprivate var lanes: UnsafeMutablePointer<Int16>? {
    assumingMemoryBound(to: Int16.self).baseAddress
  }
}
