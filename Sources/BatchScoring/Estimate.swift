/// A figure over conversations with its 95 % interval.
public struct Estimate: Hashable, Sendable {
  public var value: Double
  public var low: Double
  public var high: Double
  /// Whether `low` and `high` say anything: one conversation alone gives no interval.
  public var isInterval = true

  static let draws = 1_000
  /// The standard normal quantile that leaves 2.5 % above it.
  private static let quantile = 1.959_964

  /// An average of differences: the sum of the parts over the sum of the wholes, and the range in which
  /// 95 % of the averages lie when as many conversations are drawn again and again (the percentile
  /// bootstrap). Nil without a whole.
  package init?(averageOf counts: [(part: Double, whole: Double)]) {
    self.init(over: counts) { counts in
      let whole = counts.reduce(0) { $0 + $1.whole }
      return whole > 0 ? counts.reduce(0) { $0 + $1.part } / whole : nil
    }
  }

  /// A share of all: the sum of the parts over the sum of the wholes, with Wilson's interval (1927). Nil
  /// without a whole.
  ///
  /// What is counted in one conversation is not independent. As many independent counts are assumed as
  /// would vary like the conversations do; if those agree fully, one per conversation. So no share of none
  /// or of all is reported as certain.
  package init?(shareOf counts: [(part: Double, whole: Double)]) {
    let counts = counts.filter { $0.whole > 0 }
    let whole = counts.reduce(0) { $0 + $1.whole }
    guard whole > 0 else { return nil }
    let share = counts.reduce(0) { $0 + $1.part } / whole
    let size = Self.independentCounts(counts, whole, share)
    let square = Self.quantile * Self.quantile
    let middle = (share + square / (2 * size)) / (1 + square / size)
    let spread = share * (1 - share) / size + square / (4 * size * size)
    let half = Self.quantile * max(0, spread).squareRoot() / (1 + square / size)
    value = share
    low = share == 0 ? 0 : max(0, middle - half)
    high = share == 1 ? 1 : min(1, middle + half)
  }

  /// By the variance of a ratio between clusters (Cochran, *Sampling Techniques*, 1977).
  private static func independentCounts(
    _ counts: [(part: Double, whole: Double)], _ whole: Double, _ share: Double
  ) -> Double {
    let clusters = Double(counts.count)
    let squares = counts.reduce(0) { sum, count in
      let residual = count.part - share * count.whole
      return sum + residual * residual
    }
    let variance =
      clusters > 1 ? squares / (whole * whole) * clusters / (clusters - 1) : 0
    guard variance > 0 else { return min(clusters, whole) }
    return min(max(share * (1 - share) / variance, 1), whole)
  }

  /// Nil if there are no items, or no figure over all of them.
  ///
  /// - Parameters:
  ///   - items: One per conversation.
  ///   - figure: The figure over some of them; nil leaves a draw out.
  package init?<Item>(over items: [Item], _ figure: ([Item]) -> Double?) {
    guard !items.isEmpty, let value = figure(items) else { return nil }
    self.value = value
    isInterval = items.count > 1
    var random = DrawGenerator()
    var drawn: [Double] = []
    for _ in 0..<Self.draws {
      let sample = items.indices.map { _ in items[Int.random(in: items.indices, using: &random)] }
      if let figure = figure(sample) { drawn.append(figure) }
    }
    drawn.sort()
    func percentile(_ share: Double) -> Double {
      drawn.isEmpty ? value : drawn[Int((Double(drawn.count - 1) * share).rounded())]
    }
    (low, high) = (percentile(0.025), percentile(0.975))
  }
}

/// SplitMix64 (Steele, Lea and Flood, 2014). Always from the same start, so that a card can be
/// repeated.
private struct DrawGenerator: RandomNumberGenerator {
  private var state: UInt64 = 0

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
