import TestSupport
import Testing

@testable import ContextQuality
@testable import OfflineScorer

/// How agreement between two readings is counted.
struct AgreementTests {
  /// A sanity check of the training and no more: the model has seen these labels.
  @Test func theTrainingTextIsReadAsItIsLabelled() throws {
    let agreement = try Agreement(try Fixtures.rows().map { try ScoredConversation($0) })
    #expect(agreement.figures.f1 > 0.97)
  }

  @Test func agreementWithOneselfIsWhole() {
    var agreement = Agreement(weights: [6000, 4000], readyAbove: 8000)
    agreement.add(truth: [0b01, 0b11, 0], guess: [0b01, 0b11, 0])
    #expect(agreement.figures.f1 == 1)
    #expect(agreement.meanAbsoluteError == 0)
    #expect(agreement.readyAgreement == 1)
    #expect(agreement.spearman == 1)
  }

  @Test func disagreementIsCountedFacetByFacet() {
    var agreement = Agreement(weights: [6000, 4000], readyAbove: 8000)
    agreement.add(truth: [0b01, 0b11], guess: [0b10, 0b11])
    #expect(agreement.figures(of: 0) == Agreement.Figures(precision: 1, recall: 0.5))
    #expect(agreement.figures(of: 1) == Agreement.Figures(precision: 0.5, recall: 1))
    #expect(abs(agreement.meanAbsoluteError - 0.1) < 1e-9)
    #expect(abs(agreement.bias + 0.1) < 1e-9)
  }

  @Test func theTableAddsUpLikeTheRubric() throws {
    let rubric = try Fixtures.rubric()
    let table = ScoreTable(rubric)
    var random = SeededGenerator(seed: 24)
    for _ in 0..<200 {
      let known = UInt32.random(in: 0..<(1 << 24), using: &random)
      let facets = OfflineScorer.facets.enumerated().filter { known >> UInt32($0.offset) & 1 == 1 }
      let components = ContextComponents(known: Set(facets.map(\.element)), rubric: rubric)
      #expect(table.points(known: known) == components.points)
      #expect(
        table.weakest(known: known).map { table.components[$0].name } == components.weakest?.name)
    }
  }
}
