public import BatchScoring
public import ContextQuality

/// How far a model scorer can be trusted: whether it says the same twice, whether what should not
/// matter matters, how honest its quotes are, how well it agrees with labels, and what it costs.
public struct JudgeCard: Sendable {
  /// How other readings of a conversation differ from its first one.
  public struct Shift: Hashable, Sendable {
    public var change: HarmlessChange
    /// Conversations with both readings.
    public var conversations = 0
    /// Share of the decisions "ready or not", one after each user turn, that flip.
    public var decisions: Estimate?
    /// Share of the last decisions that flip, one for each reading.
    public var endings: Estimate?
    /// Of the facets that either reading knows at the end, the share that only one knows.
    public var facets: Estimate?
    /// How much the overall score at the end differs, from 0 to 1.
    public var overall: Estimate?
  }

  /// A facet that some readings of the same words find and others do not.
  public struct Flicker: Hashable, Sendable {
    public var facet: Facet
    /// Conversations in which any reading knows it at the end.
    public var found: Int
    /// Of these, the ones in which not all do.
    public var flickered: Int
  }

  public struct Count: Hashable, Sendable {
    public var name: String
    public var count: Int
  }

  public struct Quotes: Hashable, Sendable {
    /// Accepted word for word.
    public var verbatim = 0
    /// Accepted after they were replaced by the user's words.
    public var snapped = 0
    public var refused = 0
    /// How the snapped ones differed; one can differ in several ways.
    public var snaps: [Count] = []
    /// Why quotes were refused.
    public var refusals: [Count] = []

    public var offered: Int { verbatim + snapped + refused }
  }

  /// Against labels, over every prefix of every labeled conversation.
  public struct Labels: Hashable, Sendable {
    public var conversations: Int
    public var prefixes: Int
    public var f1: Estimate?
    public var precision: Estimate?
    public var recall: Estimate?
    /// The mean absolute error of the overall score, from 0 to 1.
    public var error: Estimate?
    /// Share of the decisions that agree.
    public var decisions: Estimate?
  }

  public struct Cost: Hashable, Sendable {
    public var requests = 0
    /// Requests because an answer was unusable.
    public var repairs = 0
    public var inputTokens = 0
    public var outputTokens = 0
    /// Answers whose tokens nobody counted.
    public var uncounted = 0
    /// Of all requests.
    public var milliseconds = 0
    /// Half of the readings took longer.
    public var medianMilliseconds = 0
  }

  /// Nil if there is no record.
  public let scorer: String?
  public let pack: String
  /// A score above this many ten-thousandths is ready.
  public let readyAbove: Int
  public let conversations: Int
  public let repeats: Int
  public let planned: Int
  public let done: Int
  /// Again first, then each change.
  public let shifts: [Shift]
  /// The most unsteady first; facets that never flicker last.
  public let flickers: [Flicker]
  public let quotes: Quotes
  /// Nil without labels.
  public let labels: Labels?
  public let cost: Cost
  /// Why readings failed, the most frequent first.
  public let errors: [Count]

  public init(_ plan: JudgePlan, _ records: JudgeRecords, rubric: Rubric, pack: String) {
    let judged = plan.conversations.map { JudgedConversation($0, records) }
    scorer = records.scorers.min()
    self.pack = pack
    readyAbove = rubric.readyAbove
    conversations = judged.count
    repeats = plan.repeats
    planned = plan.size.readings
    let done = judged.flatMap(\.all)
    self.done = done.count
    shifts = ([.again] + plan.changes).map { Self.shift($0, judged, rubric.readyAbove) }
    flickers = rubric.facets.map { Self.flicker($0.facet, judged) }.enumerated()
      .sorted { one, other in
        (other.element.flickered, other.element.found, one.offset)
          < (one.element.flickered, one.element.found, other.offset)
      }.map(\.element)
    quotes = Self.quotes(done.map(\.details))
    labels = Self.labels(judged, rubric)
    cost = Self.cost(done.map(\.details))
    errors = Self.counts(
      plan.conversations.flatMap(\.readings).compactMap { records.failure(of: $0.id) }
        .reduce(into: [:]) { $0[$1, default: 0] += 1 })
  }

  /// The share of the quotes with this fate, from 0 to 1; nil without quotes.
  public func share(_ part: Int) -> Double? {
    quotes.offered > 0 ? Double(part) / Double(quotes.offered) : nil
  }

  static func counts(_ counts: [String: Int]) -> [Count] {
    counts.map { Count(name: $0.key, count: $0.value) }
      .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
  }
}

/// What the readings of one conversation found.
struct JudgedConversation: Sendable {
  /// Of the words as they are.
  var plain: [JudgeRecords.Record] = []
  var changed: [HarmlessChange: JudgeRecords.Record] = [:]
  let truth: [Set<Facet>]?

  init(_ conversation: JudgePlan.Conversation, _ records: JudgeRecords) {
    truth = conversation.truth
    for reading in conversation.readings {
      guard let record = records[reading.id] else { continue }
      if reading.change == .again {
        plain.append(record)
      } else {
        changed[reading.change] = record
      }
    }
  }

  var all: [JudgeRecords.Record] { plain + changed.values }

  /// The readings to hold against the first one.
  func others(_ change: HarmlessChange) -> [JudgeRecords.Record] {
    guard !plain.isEmpty else { return [] }
    return change == .again ? Array(plain.dropFirst()) : changed[change].map { [$0] } ?? []
  }
}

// How each part is counted.
extension JudgeCard {
  private typealias Share = (part: Double, whole: Double)

  private static func shift(
    _ change: HarmlessChange, _ judged: [JudgedConversation], _ readyAbove: Int
  ) -> Shift {
    let sums = judged.compactMap { conversation -> [Share]? in
      let others = conversation.others(change)
      guard let first = conversation.plain.first, !others.isEmpty else { return nil }
      var sums: [Share] = Array(repeating: (0, 0), count: 4)
      func add(_ place: Int, _ part: Int, of whole: Int) {
        sums[place].part += Double(part)
        sums[place].whole += Double(whole)
      }
      for other in others {
        let flips = zip(first.points, other.points).map { ($0 > readyAbove) != ($1 > readyAbove) }
        add(0, flips.count { $0 }, of: flips.count)
        add(1, flips.last == true ? 1 : 0, of: flips.isEmpty ? 0 : 1)
        let (one, two) = (first.known, other.known)
        add(2, one.symmetricDifference(two).count, of: one.union(two).count)
        add(3, abs((first.points.last ?? 0) - (other.points.last ?? 0)), of: 10_000)
      }
      return sums
    }
    return Shift(
      change: change, conversations: sums.count, decisions: Estimate(shareOf: sums.map { $0[0] }),
      endings: Estimate(shareOf: sums.map { $0[1] }), facets: Estimate(shareOf: sums.map { $0[2] }),
      overall: Estimate(averageOf: sums.map { $0[3] }))
  }

  private static func flicker(_ facet: Facet, _ judged: [JudgedConversation]) -> Flicker {
    var flicker = Flicker(facet: facet, found: 0, flickered: 0)
    for conversation in judged where conversation.plain.count > 1 {
      let finds = conversation.plain.count { $0.known.contains(facet) }
      if finds > 0 { flicker.found += 1 }
      if finds > 0, finds < conversation.plain.count { flicker.flickered += 1 }
    }
    return flicker
  }

  private static func quotes(_ details: [ReadingDetails]) -> Quotes {
    func merged(_ counts: [[String: Int]]) -> [String: Int] {
      counts.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
    }
    let snapped = details.reduce(0) { $0 + $1.snapped }
    let refusals = merged(details.map(\.refused))
    return Quotes(
      verbatim: details.reduce(0) { $0 + $1.accepted } - snapped, snapped: snapped,
      refused: refusals.values.reduce(0, +), snaps: counts(merged(details.map(\.snaps))),
      refusals: counts(refusals))
  }

  private static func cost(_ details: [ReadingDetails]) -> Cost {
    func sum(_ part: (ReadingDetails) -> Int) -> Int { details.reduce(0) { $0 + part($1) } }
    let times = details.map(\.milliseconds).sorted()
    return Cost(
      requests: sum(\.requests), repairs: sum { max(0, $0.requests - 1) },
      inputTokens: sum(\.inputTokens), outputTokens: sum(\.outputTokens),
      uncounted: sum(\.uncounted), milliseconds: times.reduce(0, +),
      medianMilliseconds: times.isEmpty ? 0 : times[times.count / 2])
  }

  /// Facets and scores of one conversation's readings against its labels.
  private struct Comparison {
    var (both, found, labeled) = (0, 0, 0)
    var error: Share = (0, 0)
    var decisions: Share = (0, 0)
  }

  private static func labels(_ judged: [JudgedConversation], _ rubric: Rubric) -> Labels? {
    var prefixes = 0
    let compared = judged.compactMap { conversation -> Comparison? in
      guard let truth = conversation.truth, !conversation.plain.isEmpty else { return nil }
      prefixes += truth.count
      let points = truth.map { ContextComponents(known: $0, rubric: rubric).points }
      var sum = Comparison()
      for reading in conversation.plain {
        for (turn, labeled) in truth.enumerated() {
          let found = reading.known(after: turn + 1)
          sum.both += found.intersection(labeled).count
          sum.found += found.count
          sum.labeled += labeled.count
        }
        for (one, other) in zip(points, reading.points) {
          sum.error.part += Double(abs(one - other)) / 10_000
          sum.error.whole += 1
          let agrees = (one > rubric.readyAbove) == (other > rubric.readyAbove)
          sum.decisions.part += agrees ? 1 : 0
          sum.decisions.whole += 1
        }
      }
      return sum
    }
    guard !compared.isEmpty else { return nil }
    func share(_ part: (Comparison) -> Int, _ whole: (Comparison) -> Int) -> Estimate? {
      Estimate(shareOf: compared.map { (Double(part($0)), Double(whole($0))) })
    }
    return Labels(
      conversations: compared.count, prefixes: prefixes,
      f1: share({ 2 * $0.both }, { $0.found + $0.labeled }),
      precision: share(\.both, \.found), recall: share(\.both, \.labeled),
      error: Estimate(averageOf: compared.map(\.error)),
      decisions: Estimate(shareOf: compared.map(\.decisions)))
  }
}
