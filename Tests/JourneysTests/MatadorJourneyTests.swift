import ContextQuality
import FoundationEssentials
import IncrementalJSON
import Intake
import IntakeTestSupport
import Journeys
import Plans
import Testing

/// What the criteria of MATADOR ask for (`Fixtures/journeys/criteria.md`).
struct MatadorJourneyTests {
  private func opened() async throws -> (TestWalk, JourneyEngine, JourneyScreen) {
    let walk = try TestWalk(shipped: "matador", pack: "nutrition")
    let (engine, screen) = try await walk.opened()
    return (walk, engine, screen)
  }

  private static let steps = ["goal", "calories", "window", "matador", "reveal"]

  @Test func theGoalIsOneOfThreeCards() async throws {
    let (_, engine, screen) = try await opened()
    #expect(screen.kind == .select)
    #expect(screen.options.map(\.id) == ["loseWeight", "maintainWeight", "gainMuscle"])
    #expect(screen.options.allSatisfy { $0.icon?.isEmpty == false })
    #expect(screen.button?.isEnabled == false)
    let tip = try await engine.act(.info).info ?? ""
    for word in ["lose weight", "maintain", "gain muscle"] { #expect(tip.contains(word)) }
    try await engine.answer("gainMuscle")
    let again = try await engine.act(.back)
    #expect(again.input == .select("gainMuscle") && again.button?.isEnabled == true)
  }

  private func calories(_ screen: JourneyScreen) -> Double? {
    if case .number(_, _, _, _, let value) = screen.input { value } else { nil }
  }

  @Test(arguments: [("loseWeight", 1_800.0), ("maintainWeight", 2_000), ("gainMuscle", 2_000)])
  func theCaloriesStartByTheGoal(goal: String, expected: Double) async throws {
    let (_, engine, _) = try await opened()
    #expect(calories(try await engine.answer(.string(goal))) == expected)
  }

  @Test func theDefaultFollowsTheGoalUntilANumberIsTyped() async throws {
    let (_, engine, _) = try await opened()
    try await engine.answer("loseWeight")
    try await engine.act(.back)
    #expect(calories(try await engine.answer("gainMuscle")) == 2_000)
    try await engine.answer("2400")
    try await engine.act(.back)
    try await engine.act(.back)
    #expect(calories(try await engine.answer("loseWeight")) == 2_400)
  }

  @Test(
    arguments: [
      ("1000", nil), ("4000", nil), ("999", "Calorie target must be at least 1000"),
      ("4001", "Calorie target must be at most 4000"),
      ("-1500", "Calorie target must be at least 1000"),
      ("plenty", "Calorie target must be a number, such as 1800"),
    ] as [(String, String?)])
  func theCaloriesHaveLimits(typed: String, problem: String?) async throws {
    let (_, engine, _) = try await opened()
    try await engine.answer("loseWeight")
    let screen = try await engine.answer(.string(typed))
    #expect(screen.problem == problem)
    #expect(screen.step == (problem == nil ? "window" : "calories"))
  }

  @Test func theWindowShowsItsLengthAcrossMidnightToo() async throws {
    let (walk, engine, _) = try await opened()
    let screen = try await walk.reach("window", engine)
    #expect(
      screen.input == .timeRange(ClockRange(start: 720, end: 1_200), lengthInWords: "8 hours"))
    #expect(
      try await engine.answer("12:00-12:01").problem == "That's too short; at least 4 hours.")
    try await engine.answer("22:00-04:30")
    #expect(
      try await engine.act(.back).input
        == .timeRange(ClockRange(start: 1_320, end: 270), lengthInWords: "6 hours 30 minutes"))
  }

  @Test(
    arguments: [
      ("12-8", 720, 1_200), ("12:00-8:00", 720, 1_200), ("8-4", 480, 960), ("12-8pm", 720, 1_200),
      ("1-9pm", 780, 1_260), ("9-5 pm", 540, 1_020), ("11am-7", 660, 1_140), ("6-20", 360, 1_200),
      ("noon to 8pm", 720, 1_200), ("from 12 until 8", 720, 1_200), ("10 and 6", 600, 1_080),
      ("12:00 – 24:00", 720, 0), ("12:00-08:00", 720, 480), ("22-6", 1_320, 360),
      ("8pm-4", 1_200, 240), ("6 to midnight", 360, 0), ("noon till eight", 720, 1_200),
      ("22h-6h", 1_320, 360), ("12h30 - 20h30", 750, 1_230),
    ])
  func hoursAreReadAsPeopleMeanThem(typed: String, start: Int, end: Int) {
    #expect(ClockRange(typed: typed) == ClockRange(start: start, end: end))
  }

  @Test(arguments: ["noon", "8-", "12-8-4", "lunch to dinner", "25-26", ""])
  func otherWordsAreNoHours(typed: String) {
    #expect(ClockRange(typed: typed) == nil)
  }

  @Test func theExplainerIsHonest() async throws {
    let (walk, engine, _) = try await opened()
    let screen = try await walk.reach("matador", engine)
    #expect(screen.diagram.map(\.days) == [5, 2])
    #expect(
      Set(screen.diagram.map(\.label)).count == 2 && Set(screen.diagram.map(\.color)).count == 2)
    #expect((2...3).contains(screen.bullets.count))
    let words = (screen.body + screen.bullets).joined(separator: " ")
    for word in [
      "pregnant", "eating disorder", "medication for diabetes", "under 18", "no difference",
    ] {
      #expect(words.contains(word), "\(word)")
    }
    #expect(screen.button?.label == "Continue" && screen.button?.isEnabled == true)
    #expect(try await engine.act(.info).info?.hasPrefix("Why does this work?") == true)
  }

  /// Nobody names calories before they know whom it isn't for.
  @Test func whomItIsNotForIsSaidFirst() async throws {
    let (_, _, screen) = try await opened()
    let words = screen.body.joined(separator: " ")
    for word in ["pregnant", "eating disorder", "medication for diabetes", "under 18"] {
      #expect(words.contains(word), "\(word)")
    }
  }

  @Test func theRevealShowsWhatWasAnsweredAndCompletes() async throws {
    let (walk, engine, _) = try await opened()
    let screen = try await walk.reach(
      "reveal", engine,
      choices: ["goal": "gainMuscle", "calories": "2600", "window": "10:00-18:30"])
    #expect(
      screen.rows.map(\.value) == [
        "Gain muscle", "2600 kcal", "10:00 to 18:30 (8 hours 30 minutes)",
      ])
    #expect(screen.figure == "flame" && screen.button?.label == "Start Tracking")
    #expect(walk.profiles.rows.allSatisfy { $0.json["onboarding_completed"] == false })
    #expect(try await engine.answer(true).kind == .end)
    #expect(
      walk.profiles.rows.last?.json == [
        "goal": "gainMuscle", "calorie_target": 2600, "eating_window_start": "10:00",
        "eating_window_end": "18:30", "onboarding_completed": true,
      ])
  }

  @Test func theDaysTakeTurnsFromItsEnd() async throws {
    let (walk, engine, _) = try await opened()
    var screen = try await walk.reach(
      nil, engine, choices: ["goal": "maintainWeight", "window": "12:00-20:00"])
    let feeding = ["2000 kcal", "12:00 to 20:00 (8 hours)"]
    #expect(screen.title == "Today: Feeding, day 1 of 5")
    #expect(screen.rows.map(\.value).starts(with: feeding) && screen.rows.last?.label == "Fasting")
    walk.clock.advance(by: 6 * 86_400)
    (_, screen) = try await walk.opened()
    #expect(screen.title == "Today: Fasting, day 2 of 2" && screen.rows.last?.label == "Feeding")
    #expect(screen.rows.first?.value == "much less than 2000 kcal, but not nothing")
    let cycle = try #require(
      await walk.pack.dayCycle(after: walk.log.events()))
    let now = walk.clock.now()
    #expect(cycle.days(.week, at: now).map(\.kind).filter { $0 == "Feeding" }.count == 5)
    #expect(cycle.day(at: now.addingTimeInterval(86_400)).rows.map(\.value) == feeding)
    #expect(cycle.json(.today, at: now)["days"]?.arrayValue?.count == 1)
    // Before the end there are none.
    let (begun, _, _) = try await opened()
    #expect(await begun.pack.dayCycle(after: begun.log.events()) == nil)
  }

  /// A conversation that follows begins with what the answers leave open.
  @Test func theTalkAfterItBeginsFromTheAnswers() async throws {
    let (walk, engine, _) = try await opened()
    try await walk.reach(nil, engine)
    let intake = try await IntakeEngine(
      log: walk.log, coach: walk.coach, pack: walk.pack, entitlements: InMemoryEntitlement(),
      now: { walk.clock.now() })
    try await intake.open(show: { _ in })
    let state = await intake.state
    let goal = Facet(component: "goalClarity", name: "outcome")
    #expect(!state.askedFacets.isEmpty && !state.askedFacets.contains(goal))
    #expect(
      await !walk.log.events().contains {
        if case .greeted = $0.event { true } else { false }
      })
  }

  @Test func theTableHoldsEachAnswerOnceItIsGiven() async throws {
    let (walk, engine, _) = try await opened()
    var held: [String: JSONValue] = [
      "goal": .null, "calorie_target": .null, "eating_window_start": .null,
      "eating_window_end": .null, "onboarding_completed": false,
    ]
    let given: [(answer: JSONValue, adds: [String: JSONValue])] = [
      ("loseWeight", ["goal": "loseWeight"]), (1750, ["calorie_target": 1750]),
      ("22:00 to 6:00", ["eating_window_start": "22:00", "eating_window_end": "06:00"]),
      (true, [:]), (true, ["onboarding_completed": true]),
    ]
    for (answer, adds) in given {
      try await engine.answer(answer)
      held.merge(adds) { $1 }
      let row = try #require(walk.profiles.rows.last?.json.objectValue)
      #expect(Dictionary(uniqueKeysWithValues: row.map { ($0.name, $0.value) }) == held)
    }
    // A changed answer changes its column alone.
    let (again, other, _) = try await opened()
    try await other.answer("gainMuscle")
    try await other.act(.back)
    try await other.answer("maintainWeight")
    #expect(again.profiles.rows.last?.json["goal"] == "maintainWeight")
    #expect(again.profiles.rows.last?.json["calorie_target"] == .null)
  }

  @Test func everyScreenSaysWhereItStands() async throws {
    let (walk, engine, _) = try await opened()
    for (index, step) in Self.steps.enumerated() {
      let screen = try await walk.reach(step, engine)
      #expect(screen.place.map { [$0.number, $0.total] } == [index + 1, 5])
      #expect((screen.back == .none) == (index == 0))
      #expect(!screen.options.contains { $0.id == "skip" })
    }
    for step in Self.steps.reversed().dropFirst() {
      #expect(try await engine.act(.back).step == step)
    }
    #expect(try await engine.act(.back).step == "goal")
  }

  @Test func everyStepHasATipThatChangesNothing() async throws {
    let (walk, engine, _) = try await opened()
    for step in Self.steps {
      let screen = try await walk.reach(step, engine)
      let before = await engine.state
      let tip = try await engine.act(.info)
      #expect(screen.hasInfo && tip.info?.isEmpty == false && tip.step == step)
      let after = await engine.state
      #expect(after.answers == before.answers && after.trail == before.trail)
    }
  }

  @Test func aFailedWriteKeepsTheAnswersAndCanBeTriedAgain() async throws {
    let (walk, engine, _) = try await opened()
    try await walk.reach("reveal", engine)
    walk.profiles.fail(true)
    let failed = try await engine.answer(true)
    #expect(failed.step == "reveal" && failed.problem != nil)
    #expect(try await walk.opened().1.step == "reveal")
    walk.profiles.fail(false)
    #expect(try await engine.answer(true).kind == .end)
    #expect(walk.profiles.rows.last?.json["onboarding_completed"] == true)
  }

  @Test func theProfileIsQueuedForSomebodySignedIn() async throws {
    let accounts = TestAccounts()
    _ = try accounts.verify(TestAccounts.code, for: "kim@example.com")
    let walk = try TestWalk(shipped: "matador", pack: "nutrition", accounts: accounts)
    let (engine, _) = try await walk.opened()
    #expect(try await walk.reach(nil, engine).kind == .end)
    #expect(walk.sync.items.count { $0.kind == .profile } == 1)
    // Every answer on the way, for the person's other devices.
    #expect(walk.sync.items.last?.kind == .intake)
  }

  @Test func aSignOutElsewhereIsNoticedInAnOpenJourney() async throws {
    let accounts = TestAccounts()
    _ = try accounts.verify(TestAccounts.code, for: "kim@example.com")
    let walk = try TestWalk(shipped: "matador", pack: "nutrition", accounts: accounts)
    let (engine, _) = try await walk.opened()
    #expect(await engine.state.account.email == "kim@example.com")
    accounts.signOut()
    let told = try await engine.answer("loseWeight")
    #expect(told.step == "calories" && told.problem?.contains("signed out") == true)
    #expect(await engine.state.account.email == nil)
    #expect(try await engine.answer("1800").problem == nil)
    // Whoever signs in again is known again.
    _ = try accounts.verify(TestAccounts.code, for: "kim@example.com")
    let (again, _) = try await walk.opened()
    #expect(await again.state.account.email == "kim@example.com")
  }
}
