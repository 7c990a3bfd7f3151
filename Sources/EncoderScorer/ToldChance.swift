import Glibc

/// How likely it is that a message tells a facet that the encoder didn't find in it.
///
/// A question shouldn't ask for what was just told, so small chances matter here, too. `train-scorer calibrate` prints the numbers.
package enum ToldChance {
  /// The log odds, as factors of ``features``.
  private static let line = SIMD8<Double>(0.149, 0.626, 1.176, -0.173, -0.138, 0.681, -0.15, 0)

  package static func chance(_ features: SIMD8<Double>) -> Double {
    1 / (1 + exp(-(line * features).sum()))
  }

  /// A constant, the network's log odds, the fast scorer's margin, whether the coach asked for it, that
  /// with the log odds, whether it's the first turn, and how many words there are.
  package static func features(
    odds: Double, margin: Double, isAsked: Bool, turn: Int, words: Int
  ) -> SIMD8<Double> {
    let asked = isAsked ? 1.0 : 0
    return SIMD8(
      1, odds, min(max(margin, -4), 3), asked, asked * odds, turn == 1 ? 1 : 0,
      log(1 + Double(words)), 0)
  }
  /// How many of the features are in use.
  package static let featureCount = 7
}
