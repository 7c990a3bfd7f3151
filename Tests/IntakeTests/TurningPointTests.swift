import ContextQuality
import FoundationEssentials
import Intake
import LanguageModels
import Synchronization
import Testing

/// Where a conversation can take a wrong turn: the cap, the summary, the paywall.
struct TurningPointTests {
  private static func vague(_ request: ModelRequest) -> ModelReply {
    request.purpose == .score ? .text(Evidences.json([])) : .text("And in a normal week?")
  }

  /// A session whose summary has just been shown.
  private func summarised(
    _ script: @escaping ScriptedCoach.Script = WholeConversationTests.script
  ) async throws -> Rehearsal {
    let rehearsal = try await Rehearsal(script)
    try await rehearsal.open()
    let said = [
      WholeConversationTests.first, WholeConversationTests.second, WholeConversationTests.third,
    ]
    for text in said { try await rehearsal.say(text) }
    return rehearsal
  }

  @Test func atTheCapWhatWasAskedInVainIsAskedInSoManyWordsButNotWhatWasDeclined() async throws {
    let rehearsal = try await Rehearsal(settings: IntakeSettings(maxTurns: 3), Self.vague)
    try await rehearsal.open()
    try await rehearsal.say("something vague to begin with")
    let declined = try #require(await rehearsal.state.lastQuestion?.components.first)
    try await rehearsal.say("I'd rather not say")
    try await rehearsal.say("something vague again")
    var explicit: [String] = []
    while await rehearsal.state.phase != .offer {
      let question = try #require(await rehearsal.state.lastQuestion)
      if question.explicit { explicit += question.components }
      #expect(explicit.count < 5)
      try await rehearsal.say("still vague, sorry about that")
    }
    let critical = Set(await rehearsal.state.components().missingCritical.map(\.name))
    #expect(Set(explicit) == critical.subtracting([declined]))
  }

  @Test func whatWasDeclinedStaysDeclinedAfterKeepTalking() async throws {
    let rehearsal = try await Rehearsal(settings: IntakeSettings(maxTurns: 2), Self.vague)
    try await rehearsal.open()
    try await rehearsal.say("something vague to begin with")
    let declined = try #require(await rehearsal.state.lastQuestion?.components.first)
    try await rehearsal.say("I'd rather not say")
    while await rehearsal.state.phase != .offer { try await rehearsal.say("still vague, sorry") }
    try await rehearsal.say("keep talking")
    #expect(await rehearsal.state.setAside.contains(declined))
    #expect(await rehearsal.state.lastQuestion?.components.contains(declined) == false)
  }

  @Test func anOfferNamesWhatIsMissingButNotWhatWasDeclined() async throws {
    let rehearsal = try await Rehearsal(settings: IntakeSettings(maxTurns: 2), Self.vague)
    try await rehearsal.open()
    try await rehearsal.say("something vague to begin with")
    let declined = try #require(await rehearsal.state.lastQuestion?.components.first)
    let rubric = await rehearsal.state.rubric
    try await rehearsal.say("I'd rather not say")
    while await rehearsal.state.phase != .offer { try await rehearsal.say("still vague, sorry") }
    let offer = try #require(rehearsal.messages.last?.text)
    #expect(!offer.contains(try #require(rubric[component: declined]?.title)))
    #expect(offer.contains(try #require(rubric[component: "exercisePreferences"]?.title)))
  }

  @Test func aMinorAtThePaywallIsNotSoldToAndAnAdultPutRightIsAskedAgain() async throws {
    let rehearsal = try await summarised()
    try await rehearsal.say("let's go")
    try await rehearsal.say("i'm 15")
    for text in ["continue", "not now", "and now?"] {
      try await rehearsal.say(text)
      #expect(rehearsal.messages.map(\.purpose) == [.care] && rehearsal.paywalls.isEmpty)
    }
    try await rehearsal.subscribe()
    _ = await rehearsal.entitlements.subscribe(at: Date(timeIntervalSince1970: 0))
    try await rehearsal.open()
    #expect(await rehearsal.state.entitlement == nil)
    try await rehearsal.say("sorry, typo: i'm 25")
    #expect(await rehearsal.state.phase == .coaching)
  }

  @Test func anAdultTakenForAMinorAtThePaywallMeetsItAgain() async throws {
    let rehearsal = try await summarised()
    try await rehearsal.say("let's go")
    try await rehearsal.say("i'm 15")
    try await rehearsal.say("i mean i'm 25")
    #expect(rehearsal.paywalls.count == 1)
    #expect(rehearsal.done.map(\.discoveryComplete) == [false])
  }

  @Test func aSummaryThatWasCutCannotBeAgreedTo() async throws {
    let cuts = Mutex(1)
    let rehearsal = try await summarised { request in
      guard request.purpose == .confirm,
        cuts.withLock({
          $0 -= 1
          return $0 == 0
        })
      else {
        return WholeConversationTests.script(request)
      }
      return .failing(.truncated, after: "Here's what I he")
    }
    try await rehearsal.say("let's go")
    #expect(await !rehearsal.state.isCompleted)
    #expect(rehearsal.messages.map(\.purpose) == [.summary, .confirmation])
    #expect(rehearsal.model.requests(for: .synthesise).count == 1)
    try await rehearsal.say("let's go")
    #expect(await rehearsal.state.isCompleted)
  }

  @Test func anOutputThatCannotBeShownDoesNotCountAsSaid() async throws {
    let rehearsal = try await summarised()
    let engine = rehearsal.engine
    await #expect(throws: Never.self) {
      try await Task {
        try await engine.say("let's go") { output in
          if case .paywall = output { withUnsafeCurrentTask { $0?.cancel() } }
        }
      }.value
    }
    try await rehearsal.open()
    #expect(rehearsal.done.map(\.discoveryComplete) == [true])
  }

  @Test func anAgePutRightLeavesNoMarkOfAMinor() async throws {
    let rehearsal = try await Rehearsal(WholeConversationTests.script)
    try await rehearsal.say("i'm 15 and want to lose 30 pounds")
    #expect(rehearsal.messages.map { $0.text.contains("how old are you") } == [false])
    try await rehearsal.say("typo, i'm 25")
    let question = try #require(rehearsal.model.requests(for: .ask).last?.system)
    #expect(!question.contains("under age"))
  }

  @Test(arguments: ["1", "goAhead", "LET'S GO"])
  func aChoiceIsTakenByNumberIdOrLabel(answer: String) async throws {
    let rehearsal = try await summarised()
    try await rehearsal.say(answer)
    #expect(await rehearsal.state.isCompleted)
    #expect(rehearsal.paywalls.map { $0.insight.contains("Is that right") } == [false])
  }

  @Test(arguments: ["no", "keep talking", "hmm"])
  func aSummaryTurnedDownWithoutAReasonIsAskedAboutNotRepeated(answer: String) async throws {
    let rehearsal = try await summarised()
    let drafts = rehearsal.model.requests(for: .synthesise).count
    try await rehearsal.say(answer)
    #expect(rehearsal.messages.map(\.purpose) == [.question])
    #expect(rehearsal.messages.first?.text.contains("What should I change") == true)
    #expect(rehearsal.model.requests(for: .synthesise).count == drafts)
    #expect(rehearsal.done.map(\.phase) == [.confirmation])
    try await rehearsal.say("it's the left knee, and Thursdays are out")
    #expect(rehearsal.model.requests(for: .synthesise).count == drafts + 1)
    try await rehearsal.say("let's go")
    #expect(rehearsal.done.map(\.discoveryComplete) == [true])
  }

  @Test(arguments: ["not now", "Later, thanks", "I need to think about it", "ask me tomorrow"])
  func aSummaryThatIsPutOffStaysAsItIs(answer: String) async throws {
    let rehearsal = try await summarised()
    let drafts = rehearsal.model.requests(for: .synthesise).count
    let scored = rehearsal.model.requests(for: .score).count
    try await rehearsal.say(answer)
    #expect(rehearsal.messages.map(\.purpose) == [.question])
    let text = try #require(rehearsal.messages.first?.text)
    #expect(text.contains("no hurry") && !text.contains("?"))
    #expect(rehearsal.done.map(\.phase) == [.confirmation])
    #expect(rehearsal.model.requests(for: .score).count == scored)
    try await rehearsal.say("let's go")
    #expect(rehearsal.done.map(\.discoveryComplete) == [true])
    #expect(rehearsal.model.requests(for: .synthesise).count == drafts)
  }

  @Test func aRefusalToSynthesiseIsNoProfile() async throws {
    let rehearsal = try await summarised { request in
      request.purpose == .synthesise
        ? .text("I cannot help with that.") : WholeConversationTests.script(request)
    }
    #expect(await rehearsal.state.synthesis == nil)
    #expect(rehearsal.notices.map(\.code) == ["profile-failed"])
    #expect(rehearsal.done.map(\.failed) == [true])
    try await rehearsal.say("let's go")
    #expect(await rehearsal.state.isCompleted == false)
  }

  @Test func aReplyThatThoughtUntilItsLimitIsAskedForWithMoreRoom() async throws {
    let rehearsal = try await Rehearsal { request in
      request.maxOutputTokens < 4_000
        ? .text("", finish: .length) : .text("Hello. What brings you?")
    }
    try await rehearsal.open()
    #expect(rehearsal.messages.map(\.text) == ["Hello. What brings you?"])
    let limits = rehearsal.model.requests.map(\.maxOutputTokens)
    #expect(limits.count == 2 && limits[1] == 4 * limits[0])
  }

  @Test func whoHasSubscribedMeetsNoPaywall() async throws {
    let rehearsal = try await summarised()
    _ = await rehearsal.entitlements.subscribe(at: TestClock().now())
    try await rehearsal.say("let's go")
    #expect(rehearsal.paywalls.isEmpty)
    #expect(rehearsal.messages.map(\.purpose) == [.coaching])
    #expect(rehearsal.done.map(\.discoveryComplete) == [true])
    try await rehearsal.say("and then?")
    #expect(rehearsal.done.map(\.discoveryComplete) == [false])
  }

  @Test func aMinorCannotSubscribe() async throws {
    let rehearsal = try await summarised()
    try await rehearsal.say("let's go")
    try await rehearsal.say("I'm 15 by the way")
    #expect(rehearsal.messages.map(\.purpose) == [.care])
    try await rehearsal.subscribe()
    #expect(await rehearsal.state.entitlement == nil)
    #expect(rehearsal.model.requests(for: .coach).isEmpty)
  }

  @Test func aPlanForAChildIsNotTakenForTheUsersAge() async throws {
    let rehearsal = try await Rehearsal { request in
      request.purpose == .score
        ? .text(Evidences.json([], care: "minor-child")) : Self.vague(request)
    }
    try await rehearsal.open()
    try await rehearsal.say("could you set something up for the little one")
    #expect(rehearsal.messages.map(\.purpose) == [.care])
    #expect(await rehearsal.state.isMinor == false)
  }

  @Test func halfOfAHeightAndWeightIsKeptWhileTheOtherIsAskedForAgain() async throws {
    let rehearsal = try await Rehearsal(settings: IntakeSettings(maxTurns: 1)) { request in
      request.purpose == .synthesise ? .text(WholeConversationTests.synthesis) : Self.vague(request)
    }
    try await rehearsal.open()
    while await rehearsal.state.phase != .offer { try await rehearsal.say("vague, as ever, sorry") }
    try await rehearsal.say("1")
    try await rehearsal.say("178 cm, 810 kg")
    #expect(rehearsal.messages.map(\.purpose) == [.body])
    try await rehearsal.say("81 kg")
    let body = try #require(await rehearsal.state.body)
    #expect(body.heightCentimetres == 178 && body.weightKilograms == 81)
  }

  @Test func whatElseIsSaidWithAHeightIsScored() async throws {
    let rehearsal = try await Rehearsal(settings: IntakeSettings(maxTurns: 1)) { request in
      request.purpose == .synthesise ? .text(WholeConversationTests.synthesis) : Self.vague(request)
    }
    try await rehearsal.open()
    while await rehearsal.state.phase != .offer { try await rehearsal.say("vague, as ever, sorry") }
    try await rehearsal.say("1")
    let before = rehearsal.model.requests(for: .score).count
    try await rehearsal.say(
      "178 cm, 81 kilos, and I only ever have time on Sunday mornings before church")
    #expect(rehearsal.model.requests(for: .score).count == before + 1)
  }

  @Test(arguments: ["38", "I'm 38", "thirty-eight", "38 years", "age 38"])
  func anAdultTakenForAMinorOnlyHasToSayTheirAge(answer: String) async throws {
    let rehearsal = try await Rehearsal(Self.vague)
    try await rehearsal.open()
    try await rehearsal.say("I'm 15 and I want to get fit")
    #expect(await rehearsal.state.isMinor)
    try await rehearsal.say(answer)
    #expect(await rehearsal.state.isMinor == false)
    #expect(rehearsal.messages.map(\.purpose) == [.question])
  }
}
