/// A figure over conversations, and the range in which 95 % of the figures lie when as many
/// conversations are drawn from them again and again (the percentile bootstrap).
public struct Estimate: Hashable, Sendable {
  public var value: Double
  public var low: Double
  public var high: Double

  static let draws = 1_000

  /// Nil if there are no items, or no figure over all of them.
  ///
  /// - Parameters:
  ///   - items: One per conversation.
  ///   - figure: The figure over some of them; nil leaves a draw out.
  init?<Item>(over items: [Item], _ figure: ([Item]) -> Double?) {
    guard !items.isEmpty, let value = figure(items) else { return nil }
    self.value = value
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

  /// A share of all: the sum of the parts over the sum of the wholes.
  init?(shareOf counts: [(part: Double, whole: Double)]) {
    self.init(over: counts) { counts in
      let whole = counts.reduce(0) { $0 + $1.whole }
      return whole > 0 ? counts.reduce(0) { $0 + $1.part } / whole : nil
    }
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
