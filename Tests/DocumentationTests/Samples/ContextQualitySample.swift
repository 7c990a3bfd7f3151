import ContextQuality
import Testing

@Suite struct ContextQualitySample {
  @Test func aScoreRestsOnQuotes() throws {
    let rubric = try Rubric(
      json: """
        {"version": 1, "readyAbove": 0.8, "critical": ["goal"], "criticalUnclearBelow": 0.5,
         "components": [
           {"name": "goal", "weight": 0.6, "facets": {"outcome": 0.5, "date": 0.5}},
           {"name": "time", "weight": 0.4, "facets": {"days": 1.0}}]}
        """)

    let turn = "I want to run a 10k. Tuesdays and Thursdays work."
    let claims = [
      Evidence(facet: Facet(component: "goal", name: "outcome"), quote: "run a 10k", turn: 1),
      Evidence(facet: Facet(component: "goal", name: "date"), quote: "by October", turn: 1),
      Evidence(facet: Facet(component: "time", name: "days"), quote: "Tuesdays", turn: 1),
    ]
    var ledger = Ledger()
    for claim in claims where QuoteFitter.refusal(of: claim.text, in: turn) == nil {
      ledger.record(claim)  // "by October" isn't in the turn, so it never gets here.
    }

    let components = ContextComponents(known: ledger.known, rubric: rubric)
    #expect(components.overall == 0.7)
    #expect(!components.isReadyForCoaching)
    #expect(components.weakest?.name == "goal")
  }
}
