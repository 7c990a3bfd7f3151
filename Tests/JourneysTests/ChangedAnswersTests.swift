import ContextQuality
import FoundationEssentials
import IncrementalJSON
import Intake
import IntakeTestSupport
import Journeys
import Plans
import Testing

/// Goals and programs after somebody went back and answered differently.
struct ChangedAnswersTests {
  private static let days = [TrainingProgram.Day.tuesday, .thursday]
  /// Nothing that a program has to heed.
  private static let plain = [
    "hurts": "nothing", "days": "Tuesday and Thursday", "gear": "nothing", "hates": "nothing",
  ]

  /// Answers plainly but for some.
  private func reach(
    _ step: String, _ engine: JourneyEngine, _ answers: [String: String] = [:]
  ) async throws -> JourneyScreen {
    try await Plan.reach(step, engine, Self.plain.merging(answers) { $1 })
  }

  private func isApproved(_ kind: DocumentKind, _ engine: JourneyEngine) async -> Bool {
    await engine.state.documents[kind]?.isApproved == true
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
    #expect(before.program?.sessions.map(\.day) == Self.days)
    try await Plan.back(to: "goals", engine)
    let asked = try await walk.reach(
      "goalReview", engine,
      choices: [
        "goals": "I want to swim 2 km without a break.",
        "injuries": "My knee hurts badly when I squat and my shoulder is torn.",
        "frequency": "Only Saturday mornings, 20 minutes.",
      ])
    // It was approved, so it isn't replaced unasked.
    #expect(asked.kind == .confirmation, "\(asked)")
    #expect(asked.title.hasPrefix("You've changed what you want to achieve,"))
    #expect(asked.title.contains("since you approved this goal. Shall I write it again"))
    let goal = try await engine.answer("yes")
    #expect(goal.document?.state == .draft)
    #expect(goal.rows.first?.value.contains("swim 2 km") == true, "\(goal.rows)")
    let shown = try await engine.answer("approve")
    let program = try #require(shown.program)
    #expect(program.sessions.map(\.day) == [.saturday], "\(shown.rows)")
    #expect(program.sessions.map(\.minutes) == [20])
    #expect(program.adaptations.contains { $0.constraint.contains("knee hurts badly") })
    try await engine.answer("approve")
    let plan = try await ActivePlan(events: walk.log.events())
    #expect(plan.program == program && plan.goal?.primary.contains("swim 2 km") == true)
  }

  @Test func whereNothingChangedEverythingIsKept() async throws {
    let walk = try Plan.walk()
    let (engine, _) = try await walk.opened()
    _ = try await reach("programReview", engine)
    try await engine.answer("Thu minutes: 20")
    let edited = try await engine.answer("apply")
    try await Plan.back(to: "goal", engine)
    let again = try await reach("programReview", engine)
    #expect(again == edited)
    #expect(try await walk.opened().1 == edited)
    // Nor is what was changed and changed back.
    try await Plan.back(to: "days", engine)
    try await engine.answer("Monday")
    try await Plan.back(to: "days", engine)
    #expect(try await reach("programReview", engine).document?.json == edited.document?.json)
  }

  @Test func whatTheyChangedGoesOnlyIfTheySaySo() async throws {
    let walk = try Plan.walk()
    let (engine, _) = try await walk.opened()
    _ = try await reach("programReview", engine)
    try await engine.answer("Thu minutes: 20")
    let edited = try await engine.answer("apply")
    try await Plan.back(to: "hurts", engine)
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
    try await Plan.back(to: "days", third)
    let again = try await reach(
      "programReview", third, ["hurts": "My knee hurts", "days": "only on Sunday"])
    #expect(
      again.title.hasPrefix("You've changed your training days since you changed this program."))
    let written = try await third.answer("yes")
    #expect(written.program?.sessions.map(\.day) == [.sunday])
    #expect(written.program?.adaptations.map(\.constraint) == ["My knee hurts"])
  }

  @Test func anotherGoalIsAnotherProgram() async throws {
    let walk = try Plan.walk(TestDrafter())
    let (engine, _) = try await walk.opened()
    _ = try await reach("programReview", engine)
    let drafted = await draftings(walk)
    try await Plan.back(to: "goalReview", engine)
    try await engine.answer("run a mile")
    try await engine.answer("apply")
    #expect(try await engine.answer("approve").kind == .review)
    #expect(await draftings(walk) == drafted + 1)
  }

  /// An approved goal rests on no training days, and going back from it loses nothing.
  @Test func aGoalIsAskedAboutOnlyForWhatItRestsOn() async throws {
    let (engine, _) = try await Plan.reviewing(try Plan.walk(), Self.plain)
    let goal = try await engine.act(.back)
    #expect(goal.document?.state == .approved && goal.back == .free)
    #expect(try await engine.act(.back).step == "hates")
    try await Plan.back(to: "days", engine)
    let program = try await reach(
      "programReview", engine, ["days": "only on Saturday", "gear": "a barbell"])
    #expect(program.kind == .review && program.program?.sessions.map(\.day) == [.saturday])
    #expect(await isApproved(.goal, engine))
    // What hurts matters for both, and the question names it.
    try await Plan.back(to: "hurts", engine)
    let asked = try await reach(
      "programReview", engine,
      ["hurts": "My knee hurts", "days": "only on Saturday", "gear": "a barbell"])
    #expect(asked.step == "goalReview" && asked.back == .free)
    #expect(
      asked.title.hasPrefix(
        "You've changed what you told me about your health since you approved this goal."))
  }

  /// What isn't approved is asked about before it's left.
  @Test func backFromAGoalAsksUntilItIsApproved() async throws {
    let (engine, goal) = try await Plan.answered(try Plan.walk())
    #expect(goal.back == .asks)
    #expect(try await engine.act(.back).title == "You haven't approved your goal yet. Go back?")
    try await engine.answer("no")
    try await engine.answer("approve")
    #expect(try await engine.act(.back).back == .free)
    try await engine.answer("why: Mia")
    #expect(try await engine.answer("apply").back == .asks)
  }

  /// The draft from before goes against what the person has said since.
  @Test func undoAsksForADraftThatNoLongerFits() async throws {
    let walk = try Plan.walk()
    let (engine, _) = try await Plan.reviewing(walk, Self.plain)
    try await engine.answer("Thu minutes: 20")
    let edited = try await engine.answer("apply")
    try await Plan.back(to: "days", engine)
    _ = try await reach("programReview", engine, ["days": "only on Saturday"])
    #expect(try await engine.answer("no").program == edited.program)
    try await engine.answer("Thu day: Sat")
    let moved = try await engine.answer("apply")
    // This one was there before the question, and they said yes to it.
    #expect(try await engine.answer("undo").program == edited.program)
    let asked = try await engine.answer("undo")
    #expect(asked.document?.state == .changing && asked.program == edited.program)
    #expect(asked.refusal?.contains("Tuesday isn't one of your days") == true)
    #expect(asked.options.map(\.id) == ["discard", "apply"])
    #expect(asked.diff.contains { $0.change == .added && $0.text.contains("30 minutes") })
    let (other, resumed) = try await walk.opened()
    #expect(resumed == asked)
    #expect(try await other.answer("discard").program == edited.program)
    try await other.answer("undo")
    let undone = try await other.answer("apply")
    #expect(undone.program?.sessions.map(\.minutes) == [30, 30])
    #expect(undone.options.map(\.id) == ["approve"] && moved.program != undone.program)
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
      if facts.answers.first?.value == Plan.said[0] {
        for await _ in first { break }
      }
      return try TemplateDrafter().draft(kind, from: facts, show: show)
    }

    func reply(
      to words: String, at document: DraftedDocument, proposed: DocumentEdit?, facts: DraftFacts
    ) async throws(DraftError) -> DocumentReply {
      throw DraftError(words: "not now")
    }
  }

  @Test func whatIsBeingWrittenFromOldAnswersIsDropped() async throws {
    let (first, write) = AsyncStream.makeStream(of: Void.self)
    let walk = try Plan.walk(HeldDrafter(first: first))
    let (engine, _) = try await walk.opened()
    for answer in Plan.said { _ = try await engine.take(.answer(.string(answer))) }
    #expect(await engine.screen.isBusy)
    let waiting = Task { try await engine.settle() }
    _ = try await engine.take(.back)
    _ = try await engine.take(.answer("yes"))
    for _ in 0..<4 { _ = try await engine.take(.back) }
    #expect(await engine.screen.step == "goal")
    _ = try await engine.take(.answer("Swim a mile"))
    for answer in Plan.said.dropFirst() { _ = try await engine.take(.answer(.string(answer))) }
    write.yield()
    _ = try await waiting.value
    var screen = await engine.screen
    while screen.isBusy { screen = try await engine.settle() }
    #expect(screen.rows.first?.value == "Swim a mile", "\(screen.rows)")
  }

  /// A log of before says nothing of what its documents rest on.
  @Test(arguments: [false, true]) func documentsOfBeforeFit(isOlderVersion: Bool) async throws {
    let walk = try Plan.walk()
    let (begun, _) = try await walk.opened()
    let left = try await reach("programReview", begun)
    let events = try await Plan.aged(walk, isOlderVersion: isOlderVersion)
    #expect(try events.allSatisfy { try !$0.envelope.text.contains("\"facts\"") })
    let old = TestWalk(walk.journey, pack: walk.pack, drafter: walk.drafter, events: events)
    let (engine, screen) = try await old.opened()
    #expect(screen == left)
    #expect(await old.log.events().count == events.count + (isOlderVersion ? 1 : 0))
    // From the first step back on, it follows the answers.
    try await Plan.back(to: "days", engine)
    let program = try await reach("programReview", engine, ["days": "only on Saturday"]).program
    #expect(program?.sessions.map(\.day) == [.saturday])
  }
}
