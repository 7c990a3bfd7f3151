import IncrementalJSON
import Intake
import IntakeTestSupport
import Journeys
import Plans
import Testing

/// Goals and programs that a rehearsal drafts.
struct TemplateTests {
  private static let plain = [
    "goal": "Lose 5 kg by October", "hurts": "nothing hurts", "gear": "nothing at home",
    "hates": "no dislikes",
  ]

  @Test func theTemplateSaysSoAndUsesOnlyWhatWasSaid() async throws {
    let (engine, goal) = try await Plan.answered(try Plan.walk())
    #expect(goal.document?.source == "template")
    #expect(goal.body.contains { $0.contains("template") })
    #expect(
      Plan.rows(goal) == [
        "Goal: Run a 10k by June", "By when: June", "Rests on: “Run a 10k by June”",
      ])
    let screen = try await engine.answer("approve")
    let program = try #require(screen.program)
    #expect(program.sessions.map(\.day) == [.tuesday, .thursday])
    #expect(program.adaptations.map(\.constraint) == ["My left knee hurts"])
    #expect(screen.body.contains { $0.contains("template") })
  }

  @Test(
    arguments: [
      ("Three evenings a week at 7 pm, 40 minutes each", "19:00"),
      ("Tuesday and Thursday at 6, 40 minutes", "06:00"),
      ("At 7 on Tuesday and Friday mornings, 40 minutes", "07:00"),
      ("Thursdays at noon, 40 minutes", "12:00"), ("Midday on Tuesdays, 40 minutes", "12:00"),
      ("after work on Tuesday and Friday, for 40 minutes", "18:30"),
    ])
  func theTemplateKeepsTheTimeThatWasSaid(days: String, time: String) async throws {
    let (engine, goal) = try await Plan.answered(
      try Plan.walk(), Self.plain.merging(["days": days]) { $1 })
    #expect(Plan.rows(goal).contains("By when: October"))
    let program = try #require(try await engine.answer("approve").program)
    #expect(program.sessions.allSatisfy { $0.minutes == 40 && $0.time == time })
    #expect(program.restsOn.map(\.quote) == [days])
  }

  /// As often as was said, on days that are apart from each other, and only on those that are possible.
  @Test(
    arguments: [
      ("I can train three days a week", [.monday, .thursday, .saturday]),
      ("Three days a week", [.monday, .thursday, .saturday]),
      ("four times a week, but not on Mondays", [.tuesday, .wednesday, .thursday, .sunday]),
      ("once a week", [.monday]), ("7 days a week", TrainingProgram.Day.allCases),
      ("every day", TrainingProgram.Day.allCases),
      ("I have time every day, except on Sundays", Array(TrainingProgram.Day.allCases.dropLast())),
      ("every day is fine, but only three times a week", [.monday, .thursday, .saturday]),
      ("I can't do Mondays", [.thursday, .sunday]), ("not sure yet", [.monday, .thursday]),
      ("Monday, Wednesday and Friday, twice a week", [.monday, .wednesday]),
      ("Tuesday and Thursday, three times a week", [.tuesday, .thursday]),
    ] as [(String, [TrainingProgram.Day])])
  func theTemplateKeepsHowOftenWasSaid(days: String, expected: [TrainingProgram.Day]) async throws {
    let (_, screen) = try await Plan.reviewing(
      try Plan.walk(), Self.plain.merging(["days": days]) { $1 })
    #expect(screen.program?.sessions.map(\.day) == expected, "\(screen.rows)")
    let count = expected.count == 1 ? "1 session" : "\(expected.count) sessions"
    #expect(Plan.rows(screen).contains("Length: 4 weeks, \(count) a week"))
  }

  /// A suggestion that was only picked is no evidence, but what else would the goal be?
  @Test func aGoalThatWasPickedIsTheGoal() async throws {
    let pack = try PromptPack.embedded()
    let journey = """
      {"name": "short", "version": 1, "title": "Short", "steps": [
        {"id": "goal", "kind": "open", "field": "goal", "title": "What would you like to change?",
          "pills": ["I want to get stronger"],
          "facets": ["goalClarity.outcome", "goalClarity.target", "goalClarity.motive"]},
        {"id": "review", "kind": "review", "document": "goal", "title": "Goal",
          "approve": "Approve", "next": "end"}]}
      """
    let walk = TestWalk(
      try Journey(json: journey, file: "short.json", rubric: pack.rubric), pack: pack,
      drafter: TemplateDrafter())
    let (engine, _) = try await walk.opened()
    let shown = try await engine.answer("I want to get stronger")
    #expect(Plan.rows(shown) == ["Goal: I want to get stronger"])
  }
}
