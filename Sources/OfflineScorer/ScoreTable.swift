public import ContextQuality

/// The rubric's arithmetic on facet sets, for scoring millions of them.
public struct ScoreTable: Sendable {
  public struct Component: Sendable {
    public let name: String
    /// The share of the overall score, in percent.
    public let weight: Int
    /// The bits of its facets.
    public let facets: UInt32
    public let isCritical: Bool
  }

  public let components: [Component]
  public let readyAbove: Int
  private let criticalUnclearBelow: Int
  /// Each facet's share of its component, in percent, by bit.
  private let facetWeights: [Int]
  /// Each facet's share of the overall score, in ten-thousandths.
  public private(set) var points: [Int] = []
  /// What each byte of a set adds to the overall points: 256 values for each of three bytes.
  private var pointsByByte: [Int] = []

  public init(_ rubric: Rubric) {
    var weights = Array(repeating: 0, count: OfflineScorer.facets.count)
    components = rubric.components.map { component in
      var bits: UInt32 = 0
      for definition in component.facets {
        guard let bit = OfflineScorer.facets.firstIndex(of: definition.facet) else { continue }
        bits |= 1 << UInt32(bit)
        weights[bit] = definition.weight
      }
      return Component(
        name: component.name, weight: component.weight, facets: bits,
        isCritical: rubric.critical.contains(component.name))
    }
    facetWeights = weights
    readyAbove = rubric.readyAbove
    criticalUnclearBelow = rubric.criticalUnclearBelow
    points = facetWeights.indices.map { bit in
      let component = components.first { $0.facets >> UInt32(bit) & 1 == 1 }
      return (component?.weight ?? 0) * facetWeights[bit]
    }
    pointsByByte = (0..<3 * 256).map { index in
      (0..<8).reduce(0) { sum, bit in
        let facet = index / 256 * 8 + bit
        return index >> bit & 1 == 1 && facet < points.count ? sum + points[facet] : sum
      }
    }
  }

  /// A component's score in percent.
  public func percent(_ component: Int, known: UInt32) -> Int {
    var bits = components[component].facets & known
    var sum = 0
    while bits != 0 {
      sum += facetWeights[bits.trailingZeroBitCount]
      bits &= bits &- 1
    }
    return sum
  }

  /// The overall score in ten-thousandths.
  public func points(known: UInt32) -> Int {
    pointsByByte[Int(known & 255)] + pointsByByte[Int(256 + (known >> 8 & 255))]
      + pointsByByte[Int(512 + (known >> 16 & 255))]
  }

  /// The component that the next question would be about, like `ContextComponents.weakest`.
  public func weakest(known: UInt32) -> Int? {
    var best: (index: Int, rank: Int)?
    for index in components.indices {
      let percent = percent(index, known: known)
      guard percent < 100 else { continue }
      let isUnclear = components[index].isCritical && percent < criticalUnclearBelow
      let rank = components[index].weight * (100 - percent) + (isUnclear ? 100_000 : 0)
      if rank > best?.rank ?? -1 { best = (index, rank) }
    }
    return best?.index
  }
}
