import Glibc

/// How likely it is that a message tells a facet, from what the network and the fast scorer make of it.
///
/// A question should not ask for what was just told, so small chances matter too. `train-scorer calibrate`
/// prints the numbers.
package enum ToldChance {
  /// The log odds above which a facet counts as told.
  static let least = -1.0
  /// What one facet must exceed, or a turn says nothing new.
  static let leastOfTurn = -0.25

  /// The log odds, as factors of ``features``.
  private static let line = SIMD8<Double>(-0.778, 0.519, 1.281, -0.093, -0.065, 0.08, 0.168, 0)
  /// What is added for each facet: people tell some in more ways than others.
  private static let facets = [
    0.104, 0.116, -0.513, -0.26, 0.1, 0.323, -0.24, 0.327, 0.03, -0.472, -0.097, -0.06, -0.543,
    0.293, -0.449, 0.444, -0.756, 0.167, 0.164, 0.016, 0.088, 0.439, -0.201, 0.201,
  ]

  package static func chance(_ features: SIMD8<Double>, of facet: Int) -> Double {
    1 / (1 + exp(-(line * features).sum() - facets[facet]))
  }

  /// A constant, the network's log odds, the fast scorer's margin, whether the coach asked for it, that
  /// with the log odds, whether it is the first turn, and how many words there are.
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
