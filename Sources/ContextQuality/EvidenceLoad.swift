/// Limits on facts per word.
///
/// A sentence can be evidence for several facets, but not for all of them. This stops a scorer
/// that was tricked into finding everything everywhere. Beyond a limit, the most specific quotes
/// count and the others do not; far beyond it, none does.
public enum EvidenceLoad {
  /// The most facets per word of a turn.
  public static let mostFacetsPerWord = 4
  /// Words quoted for more facets than this count for none.
  package static let tooManyFacetsPerWord = 8
  /// At this many facets, a turn needs ``leastWordsPerFacet`` words for each.
  public static let denseFacets = 5
  public static let leastWordsPerFacet = 2.5
  /// With fewer words for each, a text is a list of keywords.
  package static let stuffedWordsPerFacet = 1.5

  /// The positions of the claims that exceed the limits for a turn's words.
  public static func overloaded(_ claims: [(facet: Facet, quote: String)], in turn: String) -> Set<
    Int
  > {
    guard Set(claims.map(\.facet)).count > mostFacetsPerWord else { return [] }
    let words = FoldedText(turn).words
    let facets = Set(claims.map(\.facet)).count
    if isStuffed(words: words.count, facets: facets) { return Set(claims.indices) }
    let room = max(denseFacets - 1, Int(Double(words.count) / leastWordsPerFacet))
    let ranges = claims.map { range(of: FoldedText($0.quote).words, in: words) }
    let carried = carried(claims, ranges, words.count)
    var kept = Array(repeating: Set<Facet>(), count: words.count)
    var keptFacets: Set<Facet> = []
    var overloaded: Set<Int> = []
    for claim in claims.indices.sorted(by: { (ranges[$0].count, $0) < (ranges[$1].count, $1) }) {
      let facet = claims[claim].facet
      let isTooMuch = ranges[claim].contains { word in
        carried[word].count > tooManyFacetsPerWord
          || kept[word].union([facet]).count > mostFacetsPerWord
      }
      if isTooMuch || keptFacets.union([facet]).count > room {
        overloaded.insert(claim)
      } else {
        keptFacets.insert(facet)
        for word in ranges[claim] { kept[word].insert(facet) }
      }
    }
    return overloaded
  }

  /// Whether a turn is claimed to say more than its words can. Then none of the claims counts.
  package static func isStuffed(_ facets: Set<Facet>, in turn: String) -> Bool {
    isStuffed(words: FoldedText(turn).words.count, facets: facets.count)
  }

  private static func isStuffed(words: Int, facets: Int) -> Bool {
    facets >= denseFacets && Double(words) < stuffedWordsPerFacet * Double(facets)
  }

  /// The facets that each word is quoted for.
  private static func carried(
    _ claims: [(facet: Facet, quote: String)], _ ranges: [Range<Int>], _ words: Int
  ) -> [Set<Facet>] {
    var carried = Array(repeating: Set<Facet>(), count: words)
    for (claim, range) in zip(claims, ranges) {
      for word in range { carried[word].insert(claim.facet) }
    }
    return carried
  }

  private static func range(of quote: [String], in words: [String]) -> Range<Int> {
    let start = words.indices.first { words[$0...].starts(with: quote) }
    return start.map { $0..<$0 + quote.count } ?? 0..<0
  }
}
