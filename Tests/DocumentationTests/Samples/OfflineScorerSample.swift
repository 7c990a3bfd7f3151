import ContextQuality
import OfflineScorer
import Testing

@Suite struct OfflineScorerSample {
  @Test func aTranscriptIsReadWithoutAModel() {
    let transcript = Transcript([
      .init(.coach, "What would you like to change?"),
      .init(.user, "I want to lose 20 pounds by June so I can keep up with my kids."),
    ])
    let ledger = OfflineScorer().ledger(of: transcript)
    for entry in ledger.entries {
      print(entry.evidence.facet, entry.evidence.text)
    }
    let outcome = Facet(component: "goalClarity", name: "outcome")
    #expect(ledger.evidence(for: outcome)?.text.contains("lose 20 pounds") == true)
  }
}
