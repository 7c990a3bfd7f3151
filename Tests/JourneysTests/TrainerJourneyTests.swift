import ContextQuality
import FoundationEssentials
import IncrementalJSON
import Intake
import IntakeTestSupport
import Journeys
import Plans
import Testing

/// What the criteria of the trainer's journey ask for (`Fixtures/journeys/criteria.md`).
struct TrainerJourneyTests {
  private static let day: TimeInterval = 86_400

  /// Also for whoever chats or looks at the program, not only in the journey.
  @Test func whatWasSkippedIsDueOutsideOfItToo() async throws {
    let walk = try TestWalk(shipped: "trainer")
    let (engine, _) = try await walk.opened()
    let end = try await walk.reach(nil, engine, choices: ["assessmentPrompt": "skip"])
    #expect(end.kind == .end)
    let journey = try await JourneyState(events: walk.log.events())
    let now = walk.clock.now()
    #expect(journey.reminder(of: walk.pack, at: now) == nil)
    let due = try #require(journey.reminder(of: walk.pack, at: now.addingTimeInterval(8 * 86_400)))
    #expect(due.journey == "trainer" && due.text.contains("skipped the self-test"))
  }

  @Test(arguments: ["now", "skip"])
  func theWholeWayHasItsStepsInOrder(choice: String) async throws {
    let walk = try TestWalk(shipped: "trainer")
    let (engine, first) = try await walk.opened()
    var seen = [first.step]
    while seen.count < 60, await engine.screen.kind != .end {
      let next = try await walk.reach(
        nextStep(after: seen.last ?? "", walk, choice), engine,
        choices: ["assessmentPrompt": .string(choice)])
      if next.step != seen.last { seen.append(next.step) }
    }
    let test = ["ready", "pushups", "squat", "plank", "pulse", "bend"]
    let expected = walk.journey.steps.map(\.id).filter { choice == "now" || !test.contains($0) }
    #expect(seen == expected + [""])
  }

  private func nextStep(after id: String, _ walk: TestWalk, _ choice: String) -> String? {
    if id == "assessmentPrompt", choice == "skip" { return "firstName" }
    let ids = walk.journey.steps.map(\.id)
    return ids.firstIndex(of: id).flatMap { $0 + 1 < ids.count ? ids[$0 + 1] : nil }
  }

  @Test func nobodyIsAskedToStayInATalkThatIsOver() async throws {
    let walk = try TestWalk(shipped: "trainer")
    let (engine, _) = try await walk.opened()
    try await walk.reach("assessmentPrompt", engine)
    var screen = try await engine.act(.back)
    for _ in 0..<6 where screen.step != "intake" { screen = try await engine.act(.back) }
    #expect(screen.step == "intake" && screen.back == .free)
    let before = try await engine.act(.back)
    #expect(before.kind != .confirmation && before.step != "intake")
  }

  @Test func leavingTheConversationKeepsWhatWasSaid() async throws {
    let walk = try TestWalk(shipped: "trainer")
    let (engine, _) = try await walk.opened()
    try await walk.reach("intake", engine)
    let intake = try await walk.coach(engine)
    try await intake.say("I want to run a 10k by June.", show: { _ in })
    let question = await intake.state.transcript.messages.last?.text
    let (later, screen) = try await walk.opened()
    #expect(screen.step == "intake" && screen.input == .message)
    let resumed = try await walk.coach(later)
    let messages = await resumed.state.transcript.messages
    #expect(messages.contains { $0.text == "I want to run a 10k by June." })
    #expect(messages.last?.text == question)
  }

  @Test func theSkippedTestComesBackAfterSevenDays() async throws {
    let walk = try TestWalk(shipped: "trainer")
    let (engine, _) = try await walk.opened()
    try await walk.reach("assessmentPrompt", engine)
    #expect(try await engine.answer("skip").step == "firstName")
    try await walk.reach(nil, engine)
    walk.clock.advance(by: 6 * Self.day)
    #expect(try await walk.opened().1.kind == .end)
    walk.clock.advance(by: Self.day)
    let (later, reminder) = try await walk.opened()
    #expect(reminder.kind == .reminder && reminder.options.map(\.id) == ["now", "later", "never"])
    #expect(try await later.answer("now").step == "ready")
  }

  @Test func leavingAReopenedTestDropsItsAnswersAsItSays() async throws {
    let walk = try TestWalk(shipped: "trainer")
    let (engine, _) = try await walk.opened()
    try await walk.reach("assessmentPrompt", engine)
    try await engine.answer("skip")
    try await walk.reach(nil, engine)
    walk.clock.advance(by: 7 * Self.day)
    let (later, _) = try await walk.opened()
    try await later.answer("now")
    #expect(try await later.answer(true).step == "pushups")
    #expect(try await later.answer("9").step == "squat")
    let question = try await later.act(.back)
    #expect(question.kind == .confirmation)
    #expect(try await later.answer("yes").kind == .end)
    #expect(await later.state.answers["pushups"] == nil)
  }

  @Test func notificationsThatWerePutOffAreAskedAgainAfterTheFirstWeek() async throws {
    let walk = try TestWalk(shipped: "trainer")
    let (engine, _) = try await walk.opened()
    try await walk.reach("notifications", engine)
    #expect(try await engine.answer("decline").step == "success")
    try await walk.reach(nil, engine)
    walk.clock.advance(by: 7 * Self.day)
    let (later, reminder) = try await walk.opened()
    #expect(reminder.kind == .reminder)
    #expect(try await later.answer("now").step == "notifications")
    #expect(try await later.answer("allow").kind == .end)
    walk.clock.advance(by: 30 * Self.day)
    #expect(try await walk.opened().1.kind == .end)
  }

  @Test func whatCannotBeGrantedHereIsNotAskedAgain() async throws {
    let walk = try TestWalk(shipped: "trainer", permissions: OnlyMicrophone())
    let (engine, _) = try await walk.opened()
    try await walk.reach("notifications", engine)
    #expect(try await engine.answer("decline").step == "success")
    try await walk.reach(nil, engine)
    walk.clock.advance(by: 8 * Self.day)
    #expect(try await walk.opened().1.kind == .end)
  }

  @Test func whoFinishedSeesNeitherJourneyNorTourAgain() async throws {
    let walk = try TestWalk(shipped: "trainer")
    try await walk.reach(nil, walk.opened().0)
    #expect(try await walk.opened().1.kind == .end)
  }

  // Signing in.

  private func atSignIn() async throws -> (TestWalk, JourneyEngine) {
    let walk = try TestWalk(shipped: "trainer")
    let (engine, _) = try await walk.opened()
    try await walk.reach("signIn", engine)
    return (walk, engine)
  }

  private static let both: JSONValue = ["terms", "privacy"]

  @Test func continueNeedsAnAddressAndBothConsents() async throws {
    let (walk, engine) = try await atSignIn()
    let button = await engine.screen.button
    #expect(button?.label == "Continue" && button?.isEnabled == false)
    let neither = try await engine.answer(["email": "kim@example.com", "consents": []])
    #expect(neither.step == "signIn" && neither.problem != nil)
    let one = try await engine.answer(["email": "kim@example.com", "consents": ["terms"]])
    #expect(one.step == "signIn" && one.problem != nil)
    let malformed = try await engine.answer(["email": "kim@", "consents": Self.both])
    #expect(malformed.step == "signIn" && malformed.problem?.contains("email address") == true)
    for wrong in ["kim@", "kim@exa mple.com", "pat@exämple.com"] {
      let screen = try await engine.answer(["email": .string(wrong), "consents": Self.both])
      #expect(screen.problem != nil && screen.button?.isEnabled == false, "\(wrong)")
    }
    #expect(walk.accounts.sent.isEmpty)
    let before = walk.clock.now()
    try await engine.answer(["email": "kim@example.com", "consents": Self.both])
    #expect(await engine.screen.step == "code")
    let consents = await engine.state.account.consents
    #expect(Set(consents.keys) == ["terms", "privacy"])
    #expect(consents.values.allSatisfy { $0 <= walk.clock.now() && $0 > before - 60 })
  }

  private func atCode() async throws -> (TestWalk, JourneyEngine) {
    let (walk, engine) = try await atSignIn()
    try await engine.answer(["email": "kim@example.com", "consents": Self.both])
    return (walk, engine)
  }

  @Test func aNewCodeCanBeSentAfterThirtySeconds() async throws {
    let (walk, engine) = try await atCode()
    let asked = await engine.screen
    guard case .code(6, let wait) = asked.input else {
      Issue.record("no code")
      return
    }
    #expect((20...30).contains(wait))
    #expect(try await engine.answer("resend").problem?.contains("seconds") == true)
    #expect(walk.accounts.sent.count == 1)
    walk.clock.advance(by: 30)
    #expect(await engine.screen.input == .code(digits: 6, resendIn: 0))
    #expect(try await engine.answer("resend").problem == nil)
    #expect(walk.accounts.sent.count == 2)
  }

  @Test func whoHasACodeCanEnterItWhereAnotherOneWouldComeTooSoon() async throws {
    let (walk, engine) = try await atCode()
    walk.accounts.sendOnce()
    let email = try #require(walk.accounts.sent.first)
    #expect(try await engine.answer("different").step == "signIn")
    let asked = try await engine.answer(.string(email))
    #expect(asked.step == "code" && asked.problem?.contains("still works") == true)
    #expect(try await engine.answer(.string(TestAccounts.code)).step == "voice")
  }

  @Test func anOldCodeIsNoReasonToGoOn() async throws {
    let (walk, engine) = try await atCode()
    walk.accounts.sendOnce()
    let email = try #require(walk.accounts.sent.first)
    try await engine.answer("different")
    walk.clock.advance(by: 3_700)
    #expect(try await engine.answer(.string(email)).step == "signIn")
  }

  @Test func aWrongOrExpiredCodeCanBeTriedAgain() async throws {
    let (walk, engine) = try await atCode()
    let wrong = try await engine.answer("000000")
    #expect(wrong.step == "code" && wrong.problem?.contains("wrong or has expired") == true)
    #expect(wrong.options.map(\.id) == ["resend", "different"])
    // A code that is an hour old is as wrong, and another one is offered.
    walk.clock.advance(by: 3_600)
    let expired = try await engine.answer("000000")
    #expect(expired.problem?.contains("has expired") == true)
    #expect(try await engine.answer("resend").step == "code")
    #expect(walk.accounts.sent.count == 2)
    #expect(try await engine.answer(.string(TestAccounts.code)).step == "voice")
  }

  @Test func aDifferentAddressCanBeGiven() async throws {
    let (walk, engine) = try await atCode()
    #expect(try await engine.answer("different").step == "signIn")
    let code = try await engine.answer(["email": "lee@example.com"])
    #expect(code.body.contains { $0.contains("lee@example.com") })
    #expect(walk.accounts.sent == ["kim@example.com", "lee@example.com"])
  }

  // Permissions.

  @Test func voiceIsOnOnlyIfItWasGranted() async throws {
    for (permissions, answer, isOn) in [
      (AllPermissions() as any PermissionService, "allow", true), (NoPermissions(), "allow", false),
      (AllPermissions(), "decline", false),
    ] {
      let walk = try TestWalk(shipped: "trainer", permissions: permissions)
      let (engine, _) = try await walk.opened()
      let asked = try await walk.reach("voice", engine)
      #expect(asked.options.map(\.label) == ["Enable Voice", "I'll Type Instead"])
      #expect(try await engine.answer(.string(answer)).step == "intake")
      #expect(await engine.state.permissions[.microphone] == isOn)
    }
  }

  @Test func typingNeverAsksForTheMicrophone() async throws {
    let permissions = NoPermissions()
    let walk = try TestWalk(shipped: "trainer", permissions: permissions)
    let (engine, _) = try await walk.opened()
    try await walk.reach("voice", engine)
    #expect(try await engine.answer("decline").step == "intake")
    #expect(permissions.asked == 0)
    #expect(await engine.state.permissions[.microphone] == false)
    // Allowing does ask, so the count can tell.
    let other = try TestWalk(shipped: "trainer", permissions: permissions)
    let (asking, _) = try await other.opened()
    try await other.reach("voice", asking)
    try await asking.answer("allow")
    #expect(permissions.asked == 1)
  }

  @Test func notificationsLeadToSuccessEitherWay() async throws {
    for (permissions, answer, isOn) in [
      (AllPermissions() as any PermissionService, "allow", true), (NoPermissions(), "allow", false),
      (AllPermissions(), "decline", false),
    ] {
      let walk = try TestWalk(shipped: "trainer", permissions: permissions)
      let (engine, _) = try await walk.opened()
      try await walk.reach("notifications", engine, choices: ["voice": "decline"])
      #expect(try await engine.answer(.string(answer)).step == "success")
      #expect(await engine.state.permissions[.notifications] == isOn)
      #expect(await (engine.state.reminders["notifications"] == nil) == isOn)
    }
  }

  // Going back.

  @Test func backNeverLandsOnTheCode() async throws {
    let (walk, engine) = try await atSignIn()
    #expect(try await engine.act(.back).step == "welcome")
    try await walk.reach("voice", engine)
    #expect(try await engine.act(.back).step == "signIn")
  }

  @Test func backFromTheConversationAsksAndKeepsWhatWasSaid() async throws {
    let walk = try TestWalk(shipped: "trainer")
    let (engine, _) = try await walk.opened()
    try await walk.reach("intake", engine)
    try await walk.coach(engine).say("I want to run a 10k by June.", show: { _ in })
    #expect(try await engine.act(.back).kind == .confirmation)
    #expect(try await engine.answer("no").step == "intake")
    try await engine.act(.back)
    #expect(try await engine.answer("yes").step == "voice")
    try await engine.answer("decline")
    let messages = try await walk.coach(engine).state.transcript.messages
    #expect(messages.contains { $0.text == "I want to run a 10k by June." })
  }

  @Test func backFromTheReviewShowsTheDraftWithItsEdits() async throws {
    let walk = try TestWalk(shipped: "trainer")
    let (engine, _) = try await walk.opened()
    try await walk.reach("goalReview", engine)
    let before = await engine.screen.document?.json
    try await engine.answer("make it six months")
    let edited = try #require(try await engine.answer("apply").document?.json)
    #expect(edited != before)
    #expect(try await engine.act(.back).kind == .confirmation)
    let draft = try await engine.answer("yes")
    #expect(draft.step == "goalDraft" && draft.rows.map(\.value) == ["make it six months"])
    // The edit is in the text of the goal, and still is where it's reviewed again.
    #expect(draft.document?.json == edited)
    #expect(try await engine.answer(true).document?.json == edited)
  }

  @Test func thereIsNoWayBackOnceTheProgramIsActive() async throws {
    let walk = try TestWalk(shipped: "trainer")
    let (engine, _) = try await walk.opened()
    for step in ["notifications", "success"] {
      #expect(try await walk.reach(step, engine).back == .none)
      #expect(try await engine.act(.back).step == step)
    }
  }

  // The self-test and the name.

  @Test func leavingTheSelfTestAsksAndDropsItsAnswers() async throws {
    let walk = try TestWalk(shipped: "trainer")
    let (engine, _) = try await walk.opened()
    try await walk.reach("plank", engine, choices: ["assessmentPrompt": "now"])
    #expect(await engine.state.answers["pushups"] != nil)
    #expect(try await engine.act(.back).kind == .confirmation)
    #expect(try await engine.answer("yes").step == "assessmentPrompt")
    #expect(await engine.state.answers["pushups"] == nil)
  }

  @Test func theNameAndTheGoalAreBothNeeded() async throws {
    let walk = try TestWalk(shipped: "trainer")
    let (engine, _) = try await walk.opened()
    try await walk.reach("assessmentPrompt", engine)
    let asked = try await engine.take(.answer("skip"))
    #expect(asked.waiting == "Writing your goal…" && !asked.isBusy)
    let named = try await engine.take(.answer("Kim"))
    #expect(named.step == "firstName" && named.waiting == "Almost ready…")
    #expect(try await engine.settle().title == "Kim, here's what I'm thinking")
  }

  // The end.

  @Test func successShowsTheNameAndTheFirstWorkout() async throws {
    let walk = try TestWalk(shipped: "trainer")
    let (engine, _) = try await walk.opened()
    let screen = try await walk.reach("success", engine)
    #expect(screen.title == "You're all set, Kim!" && screen.hasConfetti)
    #expect(screen.rows.contains { $0.label == "First workout" && $0.value == "Monday, 18:00" })
  }

  @Test(arguments: [true, "skip"] as [JSONValue])
  func theTourIsShownOnceAndCanBeSkipped(answer: JSONValue) async throws {
    let walk = try TestWalk(shipped: "trainer")
    let (engine, _) = try await walk.opened()
    let tour = try await walk.reach("tour", engine)
    #expect(tour.tips.count == 4 && tour.options.map(\.id) == ["skip"])
    #expect(try await engine.answer(answer).kind == .end)
    #expect(try await walk.opened().1.kind == .end)
  }
}

private struct OnlyMicrophone: PermissionService {
  func isAvailable(_ permission: Permission) -> Bool { permission == .microphone }
  func request(_ permission: Permission) -> Bool { permission == .microphone }
}
