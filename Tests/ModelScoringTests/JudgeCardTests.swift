import BatchScoring
import ContextQuality
import Foundation
import Intake
import Testing

@testable import ModelScoring

/// What a judge card makes of records, each figure from readings in which it must move.
struct JudgeCardTests {
  /// Two conversations of two user turns; the first is labeled.
  private static let input = [
    #"{"id":"a","messages":[{"role":"user","content":"I'm here to lose weight"},"#
      + #"{"role":"assistant","content":"By when?"},{"role":"user","content":"by June"}],"#
      + #""facets":{"goalClarity.outcome":{"turn":1},"goalClarity.timeframe":{"turn":2}}}"#,
    #"{"id":"b","messages":[{"role":"user","content":"hello there"},"#
      + #"{"role":"user","content":"run a marathon"}]}"#,
  ]

  private func plan(
    _ lines: [String] = input, repeats: Int = 2, changes: [HarmlessChange] = [.wording]
  ) throws -> JudgePlan {
    let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString).jsonl"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: path))
    return try JudgePlan(
      [path], repeats: repeats, changes: changes, pack: try PromptPack.embedded())
  }

  private func record(
    _ id: String, _ facets: [String: Int] = [:], points: [Double] = [0.1, 0.2],
    reading: String = #"{"requests":1}"#
  ) -> String {
    let known = facets.sorted { $0.key < $1.key }.map { #""\#($0)":{"turn":\#($1)}"# }
    let turns = points.map { #"{"overall":\#($0)}"# }
    return #"{"id":"\#(id)","overall":0,"facets":{\#(known.joined(separator: ","))},"#
      + #""turns":[\#(turns.joined(separator: ","))],"scorer":"m","reading":\#(reading)}"#
  }

  private func card(_ plan: JudgePlan, _ records: [String]) throws -> JudgeCard {
    let rubric = try PromptPack.embedded().rubric
    return JudgeCard(
      plan, JudgeRecords(lines: Array(records.joined(separator: "\n").utf8)), rubric: rubric,
      pack: "fitness 1")
  }

  @Test func readingsThatSayTheSameMoveNothing() throws {
    let plan = try plan()
    let records = ["a#again-1", "a#again-2", "a#wording", "b#again-1", "b#again-2"].map {
      record($0, ["goalClarity.outcome": 1])
    }
    let card = try card(plan, records)
    // "hello there, run a marathon" has nothing to reword.
    #expect(card.planned == 5 && card.done == 5 && card.shifts[1].conversations == 1)
    for shift in card.shifts {
      #expect(shift.decisions?.value == 0 && shift.endings?.value == 0)
      #expect(shift.facets?.value == 0 && shift.overall?.value == 0)
      #expect(shift.decisions?.low == 0, "two conversations are no proof")
      #expect(shift.decisions.map { $0.high > 0.5 } == true)
    }
    #expect(card.flickers.allSatisfy { $0.flickered == 0 })
    #expect(card.flickers.first?.found == 2)
    #expect(card.errors.isEmpty)
  }

  @Test func aDecisionThatFlipsCountsOnceForItsTurn() throws {
    let card = try card(
      try plan(changes: []),
      [
        record("a#again-1", points: [0.5, 0.81]), record("a#again-2", points: [0.5, 0.8]),
        record("b#again-1", points: [0.9, 0.9]), record("b#again-2", points: [0.9, 0.9]),
      ])
    let shift = try #require(card.shifts.first)
    #expect(shift.decisions?.value == 0.25)
    #expect(shift.endings?.value == 0.5)
    #expect(shift.overall.map { abs($0.value - 0.005) < 1e-9 } == true)
    #expect(shift.decisions.map { $0.low < 0.05 && $0.high > 0.6 } == true)
  }

  @Test func facetsThatFlickerAreNamedTheMostUnsteadyFirst() throws {
    let card = try card(
      try plan(changes: []),
      [
        record("a#again-1", ["goalClarity.outcome": 1, "goalClarity.timeframe": 2]),
        record("a#again-2", ["goalClarity.outcome": 1]),
        record("b#again-1", ["goalClarity.outcome": 2]),
        record("b#again-2", ["goalClarity.outcome": 2]),
      ])
    #expect(card.flickers.first?.facet == Facet("goalClarity.timeframe"))
    #expect(card.flickers.first?.flickered == 1 && card.flickers.first?.found == 1)
    let facets = try #require(card.shifts.first?.facets)
    #expect(abs(facets.value - 1.0 / 3) < 1e-9)
  }

  @Test func quotesAndCostAddUp() throws {
    let one =
      #"{"accepted":5,"snapped":2,"snaps":{"spelling":2},"refused":{"quote notVerbatim":3},"#
      + #""requests":2,"inputTokens":100,"outputTokens":10,"milliseconds":400}"#
    let other =
      #"{"accepted":1,"refused":{"unknown facet":1},"requests":1,"uncounted":1,"#
      + #""milliseconds":200}"#
    let card = try card(
      try plan(changes: []),
      [record("a#again-1", reading: one), record("b#again-1", reading: other)])
    #expect(card.quotes.verbatim == 4 && card.quotes.snapped == 2 && card.quotes.refused == 4)
    #expect(card.quotes.offered == 10)
    #expect(card.quotes.refusals.map(\.count) == [3, 1])
    #expect(card.cost.requests == 3 && card.cost.repairs == 1 && card.cost.uncounted == 1)
    #expect(card.cost.inputTokens == 100 && card.cost.outputTokens == 10)
    #expect(card.cost.milliseconds == 600 && card.cost.medianMilliseconds == 400)
  }

  @Test func labelsAreComparedOverEveryPrefix() throws {
    let card = try card(
      try plan(changes: []),
      [
        // After turn 1 right; after turn 2 one of two, and one that isn't there.
        record("a#again-1", ["goalClarity.outcome": 1, "goalClarity.motive": 2]),
        record("b#again-1", ["goalClarity.outcome": 2]),
      ])
    let labels = try #require(card.labels)
    #expect(labels.conversations == 1 && labels.prefixes == 2)
    #expect(labels.precision.map { abs($0.value - 2.0 / 3) < 1e-9 } == true)
    #expect(labels.recall.map { abs($0.value - 2.0 / 3) < 1e-9 } == true)
    #expect(labels.error.map { $0.value > 0 } == true)
    #expect(try self.card(try plan([Self.input[1]]), []).labels == nil)
  }

  @Test func failedReadingsAreCountedAndNamedUntilTheySucceed() throws {
    let plan = try plan(changes: [])
    let failure = #"{"id":"a#again-2","error":"flagged"}"#
    let records = [record("a#again-1"), failure, record("b#again-1"), record("b#again-2")]
    let card = try card(plan, records)
    #expect(card.errors == [JudgeCard.Count(name: "flagged", count: 1)])
    #expect(card.done == 3 && card.shifts.first?.conversations == 1)
    let mended = try self.card(plan, records + [record("a#again-2")])
    #expect(mended.errors.isEmpty && mended.done == 4)
  }

  @Test func unusableInputIsNamedBeforeAnythingIsSent() throws {
    let id = try #require(
      #expect(throws: JudgePlan.Unusable.self) {
        _ = try plan([Self.input[0], Self.input[0]])
      })
    #expect(id.description.contains(":2: the id \"a\" stands at"))
    let label = Self.input[0].replacing("goalClarity.timeframe", with: "goalClarity.color")
    let facet = try #require(#expect(throws: JudgePlan.Unusable.self) { _ = try plan([label]) })
    #expect(facet.description.contains("facets: goalClarity.color"))
  }
}

struct EstimateTests {
  /// Wilson's interval for 0 of 3 ends at z² ÷ (n + z²), 56 %.
  @Test func nothingOfThreeIsNoProof() throws {
    let none = try #require(Estimate(shareOf: [(0, 4), (0, 5), (0, 1)]))
    #expect(none.value == 0 && none.low == 0 && abs(none.high - 0.5615) < 0.0005)
    let all = try #require(Estimate(shareOf: [(4, 4), (5, 5), (1, 1)]))
    #expect(all.high == 1 && abs(all.low - (1 - none.high)) < 1e-9)
    #expect(Estimate(shareOf: []) == nil && Estimate(shareOf: [(0, 0)]) == nil)
  }

  /// 5 of 10 independent counts: 23.7 % to 76.3 %.
  @Test func independentCountsAreWilsons() throws {
    let counts = (0..<10).map { (part: Double($0 % 2), whole: 1.0) }
    let half = try #require(Estimate(shareOf: counts))
    #expect(abs(half.low - 0.237) < 0.02 && abs(half.high - 0.763) < 0.02)
    let many = try #require(
      Estimate(shareOf: (0..<1_000).map { (part: Double($0 % 2), whole: 1.0) }))
    #expect(many.high - many.low < 0.07)
  }

  /// Ten counts of one conversation that agree are one count.
  @Test func countsOfOneConversationAreNotIndependent() throws {
    let clustered = try #require(Estimate(shareOf: [(10, 10), (0, 10), (10, 10), (0, 10)]))
    let loose = try #require(
      Estimate(shareOf: (0..<40).map { (part: Double($0 % 2), whole: 1.0) }))
    #expect(clustered.high - clustered.low > loose.high - loose.low)
  }
}
