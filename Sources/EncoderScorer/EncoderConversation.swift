import CEncoder
import ContextQuality
import Glibc
public import OfflineScorer

/// Reads conversations one after another with the encoder.
///
/// Pass the messages in order. Bytes need to stay valid only during the call. Use one
/// per thread; each takes about 6 MB of working memory.
public final class EncoderConversation {
  private let model: EncoderModel
  private let kind = encoder_best_kind()
  private var memory: UnsafeMutableRawPointer?
  private var clauses = ClauseReader()
  /// What it finds too is likelier. Where the network does not read, its reading counts.
  private var fast = ConversationScorer()
  /// Whether only the network decides. The fast scorer learns from such readings, so that it does not
  /// learn from itself.
  private let readsAlone: Bool
  private var coach: [UInt8] = []
  private var before: [UInt8] = []
  private var pieces = [encoder_piece](repeating: encoder_piece(), count: 256)
  private var ids: [Int32] = []
  private var refused: [UInt32] = []
  private var reading = encoder_reading()

  /// The user turns so far.
  public private(set) var turn: Int32 = 0
  /// One bit for each facet known now, in the order of `OfflineScorer.facets`.
  public private(set) var known: UInt32 = 0
  /// What the last message changed: facets that became known or were taken back.
  public private(set) var changes: UInt32 = 0
  /// The latest evidence for every facet; meaningless for facets that were never known.
  public private(set) var findings = FlatFindings()
  /// What the last message made known.
  private var latest: UInt32 = 0
  /// What the fast scorer finds in the last message.
  package var foundFast: UInt32 { fast.changes & fast.known }
  /// The words of the last message.
  package var wordsOfLast: Int { clauses.words }
  private var words = 0
  private var unknownWords = 0
  /// Whether the user's words may be in a language that the encoder does not read: two in five of
  /// them are not in the lexicon.
  public var hasManyUnknownWords: Bool { unknownWords * 5 >= words * 2 && words > 0 }
  /// The same for a message that is read by itself: its own words and all so far, if they are enough to
  /// tell.
  package var mayBeInAnotherLanguage: Bool {
    let isForeign = clauses.unknownWords * 5 >= clauses.words * 3
    return isForeign && clauses.words >= 5 || hasManyUnknownWords && words >= 8
  }
  /// The largest log odds of each facet so far, and those with which it became known.
  private var peaks = EncoderConversation.unseen
  private var clear = EncoderConversation.unseen
  private static let unseen = [Double](repeating: -12, count: 24)
  /// The chance, from 0 to 1, that the last message tells each facet; see ``certainty(_:)`` for all
  /// messages.
  public private(set) var chances = [Float](repeating: 0, count: 24)

  /// What reading a message must be worth, or the fast scorer's reading counts; nil if the network
  /// reads all.
  private let leastWorth: Double?
  /// The user turns that the network read.
  public private(set) var turnsRead = 0
  /// Whether the network read the last user turn.
  package private(set) var hasReadLast = false
  /// With a budget: what the last message says without the network, and what reading it is worth.
  package private(set) var fastReading: FastReading?
  package private(set) var worth = 0.0

  /// - Parameter budget: The share of its work, from 0 to 1, that the network may do, on the turns
  ///   where that helps most; nil for all. It holds over much text, not for each conversation.
  public convenience init(model: EncoderModel, budget: Double? = nil) {
    self.init(model: model, budget: budget, readsAlone: false)
  }

  package init(model: EncoderModel, budget: Double? = nil, readsAlone: Bool) {
    (self.model, self.readsAlone) = (model, readsAlone)
    leastWorth = budget.map(Cascade.leastWorth)
  }

  deinit { memory?.deallocate() }

  /// Gives its working memory back until the next message.
  package func rest() {
    memory?.deallocate()
    memory = nil
  }

  /// Starts a new conversation.
  public func begin() {
    (turn, known, changes) = (0, 0, 0)
    (words, unknownWords, latest, turnsRead) = (0, 0, 0, 0)
    hasReadLast = false
    findings = FlatFindings()
    (peaks, clear) = (Self.unseen, Self.unseen)
    fast.begin()
    coach.removeAll(keepingCapacity: true)
    before.removeAll(keepingCapacity: true)
  }

  /// Passes a message of the coach's.
  public func coachSaid(_ text: UnsafeBufferPointer<UInt8>) {
    if !coach.isEmpty { coach.append(UInt8(ascii: " ")) }
    coach.append(contentsOf: text)
    fast.coachSaid(text)
  }

  /// Skips a user message that is not about the user, such as a command to the program.
  public func passOver() {
    turn += 1
    changes = 0
    hasReadLast = false
    fast.passOver()
    coach.removeAll(keepingCapacity: true)
  }

  /// Starts at a message of a conversation that another reader has read so far.
  ///
  /// - Parameters:
  ///   - turn: The message's number among the user's, counted from 1.
  ///   - bits: The facets known before it.
  ///   - message: The user's message before it.
  package func begin(at turn: Int, known bits: UInt32, after message: String) {
    begin()
    self.turn = Int32(turn - 1)
    known = bits
    fast.begin(at: turn, known: bits)
    before.append(contentsOf: message.utf8)
  }

  /// Counts the words of a message that is not read, for ``hasManyUnknownWords``.
  package func countWords(of text: UnsafeBufferPointer<UInt8>) {
    clauses.read(text, isAnswer: false)
    words += clauses.words
    unknownWords += clauses.unknownWords
  }

  /// What the last message looks like to both readers.
  package func features(_ facet: Int) -> SIMD8<Double> {
    ToldChance.features(
      odds: Self.odds(network[facet]), margin: fast.margin(facet),
      isAsked: fast.askedFacets >> UInt32(facet) & 1 == 1, turn: Int(turn), words: clauses.words)
  }

  /// Whether the last message tells of injuries, pain or conditions, known before or not.
  package var tellsOfConditions: Bool {
    odds(Self.conditions) > ToldChance.least
  }
  private static let conditions =
    OfflineScorer.facets.firstIndex(of: Facet(component: "obstacles", name: "physical")) ?? 0

  public func userSaid(_ text: UnsafeBufferPointer<UInt8>) {
    turn += 1
    changes = 0
    hasReadLast = false
    if !readsAlone {
      // Its opinion is about what this reader doesn't know yet.
      fast.assume(known: known)
      fast.userSaid(text)
    }
    clauses.read(text, isAnswer: readsAlone ? !coach.isEmpty : fast.askedFacets != 0)
    words += clauses.words
    unknownWords += clauses.unknownWords
    let withdrawn = clauses.takeBack(known: known, latest: latest)
    if let leastWorth {
      let reading = FastReading(fast, known: known)
      fastReading = reading
      worth = Cascade.worth(
        of: reading, known: known, turn: Int(turn), words: clauses.words,
        pieces: Cascade.pieces(coachBytes: coach.count, bytes: text.count))
      if withdrawn & known == 0, worth <= leastWorth { return take(reading, text) }
    }
    turnsRead += 1
    hasReadLast = true
    let said = read(text)
    let gone = known & (withdrawn | said.withdrawn) & ~corrected(withdrawn, text)
    var found = said.told & ~known
    found = KnownFacets.withoutLoose(found, known: known)
    found = tellsAnything(found) ? found & ~overload(of: found) : 0
    weigh(found, withdrawn: gone)
    take(found, withdrawn: gone, text) { clause(around: Int(best[$0])) }
    end(text, found)
  }

  private func end(_ text: UnsafeBufferPointer<UInt8>, _ found: UInt32) {
    latest = found
    coach.removeAll(keepingCapacity: true)
    before.removeAll(keepingCapacity: true)
    before.append(contentsOf: text)
  }

  private func take(_ reading: FastReading, _ text: UnsafeBufferPointer<UInt8>) {
    for facet in 0..<24 {
      chances[facet] = Float(Calibration.offline.chance(atMargin: reading.margins[facet]))
    }
    let found = reading.found
    for facet in 0..<24 {
      let isFound = found >> UInt32(facet) & 1 == 1
      let odds = Calibration.encoder.clearness(
        like: reading.margins[facet], of: .offline, isKnown: isFound)
      peaks[facet] = max(peaks[facet], odds)
      if isFound { clear[facet] = odds }
    }
    take(found, withdrawn: 0, text) { clause(atByte: fast.place($0) ?? 0) }
    end(text, found)
  }

  /// How sure it is of what is known after the last message.
  public func certainty(_ table: ScoreTable) -> Certainty {
    Calibration.encoder.certainty(
      known: known, turns: Int(turn), words: words, unknownWords: unknownWords, table: table
    ) { clearness($0) }
  }

  /// A facet's log odds.
  package func clearness(_ facet: Int) -> Double {
    known >> UInt32(facet) & 1 == 1 ? clear[facet] : peaks[facet]
  }

  private func weigh(_ found: UInt32, withdrawn gone: UInt32) {
    for facet in 0..<24 {
      let odds = odds(facet)
      peaks[facet] = gone >> UInt32(facet) & 1 == 1 ? Self.unseen[facet] : max(peaks[facet], odds)
      if found >> UInt32(facet) & 1 == 1 { clear[facet] = odds }
    }
  }

  /// Of the facets that a message takes back, those that it says again. They stay known.
  private func corrected(
    _ withdrawn: UInt32, _ text: UnsafeBufferPointer<UInt8>
  ) -> UInt32 {
    guard known & withdrawn != 0 else { return 0 }
    let earlier = (chances: chances, network: network, best: best, known: known)
    defer {
      (chances, network) = (earlier.chances, earlier.network)
      (best, known) = (earlier.best, earlier.known)
    }
    known &= ~withdrawn
    return read(text).told & earlier.known & withdrawn
  }

  /// The chances that the network alone gives.
  private var network = [Float](repeating: 0, count: 24)

  private func isTold(_ facet: Int) -> Bool {
    readsAlone ? chances[facet] > model.threshold(facet) : odds(facet) > ToldChance.least
  }

  /// Whether one of the facets found is clear enough for the turn to say anything new.
  private func tellsAnything(_ found: UInt32) -> Bool {
    readsAlone
      || (0..<24).contains {
        found >> UInt32($0) & 1 == 1 && odds($0) > ToldChance.leastOfTurn
      }
  }

  /// The log odds that the last message tells a facet.
  private func odds(_ facet: Int) -> Double { Self.odds(chances[facet]) }

  private static func odds(_ chance: Float) -> Double {
    let chance = Double(min(max(chance, 1e-5), 1 - 1e-5))
    return log(chance / (1 - chance))
  }

  // MARK: Reading

  private struct Said {
    var told: UInt32 = 0
    var withdrawn: UInt32 = 0
  }

  /// The pieces that are read at once, after what was said before.
  private static let window = 320
  private static let overlap = 64
  private var best = [Int32](repeating: -1, count: 24)

  private func read(_ text: UnsafeBufferPointer<UInt8>) -> Said {
    for facet in 0..<24 { (chances[facet], best[facet]) = (0, -1) }
    var said = Said()
    let head = head()
    let count = split(text)
    guard count > 0 else { return said }
    findRefusals(count)
    var start = 0
    repeat {
      let end = min(count, start + Self.window)
      read(start..<end, after: head)
      for facet in 0..<24 {
        let told = Self.value(reading.told, facet)
        if told > chances[facet] {
          chances[facet] = told
          best[facet] = Int32(start) + Self.place(reading.best, facet)
        }
        if Self.value(reading.withdrawn, facet) > model.withdrawalThreshold(facet) {
          said.withdrawn |= 1 << UInt32(facet)
        }
      }
      if end == count { break }
      start = end - Self.overlap
    } while true
    network = chances
    if !readsAlone {
      for facet in 0..<24 { chances[facet] = Float(ToldChance.chance(features(facet), of: facet)) }
    }
    for facet in 0..<24 where best[facet] >= 0 && isTold(facet) { said.told |= 1 << UInt32(facet) }
    return said
  }

  /// The beginning of the turn before, the coach's last words, each up to a limit.
  private func head() -> [Int32] {
    var head = [model.c.first]
    if !before.isEmpty, model.c.before > 0 {
      head += last(Int(model.c.before), of: before)
      head.append(model.c.separator)
    }
    head += last(Int(model.c.coach), of: coach)
    head.append(model.c.separator)
    return head
  }

  private func last(_ most: Int, of text: [UInt8]) -> [Int32] {
    let count = text.withUnsafeBufferPointer { split($0) }
    return pieces[max(0, count - most)..<count].map(\.id)
  }

  private func split(_ text: UnsafeBufferPointer<UInt8>) -> Int {
    guard let start = text.baseAddress else { return 0 }
    while true {
      let count = withUnsafePointer(to: model.c) { model in
        pieces.withUnsafeMutableBufferPointer {
          encoder_split(model, start, text.count, $0.baseAddress, $0.count)
        }
      }
      if count <= pieces.count { return count }
      pieces = [encoder_piece](repeating: encoder_piece(), count: 2 * count)
    }
  }

  /// For each piece, the facets that its clause cannot be evidence for.
  private func findRefusals(_ count: Int) {
    refused.removeAll(keepingCapacity: true)
    var clause = 0
    for index in 0..<count {
      while clause + 1 < clauses.count, clauses[clause + 1].start <= Int(pieces[index].start) {
        clause += 1
      }
      // Without a clause there are no words.
      refused.append(clauses.count == 0 ? .max : clauses[clause].refused)
    }
  }

  private func read(_ range: Range<Int>, after head: [Int32]) {
    ids.removeAll(keepingCapacity: true)
    ids += head
    for index in range { ids.append(pieces[index].id) }
    ids.append(model.c.separator)
    let memory =
      memory ?? .allocate(byteCount: Int(encoder_memory_size()), alignment: 64)
    self.memory = memory
    withUnsafePointer(to: model.c) { model in
      ids.withUnsafeBufferPointer { ids in
        refused.withUnsafeBufferPointer { refused in
          encoder_read(
            model, kind, memory, ids.baseAddress, ids.count, head.count, known,
            refused.baseAddress.map { $0 + range.lowerBound }, &reading)
        }
      }
    }
  }

  private static func value<Values>(_ values: Values, _ facet: Int) -> Float {
    withUnsafeBytes(of: values) { $0.loadUnaligned(fromByteOffset: 4 * facet, as: Float.self) }
  }

  private static func place<Values>(_ values: Values, _ facet: Int) -> Int32 {
    withUnsafeBytes(of: values) { $0.loadUnaligned(fromByteOffset: 4 * facet, as: Int32.self) }
  }

  // MARK: Findings

  /// The least certain facets, if there are more than the words can carry (see ``EvidenceLoad``).
  private func overload(of found: UInt32) -> UInt32 {
    var rest = found
    let words = Double(clauses.words)
    while rest.nonzeroBitCount >= EvidenceLoad.denseFacets,
      words < EvidenceLoad.leastWordsPerFacet * Double(rest.nonzeroBitCount)
    {
      let weakest = (0..<24).filter { rest >> UInt32($0) & 1 == 1 }
        .min { chances[$0] < chances[$1] }
      guard let weakest else { break }
      rest &= ~(1 << UInt32(weakest))
    }
    return found & ~rest
  }

  private func take(
    _ found: UInt32, withdrawn gone: UInt32, _ text: UnsafeBufferPointer<UInt8>,
    clause: (_ facet: Int) -> Int
  ) {
    for facet in 0..<24 {
      if gone >> UInt32(facet) & 1 == 1 { findings[facet].until = turn }
      guard found >> UInt32(facet) & 1 == 1 else { continue }
      let clause = clause(facet)
      clauses.remember(facet, in: clause)
      let quote = quote(clause, text)
      findings[facet] = ConversationScorer.Finding(
        turn: turn, start: Int32(quote.lowerBound), end: Int32(quote.upperBound), until: 0)
    }
    known = known & ~gone | found
    changes = gone | found
  }

  private func clause(around piece: Int) -> Int {
    clause(atByte: Int(pieces[piece].start))
  }

  private func clause(atByte place: Int) -> Int {
    var clause = 0
    while clause + 1 < clauses.count, clauses[clause + 1].start <= place { clause += 1 }
    return clause
  }

  /// A clause's place; with its neighbors, if it is too short to mean anything alone.
  private func quote(_ clause: Int, _ text: UnsafeBufferPointer<UInt8>) -> Range<Int> {
    var (first, last) = (clause, clause)
    let turn = FoldedText(String(decoding: text, as: UTF8.self))
    while true {
      let range = clauses[first].start..<clauses[last].end
      let quote = String(decoding: text[range], as: UTF8.self)
      let isWhole = first == 0 && last == clauses.count - 1
      // An opening such as "fine" says nothing by itself.
      let opens = last == 0 && !quote.contains(" ")
      if isWhole || !opens && QuoteFitter.refusal(of: quote, in: turn) == nil { return range }
      if last < clauses.count - 1 { last += 1 } else { first -= 1 }
    }
  }
}
