import IncrementalJSON
import Journeys
import Testing

/// Changes to a goal in words, by rules.
struct GoalEditTests {
  @Test(
    arguments: [
      (
        "by the end of August", "Goal: Run a 10k by the end of August",
        "By when: The end of August"
      ),
      ("make it six months", "Goal: Run a 10k in six months", "By when: in six months"),
      ("make it 5k", "Goal: Run a 5k by June", nil),
      ("make it 5k by May, please", "Goal: Run a 5k by May", "By when: May"),
      ("by August 2027", "By when: August 2027", "Goal: Run a 10k by August 2027"),
      ("by March 15th, 2027", "By when: March 15th, 2027", nil),
      (
        "add milestone 5 pounds by March", "Milestone: 5 pounds by March", "Goal: Run a 10k by June"
      ),
      ("first milestone: 5k", "Milestone: 5k", "Goal: Run a 10k by June"),
      ("change the milestone to 6k", "Milestone: 6k", "Goal: Run a 10k by June"),
      ("make the milestone 6k", "Milestone: 6k", "Goal: Run a 10k by June"),
      ("because I want to keep up with Mia", "Why: I want to keep up with Mia", nil),
      ("track it with my watch.", "Measured by: My watch", nil),
      ("add a milestone: 5k without a break", "Milestone: 5k without a break", nil),
      ("Change the goal to swim a mile by May", "Goal: Swim a mile by May", "By when: May"),
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

  @Test(arguments: [
    "make it more ambitious", "make it realistic", "make it shorter", "make it a bit easier",
    "5k as a milestone",
  ])
  func whatNamesNoGoalLeavesItAlone(words: String) async throws {
    let (engine, before) = try await Plan.answered(try Plan.walk())
    let shown = try await engine.answer(.string(words))
    #expect(shown.problem?.contains("rehearsal") == true && shown.rows == before.rows)
  }

  @Test func theMilestoneThatIsThereIsTheOneThatChanges() async throws {
    let (engine, _) = try await Plan.answered(try Plan.walk(), ["goal": "Lose 10 pounds"])
    try await engine.answer("add a milestone: 4 pounds")
    try await engine.answer("apply")
    try await engine.answer("change the milestone to 6 pounds")
    let rows = Plan.rows(try await engine.answer("apply"))
    #expect(rows.contains("Goal: Lose 10 pounds") && rows.contains("Milestone: 6 pounds"))
    #expect(!rows.contains("Milestone: 4 pounds"))
    try await engine.answer("next milestone 8 pounds")
    try await engine.answer("apply")
    let asked = try await engine.answer("change the milestone to 7 pounds")
    #expect(asked.problem?.contains("several milestones") == true)
  }

  @Test func anotherUnitTakesAnAmountsPlace() async throws {
    let (engine, _) = try await Plan.answered(try Plan.walk(), ["goal": "Lose 10 pounds by June"])
    try await engine.answer("lose 5 kg instead")
    #expect(Plan.rows(try await engine.answer("apply")).contains("Goal: Lose 5 kg by June"))
  }

  @Test(arguments: [
    ("I don't want to lose weight, just feel less tired", "Feel less tired"),
    ("I'm not trying to lose weight but to sleep better", "To sleep better"),
    ("I want to run, I don't care about speed", "I want to run"),
    ("I don't want to get weaker", "I don't want to get weaker"),
  ])
  func theGoalIsWhatTheyWant(goal: String, row: String) async throws {
    let (_, screen) = try await Plan.answered(try Plan.walk(), ["goal": goal])
    #expect(Plan.rows(screen).first == "Goal: \(row)")
  }

  @Test(arguments: [
    "no", "keep it as it is", "leave it, please", "forget it", "never mind",
    "just leave it as it is",
  ])
  func aChangeIsTurnedDownInPlainWords(words: String) async throws {
    let (engine, before) = try await Plan.answered(try Plan.walk())
    try await engine.answer("by August")
    #expect(try await engine.answer(.string(words)).rows == before.rows)
    let asked = try await engine.answer(.string(words))
    #expect(asked.problem?.hasPrefix("No change waits") == true)
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
