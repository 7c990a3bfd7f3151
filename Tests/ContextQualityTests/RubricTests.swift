import ContextQuality
import TestSupport
import Testing

struct RubricTests {
  @Test func theFitnessRubricHasTenComponentsAndTwentyFourFacets() throws {
    let rubric = try Fixtures.rubric()
    #expect(rubric.components.count == 10 && rubric.facets.count == 24)
    #expect(rubric.critical == ["goalClarity", "obstacles"])
    #expect(rubric.readyAbove == 8_000 && rubric.criticalUnclearBelow == 50)
    for facet in rubric.facets {
      #expect(!facet.title.isEmpty && !facet.knownWhen.isEmpty, "\(facet.facet)")
    }
  }

  @Test func aPlainWeightIsEnoughForAFacet() throws {
    let rubric = try Rubric(json: json(components: Self.two))
    #expect(rubric[Facet(component: "a", name: "x")]?.weight == 100)
  }

  private static let two = """
    {"name": "a", "weight": 0.5, "facets": {"x": 1.0}},
    {"name": "b", "weight": 0.5, "facets": {"y": 0.4, "z": 0.6}}
    """

  private func json(components: String, critical: String = #""a""#) -> String {
    """
    {
      "version": 1, "readyAbove": 0.8, "criticalUnclearBelow": 0.5,
      "critical": [\(critical)],
      "components": [
        \(components)
      ]
    }
    """
  }

  private func refusal(_ json: String) -> PackError? {
    #expect(throws: PackError.self) { try Rubric(json: json) }
  }

  @Test func weightsThatDoNotSumUpAreNamedWithTheirLine() {
    let error = refusal(
      json(components: Self.two.replacing("\"y\": 0.4", with: "\"y\": 0.3")))
    #expect(error?.description == "rubric.json:6: the facets of b sum to 90%, expected 100%")
  }

  @Test func componentsMustSumToOne() {
    let error = refusal(
      json(
        components: Self.two.replacing("0.5, \"facets\": {\"x\"", with: "0.4, \"facets\": {\"x\"")))
    #expect(error?.reason == "the components' weights sum to 90%, expected 100%")
  }

  @Test func criticalComponentsAloneMustNotPassTheBar() {
    let error = refusal(json(components: Self.two, critical: #""a", "b""#))
    #expect(error?.reason.hasPrefix("the critical components alone are worth 1.0") == true)
  }

  @Test func namesAreUniqueAndKnown() {
    #expect(
      refusal(json(components: Self.two.replacing("\"b\"", with: "\"a\"")))?.reason
        == "component a is defined twice")
    #expect(
      refusal(json(components: Self.two, critical: #""c""#))?.reason
        == "critical names c, which is no component; the rubric has a, b")
  }

  @Test(arguments: ["0.333", "-0.1", "1.5", "\"half\"", "null"])
  func weightsAreWholePercent(weight: String) {
    let broken = Self.two.replacing(
      "0.5, \"facets\": {\"x\"", with: "\(weight), \"facets\": {\"x\"")
    let refused = refusal(json(components: broken))
    #expect(refused?.reason.contains("weight") == true, "\(refused?.reason ?? "accepted")")
  }

  @Test func brokenJSONIsNamedWithItsLine() {
    #expect(refusal("{\n  \"version\": 1,\n}")?.line == 3)
  }
}
