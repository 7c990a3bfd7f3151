import ContextQuality
import FoundationEssentials
import IncrementalJSON
import Intake
import IntakeTestSupport
import Journeys
import Testing

/// Goals and programs after somebody went back and answered differently.
struct ChangedAnswersTests {
  private static let journeyJSON = """
    {"name": "plan", "version": 2, "title": "Plan", "steps": [
      {"id": "goal", "kind": "text", "field": "goal", "title": "Your goal?",
        "facets": ["goalClarity.outcome"]},
      {"id": "hurts", "kind": "text", "field": "hurts", "title": "What hurts?",
        "facets": ["obstacles.physical"]},
      {"id": "days", "kind": "text", "field": "days", "title": "Which days?",
        "facets": ["lifestyle.availability"]},
      {"id": "goalReview", "kind": "review", "document": "goal", "title": "Goal",
        "approve": "Approve"},
      {"id": "programReview", "kind": "review", "document": "program", "title": "Program",
        "approve": "Activate"},
      {"id": "done", "kind": "success", "title": "Done", "next": "end", "rows": []}],
    "migrations": [{"from": 1, "steps": {"pain": "hurts"}, "fields": {"pain": "hurts"}}]}
    """
  private static let said = [
    "goal": "Run a 10k by June", "hurts": "nothing", "days": "Tuesday and Thursday",
  ]
  private static let days = [TrainingProgram.Day.tuesday, .thursday]

  private static func walk(_ drafter: any DocumentDrafter = TemplateDrafter()) throws -> TestWalk {
    let pack = try PromptPack.embedded()
    return TestWalk(
      try Journey(json: journeyJSON, file: "plan.json", rubric: pack.rubric), pack: pack,
      drafter: drafter)
  }

  /// At a review, with the answers above and others.
  private func reach(
    _ step: String, _ engine: JourneyEngine, _ answers: [String: String] = [:]
  ) async throws -> JourneyScreen {
    var screen = await engine.screen
    for _ in 0..<12 where screen.step != step || screen.kind != .review {
      if screen.kind == .confirmation { return screen }
      let answer = answers[screen.step] ?? Self.said[screen.step] ?? "approve"
      screen = try await engine.answer(.string(answer))
    }
    return screen
  }

  private func back(to step: String, _ engine: JourneyEngine) async throws {
    for _ in 0..<80 where await engine.screen.step != step {
      let screen = try await engine.act(.back)
      if screen.kind == .confirmation { try await engine.answer("yes") }
    }
    #expect(await engine.screen.step == step)
  }

  @Test func theShippedJourneysDocumentsFollowEveryAnswer() async throws {
    let walk = try TestWalk(shipped: "trainer-structured", drafter: TemplateDrafter())
    let (engine, _) = try await walk.opened()
    let before = try await walk.reach(
      "programReview", engine,
      choices: [
        "goals": "I want to lose 10 kg by June.", "injuries": "Nothing hurts.",
        "frequency": "Tuesday and Thursday evenings, 40 minutes.",
      ])
    #expect(before.document?.program?.sessions.map(\.day) == Self.days)
    try await back(to: "goals", engine)
    let asked = try await walk.reach(
      "goalReview", engine,
      choices: [
        "goals": "I want to swim 2 km without a break.",
        "injuries": "My knee hurts badly when I squat and my shoulder is torn.",
        "frequency": "Only Saturday mornings, 20 minutes.",
      ])
    // It was approved, so it isn't replaced unasked.
    #expect(asked.kind == .confirmation, "\(asked)")
    #expect(asked.title.hasPrefix("Your answers have changed since you approved this goal."))
    let goal = try await engine.answer("yes")
    #expect(goal.document?.state == .draft)
    #expect(goal.rows.first?.value.contains("swim 2 km") == true, "\(goal.rows)")
    let shown = try await engine.answer("approve")
    let program = try #require(shown.document?.program)
    #expect(program.sessions.map(\.day) == [.saturday], "\(shown.rows)")
    #expect(program.sessions.map(\.minutes) == [20])
    #expect(program.adaptations.contains { $0.constraint.contains("knee hurts badly") })
    try await engine.answer("approve")
    let plan = try await ActivePlan(events: walk.log.events())
    #expect(plan.program == program && plan.goal?.primary.contains("swim 2 km") == true)
  }

  @Test func whereNothingChangedEverythingIsKept() async throws {
    let walk = try Self.walk()
    let (engine, _) = try await walk.opened()
    _ = try await reach("programReview", engine)
    try await engine.answer("make Thursday shorter")
    let edited = try await engine.answer("apply")
    try await back(to: "goal", engine)
    let again = try await reach("programReview", engine)
    #expect(again.lasting == edited.lasting)
    #expect(try await walk.opened().1.lasting == edited.lasting)
    // Nor is what was changed and changed back.
    try await back(to: "days", engine)
    try await engine.answer("Monday")
    try await back(to: "days", engine)
    #expect(try await reach("programReview", engine).document?.json == edited.document?.json)
  }

  @Test func whatTheyChangedGoesOnlyIfTheySaySo() async throws {
    let walk = try Self.walk()
    let (engine, _) = try await walk.opened()
    _ = try await reach("programReview", engine)
    try await engine.answer("make Thursday shorter")
    let edited = try await engine.answer("apply")
    try await back(to: "hurts", engine)
    let goal = try await reach(
      "programReview", engine, ["hurts": "My knee hurts", "days": "only on Saturday"])
    #expect(goal.step == "goalReview" && goal.kind == .confirmation)
    #expect(try await engine.answer("no").document?.state == .approved)
    let asked = try await engine.answer("approve")
    #expect(asked.kind == .confirmation && asked.title.contains("since you changed this program"))
    #expect(asked.options.map(\.label) == ["Write it again", "Keep it as it is"])
    #expect(asked.body.joined().contains("Tuesday isn't one of your days"), "\(asked.body)")
    #expect(asked.rows == edited.rows)
    // Another process asks the same, and back is still back.
    let (other, resumed) = try await walk.opened()
    #expect(resumed == asked)
    #expect(try await other.act(.back).step == "goalReview")
    #expect(try await other.answer("approve") == asked)
    #expect(try await other.answer("what?").kind == .confirmation)
    #expect(try await other.answer("no").document?.json == edited.document?.json)
    // It's asked once.
    #expect(try await walk.opened().1.kind == .review)
    let (third, _) = try await walk.opened()
    try await back(to: "days", third)
    _ = try await reach("programReview", third, ["days": "only on Sunday"])
    try await third.answer("no")
    #expect(try await third.answer("approve").kind == .confirmation)
    let written = try await third.answer("yes")
    #expect(written.document?.program?.sessions.map(\.day) == [.sunday])
    #expect(written.document?.program?.adaptations.map(\.constraint) == ["My knee hurts"])
  }

  @Test func anotherGoalIsAnotherProgram() async throws {
    let walk = try Self.walk(TestDrafter())
    let (engine, _) = try await walk.opened()
    _ = try await reach("programReview", engine)
    let drafted = await draftings(walk)
    try await back(to: "goalReview", engine)
    try await engine.answer("run a mile")
    try await engine.answer("apply")
    #expect(try await engine.answer("approve").kind == .review)
    #expect(await draftings(walk) == drafted + 1)
  }

  private func draftings(_ walk: TestWalk) async -> Int {
    await walk.log.events().filter { $0.envelope.kind == "journeyDrafted" }.count
  }

  /// Writes the first document only once it's told to.
  private struct HeldDrafter: DocumentDrafter {
    let first: AsyncStream<Void>

    func draft(
      _ kind: DocumentKind, from facts: DraftFacts,
      show: @escaping @Sendable (DraftedDocument) -> Void
    ) async throws(DraftError) -> DraftedDocument {
      if facts.answers.first?.value == ChangedAnswersTests.said["goal"] {
        for await _ in first { break }
      }
      return try TemplateDrafter().draft(kind, from: facts, show: show)
    }

    func edit(
      _ document: DraftedDocument, saying words: String, facts: DraftFacts
    ) async throws(DraftError) -> DocumentEdit {
      throw DraftError(words: "not now")
    }
  }

  @Test(.timeLimit(.minutes(5))) func whatIsBeingWrittenFromOldAnswersIsDropped() async throws {
    let (first, write) = AsyncStream.makeStream(of: Void.self)
    let walk = try Self.walk(HeldDrafter(first: first))
    let (engine, _) = try await walk.opened()
    for step in ["goal", "hurts", "days"] {
      _ = try await engine.take(.answer(.string(Self.said[step] ?? "")))
    }
    #expect(await engine.screen.isBusy)
    let waiting = Task { try await engine.settle() }
    for _ in 0..<3 { _ = try await engine.take(.back) }
    #expect(await engine.screen.step == "goal")
    _ = try await engine.take(.answer("Swim a mile"))
    for step in ["hurts", "days"] {
      _ = try await engine.take(.answer(.string(Self.said[step] ?? "")))
    }
    write.yield()
    _ = try await waiting.value
    var screen = await engine.screen
    while screen.isBusy { screen = try await engine.settle() }
    #expect(screen.rows.first?.value == "Swim a mile", "\(screen.rows)")
  }

  /// A log of before says nothing of what its documents rest on.
  @Test(arguments: [false, true]) func documentsOfBeforeFit(isOlderVersion: Bool) async throws {
    let walk = try Self.walk()
    let (begun, _) = try await walk.opened()
    let left = try await reach("programReview", begun)
    let events = try await walk.log.events().map { recorded in
      var text = try recorded.envelope.text.replacing(/"facts":"[0-9a-f]+",/, with: "")
      if isOlderVersion {
        text = text.replacing(#""version":2"#, with: #""version":1"#)
          .replacing(#""hurts""#, with: #""pain""#)
      }
      return try RecordedEvent(
        position: recorded.position, at: recorded.at,
        envelope: EventEnvelope(
          kind: recorded.envelope.kind, version: recorded.envelope.version, json: text))
    }
    #expect(try events.allSatisfy { try !$0.envelope.text.contains("\"facts\"") })
    let old = TestWalk(walk.journey, pack: walk.pack, drafter: walk.drafter, events: events)
    let (engine, screen) = try await old.opened()
    #expect(screen.lasting == left.lasting)
    #expect(await old.log.events().count == events.count + (isOlderVersion ? 1 : 0))
    // From the first step back on, it follows the answers.
    try await back(to: "days", engine)
    let asked = try await reach("programReview", engine, ["days": "only on Saturday"])
    #expect(asked.kind == .confirmation && asked.step == "goalReview")
    try await engine.answer("no")
    let program = try await engine.answer("approve").document?.program
    #expect(program?.sessions.map(\.day) == [.saturday])
  }
}

extension JourneyScreen.Document {
  fileprivate var program: TrainingProgram? {
    (try? JSONValue(parsing: json)).flatMap(TrainingProgram.init(json:))
  }
}
