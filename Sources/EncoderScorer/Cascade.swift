import Glibc

/// Which turns continue from the fast scorer to the network: those where reading helps most for its
/// time. `train-scorer calibrate` prints the numbers.
package enum Cascade {
  /// The log odds that the fast reading is wrong about a facet it found, as factors of ``features``.
  private static let found = SIMD8<Double>(1.288, -1.765, 0.281, -0.091, 0.592, -0.264, 0, 0)
  /// The same for a facet that it did not find.
  private static let missing = SIMD8<Double>(-1.612, 0.928, 0.361, -0.067, -1.537, 0.162, 0, 0)
  /// The worth above which a turn continues, for budgets of 0, 10, 20 … 100%.
  private static let bounds = [
    24, 0.3766, 0.2858, 0.2289, 0.1842, 0.1512, 0.1179, 0.098, 0.0706, 0.0535, -1,
  ]

  /// - Parameter budget: The share of the network's work that may be done, from 0 to 1.
  static func leastWorth(budget: Double) -> Double {
    let place = min(max(budget, 0), 1) * 10
    let index = min(9, Int(place))
    let share = place - Double(index)
    return bounds[index] * (1 - share) + bounds[index + 1] * share
  }

  /// A constant, the margin, whether the coach asked for it, both, whether it is the first turn, and how
  /// many words there are.
  package static func features(
    margin: Double, isAsked: Bool, turn: Int, words: Int
  ) -> SIMD8<Double> {
    let asked = isAsked ? 1.0 : 0
    return SIMD8(
      1, margin, asked, asked * margin, turn == 1 ? 1 : 0, log(1 + Double(words)), 0, 0)
  }
  /// How many of the features are in use.
  package static let featureCount = 6

  /// The word pieces that the network would read, estimated from bytes.
  package static func pieces(coachBytes: Int, bytes: Int) -> Double {
    3 + min(64, Double(coachBytes) / bytesOfPiece) + Double(bytes) / bytesOfPiece
  }
  private static let bytesOfPiece = 4.3

  /// How much it is worth that the network reads a message instead: the errors to expect, more in an
  /// early turn, which more turns follow, and less in a long one.
  ///
  /// - Parameter known: Facets that are known before.
  package static func worth(
    of reading: FastReading, known: UInt32, turn: Int, words: Int, pieces: Double
  ) -> Double {
    var errors = 0.0
    for facet in 0..<24 where known >> UInt32(facet) & 1 == 0 {
      let line = reading.found >> UInt32(facet) & 1 == 1 ? Self.found : missing
      let isAsked = reading.asked >> UInt32(facet) & 1 == 1
      let seen = features(
        margin: reading.margins[facet], isAsked: isAsked, turn: turn, words: words)
      errors += 1 / (1 + exp(-(line * seen).sum()))
    }
    return errors * exp(-Double(turn - 1) / turnsThatMatter) / pieces.squareRoot()
  }
  private static let turnsThatMatter = 4.0
}
