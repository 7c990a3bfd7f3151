/// Who else reads a message that the network reads.
package enum SecondOpinion: Sendable {
  /// Today's fast scorer.
  case fast
  /// An earlier one, which has learned nothing from the encoder. Today's learns from what the two
  /// read, so its own opinion may not be in it.
  case earlier

  /// What a margin adds to a facet's log odds.
  ///
  /// The numbers were chosen on register conversations that none of them has learned from.
  func support(_ margin: Double) -> Double {
    switch self {
    case .fast: 0.3 + 1.3 * min(max(margin, -0.5), 3)
    case .earlier: min(3.5, 0.5 + 1.5 * margin)
    }
  }

  /// The log odds that a turn says something, as factors of ``TurnGate/features``.
  fileprivate var line: SIMD4<Double> {
    switch self {
    case .fast: SIMD4(0.247, 0.827, 0.631, -0.333)
    case .earlier: SIMD4(0.064, 0.598, 0.729, 0.322)
    }
  }

  /// The least log odds: for today's scorer a chance of 84%, or of 73% if the coach asked for it.
  fileprivate var least: (unasked: Double, asked: Double) {
    switch self {
    case .fast: (1.65, 1)
    case .earlier: (1.75, 1.15)
    }
  }
}

/// Whether a turn says anything new at all. If it probably doesn't, none of the facets found in it
/// count.
///
/// `train-scorer calibrate` prints the numbers.
package struct TurnGate {
  private let opinion: SecondOpinion
  /// The largest log odds of the facets found, as the network alone gives them.
  package var odds = -12.0
  /// The largest margin that the second opinion gives them.
  package var margin = leastMargin
  /// Whether the coach asked for one of them.
  package var isAsked = false

  package init(opinion: SecondOpinion) { self.opinion = opinion }

  /// A lower one means no more than this.
  package static let leastMargin = -4.0

  package mutating func add(odds: Double, margin: Double, isAsked: Bool) {
    self.odds = max(self.odds, odds)
    self.margin = max(self.margin, margin)
    self.isAsked = self.isAsked || isAsked
  }

  package var features: SIMD4<Double> { SIMD4(1, odds, margin, isAsked ? 1 : 0) }

  package var isOpen: Bool {
    (opinion.line * features).sum() >= (isAsked ? opinion.least.asked : opinion.least.unasked)
  }
}
