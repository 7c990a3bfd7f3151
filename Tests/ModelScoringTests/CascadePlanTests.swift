import BatchScoring
import ContextQuality
import Intake
import LanguageModels
import OfflineScorer
import Testing

@testable import ModelScoring

/// Which conversations a model reads, and what that may cost.
struct CascadePlanTests {
  private func candidates(_ worths: [Double], tokens: [Int]? = nil) -> [CascadeCandidate] {
    worths.indices.map { CascadeCandidate(worth: worths[$0], tokens: tokens?[$0] ?? 100) }
  }

  @Test func aShareOfTheConversationsGoesToThoseThatMayChangeMost() {
    let plan = CascadePlan(candidates([1, 5, 2, 9, 3, 0, 4, 6, 8, 7]), budget: .share(0.3))
    #expect(plan.rank == [3: 0, 8: 1, 9: 2])
    #expect(plan.tokens == 300)
  }

  @Test(arguments: [(0.1, 0), (0.2, 1), (0.39, 1), (0.4, 2), (1, 4)])
  func neverMoreThanTheShareAndNothingThatCannotChange(share: Double, count: Int) {
    #expect(CascadePlan(candidates([1, 2, 0, 3, 4]), budget: .share(share)).rank.count == count)
  }

  @Test func tokensGoWhereEachChangesMost() {
    // 9 for 900, 5 for 100, 2 for 100: the first is dear.
    let plan = CascadePlan(
      candidates([9, 5, 2], tokens: [900, 100, 100]), budget: .tokens(950))
    #expect(plan.rank == [1: 0, 2: 1])
    #expect(CascadePlan(candidates([9], tokens: [900]), budget: .tokens(899)).rank.isEmpty)
  }

  @Test func equalOnesAreTakenInTheOrderOfTheInput() {
    #expect(
      CascadePlan(candidates([1, 1, 1, 1]), budget: .share(0.5)).rank == [0: 0, 1: 1])
  }

  private func reading(_ text: String) throws -> (OfflineReading, ScoreTable) {
    let table = ScoreTable(try PromptPack.embedded().rubric)
    let readers = OfflineReaders(table: table, encoder: nil, budget: nil)
    let transcript = Transcript([
      .init(.coach, "What would you like to change?"), .init(.user, text),
    ])
    return (readers.read(transcript, turns: nil), table)
  }

  @Test func anUnclearConversationIsWorthMoreThanAClearOne() throws {
    let (clear, table) = try reading("ok")
    let (unclear, _) = try reading(
      "well I could do with less belly and more puff I reckon, the stairs at work do me in and the "
        + "evenings are when I'd fit it in if at all")
    #expect(unclear.worth(table, isUnread: false) > 2 * clear.worth(table, isUnread: false))
    #expect(clear.worth(table, isUnread: true) > unclear.worth(table, isUnread: false))
    #expect(clear.tiers == [.linear])
  }

  private var usage: ModelUsage {
    var usage = ModelUsage()
    (usage.requests, usage.inputTokens, usage.outputTokens) = (1, 140, 10)
    return usage
  }

  @Test func estimatesThatAreTooLowDontBreakTheBudget() {
    let plan = CascadePlan(candidates([4, 3, 2, 1]), budget: .tokens(400))
    let spending = CascadeSpending(plan, budget: .tokens(400))
    #expect(plan.rank.count == 4)
    for _ in 0..<2 {
      #expect(spending.reserve(tokens: 100) == nil)
      spending.answered(100, usage)
    }
    #expect(spending.reserve(tokens: 100) == "not sent: the budget is spent")
    #expect(spending.totals.tokens == 300)
    #expect(spending.totals.kept == 1)
  }

  @Test func aModelThatIsGoneIsAskedNothingMore() {
    let plan = CascadePlan(candidates([4, 3, 2, 1]), budget: .share(1))
    let spending = CascadeSpending(plan, budget: .share(1))
    for _ in 0..<2 { #expect(spending.reserve(tokens: 100) == nil) }
    let error = ModelError(.unauthorized, detail: "no")
    #expect(spending.stop(100, ModelUsage(), error) == error.description)
    let late = spending.stop(100, ModelUsage(), ModelError(.cancelled, detail: "over"))
    #expect(late == "not sent: the model stopped answering")
    #expect(spending.reserve(tokens: 100) == late)
    #expect(spending.totals.sent == 1 && spending.totals.kept == 3)
    #expect(spending.totals.halt == .noModel(error))
  }
}
