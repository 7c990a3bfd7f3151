import ContextQuality
import OfflineScorer

/// The rubric's names for facets and components.
struct FacetNames: Sendable {
  private let titles: [String]
  private let components: [String]
  private let scored: [Bool]
  /// Each component's facets, in the scorer's order.
  let facetsByComponent: [[Int]]

  init(_ rubric: Rubric) {
    let facets = OfflineScorer.facets
    titles = facets.map { rubric[$0]?.title ?? $0.name }
    components = facets.map { rubric[component: $0.component]?.title ?? $0.component }
    scored = facets.map { (rubric[$0]?.weight ?? 0) > 0 }
    facetsByComponent = rubric.components.map { component in
      component.facets.compactMap { facets.firstIndex(of: $0.facet) }
    }
  }

  func title(_ facet: Int) -> String { titles.indices.contains(facet) ? titles[facet] : "?" }

  func componentTitle(_ facet: Int) -> String {
    components.indices.contains(facet) ? components[facet] : "?"
  }

  func isScored(_ facet: Int) -> Bool { scored.indices.contains(facet) && scored[facet] }
}
