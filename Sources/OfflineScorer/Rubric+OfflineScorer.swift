public import ContextQuality

extension Rubric {
  /// Whether the offline scorer was trained on all of this rubric's facets.
  public var isReadOffline: Bool {
    let trained = Set(OfflineScorer.facets)
    return facets.allSatisfy { trained.contains($0.facet) }
  }
}
