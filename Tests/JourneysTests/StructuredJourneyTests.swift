import ContextQuality
import IncrementalJSON
import Intake
import IntakeTestSupport
import Journeys
import Plans
import Rehearsal
import Testing

/// What the criteria of the structured journey ask for (`Fixtures/journeys/criteria.md`).
struct StructuredJourneyTests {
  private func opened() async throws -> (TestWalk, JourneyEngine, JourneyScreen) {
    let walk = try TestWalk(shipped: "trainer-structured")
    let (engine, screen) = try await walk.opened()
    return (walk, engine, screen)
  }

  /// The steps that ask a question, in order.
  private func questions(_ walk: TestWalk) -> [Step] {
    walk.journey.steps.filter { $0.section != nil }
  }

  @Test func fourIntrosEachWithItsOwnOrb() async throws {
    let (_, engine, first) = try await opened()
    #expect(first.kind == .intro && first.title == "I'm your trainer." && first.body.isEmpty)
    var screens = [first]
    for _ in 1..<4 { screens.append(try await engine.answer(true)) }
    #expect(screens.allSatisfy { $0.kind == .intro })
    #expect(screens.map(\.isTap) == [true, true, true, false])
    #expect(Set(screens.map { "\($0.orb as Any)" }).count == 4)
    #expect(screens[3].button?.label == "Begin")
    #expect(try await engine.answer(true).step == "name")
  }

  @Test func twentyFiveQuestionsInTenSections() async throws {
    let (walk, engine, _) = try await opened()
    let questions = questions(walk)
    #expect(questions.count == 25)
    #expect(
      walk.journey.sections.map(\.title) == [
        "ABOUT YOU", "YOUR GOALS", "TRAINING HISTORY", "BODY METRICS", "FITNESS BASELINE",
        "HEALTH", "LIFESTYLE", "EQUIPMENT", "PREFERENCES", "ALMOST DONE",
      ])
    var seen: [String] = []
    var screen = try await walk.reach("name", engine)
    while screen.section != nil, seen.count < 40 {
      seen.append(screen.step)
      let index = questions.firstIndex { $0.id == screen.step } ?? 0
      let following = questions.dropFirst(index + 1).first?.id ?? "complete"
      screen = try await walk.reach(following, engine)
    }
    #expect(seen == questions.map(\.id))
    #expect(await engine.state.answers.count == 25)
  }

  @Test func aPillIsEditedAndASuggestionAloneIsNoEvidence() async throws {
    let (walk, engine, _) = try await opened()
    let screen = try await walk.reach("goals", engine)
    guard case .open(_, let pills, _, _) = screen.input, let pill = pills.first else {
      Issue.record("no pills")
      return
    }
    #expect(screen.bullets.count == 3)
    try await engine.answer(.string(pill))
    let outcome = Facet(component: "goalClarity", name: "outcome")
    #expect(walk.pack.state(after: await walk.log.events()).ledger.known.contains(outcome) == false)
    try await engine.act(.back)
    try await engine.answer(.string(pill + ", about ten kilos"))
    #expect(walk.pack.state(after: await walk.log.events()).ledger.known.contains(outcome))
  }

  /// Also where the reader finds nothing in so few words.
  @Test(arguments: [
    ("by june", true), ("in 6 months", true), ("2027-06-01", true),
    ("By June, before the wedding.", true),
    ("no hurry at all", true), ("I don't know", false), ("no idea", false), ("not sure yet", false),
    ("I'd rather not say", false), ("why do you ask?", false), ("keine Ahnung", false),
  ])
  func aDirectAnswerIsEvidence(answer: String, counts: Bool) async throws {
    let walk = try TestWalk(shipped: "trainer-structured")
    let (engine, _) = try await walk.opened()
    try await walk.reach("experience", engine, choices: ["timeline": .string(answer)])
    let timeframe = Facet(component: "goalClarity", name: "timeframe")
    let known = walk.pack.state(after: await walk.log.events()).ledger.evidence(for: timeframe)
    #expect(known?.text == (counts ? answer : nil))
  }

  /// A suggestion that was only picked is no evidence, but a program keeps to it.
  @Test func aLimitThatWasPickedIsALimit() async throws {
    let walk = try TestWalk(shipped: "trainer-structured", drafter: TemplateDrafter())
    let (engine, _) = try await walk.opened()
    let screen = try await walk.reach(
      "programReview", engine,
      choices: ["injuries": "My knee", "healthNuances": "Nothing like that"])
    #expect(screen.rows.contains { $0.label.contains("My knee") }, "\(screen.rows)")
    let shown = try await engine.answer("exercises: Running 20 min")
    #expect(shown.refusal?.contains("My knee") == true, "\(shown.diff)")
    let physical = Facet(component: "obstacles", name: "physical")
    let intake = walk.pack.state(after: await walk.log.events())
    #expect(intake.ledger.evidence(for: physical) == nil)
  }

  @Test func aSectionWhoseQuestionsWereAnsweredElsewhereIsFull() async throws {
    let walk = try TestWalk(shipped: "trainer-structured")
    let (engine, _) = try await walk.opened()
    let screen = try await walk.reach(
      "movement", engine, choices: ["baseline": "Ten push-ups. I have dumbbells at home."])
    #expect(await engine.state.trail.contains("environment") == false)
    #expect(screen.segments.first { $0.id == "equipment" }?.fill == 1)
  }

  @Test func segmentsFillInProportion() async throws {
    let (walk, engine, _) = try await opened()
    let first = try await walk.reach("name", engine)
    #expect(first.segments.count == 10 && first.segments.allSatisfy { $0.fill < 1 })
    #expect(first.section == "ABOUT YOU" && first.segments.first?.isCurrent == true)
    let second = try await walk.reach("gender", engine)
    let fill = try #require(second.segments.first?.fill)
    #expect(fill > (first.segments.first?.fill ?? 1) && fill < 1)
    let goals = try await walk.reach("goals", engine)
    #expect(goals.segments.map(\.isCurrent).firstIndex(of: true) == 1)
    #expect(goals.segments.first?.fill == 1 && goals.section == "YOUR GOALS")
  }

  @Test func backLeadsThroughAllSectionsWithEveryAnswer() async throws {
    let (walk, engine, _) = try await opened()
    try await walk.reach("complete", engine)
    let answers = await engine.state.answers
    for step in questions(walk).reversed() {
      #expect(try await engine.act(.back).step == step.id)
    }
    #expect(await engine.state.answers == answers)
    guard case .text(_, _, let name) = await engine.screen.input else {
      Issue.record("no text")
      return
    }
    #expect(name == "Kim")
  }

  @Test func theLastScreenOffersTheProgramOrStartingOver() async throws {
    let (walk, engine, _) = try await opened()
    let screen = try await walk.reach("complete", engine)
    #expect(screen.title == "Got it, Kim.")
    #expect(screen.options.map(\.label) == ["Create my program", "Start over"])
    #expect(try await engine.answer("over").kind == .confirmation)
    #expect(try await engine.answer("no").step == "complete")
    try await engine.answer("over")
    #expect(try await engine.answer("yes").step == "name")
    #expect(await engine.state.answers["goals"] == nil)
  }

  @Test func nothingIsSentBeforeTheSignIn() async throws {
    let (walk, engine, _) = try await opened()
    try await walk.reach("complete", engine)
    #expect(walk.accounts.sent.isEmpty && walk.sync.items.isEmpty)
    #expect(await engine.state.documents.isEmpty)
    #expect(try await engine.answer("create").step == "signIn")
  }

  /// Not what the questions have asked already.
  @Test func theGapsBeginWithWhatIsMissing() async throws {
    let walk = try TestWalk(shipped: "trainer-structured")
    let (engine, _) = try await walk.opened()
    try await walk.reach(
      "gaps", engine,
      choices: [
        "goals": "I want to lose 10 kg, so I can keep up with my kids.",
        "coachingStyle": "Be direct with me.",
      ])
    let state = await (try await walk.coach(engine)).state
    #expect(!state.askedFacets.isEmpty)
    #expect(state.ledger.known.isDisjoint(with: state.askedFacets))
    // An aside about something else replaces no answer.
    let outcome = try #require(Facet("goalClarity.outcome"))
    #expect(state.ledger.evidence(for: outcome)?.text.contains("lose 10 kg") == true)
  }

  @Test func theIntakeIsQueuedAndTheGapsAreAskedFor() async throws {
    let (walk, engine, _) = try await opened()
    let gaps = try await walk.reach("gaps", engine)
    #expect(walk.sync.items.map(\.kind) == [.intake])
    #expect(gaps.kind == .conversation)
    let review = try await walk.reach("goalReview", engine)
    #expect(!review.rows.isEmpty)
  }

  @Test func bothDocumentsAreEditedInWordsAndApproved() async throws {
    let (walk, engine, _) = try await opened()
    for (step, kind) in [("goalReview", DocumentKind.goal), ("programReview", .program)] {
      try await walk.reach(step, engine)
      #expect(try await engine.answer("Thu minutes: 20").diff.isEmpty == false)
      let applied = try await engine.answer("apply")
      #expect(applied.rows.map(\.value) == ["Thu minutes: 20"])
      try await engine.answer("approve")
      #expect(await engine.state.documents[kind]?.isApproved == true)
    }
    #expect(await engine.screen.step == "notifications")
  }

  @Test(arguments: ["allow", "decline"])
  func notificationsLeadToSuccessWithTheName(answer: String) async throws {
    let (walk, engine, _) = try await opened()
    try await walk.reach("notifications", engine)
    let screen = try await engine.answer(.string(answer))
    #expect(screen.kind == .success && screen.title == "You're all set, Kim!")
    #expect(screen.rows.contains { $0.label == "First workout" })
    #expect(try await engine.answer(true).kind == .end)
  }

  @Test(arguments: ["38", "I'm 38, sorry, typo"])
  func anAgeThatWasASlipIsCorrectedWhereItWasTaken(words: String) async throws {
    let (walk, engine, _) = try await opened()
    try await walk.reach("age", engine)
    #expect(try await engine.answer("8").kind == .care)
    #expect(try await engine.answer("I'm 16").kind == .care)
    let next = try await engine.answer(.string(words))
    #expect(next.kind != .care && next.step != "age")
    #expect(await engine.state.answers["age"]?.value == .number(38))
  }

  @Test func aMinorGoesNoFurther() async throws {
    let (walk, engine, _) = try await opened()
    try await walk.reach("age", engine)
    #expect(try await engine.answer("15").kind == .care)
    #expect(try await engine.answer(true).step == "age")
  }
}

extension StructuredJourneyTests {
  /// How often somebody can train says nothing about what they do now.
  @Test func timesThatFitAreNoPresentActivity() async throws {
    let (walk, engine, _) = try await opened()
    try await walk.reach("frequency", engine)
    let next = try await engine.answer("3 times a week, mon wed fri")
    #expect(next.step == "routine")
    let known = walk.pack.state(after: await walk.log.events()).ledger.known
    #expect(known.contains(Facet(component: "lifestyle", name: "availability")))
  }

  /// Without an account service and without reminders, no screen promises either.
  @Test func screensPromiseOnlyWhatIsThere() async throws {
    let walk = try TestWalk(
      shipped: "trainer-structured", accounts: TestAccounts(isAvailable: false),
      permissions: TerminalPermissions())
    let (engine, _) = try await walk.opened()
    let intro = try await walk.reach("intro3", engine)
    #expect(!intro.body.joined().contains("sign in"))
    let complete = try await walk.reach("complete", engine)
    #expect(!complete.body.joined().contains("email"), "\(complete.body)")
    let signIn = try await engine.answer("create")
    #expect(signIn.step == "signIn" && !signIn.hasInfo)
    let reminders = try await walk.reach("notifications", engine)
    #expect(reminders.rows.isEmpty && reminders.options.isEmpty)
    #expect(reminders.title == "I can't send reminders from here.")
    #expect(reminders.button?.label == "Continue")
    #expect(reminders.body.joined().contains("rapport program --ics"))
    try await engine.answer("decline")
    #expect(await engine.state.reminders.isEmpty)
  }

  @Test func withAccountsTheSignInIsAnnounced() async throws {
    let (walk, engine, _) = try await opened()
    let complete = try await walk.reach("complete", engine)
    #expect(complete.body.joined().contains("email"))
  }

  /// What somebody had years ago isn't what they have, and a reason to stop is no limit.
  @Test(arguments: ["gyms; I got bored", "I tried a gym twice, but it was too far away"])
  func pastAttemptsNameNoEquipment(words: String) async throws {
    let walk = try TestWalk(shipped: "trainer-structured", coach: .rehearsal)
    let (engine, _) = try await walk.opened()
    try await walk.reach("attempts", engine)
    let before = await known(walk)
    try await engine.answer(.string(words))
    let new = await known(walk).subtracting(before).map(\.description)
    #expect(
      Set(new).isSubset(
        of: [
          "pastPatterns.tried", "pastPatterns.lesson", "obstacles.barrier", "obstacles.detail",
        ]), "\(new)")
    #expect(try await walk.reach("environment", engine).step == "environment")
  }

  private func known(_ walk: TestWalk) async -> Set<Facet> {
    walk.pack.state(after: await walk.log.events()).ledger.known
  }
}
