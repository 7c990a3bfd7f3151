import Testing

@testable import OfflineScorer

/// When the scores of a turn make facets known.
struct KnownFacetsTests {
  private static let least = ScorerModel.LeastMargin(ifAsked: 16, otherwise: 40)

  private func found(_ margins: [Int: Int16], asked: Set<Int>) -> Set<Int> {
    var (lanes, askedLanes) = (SIMD32<Int16>(repeating: -100), SIMD32<Int16>())
    for (facet, margin) in margins { lanes[facet + 8] = margin }
    for facet in asked { askedLanes[facet + 8] = -1 }
    var known = KnownFacets()
    let found = known.take(margins: &lanes, atLeast: Self.least.lanes(asked: askedLanes))
    #expect(found == known.known)
    return Set((0..<24).filter { found >> UInt32($0) & 1 == 1 })
  }

  @Test func whatTheCoachAskedForNeedsLess() {
    #expect(found([9: 20], asked: [9]) == [9])
    #expect(found([9: 20], asked: []).isEmpty)
    #expect(found([9: 20], asked: [10]).isEmpty)
    #expect(found([9: 16], asked: [9]).isEmpty)
  }

  @Test func oneClearFacetIsEnoughForTheOthers() {
    #expect(found([9: 41, 14: 1], asked: []) == [9, 14])
    #expect(found([9: 17, 14: 1], asked: [9]) == [9, 14])
  }
}
