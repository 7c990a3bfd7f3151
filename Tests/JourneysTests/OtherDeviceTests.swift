import ContextQuality
import FoundationEssentials
import IncrementalJSON
import Intake
import IntakeTestSupport
import Journeys
import Plans
import Signals
import Testing

/// A journey that somebody began on one device and goes on with on another.
struct OtherDeviceTests {
  private static let email = "sam@example.com"
  private static let drafter = TestDrafter(source: "some-model")

  /// What the account would hold of a walk.
  private func synced(
    _ walk: TestWalk, isOwn: Bool = false, at date: Date = .distantFuture
  ) async throws -> SyncedJourney {
    let events = await walk.log.events()
    let intake = walk.pack.state(after: events)
    // The account keeps it as JSON.
    let state = try JourneyState(events: events)
    let progress = JourneyProgress(json: JourneyProgress(state, intake).json)
    return SyncedJourney(
      row: "first", isOwn: isOwn, updatedAt: date, progress: try #require(progress),
      known: intake.ledger.known.sorted { $0.description < $1.description }.compactMap { facet in
        guard let evidence = intake.ledger.evidence(for: facet) else { return nil }
        return SyncedJourney.Known(
          facet: facet.description, text: evidence.text, step: evidence.answer?.step,
          wording: evidence.answer?.wording)
      }, profile: intake.synthesis?.system)
  }

  /// The structured journey of somebody who is signed in, left at a step.
  private func left(at step: String) async throws -> TestWalk {
    let walk = try TestWalk(
      shipped: "trainer-structured", accounts: TestAccounts(signedIn: Self.email))
    try await walk.reach(step, walk.opened().0)
    return walk
  }

  private func other(_ walk: TestWalk, holding held: SyncedJourney?) -> TestWalk {
    let accounts = TestAccounts(signedIn: Self.email)
    accounts.hold(.success(held))
    return TestWalk(
      walk.journey, pack: walk.pack, accounts: accounts, clock: walk.clock, drafter: Self.drafter,
      coach: walk.coach)
  }

  @Test(arguments: [
    ("trainer", "fitness"), ("trainer-structured", "fitness"), ("matador", "nutrition"),
  ])
  func anotherDeviceShowsTheSameScreenAtEveryStep(name: String, pack: String) async throws {
    let walk = try TestWalk(
      shipped: name, pack: pack, accounts: TestAccounts(signedIn: Self.email),
      drafter: Self.drafter)
    let (engine, first) = try await walk.opened()
    var screen = first
    var steps: Set<String> = []
    while screen.kind != .end, steps.count < 80 {
      steps.insert(screen.step)
      screen = try await on(from: screen, walk, engine)
      let other = other(walk, holding: try await synced(walk))
      let (there, resumed) = try await other.opened(looksElsewhere: true)
      #expect(resumed.shared == screen.shared, "at \(screen.step)")
      #expect(await there.state.row == "first")
      let intake = other.pack.state(after: await other.log.events())
      let known = walk.pack.state(after: await walk.log.events())
      #expect(intake.ledger.known == known.ledger.known, "at \(screen.step)")
      #expect(intake.components().overall == known.components().overall, "at \(screen.step)")
      #expect(intake.isCoaching == known.isCoaching, "at \(screen.step)")
      #expect(Set(intake.careGiven) == Set(known.careGiven), "at \(screen.step)")
      #expect(intake.withheld == known.withheld, "at \(screen.step)")
      // It's in the log now, so the account isn't asked again.
      #expect(try await other.opened().1.shared == screen.shared)
    }
    #expect(screen.kind == .end)
    let hidden = walk.journey.steps.filter { $0.kind == .verifyCode || $0.id == "gaps" }
    #expect(steps.count >= walk.journey.steps.count - hidden.count, "\(steps.sorted())")
  }

  private func on(
    from screen: JourneyScreen, _ walk: TestWalk, _ engine: JourneyEngine
  ) async throws -> JourneyScreen {
    if screen.kind == .conversation, screen.button == nil { return try await walk.talk(engine) }
    let answer: JSONValue = screen.step == "assessmentPrompt" ? "now" : TestWalk.answer(to: screen)
    return try await engine.answer(answer)
  }

  /// The person is signed in from the start, but this journey only asks for consent near its end.
  @Test func nothingIsSentBeforeWhatTheJourneyAsksForWasAgreedTo() async throws {
    let walk = try TestWalk(
      shipped: "trainer-structured", accounts: TestAccounts(signedIn: Self.email))
    let (engine, _) = try await walk.opened()
    try await walk.reach("signIn", engine)
    #expect(walk.sync.items.isEmpty)
    try await walk.reach("goalReview", engine)
    #expect(walk.sync.items.contains { $0.kind == .intake })
  }

  @Test func whatWasAnsweredHereFirstStays() async throws {
    let walk = try await left(at: "height")
    let other = other(walk, holding: try await synced(walk))
    let (begun, _) = try await other.opened()
    try await other.reach("age", begun)
    #expect(try await other.opened(looksElsewhere: true).1.step == "age")
    // So does what was begun anew.
    let new = try await other.engine(log: InMemorySessionLog(), startsOver: true)
    #expect(try await new.open(looksElsewhere: true).step == walk.journey.steps[0].id)
  }

  @Test func theFirstDeviceGoesOnWhereTheSecondOneLeft() async throws {
    let walk = try await left(at: "goals")
    let second = other(walk, holding: try await synced(walk))
    let (there, _) = try await second.opened(looksElsewhere: true)
    let left = try await second.reach("height", there)

    walk.accounts.hold(.success(try await synced(second, isOwn: true)))
    #expect(try await walk.opened(looksElsewhere: true).1 == left)
    let known = second.pack.state(after: await second.log.events()).ledger.known
    #expect(walk.pack.state(after: await walk.log.events()).ledger.known == known)
    // Nothing is news a second time.
    let count = await walk.log.events().count
    #expect(try await walk.opened(looksElsewhere: true).1 == left)
    #expect(await walk.log.events().count == count)
    // What is older than the last thing that happened here changes nothing.
    let (here, _) = try await walk.opened()
    let further = try await walk.reach("weight", here)
    walk.accounts.hold(.success(try await synced(second, isOwn: true, at: .distantPast)))
    #expect(try await walk.opened(looksElsewhere: true).1 == further)
  }

  @Test func signingInWithinTheJourneyGoesOnThere() async throws {
    let first = try TestWalk(shipped: "trainer", accounts: TestAccounts(signedIn: Self.email))
    let (engine, _) = try await first.opened()
    let left = try await first.reach("plank", engine, choices: ["assessmentPrompt": "now"])

    let accounts = TestAccounts()
    accounts.hold(.success(try await synced(first)))
    let second = TestWalk(
      first.journey, pack: first.pack, accounts: accounts, clock: first.clock, coach: first.coach)
    let (there, _) = try await second.opened(looksElsewhere: true)
    try await second.reach("code", there)
    #expect(try await there.answer("123456") == left)
    // From now on it's the row of the first one that is kept up to date.
    #expect(await there.state.row == "first")
    try await there.answer(60)
    #expect(second.sync.items.last?.kind == .intake)
  }

  /// The journey's last screen, with a program that a model would have written.
  private func activated() async throws -> TestWalk {
    let walk = try TestWalk(
      shipped: "trainer-structured", accounts: TestAccounts(signedIn: Self.email),
      drafter: DatedDrafter())
    try await walk.reach("notifications", walk.opened().0)
    return walk
  }

  /// A template under a model's name, since templates stay where they are.
  private struct DatedDrafter: DocumentDrafter {
    func draft(
      _ kind: DocumentKind, from facts: DraftFacts,
      show: @escaping @Sendable (DraftedDocument) -> Void
    ) throws(DraftError) -> DraftedDocument {
      var document = try TemplateDrafter().draft(kind, from: facts, show: show)
      document.source = "some-model"
      return document
    }

    func reply(
      to words: String, at document: DraftedDocument, proposed: DocumentEdit?, facts: DraftFacts
    ) throws(DraftError) -> DocumentReply {
      try TemplateDrafter().reply(
        to: words, at: document, proposed: proposed, facts: facts)
    }
  }

  @Test func aProgramGoesOnInTheSameWeek() async throws {
    let walk = try await activated()
    let plan = try await ActivePlan(events: walk.log.events())
    let held = try await synced(walk)
    walk.clock.advance(by: 21 * 86_400)
    let other = other(walk, holding: held)
    _ = try await other.opened(looksElsewhere: true)
    let there = try await ActivePlan(events: other.log.events())
    #expect(plan.schedule != nil && there.schedule == plan.schedule)
    #expect(there.schedule?.week(at: walk.clock.now()) == 3)
    #expect(try await JourneyState(events: other.log.events()).row == "first")
    #expect(try await JourneyState(events: walk.log.events()).row == nil)
    // It's told on with its date, and the first device keeps it.
    let own = try await synced(other, isOwn: true)
    #expect(own.progress.approvedAt == held.progress.approvedAt)
    walk.accounts.hold(.success(own))
    _ = try await walk.opened(looksElsewhere: true)
    #expect(try await ActivePlan(events: walk.log.events()).schedule == plan.schedule)
  }

  /// Older versions say nothing of when a program was activated, and a clock may be ahead.
  @Test func aRowWithoutTheDateMovesNoProgramThatIsHere() async throws {
    let walk = try await activated()
    let plan = try await ActivePlan(events: walk.log.events())
    var held = try await synced(walk)
    held.progress.approvedAt = nil
    held.progress.step = nil
    held.progress.isCompleted = true
    walk.clock.advance(by: 21 * 86_400)
    let other = other(walk, holding: held)
    _ = try await other.opened(looksElsewhere: true)
    #expect(try await ActivePlan(events: other.log.events()).program == plan.program)
    held.isOwn = true
    walk.accounts.hold(.success(held))
    #expect(try await walk.opened(looksElsewhere: true).1.kind == .end)
    #expect(try await ActivePlan(events: walk.log.events()).schedule == plan.schedule)
    held.progress.approvedAt = ["program": .distantFuture]
    let ahead = self.other(walk, holding: held)
    _ = try await ahead.opened(looksElsewhere: true)
    let date = try #require(try await ActivePlan(events: ahead.log.events()).activatedAt)
    #expect(date <= walk.clock.now())
  }

  @Test func anAccountThatDoesNotAnswerIsSaidAndHoldsNobodyUp() async throws {
    let accounts = TestAccounts()
    accounts.hold(.failure(AccountError(code: "unreachable", words: "I couldn't reach it.")))
    let walk = try TestWalk(shipped: "trainer", accounts: accounts)
    let (engine, _) = try await walk.opened()
    try await walk.reach("code", engine)
    let screen = try await engine.answer("123456")
    #expect(screen.step == "voice")
    #expect(
      screen.problem
        == "I couldn't look for what you answered on another device. I couldn't reach it.")
    #expect(try await engine.answer("decline").problem == nil)
  }

  @Test func aNewerVersionElsewhereIsSaid() async throws {
    let walk = try await left(at: "height")
    var held = try await synced(walk)
    held.progress.version = walk.journey.version + 1
    let other = other(walk, holding: held)
    let (_, screen) = try await other.opened(looksElsewhere: true)
    #expect(screen.step == walk.journey.steps[0].id)
    #expect(screen.problem?.contains("newer version") == true)
    // Nor does this device replace what it can't read.
    held.isOwn = true
    walk.accounts.hold(.success(held))
    let sent = walk.sync.items.count
    let (behind, own) = try await walk.opened(looksElsewhere: true)
    #expect(own.step == "height" && own.problem?.contains("newer version") == true)
    try await behind.answer(180)
    #expect(walk.sync.items.count == sent)
  }

  @Test func whatNeedsCareAndIsKeptPrivateIsHeededThereToo() async throws {
    let walk = try await left(at: "height")
    var held = try await synced(walk)
    let care = CareKind(rawValue: "eating-disorder")
    let facet = try #require(Facet("currentState.body"))
    held.progress.care = [care, .crisis, CareKind(rawValue: "made-up")]
    held.progress.withheld = [facet, try #require(Facet("made.up"))]
    let other = other(walk, holding: held)
    _ = try await other.opened(looksElsewhere: true)
    let intake = other.pack.state(after: await other.log.events())
    #expect(Set(intake.careGiven) == [care, .crisis])
    #expect(intake.leavesOutSensitive && intake.withheld == [facet])
    // It's told on in turn, and not told twice.
    let own = try await synced(other, isOwn: true)
    #expect(own.progress.care == [.crisis, care] && own.progress.withheld == [facet])
    let count = await other.log.events().count
    other.accounts.hold(.success(own))
    _ = try await other.opened(looksElsewhere: true)
    #expect(await other.log.events().count == count)
    // Older rows have neither.
    var members = try #require(held.progress.json.objectValue)
    (members["care"], members["withheld"]) = (nil, nil)
    #expect(JourneyProgress(json: .object(members))?.step == held.progress.step)
  }

  @Test func whoIsTooYoungStaysWhereTheyAre() async throws {
    let walk = try await left(at: "height")
    let held = try await synced(walk)
    let other = other(walk, holding: nil)
    let (begun, _) = try await other.opened()
    try await other.reach("name", begun)
    #expect(try await begun.answer("I'm 15").kind == .care)
    other.accounts.hold(.success(held))
    #expect(try await other.opened(looksElsewhere: true).1.kind == .care)
  }

  @Test func figuresThatNoAnswerCanBeAreLeftOut() async throws {
    let walk = try await left(at: "height")
    let text = try await synced(walk).progress.json.serialized()
    let hostile = text.replacing(/"value":[0-9.]+/, with: #""value":1e300"#)
    #expect(hostile != text, "\(text.prefix(400))")
    let progress = try #require(JourneyProgress(json: try JSONValue(parsing: hostile)))
    #expect(progress.answers["age"] == nil)
  }

  /// A row may hold anything; it never leads to a step that isn't there.
  @Test(arguments: ["gone", "height", nil])
  func stepsThatDoNotExistLeadToOneThatDoes(step: String?) async throws {
    let walk = try await left(at: "height")
    var held = try await synced(walk)
    let origin = step.map { JSONValue.string($0) } ?? .null
    var members = try #require(held.progress.json.objectValue)
    members["step"] = origin
    members["trail"] = .strings(held.progress.trail + ["gone", "also gone"])
    members["detour"] = ["last": "gone", "origin": origin, "trail": ["gone"]]
    held.progress = try #require(JourneyProgress(json: .object(members)))
    let other = other(walk, holding: held)
    var (there, screen) = try await other.opened(looksElsewhere: true)
    let first = walk.journey.steps[0].id
    #expect(screen.step == (step == "height" ? "height" : first))
    for _ in 0..<3 { screen = try await there.act(.back) }
    #expect(walk.journey.steps.map(\.id).contains(screen.step))
    try await other.reach("weight", there)
    (there, screen) = try await other.opened()
    #expect(screen.step == "weight")
  }

  /// A version 1 that is in the account comes to this version's steps and fields.
  @Test func anOlderVersionElsewhereIsMigrated() async throws {
    let walk = try TestWalk(
      shipped: "trainer-structured", accounts: TestAccounts(signedIn: Self.email))
    let migration = try #require(walk.journey.migrations.first)
    let (old, new) = try #require(migration.steps.sorted { $0.key < $1.key }.first)
    let (engine, _) = try await walk.opened()
    try await walk.reach("height", engine)
    var held = try await synced(walk)
    held.progress.version = migration.from
    held.progress.step = old
    let other = other(walk, holding: held)
    let (there, screen) = try await other.opened(looksElsewhere: true)
    #expect(screen.step == new)
    #expect(await there.state.version == walk.journey.version)
  }
}

extension JourneyScreen {
  /// What isn't approved yet is drafted again, from what is known by then.
  fileprivate var shared: JourneyScreen {
    var screen = self
    screen.document?.json = ""
    return screen
  }
}
