import Glibc
package import OfflineScorer

/// Which turns continue from the fast scorer to the network: those where reading helps most for its
/// time. `train-scorer calibrate` prints the numbers.
package enum Cascade {
  /// The log odds that the fast scorer is wrong about a facet it found, as factors of ``features``.
  private static let found = SIMD8<Double>(0.366, -0.993, -0.507, -0.575, 0.176, 0, 0, 0)
  /// The same for a facet that it didn't find.
  private static let missing = SIMD8<Double>(-1.23, 0.513, 0.268, -0.437, -1.504, 0, 0, 0)
  /// The worth above which a turn continues, for budgets of 0, 10, 20 … 100%.
  private static let bounds = [
    24, 0.3785, 0.303, 0.2533, 0.2149, 0.1814, 0.1477, 0.1125, 0.0917, 0.0629, -1,
  ]

  /// - Parameter budget: The share of the network's work that may be done, from 0 to 1.
  static func leastWorth(budget: Double) -> Double {
    let place = min(max(budget, 0), 1) * 10
    let index = min(9, Int(place))
    let share = place - Double(index)
    return bounds[index] * (1 - share) + bounds[index + 1] * share
  }

  /// A constant, the margin, whether the coach asked for it, both, and whether it's the first turn.
  package static func features(margin: Double, isAsked: Bool, turn: Int) -> SIMD8<Double> {
    let asked = isAsked ? 1.0 : 0
    return SIMD8(1, margin, asked, asked * margin, turn == 1 ? 1 : 0, 0, 0, 0)
  }

  /// The word pieces that the network would read, estimated from bytes.
  package static func pieces(coachBytes: Int, bytes: Int) -> Double {
    3 + min(64, Double(coachBytes) / bytesOfPiece) + Double(bytes) / bytesOfPiece
  }
  private static let bytesOfPiece = 4.3

  /// How much reading the fast scorer's last message again is worth: the errors to expect in it, more
  /// in an early turn, which more turns follow, and less in a long one.
  ///
  /// - Parameter settled: Facets that are known already.
  package static func worth(
    of scorer: borrowing ConversationScorer, settled: UInt32, turn: Int, pieces: Double
  ) -> Double {
    let found = scorer.changes & scorer.known
    let settled = settled | scorer.known & ~found
    var errors = 0.0
    for facet in 0..<24 where settled >> UInt32(facet) & 1 == 0 {
      let line = found >> UInt32(facet) & 1 == 1 ? Self.found : missing
      let isAsked = scorer.askedFacets >> UInt32(facet) & 1 == 1
      let seen = features(margin: scorer.margin(facet), isAsked: isAsked, turn: turn)
      errors += 1 / (1 + exp(-(line * seen).sum()))
    }
    return errors * exp(-Double(turn - 1) / turnsThatMatter) / pieces.squareRoot()
  }
  private static let turnsThatMatter = 4.0
}
