import ContextQuality
import FoundationEssentials
import Testing

/// A facet holds several pieces of evidence.
struct PiecesTests {
  private let physical = Facet(component: "obstacles", name: "physical")
  private let target = Facet(component: "goalClarity", name: "target")

  private func ledger(_ evidence: Evidence..., retracted: Retraction...) -> Ledger {
    var ledger = Ledger()
    ledger.apply(evidence, retracted: retracted)
    return ledger
  }

  @Test func anAdditionStandsBesideWhatWasKnown() throws {
    let ledger = ledger(
      Evidence(facet: physical, quote: "no heavy deadlifts", turn: 1, mark: .clinician),
      Evidence(facet: physical, quote: "hate running", turn: 2))
    #expect(
      ledger.pieces(for: physical).map(\.evidence.text) == ["no heavy deadlifts", "hate running"])
    let stretch = try #require(ledger.latestStretch(of: physical))
    #expect(stretch.evidence.turn == 1 && stretch.newest.text == "hate running")
    #expect(stretch.until == nil && stretch.pieces.count == 2)
  }

  @Test func oneTurnCanSayTwoThings() {
    let ledger = ledger(
      Evidence(facet: physical, quote: "178 cm", turn: 1),
      Evidence(facet: physical, quote: "64 kg", turn: 1),
      Evidence(facet: physical, quote: "178 cm tall", turn: 1))
    #expect(ledger.pieces(for: physical).map(\.evidence.text) == ["178 cm", "64 kg"])
  }

  @Test func aCorrectionEndsThePieceThatItNames() {
    let ledger = ledger(
      Evidence(facet: target, quote: "49:10 over ten", turn: 1),
      Evidence(facet: target, quote: "and a pull-up", turn: 1),
      Evidence(facet: target, quote: "49:50, sorry", turn: 2, corrects: "49:10"))
    #expect(ledger.pieces(for: target).map(\.evidence.text) == ["and a pull-up", "49:50, sorry"])
    #expect(ledger.known(after: 1) == [target] && ledger.known(after: 2) == [target])
  }

  @Test func aFacetIsKnownWhileOnePieceStands() {
    var ledger = ledger(
      Evidence(facet: target, quote: "20 pounds", turn: 1),
      Evidence(facet: target, quote: "my old jeans", turn: 2),
      retracted: Retraction(facet: target, quote: "forget the number", turn: 3, of: "20 pounds"))
    #expect(ledger.pieces(for: target).map(\.evidence.text) == ["my old jeans"])
    ledger.retract(Retraction(facet: target, quote: "never mind the jeans", turn: 4))
    #expect(!ledger.known.contains(target))
    #expect(ledger.latestStretch(of: target)?.until == 4)
    #expect(ledger.known(after: 3) == [target])
  }

  /// Of two alike, the one whose words were named is over.
  @Test func whatIsNamedExactlyIsMeant() {
    let ledger = ledger(
      Evidence(facet: target, quote: "I hate rowing", turn: 1),
      Evidence(facet: target, quote: "I hate rowing machines in hotels", turn: 2),
      retracted: Retraction(facet: target, quote: "I like it now", turn: 3, of: "I hate rowing"))
    #expect(
      ledger.pieces(for: target).map(\.evidence.text) == ["I hate rowing machines in hotels"])
  }

  @Test(arguments: [Evidence.Mark.clinician, .medication, .pregnancy])
  func aMedicalFactEndsOnlyWhenItIsNamedTwice(mark: Evidence.Mark) {
    var ledger = ledger(
      Evidence(facet: physical, quote: "no jumping till she clears me", turn: 1, mark: mark),
      Evidence(facet: physical, quote: "a stiff hip", turn: 2),
      retracted: Retraction(facet: physical, quote: "all good now", turn: 3))
    #expect(ledger.pieces(for: physical).map(\.evidence.text) == ["no jumping till she clears me"])
    #expect(ledger.pieces(for: physical).allSatisfy { $0.doubtedIn == nil })
    ledger.retract(Retraction(facet: physical, quote: "she cleared me", turn: 4, of: "no jumping"))
    #expect(ledger.pieces(for: physical).map(\.doubtedIn) == [4])
    #expect(ledger.known == [physical])
    let doubted = ledger
    // A part of it may be all that is over.
    ledger.retract(Retraction(facet: physical, quote: "yes, cleared", turn: 5, of: "no jumping"))
    #expect(ledger.known == [physical])
    let whole = "no jumping till she clears me"
    ledger.retract(Retraction(facet: physical, quote: "yes, all of it", turn: 6, of: whole))
    #expect(ledger.known.isEmpty)
    // Long after, it's a first time again; said again, it holds.
    var late = doubted
    late.retract(Retraction(facet: physical, quote: "jumped today", turn: 9, of: "no jumping"))
    #expect(late.pieces(for: physical).map(\.doubtedIn) == [9])
    var held = doubted
    held.add(Evidence(facet: physical, quote: "No jumping till she clears me", turn: 5))
    #expect(held.pieces(for: physical).map(\.doubtedIn) == [nil])
  }

  @Test func otherWordsForADoctorsLimitAreOneStill() {
    let ledger = ledger(
      Evidence(facet: physical, quote: "no deadlifts", turn: 1, mark: .clinician),
      Evidence(facet: physical, quote: "no heavy ones, she said", turn: 2, corrects: "no deadlifts")
    )
    #expect(ledger.pieces(for: physical).map(\.evidence.mark) == [.clinician])
  }

  @Test func aConfirmationLeavesTheWordsThatItConfirms() {
    var ledger = Ledger()
    ledger.add(
      Evidence(facet: target, quote: "a half marathon, perhaps", turn: 1, mark: .likely))
    ledger.add(
      Evidence(
        facet: target, quote: "yes, I mean it", turn: 2, mark: .meant,
        corrects: "a half marathon"))
    #expect(ledger.pieces(for: target).map(\.evidence.text) == ["a half marathon, perhaps"])
    #expect(ledger.evidence(for: target)?.mark == nil)
    #expect(ledger.evidence(for: target)?.turn == 1)
  }

  @Test func aConfirmationOfNothingKnownStandsForItself() {
    var ledger = Ledger()
    ledger.add(Evidence(facet: target, quote: "a 10k, yes", turn: 2, mark: .meant, corrects: "5k"))
    #expect(ledger.evidence(for: target)?.text == "a 10k, yes")
    #expect(ledger.evidence(for: target)?.mark == nil)
  }

  @Test func aHalfJokeThatIsSaidAgainIsMeant() {
    let ledger = ledger(
      Evidence(facet: target, quote: "two new shoulders", turn: 1, mark: .likely),
      Evidence(facet: target, quote: "Two new shoulders", turn: 2))
    #expect(ledger.pieces(for: target).map(\.evidence.mark) == [nil])
  }

  @Test func wordsThatNameNoPieceEndOnlyTheOnlyOne() {
    let one = ledger(
      Evidence(facet: target, quote: "my old jeans", turn: 2),
      retracted: Retraction(facet: target, quote: "not the jeans", turn: 3, of: "no"))
    #expect(one.known.isEmpty)
    let ledger = ledger(
      Evidence(facet: target, quote: "20 pounds", turn: 1),
      Evidence(facet: target, quote: "my old jeans", turn: 2),
      retracted: Retraction(facet: target, quote: "not the jeans", turn: 3, of: "no"))
    #expect(ledger.pieces(for: target).map(\.evidence.text) == ["20 pounds", "my old jeans"])
  }

  /// One that lists several ends with all of them.
  @Test func aPartOfADoctorsLimitLeavesTheRest() {
    let whole = "no running, no jumping and nothing over 5 kg"
    let piece = Evidence(facet: physical, quote: whole, turn: 1, mark: .clinician)
    var ledger = ledger(piece)
    for turn in 2...3 {
      ledger.retract(
        Retraction(facet: physical, quote: "I may run", turn: turn, of: "no running"))
      #expect(ledger.pieces(for: physical).map(\.doubtedIn) == [turn])
    }
    ledger.add(
      Evidence(facet: physical, quote: "10 kg is fine", turn: 4, corrects: "nothing over 5 kg"))
    #expect(ledger.pieces(for: physical).map(\.evidence.text).contains("10 kg is fine"))
  }

  @Test func aDoctorsLimitIsNotDisplacedByWordsBesideIt() {
    let limit = "the surgeon forbids squats because of my bad knee"
    let plain = Evidence(facet: physical, quote: "my bad knee", turn: 1)
    let set = Evidence(facet: physical, quote: limit, turn: 1, mark: .clinician)
    for pieces in [[plain, set], [set, plain]] {
      var ledger = Ledger()
      for piece in pieces { ledger.add(piece) }
      #expect(ledger.pieces(for: physical).contains { $0.evidence == set })
    }
  }

  @Test func wordsOlderThanTheTakingBackStayWithdrawn() {
    let ledger = ledger(
      Evidence(facet: target, quote: "20 pounds", turn: 1),
      retracted: Retraction(facet: target, quote: "no number", turn: 3))
    var late = ledger
    late.add(Evidence(facet: target, quote: "by ten kilos", turn: 2))
    #expect(late.known.isEmpty)
  }

  @Test func theMembersSurviveEncoding() throws {
    let evidence = Evidence(
      facet: physical, quote: "no jumping", turn: 3, mark: .clinician, corrects: "no running")
    let data = try JSONEncoder().encode(evidence)
    #expect(try JSONDecoder().decode(Evidence.self, from: data) == evidence)
  }
}
