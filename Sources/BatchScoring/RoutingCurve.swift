package import OfflineScorer

/// How many ready decisions of a cascade are wrong, by how much goes on to its dearer tier.
public struct RoutingCurve: Sendable {
  /// What goes on.
  public enum Sent: String, Sendable {
    case turnsToEncoder = "turns that the encoder read"
    case conversationsToModel = "conversations that the model read"
  }

  public struct Point: Hashable, Sendable {
    /// How much goes on, from 0 to 1.
    public let share: Double
    /// The share of decisions, one after each user turn, that differ from the labels'.
    public let wrong: Estimate
  }

  public let sent: Sent
  /// From the smallest share to the largest.
  public private(set) var points: [Point] = []

  /// The decisions in one conversation.
  package struct Decisions: Hashable, Sendable {
    package var wrong = 0
    package var count = 0

    package init(truth: [UInt32], guess: [UInt32], _ table: ScoreTable) {
      for (left, right) in zip(truth, guess) {
        let isSame =
          (table.points(known: left) > table.readyAbove)
          == (table.points(known: right) > table.readyAbove)
        count += 1
        wrong += isSame ? 0 : 1
      }
    }
  }

  /// The encoder's, from one reading of all conversations for each budget.
  package init(readings: [(share: Double, decisions: [Decisions])]) {
    sent = .turnsToEncoder
    for reading in readings { add(reading.share, reading.decisions) }
  }

  /// A conversation with what the model changes.
  package struct Case: Sendable {
    package var offline: Decisions
    /// Nil if the model didn't read it.
    package var model: Decisions?
    /// When it was chosen, from 0.
    package var rank: Int

    package init(offline: Decisions, model: Decisions? = nil, rank: Int = .max) {
      (self.offline, self.model, self.rank) = (offline, model, rank)
    }
  }

  private static let steps = 10

  /// The model's, from one run: as if it had ended after each tenth of what was sent.
  package init(cases: [Case]) {
    sent = .conversationsToModel
    let order = cases.indices.filter { cases[$0].model != nil }
      .sorted { cases[$0].rank < cases[$1].rank }
    var decisions = cases.map(\.offline)
    var done = 0
    for step in 0...Self.steps {
      let end = order.count * step / Self.steps
      if step > 0, end == done { continue }
      for place in order[done..<end] { decisions[place] = cases[place].model ?? decisions[place] }
      done = end
      add(Double(end) / Double(max(1, cases.count)), decisions)
    }
  }

  private mutating func add(_ share: Double, _ decisions: [Decisions]) {
    let wrong = Estimate(shareOf: decisions.map { (Double($0.wrong), Double($0.count)) })
    if let wrong { points.append(Point(share: share, wrong: wrong)) }
  }
}
