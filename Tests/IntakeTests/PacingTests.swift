import ContextQuality
import Intake
import IntakeTestSupport
import LanguageModels
import Testing

/// When the coach asks, offers, waits and stops.
struct PacingTests {
  private static func script(
    _ evidence: @escaping @Sendable (ModelRequest) -> String = { _ in Evidences.json([]) }
  ) -> ScriptedCoach.Script {
    { request in
      switch request.purpose {
      case .score:
        ScriptedActs.of(request).isEmpty
          ? .text(evidence(request)) : .text(Evidences.json([], acts: ScriptedActs.of(request)))
      case .synthesise: .text(UsualConversation.synthesis)
      default: .text("And what does a normal week look like?")
      }
    }
  }

  @Test func fiveTurnsThenTheUnclearThenAnOffer() async throws {
    let session = try await ScriptedSession(Self.script())
    try await session.open()
    for number in 1...4 { try await session.say("something vague, number \(number)") }
    #expect(session.messages.map(\.purpose) == [.question])
    try await session.say("something vague, number 5")
    try await session.talk(until: { $0.shownPhase == .offer }, most: 3) { _ in
      #expect(session.messages.map(\.purpose) == [.question])
      return "still vague"
    }
    let text = try #require(session.messages.first?.text)
    #expect(text.contains("careful first step"), "under one half only a minimal start is offered")
  }

  @Test func takingTheOfferGivesAMinimalPlanMarkedAsOne() async throws {
    let session = try await ScriptedSession(
      settings: IntakeSettings(maxTurns: 1), Self.script())
    try await session.open()
    try await session.say("hm, no idea really what") { $0.shownPhase == .offer }
    try await session.say("1")
    #expect(session.messages.map(\.purpose) == [.summary, .confirmation])
    #expect(await session.state.synthesis?.isMinimal == true)
    #expect(await session.state.turns.last?.text == "Take a careful first step")
  }

  @Test func keepTalkingGivesANewAllowance() async throws {
    let session = try await ScriptedSession(
      settings: IntakeSettings(maxTurns: 1), Self.script())
    try await session.open()
    try await session.say("hm, no idea really what") { $0.shownPhase == .offer }
    let scored = session.model.requests(for: .score).count
    try await session.say("2")
    #expect(session.messages.map(\.purpose) == [.question])
    #expect(session.model.requests(for: .score).count == scored, "a choice is not scored")
  }

  @Test func timeRunsOnlyWhilePeopleTalk() async throws {
    let clock = TestClock()
    let session = try await ScriptedSession(clock: clock, Self.script())
    try await session.open()
    clock.advance(by: 86_400)
    try await session.say("back again after a day, sorry")
    #expect(await session.state.lastQuestion?.explicit == false)
    clock.advance(by: 250)
    try await session.say("took me a while to type this")
    #expect(await session.state.lastQuestion?.explicit == true, "critical components come first")
  }

  @Test func aComponentAskedAboutTwiceInVainIsSetAside() async throws {
    let session = try await ScriptedSession(
      settings: IntakeSettings(maxTurns: 9), Self.script())
    try await session.open()
    var asked: [String] = []
    for _ in 1...6 {
      try await session.say("well, you know how it is with me")
      asked.append(await session.state.lastQuestion?.components.first ?? "")
    }
    for component in Set(asked) {
      #expect(asked.filter { $0 == component }.count <= 2, "\(asked)")
    }
    #expect(asked.prefix(4) == ["goalClarity", "goalClarity", "obstacles", "obstacles"])
  }

  @Test func ratherNotSaySetsItAsideAtOnce() async throws {
    let session = try await ScriptedSession(Self.script())
    try await session.open()
    try await session.say("hello there, coach")
    #expect(await session.state.lastQuestion?.components.first == "goalClarity")
    try await session.say("I'd rather not say")
    #expect(await session.state.setAside == ["goalClarity"])
    #expect(await session.state.lastQuestion?.components.first == "obstacles")
  }

  @Test func lowestPolicyAsksAboutTheLowestRawScore() async throws {
    let session = try await ScriptedSession(
      settings: IntakeSettings(followUp: .lowest),
      Self.script { _ in Evidences.json([("goalClarity.outcome", 1, "lose some weight")]) })
    try await session.open()
    try await session.say("I want to lose some weight")
    #expect(await session.state.lastQuestion?.components == ["obstacles"])
  }

  @Test func aCutReplyIsStoredAsCutAndAskedForAgainOnResume() async throws {
    let session = try await ScriptedSession { request in
      request.purpose == .ask
        ? .failing(.truncated, after: "So tell me, wh") : .text(Evidences.json([]))
    }
    try await session.say("hello there, coach")
    #expect(session.messages.map(\.cut) == [.truncated])
    #expect(session.notices.map(\.code) == ["reply-cut"])
    let events = await session.log.events()
    let resumed = try await ScriptedSession(events: events, Self.script())
    try await resumed.open()
    #expect(resumed.model.requests.map(\.purpose) == [.ask])
    #expect(resumed.model.requests[0].messages.map(\.text) == ["hello there, coach"])
    #expect(await resumed.state.nextStep(IntakeSettings()) == .awaitUser)
  }

  @Test func aReplyThatThePersonStoppedForGoodIsNotWrittenAgain() async throws {
    let session = try await ScriptedSession { request in
      request.purpose == .ask
        ? .failing(.cancelled, after: "So tell me, wh") : .text(Evidences.json([]))
    }
    await session.engine.settleForWhatCame()
    try await session.say("hello there, coach")
    #expect(session.messages.map(\.cut) == [.cancelled])
    let events = await session.log.events()
    let resumed = try await ScriptedSession(events: events, Self.script())
    try await resumed.open()
    #expect(resumed.model.requests.isEmpty && resumed.messages.isEmpty)
    try await resumed.say("never mind, I want to run")
    let asked = try #require(resumed.model.requests.last { $0.purpose == .ask })
    #expect(asked.messages.map(\.text).contains("So tell me, wh"))
    #expect(await resumed.state.nextStep(IntakeSettings()) == .awaitUser)
  }

  @Test func aCancelledReplyIsWrittenAgain() async throws {
    let session = try await ScriptedSession { request in
      request.purpose == .ask
        ? .failing(.cancelled, after: "So tell me, wh") : .text(Evidences.json([]))
    }
    try await session.say("hello there, coach")
    let resumed = try await ScriptedSession(events: await session.log.events(), Self.script())
    try await resumed.again()
    #expect(resumed.model.requests.map(\.purpose) == [.ask])
  }

  @Test func whatIsNoTurnIsRefusedBeforeAnythingIsStored() async throws {
    let session = try await ScriptedSession(Self.script())
    let flood = String(repeating: "please finish ", count: 20_000)
    for (text, code) in [(" \u{200B}\n", "empty-turn"), (flood, "turn-too-long")] {
      try await session.say(text)
      #expect(session.notices.map(\.code) == [code])
      #expect(session.done.map(\.failed) == [true], "every input ends with one `done`")
      #expect(await session.log.events().isEmpty)
    }
    let atLimit = String(repeating: "a", count: 16_384)
    try await session.say(atLimit)
    #expect(await session.state.turns.count == 1)
  }
}

extension IntakeState {
  /// The question that waits for an answer.
  var lastQuestion: Question? {
    if case .question(let question) = pending { question } else { nil }
  }
}
