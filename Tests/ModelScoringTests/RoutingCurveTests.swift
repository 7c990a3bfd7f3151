import BatchScoring
import ContextQuality
import Intake
import OfflineScorer
import Testing

/// How many ready decisions are wrong, by how much is sent on.
struct RoutingCurveTests {
  private let table: ScoreTable
  private let all: UInt32 = 1 << 24 - 1

  init() throws { table = ScoreTable(try PromptPack.embedded().rubric) }

  private func decisions(_ truth: [UInt32], _ guess: [UInt32]) -> RoutingCurve.Decisions {
    RoutingCurve.Decisions(truth: truth, guess: guess, table)
  }

  @Test func aDecisionIsWrongWhereOnlyOneOfTheTwoIsReady() {
    let found = decisions([0, all, all], [0, 1, all])
    #expect(found.wrong == 1 && found.count == 3)
    #expect(decisions([0b11], [0b1]).wrong == 0)
  }

  @Test func eachStepTakesTheModelsAnswersInTheOrderTheyWereChosen() {
    let right = decisions([all], [all])
    let wrong = decisions([all], [0])
    let curve = RoutingCurve(cases: [
      .init(offline: wrong, model: right, rank: 1), .init(offline: right),
      .init(offline: right, model: wrong, rank: 2), .init(offline: wrong, model: right, rank: 0),
    ])
    #expect(curve.points.map(\.share) == [0, 0.25, 0.5, 0.75])
    #expect(curve.points.map(\.wrong.value) == [0.5, 0.25, 0, 0.25])
    #expect(curve.points.allSatisfy { $0.wrong.low <= $0.wrong.value })
    #expect(curve.points.allSatisfy { $0.wrong.value <= $0.wrong.high })
    #expect(curve.points[0].wrong.high > 0.5)
  }

  @Test func withoutConversationsThereIsNoCurve() {
    #expect(RoutingCurve(cases: []).points.isEmpty)
  }
}
