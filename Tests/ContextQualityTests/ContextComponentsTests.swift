import ContextQuality
import TestSupport
import Testing

struct ContextComponentsTests {
  let rubric: Rubric

  init() throws { rubric = try Fixtures.rubric() }

  private func components(_ known: Set<Facet>) -> ContextComponents {
    ContextComponents(known: known, rubric: rubric)
  }

  @Test func nothingKnownIsZeroAndEverythingIsOne() {
    #expect(components([]).points == 0)
    let all = components(Set(rubric.facets.map(\.facet)))
    #expect(all.points == 10_000 && all.overall == 1 && all.weakest == nil && all.lowest() == nil)
  }

  @Test func aFacetIsWorthItsWeightTimesTheComponents() {
    #expect(components(known("goalClarity.outcome")).points == 875)
    #expect(components(known("energyPatterns.bestTime")).points == 100)
  }

  /// goalClarity and obstacles whole (5000), exercisePreferences and currentState whole (2500),
  /// and 500 more: 0.80 to the last digit.
  @Test func eightyPercentExactlyIsNotReady() {
    let names = [
      "goalClarity.outcome", "goalClarity.target", "goalClarity.timeframe", "goalClarity.motive",
      "obstacles.barrier", "obstacles.detail", "obstacles.physical",
      "exercisePreferences.activities", "exercisePreferences.dislikes",
      "exercisePreferences.access", "currentState.activity", "currentState.body",
      "currentState.capacity", "nutritionReadiness.eating", "nutritionReadiness.willingness",
    ]
    let exactly = Set(names.compactMap { Facet($0) })
    #expect(components(exactly).points == 8_000)
    #expect(components(exactly).overall == 0.8)
    #expect(!components(exactly).isReadyForCoaching)
    #expect(components(exactly.union(known("supportSystem.people"))).isReadyForCoaching)
  }

  /// Every subset's points are the sum of its facets' own: nothing is counted twice or lost.
  @Test func pointsAddUpForAnySubset() {
    var random = SplitMix(seed: 7)
    for _ in 0..<500 {
      let subset = Set(rubric.facets.map(\.facet).filter { _ in random.next() % 2 == 0 })
      let sum = subset.reduce(0) { $0 + components([$1]).points }
      #expect(components(subset).points == sum)
      #expect((0...10_000).contains(sum))
    }
  }

  @Test func unclearCriticalComponentsComeFirst() {
    let scores = components(known("goalClarity.outcome", "goalClarity.target"))
    #expect(scores.missingCritical.map(\.name) == ["obstacles"])
    #expect(scores.weakest?.name == "obstacles")
  }

  @Test func thenTheLargestShortfall() {
    let scores = components(
      known(
        "goalClarity.outcome", "goalClarity.target", "goalClarity.motive", "obstacles.barrier",
        "obstacles.detail"))
    #expect(scores.missingCritical.isEmpty)
    let order = scores.weakest(excluding: []).map(\.name)
    #expect(order.prefix(3) == ["exercisePreferences", "currentState", "lifestyle"])
    #expect(order.last == "supportSystem")
  }

  @Test func lowestIsTheLowestRawScoreAndNotTheWeakest() {
    let scores = components(known("exercisePreferences.activities", "obstacles.barrier"))
    #expect(scores.lowest()?.name == "goalClarity")
    #expect(scores.lowest(excluding: ["goalClarity"])?.name == "currentState")
  }

  @Test func whatIsSetAsideIsNotAskedAbout() {
    #expect(components([]).weakest(excluding: ["goalClarity"]).first?.name == "obstacles")
    #expect(!components([]).weakest(excluding: ["goalClarity"]).map(\.name).contains("goalClarity"))
  }
}

/// A small seeded generator, so that a failure can be repeated.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
