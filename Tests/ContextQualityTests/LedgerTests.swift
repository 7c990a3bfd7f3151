import ContextQuality
import Testing

struct LedgerTests {
  private let outcome = Facet(component: "goalClarity", name: "outcome")

  @Test func aKnownFacetStaysKnown() {
    var ledger = Ledger()
    ledger.record(Evidence(facet: outcome, quote: "lose 20 lb", turn: 1))
    ledger.record(Evidence(facet: outcome, quote: "lose 20 lb", turn: 1))
    #expect(ledger.entries.count == 1)
    #expect(ledger.known(after: 0) == [] && ledger.known(after: 9) == [outcome])
  }

  /// Settled case 15: unknown from the turn that takes it back, and known before.
  @Test func takingBackCountsFromItsTurn() {
    var ledger = Ledger()
    ledger.record(Evidence(facet: outcome, quote: "lose 20 lb", turn: 1))
    ledger.retract(Retraction(facet: outcome, quote: "forget the 20 lb", turn: 3))
    #expect(ledger.known(after: 2) == [outcome])
    #expect(ledger.known(after: 3).isEmpty && ledger.known.isEmpty)
    #expect(ledger.entries.first?.until == 3)
    #expect(ledger.entries.first?.retractionQuote == "forget the 20 lb")
  }

  @Test func aCorrectionCountsWithItsNewQuote() {
    var ledger = Ledger()
    ledger.record(Evidence(facet: outcome, quote: "lose 20 lb", turn: 1))
    ledger.record(Evidence(facet: outcome, quote: "just want to sleep", turn: 2))
    #expect(ledger.evidence(for: outcome)?.text == "just want to sleep")
    #expect((1...3).allSatisfy { ledger.known(after: $0) == [outcome] })
  }

  @Test func retractionAndCorrectionInOneTurnLeaveItKnown() {
    var ledger = Ledger()
    ledger.record(Evidence(facet: outcome, quote: "lose 20 lb", turn: 1))
    ledger.retract(Retraction(facet: outcome, quote: "forget the 20 lb", turn: 2))
    ledger.record(Evidence(facet: outcome, quote: "I just want to sleep", turn: 2))
    #expect(ledger.known(after: 2) == [outcome])
  }

  @Test func withdrawnWordsDoNotComeBack() {
    var ledger = Ledger()
    ledger.record(Evidence(facet: outcome, quote: "lose 20 lb", turn: 1))
    ledger.retract(Retraction(facet: outcome, quote: "forget the 20 lb", turn: 3))
    ledger.record(Evidence(facet: outcome, quote: "lose 20 lb", turn: 1))
    #expect(ledger.known.isEmpty)
  }

  @Test func takingBackWhatIsNotKnownChangesNothing() {
    var ledger = Ledger()
    ledger.retract(Retraction(facet: outcome, quote: "forget it", turn: 1))
    #expect(ledger.entries.isEmpty)
  }

  @Test func aReadingIsKnownBeforeTheFirstTurn() {
    var ledger = Ledger()
    let activity = Facet(component: "currentState", name: "activity")
    ledger.record(
      Evidence(facet: activity, basis: .reading("7,412 steps a day", source: "Apple Health")))
    #expect(ledger.known(after: 0) == [activity])
  }
}
