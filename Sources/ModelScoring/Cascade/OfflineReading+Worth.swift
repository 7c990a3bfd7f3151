import BatchScoring
import Glibc
import OfflineScorer

extension OfflineReading {
  /// What a better reading may change: the facets that are expected to be wrong at the end, and the
  /// chance that the ready decision is, which counts as much as eight facets.
  ///
  /// - Parameter isUnread: In a language that the offline tiers do not read, nothing they say counts.
  func worth(_ table: ScoreTable, isUnread: Bool) -> Double {
    guard let last = known.last else { return 0 }
    if isUnread { return 0.5 * Self.decision + 0.5 * Double(certainty.chances.count) }
    let wrong = certainty.chances.enumerated().reduce(0.0) { sum, facet in
      sum + (last >> UInt32(facet.offset) & 1 == 1 ? 1 - facet.element : facet.element)
    }
    return wrong + Self.decision * chanceOfWrongDecision(table, last)
  }
  private static let decision = 8.0

  /// The range as a normal distribution around the expected score.
  private func chanceOfWrongDecision(_ table: ScoreTable, _ known: UInt32) -> Double {
    let range = certainty.range
    let deviation = Double(range.upperBound - range.lowerBound) / 2 / Self.deviationsOf90
    guard deviation > 0 else { return 0 }
    let mean = zip(table.points, certainty.chances).reduce(0.0) { $0 + Double($1.0) * $1.1 }
    let ready = 0.5 * erfc((Double(table.readyAbove) - mean) / deviation / 2.0.squareRoot())
    return table.points(known: known) > table.readyAbove ? 1 - ready : ready
  }
  private static let deviationsOf90 = 1.645
}
