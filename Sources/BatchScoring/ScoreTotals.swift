public import ContextQuality
public import OfflineScorer

/// Totals over all conversations: only sums, so parts can be merged in any order.
public struct ScoreTotals: Sendable {
  let table: ScoreTable
  public private(set) var conversations = 0
  /// Conversations that were scored but not selected, and are in no other figure.
  public private(set) var leftOut = 0
  /// Conversations in which the user said nothing that can be read, and which are in no other figure.
  public private(set) var silent = 0
  /// Conversations in a language that the scorer does not read.
  public private(set) var unread = 0
  public private(set) var turns = 0
  public private(set) var ready = 0
  public private(set) var points = 0
  /// Conversations whose range holds scores that are ready and scores that are not.
  public private(set) var unsure = 0
  /// Conversations unlike the text that the scorer learned from.
  public private(set) var unlike = 0
  /// Of a cascade: the conversations and turns that the encoder read, and those that a model read.
  package private(set) var sentOn = SentOn()
  /// Conversations with a range.
  private var ranged = 0
  /// The sum of the widths of the ranges, in ten-thousandths.
  private var widths = 0
  private let certainty: CertaintyShown
  /// What the encoder may do in a cascade; nil if the encoder is not a part of one.
  private var encoderBudget: Double?
  /// Conversations by overall score, in tenths; 1.0 counts with 0.9.
  public private(set) var distribution = [Int](repeating: 0, count: 10)
  /// Conversations by the turn in which they became ready, from turn 1; the last counts all later
  /// turns.
  public private(set) var readyByTurn = [Int](repeating: 0, count: 20)
  public private(set) var missing: [Int]
  public private(set) var weakest: [Int]
  public private(set) var percents: [Int]

  private let facets: [Facet]

  public init(table: ScoreTable, certainty: CertaintyShown = .none) {
    self.init(table, OfflineScorer.facets, certainty)
  }

  package init(table: ScoreTable, _ options: BatchOptions) {
    self.init(table, OfflineScorer.facets, options.certainty)
    encoderBudget = options.isCascade ? options.encoderBudget : nil
  }

  /// The same kind of totals, of nothing.
  var emptied: Self {
    var totals = Self(table, facets, certainty)
    totals.encoderBudget = encoderBudget
    return totals
  }

  /// Totals over any pack's facets.
  public init(rubric: Rubric) { self.init(ScoreTable(rubric), rubric.facets.map(\.facet), .none) }

  private init(_ table: ScoreTable, _ facets: [Facet], _ certainty: CertaintyShown) {
    (self.table, self.facets, self.certainty) = (table, facets, certainty)
    missing = facets.map { _ in 0 }
    weakest = table.components.map { _ in 0 }
    percents = weakest
  }

  /// Counts a conversation by the facets known after each turn.
  ///
  /// - Parameter tiers: Who read each turn, in a cascade.
  package mutating func count(
    _ known: [UInt32], isUnread: Bool = false, certainty: Certainty? = nil,
    tiers: [ScoringTier] = []
  ) {
    sentOn.count(tiers)
    let last = known.last ?? 0
    if isUnread { unread += 1 }
    let isUnsure = certainty?.isUnsure(readyAbove: table.readyAbove) ?? false
    if isUnsure { unsure += 1 }
    if let certainty {
      if certainty.isUnlike { unlike += 1 }
      ranged += 1
      widths += certainty.range.upperBound - certainty.range.lowerBound
    }
    let score = table.points(known: last)
    conversations += 1
    turns += known.count
    points += score
    distribution[min(9, score / 1000)] += 1
    if score > table.readyAbove, !(isUnsure && abstains) { ready += 1 }
    if let turn = known.firstIndex(where: { table.points(known: $0) > table.readyAbove }) {
      readyByTurn[min(turn, readyByTurn.count - 1)] += 1
    }
    for facet in missing.indices where last >> UInt32(facet) & 1 == 0 { missing[facet] += 1 }
    if let index = table.weakest(known: last) { weakest[index] += 1 }
    for index in percents.indices { percents[index] += table.percent(index, known: last) }
  }

  /// Counts a conversation by its score after each turn.
  public mutating func count(_ scores: [ContextComponents], _ ledger: Ledger, rubric: Rubric) {
    guard let last = scores.last else { return countSilent() }
    let known = ledger.known(after: scores.count)
    conversations += 1
    turns += scores.count
    points += last.points
    distribution[min(9, last.points / 1000)] += 1
    if last.isReadyForCoaching { ready += 1 }
    if let turn = scores.firstIndex(where: \.isReadyForCoaching) {
      readyByTurn[min(turn, readyByTurn.count - 1)] += 1
    }
    for (index, facet) in facets.enumerated() where !known.contains(facet) { missing[index] += 1 }
    for (index, component) in last.components.enumerated() {
      percents[index] += component.percent
      if component.name == last.weakest?.name { weakest[index] += 1 }
    }
  }

  package mutating func leaveOut(_ count: Int) { leftOut += count }

  package mutating func countSilent() { silent += 1 }

  mutating func add(_ other: ScoreTotals) {
    leftOut += other.leftOut
    silent += other.silent
    unread += other.unread
    unsure += other.unsure
    unlike += other.unlike
    widths += other.widths
    ranged += other.ranged
    sentOn.add(other.sentOn)
    conversations += other.conversations
    turns += other.turns
    ready += other.ready
    points += other.points
    Self.add(other.distribution, to: &distribution)
    Self.add(other.readyByTurn, to: &readyByTurn)
    Self.add(other.missing, to: &missing)
    Self.add(other.weakest, to: &weakest)
    Self.add(other.percents, to: &percents)
  }

  /// Whether an unsure conversation counts as neither ready nor not ready.
  public var abstains: Bool { certainty == .abstaining }

  private static func add(_ more: [Int], to sums: inout [Int]) {
    for index in sums.indices { sums[index] += more[index] }
  }
}

/// What was passed to a more expensive tier.
package struct SentOn: Hashable, Sendable {
  package private(set) var encoderTurns = 0
  /// Conversations that a model read.
  package private(set) var modelConversations = 0

  mutating func count(_ tiers: [ScoringTier]) {
    encoderTurns += tiers.count { $0 == .encoder }
    if tiers.contains(.model) { modelConversations += 1 }
  }

  mutating func add(_ other: Self) {
    encoderTurns += other.encoderTurns
    modelConversations += other.modelConversations
  }
}

extension ScoreTotals {
  /// The totals as a few lines of text and bars.
  public var text: String {
    guard conversations > 0 else {
      if silent > 0, leftOut == 0 { return "\(silentWords)\n" }
      return leftOut > 0 ? "\(selected)\n" : "No conversations found.\n"
    }
    var lines = leftOut > 0 ? [selected] : []
    lines.append(
      "\(conversations) \(conversations == 1 ? "conversation" : "conversations"), "
        + "\(turns) user \(turns == 1 ? "turn" : "turns")")
    if silent > 0 { lines.append(silentWords) }
    if unread > 0 {
      lines.append(
        "\(unread) \(unread == 1 ? "conversation doesn't" : "conversations don't") look like English, "
          + "which the offline scorer can't read")
    }
    if unlike > 0 {
      lines.append(
        "\(unlike) \(unlike == 1 ? "conversation is" : "conversations are") unlike the text that the "
          + "scorer learned from, so \(unlike == 1 ? "its score means" : "their scores mean") less")
    }
    lines.append(
      "overall: mean \(ShownFigure.score(meanPoints)); ready: \(ready) (\(share(ready)))"
        + (abstains ? ", unsure: \(unsure) (\(share(unsure)))" : ""))
    if let encoderBudget {
      lines.append(
        "the encoder read \(sentOn.encoderTurns) of \(turns) turns "
          + "(\(ShownFigure.share(sentOn.encoderTurns, of: turns))); its budget was "
          + "\(Int((100 * encoderBudget).rounded()))% of its work")
    }
    if certainty != .none, ranged > 0 {
      lines.append(
        "90% ranges: \(ShownFigure.score(widths / ranged)) wide on average"
          + (abstains ? "" : "; ready is unsure in \(unsure) (\(share(unsure)))"))
    }
    let most = max(1, distribution.max() ?? 1)
    for (tenth, count) in distribution.enumerated() {
      let bar = String(repeating: "#", count: (count * 40 + most - 1) / most)
      lines.append("  0.\(tenth)–\(tenth == 9 ? "1.0" : "0.\(tenth + 1)")  \(bar) \(count)")
    }
    let turnsToReady = readyByTurn.enumerated().filter { $0.element > 0 }
      .map { "turn \($0.offset + 1): \($0.element)" }
    lines.append(
      "became ready: " + (turnsToReady.isEmpty ? "none" : turnsToReady.joined(separator: ", ")))
    lines.append("component means, lowest first:")
    for index in percents.indices.sorted(by: { (percents[$0], $0) < (percents[$1], $1) }) {
      lines.append(
        "  0.\(Self.padded(meanPercents[index]))  \(table.components[index].name)"
          + " (weakest in \(share(weakest[index])))")
    }
    lines.append("most often missing:")
    for facet in missing.indices.sorted(by: { (missing[$1], $0) < (missing[$0], $1) }).prefix(8) {
      lines.append("  \(share(missing[facet]))  \(facets[facet])")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// How many conversations the figures cover.
  public var selected: String {
    "\(conversations) of \(conversations + leftOut) conversations selected; \(leftOut) left out"
  }

  private var silentWords: String {
    "\(silent) \(silent == 1 ? "conversation has" : "conversations have") no user turn that can be "
      + "read, and no score"
  }

  private func share(_ count: Int) -> String {
    ShownFigure.share(count, of: conversations)
  }

  /// The mean overall score, in ten-thousandths.
  package var meanPoints: Int { points / max(1, conversations) }

  /// Each component's mean, in percent.
  package var meanPercents: [Int] { percents.map { $0 / max(1, conversations) } }

  private static func padded(_ percent: Int) -> String {
    percent < 10 ? "0\(percent)" : "\(percent)"
  }
}
