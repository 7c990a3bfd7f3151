import IncrementalJSON
import Journeys
import Testing

/// Changes to a goal in words, by rules.
struct GoalEditTests {
  @Test(
    arguments: [
      (
        "by the end of August", "Goal: Run a 10k by the end of August",
        "By when: by the end of August"
      ),
      ("make it six months", "Goal: Run a 10k in six months", "By when: in six months"),
      ("make it 5k", "Goal: Run a 5k by June", nil),
      ("make it 5k by May, please", "Goal: Run a 5k by May", "By when: by May"),
      ("because I want to keep up with Mia", "Why: I want to keep up with Mia", nil),
      ("track it with my watch.", "Measured by: My watch", nil),
      ("add a milestone: 5k without a break", "Milestone: 5k without a break", nil),
      ("Change the goal to swim a mile by May", "Goal: Swim a mile by May", "By when: by May"),
    ] as [(String, String, String?)])
  func theRehearsalChangesTheGoalInTheirWords(
    words: String, row: String, other: String?
  ) async throws {
    let (engine, before) = try await Plan.answered(try Plan.walk())
    let shown = try await engine.answer(.string(words))
    #expect(shown.problem == nil && shown.document?.state == .changing)
    #expect(shown.diff.contains { $0.change == .added && $0.text == row }, "\(shown.diff)")
    let changed = Plan.rows(try await engine.answer("apply"))
    #expect(changed.contains(row) && changed.contains(other ?? row), "\(changed)")
    let isQuoted = changed.contains("Rests on: “Run a 10k by June”")
    #expect(isQuoted == changed.contains(Plan.rows(before)[0]))
    #expect(try await engine.answer("undo").rows == before.rows)
  }

  @Test func theRehearsalLeavesAFieldOutAndRefusesWhatTheyDislike() async throws {
    let (engine, _) = try await Plan.answered(try Plan.walk())
    _ = try await engine.answer("because of Mia")
    #expect(Plan.rows(try await engine.answer("apply")).contains("Why: Mia"))
    _ = try await engine.answer("drop the reason")
    #expect(!Plan.rows(try await engine.answer("apply")).contains { $0.hasPrefix("Why") })
    let risky = try await engine.answer("my goal is to do 100 burpees")
    #expect(risky.refusal?.contains("I hate burpees") == true, "\(risky.refusal ?? "")")
    _ = try await engine.answer("discard")
    let lost = try await engine.answer("sing to me")
    #expect(lost.problem?.contains("rehearsal") == true && lost.document?.state == .draft)
    // The goal is never left out.
    #expect(try await engine.answer("no goal").problem?.isEmpty == false)
  }

  @Test(
    arguments: [
      ("Lose weight by June", "make it 8 kg", "Goal: Lose 8 kg by June"),
      ("I want to lose some weight", "make it 8 kg, please", "Goal: I want to lose 8 kg"),
      ("Lose 5 kg by June", "make it 8 kg", "Goal: Lose 8 kg by June"),
    ])
  func anAmountGoesIntoTheGoal(goal: String, words: String, row: String) async throws {
    let (engine, _) = try await Plan.answered(try Plan.walk(), ["goal": goal])
    try await engine.answer("measured by 5 kg less on the scale")
    try await engine.answer("apply")
    try await engine.answer(.string(words))
    let rows = Plan.rows(try await engine.answer("apply"))
    #expect(rows.contains(row) && rows.contains("Measured by: 8 kg less on the scale"), "\(rows)")
  }

  @Test func anAmountWithoutAPlaceIsAskedAbout() async throws {
    let (engine, before) = try await Plan.answered(try Plan.walk(), ["goal": "Feel better"])
    let asked = try await engine.answer("make it 8 kg, please")
    #expect(asked.problem?.hasPrefix("Your goal has no place for 8 kg.") == true)
    #expect(asked.rows == before.rows && asked.document?.state == .draft)
  }

  /// "Down to 75 kg" isn't by how much.
  @Test func aLevelIsNotReplacedByADifference() async throws {
    let (engine, _) = try await Plan.answered(try Plan.walk(), ["goal": "Lose weight"])
    try await engine.answer("measured by getting down to 75 kg")
    try await engine.answer("apply")
    try await engine.answer("make it 8 kg")
    let rows = Plan.rows(try await engine.answer("apply"))
    #expect(rows.contains("Measured by: Getting down to 75 kg"), "\(rows)")
  }

  @Test func anotherGoalIsNotMeasuredByTheOldOnesMeasure() async throws {
    let (engine, _) = try await Plan.answered(try Plan.walk())
    try await engine.answer("measured by my watch")
    try await engine.answer("apply")
    let shown = try await engine.answer("my goal is to swim a mile")
    #expect(shown.diff.contains { $0.change == .removed && $0.text == "Measured by: My watch" })
  }
}
