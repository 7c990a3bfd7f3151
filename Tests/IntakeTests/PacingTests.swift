import ContextQuality
import Intake
import LanguageModels
import Testing

/// When the coach asks, offers, waits and stops.
struct PacingTests {
  private static func script(
    _ evidence: @escaping @Sendable (ModelRequest) -> String = { _ in Evidences.json([]) }
  ) -> ScriptedCoach.Script {
    { request in
      switch request.purpose {
      case .score: .text(evidence(request))
      case .synthesise: .text(WholeConversationTests.synthesis)
      default: .text("And what does a normal week look like?")
      }
    }
  }

  @Test func fiveTurnsThenTheUnclearThenAnOffer() async throws {
    let rehearsal = try await Rehearsal(Self.script())
    try await rehearsal.open()
    for number in 1...4 { try await rehearsal.say("something vague, number \(number)") }
    #expect(rehearsal.messages.map(\.purpose) == [.question])
    try await rehearsal.say("something vague, number 5")
    #expect(await rehearsal.state.lastQuestion?.explicit == nil || rehearsal.done.count == 1)
    while await rehearsal.state.phase != .offer {
      #expect(rehearsal.messages.map(\.purpose) == [.question])
      #expect(await rehearsal.state.turns.count < 8)
      try await rehearsal.say("still vague")
    }
    let text = try #require(rehearsal.messages.first?.text)
    #expect(text.contains("careful first step"), "under one half only a minimal start is offered")
  }

  @Test func takingTheOfferGivesAMinimalPlanMarkedAsOne() async throws {
    let rehearsal = try await Rehearsal(
      settings: IntakeSettings(maxTurns: 1), Self.script())
    try await rehearsal.open()
    while await rehearsal.state.phase != .offer {
      try await rehearsal.say("hm, no idea really what")
    }
    try await rehearsal.say("1")
    #expect(rehearsal.messages.map(\.purpose) == [.body])
    try await rehearsal.say("skip")
    #expect(await rehearsal.state.synthesis?.isMinimal == true)
    #expect(await rehearsal.state.turns.dropLast().last?.text == "Take a careful first step")
  }

  @Test func keepTalkingGivesANewAllowance() async throws {
    let rehearsal = try await Rehearsal(
      settings: IntakeSettings(maxTurns: 1), Self.script())
    try await rehearsal.open()
    while await rehearsal.state.phase != .offer {
      try await rehearsal.say("hm, no idea really what")
    }
    let scored = rehearsal.model.requests(for: .score).count
    try await rehearsal.say("2")
    #expect(rehearsal.messages.map(\.purpose) == [.question])
    #expect(rehearsal.model.requests(for: .score).count == scored, "a choice is not scored")
  }

  @Test func timeRunsOnlyWhilePeopleTalk() async throws {
    let clock = TestClock()
    let rehearsal = try await Rehearsal(clock: clock, Self.script())
    try await rehearsal.open()
    clock.advance(by: 86_400)
    try await rehearsal.say("back again after a day, sorry")
    #expect(await rehearsal.state.lastQuestion?.explicit == false)
    clock.advance(by: 250)
    try await rehearsal.say("took me a while to type this")
    #expect(await rehearsal.state.lastQuestion?.explicit == true, "critical components come first")
  }

  @Test func aComponentAskedAboutTwiceInVainIsSetAside() async throws {
    let rehearsal = try await Rehearsal(
      settings: IntakeSettings(maxTurns: 9), Self.script())
    try await rehearsal.open()
    var asked: [String] = []
    for _ in 1...6 {
      try await rehearsal.say("well, you know how it is with me")
      asked.append(await rehearsal.state.lastQuestion?.components.first ?? "")
    }
    for component in Set(asked) {
      #expect(asked.filter { $0 == component }.count <= 2, "\(asked)")
    }
    #expect(asked.prefix(4) == ["goalClarity", "goalClarity", "obstacles", "obstacles"])
  }

  @Test func ratherNotSaySetsItAsideAtOnce() async throws {
    let rehearsal = try await Rehearsal(Self.script())
    try await rehearsal.open()
    try await rehearsal.say("hello there, coach")
    #expect(await rehearsal.state.lastQuestion?.components.first == "goalClarity")
    try await rehearsal.say("I'd rather not say")
    #expect(await rehearsal.state.setAside == ["goalClarity"])
    #expect(await rehearsal.state.lastQuestion?.components.first == "obstacles")
  }

  @Test func lowestPolicyAsksAboutTheLowestRawScore() async throws {
    let rehearsal = try await Rehearsal(
      settings: IntakeSettings(followUp: .lowest),
      Self.script { _ in Evidences.json([("goalClarity.outcome", 1, "lose some weight")]) })
    try await rehearsal.open()
    try await rehearsal.say("I want to lose some weight")
    #expect(await rehearsal.state.lastQuestion?.components == ["obstacles"])
  }

  @Test func aCutReplyIsStoredAsCutAndAskedForAgainOnResume() async throws {
    let rehearsal = try await Rehearsal { request in
      request.purpose == .ask
        ? .failing(.truncated, after: "So tell me, wh") : .text(Evidences.json([]))
    }
    try await rehearsal.say("hello there, coach")
    #expect(rehearsal.messages.map(\.cut) == ["truncated"])
    #expect(rehearsal.notices.map(\.code) == ["reply-cut"])
    let events = await rehearsal.log.events()
    let resumed = try await Rehearsal(events: events, Self.script())
    try await resumed.open()
    #expect(resumed.model.requests.map(\.purpose) == [.ask])
    #expect(resumed.model.requests[0].messages.map(\.text) == ["hello there, coach"])
    #expect(await resumed.state.nextStep(IntakeSettings()) == .awaitUser)
  }

  @Test func whatIsNoTurnIsRefusedBeforeAnythingIsStored() async throws {
    let rehearsal = try await Rehearsal(Self.script())
    let flood = String(repeating: "please finish ", count: 20_000)
    for (text, code) in [(" \u{200B}\n", "empty-turn"), (flood, "turn-too-long")] {
      try await rehearsal.say(text)
      #expect(rehearsal.notices.map(\.code) == [code])
      #expect(rehearsal.done.map(\.failed) == [true], "every input ends with one `done`")
      #expect(await rehearsal.log.events().isEmpty)
    }
    let atLimit = String(repeating: "a", count: 16_384)
    try await rehearsal.say(atLimit)
    #expect(await rehearsal.state.turns.count == 1)
  }
}

extension IntakeState {
  /// The question that waits for an answer.
  var lastQuestion: Question? {
    if case .question(let question) = pending { question } else { nil }
  }
}
