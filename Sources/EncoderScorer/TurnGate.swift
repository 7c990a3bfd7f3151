/// Whether a turn says anything new at all. If it probably doesn't, none of the facets found in it
/// count.
///
/// `train-scorer calibrate` prints the numbers.
package struct TurnGate {
  /// The largest log odds of the facets found, as the network alone gives them.
  package var odds = -12.0
  /// The largest margin that the second opinion gives them.
  package var margin = leastMargin
  /// Whether the coach asked for one of them.
  package var isAsked = false

  package init() {}

  /// A lower one means no more than this.
  package static let leastMargin = -4.0
  /// The log odds that a turn says something, as factors of ``features``.
  private static let line = SIMD4(0.064, 0.598, 0.729, 0.322)
  /// The least log odds: a chance of 85%, or of 76% if the coach asked for it.
  private static let least = 1.75
  private static let leastIfAsked = 1.15

  package mutating func add(odds: Double, margin: Double, isAsked: Bool) {
    self.odds = max(self.odds, odds)
    self.margin = max(self.margin, margin)
    self.isAsked = self.isAsked || isAsked
  }

  package var features: SIMD4<Double> { SIMD4(1, odds, margin, isAsked ? 1 : 0) }

  package var isOpen: Bool {
    (Self.line * features).sum() >= (isAsked ? Self.leastIfAsked : Self.least)
  }
}
