/// How well the coach understands the user: component scores and an overall score.
///
/// All sums are integers, so 0.80 is exactly 0.80. Component scores are in percent (0…100); the
/// overall score is in ten-thousandths (0…10000).
public struct ContextComponents: Hashable, Sendable {
  public struct Component: Hashable, Sendable {
    public let name: String
    /// Share of the overall score, in percent.
    public let weight: Int
    /// Sum of the weights of the known facets, 0…100.
    public let percent: Int

    /// 0…1.
    public var score: Double { Double(percent) / 100 }
    /// How much this lowers the overall score, in ten-thousandths.
    public var shortfall: Int { weight * (100 - percent) }
  }

  /// In the rubric's order.
  public let components: [Component]
  /// Ready means more than this many ten-thousandths.
  public let readyAbove: Int
  private let critical: Set<String>
  private let criticalUnclearBelow: Int

  public init(known: Set<Facet>, rubric: Rubric, readyAbove: Int? = nil) {
    components = rubric.components.map { component in
      let percent = component.facets.lazy
        .filter { known.contains($0.facet) }
        .reduce(0) { $0 + $1.weight }
      return Component(name: component.name, weight: component.weight, percent: percent)
    }
    self.readyAbove = readyAbove ?? rubric.readyAbove
    critical = Set(rubric.critical)
    criticalUnclearBelow = rubric.criticalUnclearBelow
  }

  /// The overall score in ten-thousandths, 0…10000.
  public var points: Int { components.reduce(0) { $0 + $1.weight * $1.percent } }

  /// The overall score, 0…1.
  public var overall: Double { Double(points) / 10_000 }

  /// Whether the coach knows enough: strictly more than the threshold. 0.8 exactly is not ready.
  public var isReadyForCoaching: Bool { points > readyAbove }

  /// Below half, the coach promises only a careful start.
  package var isMinimal: Bool { points < 5_000 }

  /// How well the coach understands the user, from 0 (nothing yet) to 4 (ready): coarse enough to
  /// show to anyone.
  public var understanding: Int {
    if isReadyForCoaching { return 4 }
    return points == 0 ? 0 : min(3, 1 + points * 3 / max(1, readyAbove))
  }

  /// Critical components that are still unclear, largest shortfall first.
  public var missingCritical: [Component] {
    components.filter { critical.contains($0.name) && $0.percent < criticalUnclearBelow }
      .sortedByShortfall()
  }

  /// The component with the lowest raw score; nil when all are complete.
  public func lowest(excluding setAside: Set<String> = []) -> Component? {
    components.filter { $0.percent < 100 && !setAside.contains($0.name) }
      .min { $0.percent < $1.percent }
  }

  /// The component to ask about next: an unclear critical one first, then the one with the largest
  /// shortfall. Nil if nothing is left to ask.
  public var weakest: Component? { weakest(excluding: []).first }

  /// Components to ask about, most worthwhile first.
  public func weakest(excluding setAside: Set<String>) -> [Component] {
    let open = components.filter { $0.percent < 100 && !setAside.contains($0.name) }
    let unclear = Set(missingCritical.map(\.name))
    return open.filter { unclear.contains($0.name) }.sortedByShortfall()
      + open.filter { !unclear.contains($0.name) }.sortedByShortfall()
  }

  public subscript(name: String) -> Component? { components.first { $0.name == name } }
}

extension [ContextComponents.Component] {
  /// Largest first; ties keep the rubric's order.
  fileprivate func sortedByShortfall() -> Self {
    enumerated().sorted { left, right in
      (right.element.shortfall, left.offset) < (left.element.shortfall, right.offset)
    }.map(\.element)
  }
}
