import Glibc

/// How likely each facet is known, and which overall scores that allows.
public struct Certainty: Hashable, Sendable {
  /// The chance, from 0 to 1, that a careful reader finds each facet known, in the order of
  /// ``OfflineScorer/facets``.
  public let chances: [Double]
  /// The overall scores that nine in ten such conversations have when a person reads them, in
  /// ten-thousandths, rounded outward to hundredths. It always holds the score itself.
  public let range: ClosedRange<Int>
  /// Whether the user's words are unlike those that the scorer learned from. Its chances mean little
  /// then.
  public let isUnlike: Bool

  /// Whether a score in the range could be ready and another not.
  public func isUnsure(readyAbove: Int) -> Bool {
    range.lowerBound <= readyAbove && range.upperBound > readyAbove
  }
}

/// Turns what a scorer saw into chances, so that of the facets with a chance of 0.8 four in five are
/// there.
///
/// `train-scorer calibrate` prints the numbers.
public struct Calibration: Sendable {
  /// Log odds, as a sum.
  package struct Line: Sendable {
    package var base: Double
    /// For each unit of clearness.
    package var clearness: Double
    /// For the logarithm of the number of user turns.
    package var turns: Double

    package init(_ base: Double, _ clearness: Double, _ turns: Double) {
      (self.base, self.clearness, self.turns) = (base, clearness, turns)
    }

    package func chance(_ clearness: Double, turns: Int) -> Double {
      1 / (1 + exp(-base - self.clearness * clearness - self.turns * log(Double(max(1, turns)))))
    }
  }

  /// For facets that the scorer counts as known.
  package let known: Line
  /// For those that it does not.
  package let unknown: Line
  /// The half width of the range, in standard deviations of a score whose facets are independent.
  /// They are not, so it is more than the 1.64 of a normal distribution.
  package let deviations: Double

  package init(known: Line, unknown: Line, deviations: Double) {
    (self.known, self.unknown, self.deviations) = (known, unknown, deviations)
  }

  /// The chance that a message tells a facet.
  package func chance(atMargin clearness: Double) -> Double {
    (clearness > 0 ? known : unknown).chance(clearness, turns: 1)
  }

  /// The clearness that means as much here as another means to another scorer.
  package func clearness(like other: Double, of scorer: Calibration, isKnown: Bool) -> Double {
    let (mine, theirs) = isKnown ? (known, scorer.known) : (unknown, scorer.unknown)
    return (theirs.base + theirs.clearness * other - mine.base) / mine.clearness
  }

  /// The share of words missing from the lexicon above which text is unlike the labeled text: 2% of
  /// the labeled conversations lie above it.
  private static let unlikeShare = 0.24
  /// With fewer words, the share is chance.
  private static let leastWords = 12

  /// - Parameter clearness: How clear each facet was when it became known, or at best was so far.
  package func certainty(
    known bits: UInt32, turns: Int, words: Int, unknownWords: Int, table: ScoreTable,
    clearness: (Int) -> Double
  ) -> Certainty {
    var chances = [Double](repeating: 0, count: 24)
    guard turns > 0 else { return Certainty(chances: chances, range: 0...0, isUnlike: false) }
    var (mean, variance) = (0.0, 0.0)
    for facet in 0..<24 {
      let line = bits >> UInt32(facet) & 1 == 1 ? known : unknown
      let chance = line.chance(clearness(facet), turns: turns)
      let points = Double(table.points[facet])
      chances[facet] = chance
      mean += points * chance
      variance += points * points * chance * (1 - chance)
    }
    let (score, half) = (table.points(known: bits), deviations * variance.squareRoot())
    // Whole hundredths, which is how they are shown.
    let low = max(0, Int((min(Double(score), mean - half) / 100).rounded(.down)))
    let high = min(100, Int((max(Double(score), mean + half) / 100).rounded(.up)))
    return Certainty(
      chances: chances, range: 100 * low...100 * high,
      isUnlike: words >= Self.leastWords
        && Double(unknownWords) > Self.unlikeShare * Double(words))
  }
}
