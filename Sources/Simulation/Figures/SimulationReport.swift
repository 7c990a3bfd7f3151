/// What came out of a simulation: figures with intervals, compared with the first side.
public struct SimulationReport: Sendable {
  /// A policy, a model or a prompt pack.
  public struct Side: Sendable {
    public var name: String
    /// By persona and seed.
    public var runs: [[SimulatedRun]]

    public init(name: String, runs: [[SimulatedRun]]) { (self.name, self.runs) = (name, runs) }
  }

  public struct Row: Hashable, Sendable {
    public var figure: SimulationFigure
    /// One for each side.
    public var estimates: [Estimate]
    /// How much more each side has than the first one; nil for the first.
    public var differences: [Estimate?]

    /// Whether a side is clearly better or worse than the first: its interval leaves out zero.
    public func verdict(_ side: Int) -> Verdict {
      guard figure.better != .neither, let difference = differences[side],
        let low = difference.low, let high = difference.high, low > 0 || high < 0
      else { return .unclear }
      return (low > 0) == (figure.better == .up) ? .better : .worse
    }
  }

  public enum Verdict: String, Hashable, Sendable { case better, worse, unclear }

  public let personas: [Persona]
  /// Those conversations that every side completed.
  public let sides: [Side]
  public let rows: [Row]
  /// Conversations that a side did not complete.
  public let failures: [SimulationFailure]

  /// - Parameters:
  ///   - runs: By side, persona and seed; nil for a conversation that failed.
  init(
    personas: [Persona], names: [String], runs: [[[SimulatedRun?]]], failures: [SimulationFailure],
    figures: [SimulationFigure]
  ) {
    self.personas = personas
    self.failures = failures
    sides = names.indices.map { side in
      Side(
        name: names[side],
        runs: personas.indices.map { persona in
          runs[side][persona].indices.compactMap { seed in
            runs.allSatisfy { $0[persona][seed] != nil } ? runs[side][persona][seed] : nil
          }
        })
    }
    rows = Self.rows(figures, personas, sides)
  }

  public var conversations: Int { sides.first?.runs.reduce(0) { $0 + $1.count } ?? 0 }

  /// Messages that a model was to word, and those of them that stand in a rule's words; of all sides.
  public var worded: (all: Int, byRule: Int) {
    let turns = sides.flatMap { $0.runs.joined() }.flatMap(\.turns).filter(\.reply.isReworded)
    return (turns.count, turns.count(where: \.isRuleInstead))
  }

  /// The same report about some of the personas.
  public func of(_ isMeant: (Persona) -> Bool) -> SimulationReport {
    let places = personas.indices.filter { isMeant(personas[$0]) }
    return SimulationReport(
      personas: places.map { personas[$0] }, names: sides.map(\.name),
      runs: sides.map { side in places.map { side.runs[$0] } }, failures: [],
      figures: rows.map(\.figure))
  }

  /// Hidden facts known after each message, as a share, from the first message on.
  public func curve(_ side: Int, turns: Int) -> [Double] {
    let facts = zip(personas, sides[side].runs).reduce(0) { $0 + $1.0.facts.count * $1.1.count }
    guard facts > 0, turns > 0 else { return [] }
    return (1...turns).map { turn in
      let found = sides[side].runs.joined().reduce(0) { $0 + $1.found(by: turn) }
      return Double(found) / Double(facts)
    }
  }

  private static func rows(
    _ figures: [SimulationFigure], _ personas: [Persona], _ sides: [Side]
  ) -> [Row] {
    let bootstrap = Bootstrap(seeds: sides.first?.runs.map(\.count) ?? [])
    return figures.map { figure in
      let tallies = sides.map { side in
        zip(personas, side.runs).map { persona, runs in runs.map { $0.tally(figure, persona) } }
      }
      return Row(
        figure: figure, estimates: tallies.map(bootstrap.estimate),
        differences: tallies.enumerated().map { side, one in
          side == 0 ? nil : bootstrap.difference(tallies[0], one)
        })
    }
  }
}
