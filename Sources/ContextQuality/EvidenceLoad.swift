/// Limits on facts per word.
///
/// A sentence can be evidence for several facets, but not for all of them. This stops a scorer
/// that was tricked into finding everything everywhere. No labelled conversation comes near the
/// limits.
public enum EvidenceLoad {
  /// The most facets per word of a turn.
  public static let mostFacetsPerWord = 3
  /// At this many facets, a turn needs ``leastWordsPerFacet`` words for each.
  public static let denseFacets = 4
  public static let leastWordsPerFacet = 2.5
  /// With fewer words for each, a text is a list of keywords.
  package static let stuffedWordsPerFacet = 1.5

  /// The positions of the claims that exceed the limits for a turn's words.
  public static func overloaded(_ claims: [(facet: Facet, quote: String)], in turn: String) -> Set<
    Int
  > {
    let words = FoldedText(turn).words
    let facets = Set(claims.map(\.facet)).count
    if facets >= denseFacets, Double(words.count) < leastWordsPerFacet * Double(facets) {
      return Set(claims.indices)
    }
    let ranges = claims.map { range(of: FoldedText($0.quote).words, in: words) }
    var carried = Array(repeating: Set<Facet>(), count: words.count)
    for (claim, range) in zip(claims, ranges) {
      for word in range { carried[word].insert(claim.facet) }
    }
    return Set(
      claims.indices.filter { claim in
        ranges[claim].contains { carried[$0].count > mostFacetsPerWord }
      })
  }

  private static func range(of quote: [String], in words: [String]) -> Range<Int> {
    let start = words.indices.first { words[$0...].starts(with: quote) }
    return start.map { $0..<$0 + quote.count } ?? 0..<0
  }
}
