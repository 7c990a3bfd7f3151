import ContextQuality
import Intake
import LanguageModels
import Testing

/// The turn right after somebody was told to get help belongs to them.
struct AfterCareTests {
  private static let crisis = "I don't want to be alive anymore"
  private static let emergency = "my chest is tight and it goes down my left arm"
  private static let answer = "my sister is here now, thank you"

  private static func script(_ request: ModelRequest) -> ModelReply {
    switch request.purpose {
    case .score: .text(Evidences.json([]))
    case .synthesise: .text(WholeConversationTests.synthesis)
    default: .text("And what does a normal week look like?")
    }
  }

  private func prompt(_ rehearsal: Rehearsal) throws -> String {
    try #require(rehearsal.model.requests(for: .ask).last?.system)
  }

  @Test(arguments: [crisis, emergency])
  func theyAreAskedHowTheyAreBeforeAnythingOfTheIntake(danger: String) async throws {
    let rehearsal = try await Rehearsal(Self.script)
    try await rehearsal.open()
    try await rehearsal.say("I'd like to get back to running")
    try await rehearsal.say(danger)
    #expect(rehearsal.messages.map(\.purpose) == [.care])
    try await rehearsal.say(Self.answer)
    #expect(rehearsal.messages.map(\.purpose) == [.question])
    let first = try prompt(rehearsal)
    #expect(first.contains("whether they got help") && first.contains("Let them lead"))
    for component in await rehearsal.state.rubric.components {
      #expect(!first.contains("question about \(component.title)"))
    }
    #expect(await rehearsal.state.lastQuestion == nil, "no component was asked about")
    try await rehearsal.say("better. ask me about running if you like")
    #expect(await rehearsal.state.lastQuestion?.components.isEmpty == false)
    #expect(try prompt(rehearsal).contains("Then ask ONE question about"))
  }

  @Test func anAnswerToTheCheckInThatFailedIsAskedForAgain() async throws {
    let rehearsal = try await Rehearsal { request in
      request.purpose == .ask && request.system.contains("Let them lead")
        && request.messages.count < 5
        ? .failing(.overloaded) : Self.script(request)
    }
    try await rehearsal.say(Self.crisis)
    try await rehearsal.say(Self.answer)
    #expect(rehearsal.done.map(\.failed) == [true])
    try await rehearsal.say("hello?")
    #expect(try prompt(rehearsal).contains("Let them lead"))
  }

  @Test func neitherAnOfferNorTheBodyNorASummaryComesFirst() async throws {
    let rehearsal = try await Rehearsal(settings: IntakeSettings(maxTurns: 1), Self.script)
    try await rehearsal.open()
    while await rehearsal.state.phase != .offer { try await rehearsal.say("hm, hard to put") }
    try await rehearsal.say(Self.emergency)
    try await rehearsal.say("1")
    #expect(rehearsal.messages.map(\.purpose) == [.question])
    #expect(try prompt(rehearsal).contains("Let them lead"))
    #expect(await !rehearsal.state.acceptedAnything)
  }

  @Test func agreeingToASummaryWaitsUntilTheyWereAsked() async throws {
    let rehearsal = try await Rehearsal(WholeConversationTests.script)
    for text in [
      WholeConversationTests.first, WholeConversationTests.second, WholeConversationTests.third,
      Self.crisis, "let's go",
    ] {
      try await rehearsal.say(text)
    }
    #expect(rehearsal.messages.map(\.purpose) == [.question])
    #expect(rehearsal.paywalls.isEmpty)
    #expect(await !rehearsal.state.isCompleted)
    try await rehearsal.say("I'm all right again, really")
    #expect(rehearsal.messages.map(\.purpose) == [.summary, .confirmation])
  }

  @Test func atThePaywallTheirAnswerIsHeardAndNotKept() async throws {
    let rehearsal = try await Rehearsal(WholeConversationTests.script)
    for text in [
      WholeConversationTests.first, WholeConversationTests.second, WholeConversationTests.third,
      "let's go", Self.crisis, Self.answer,
    ] {
      try await rehearsal.say(text)
    }
    #expect(rehearsal.messages.map(\.purpose) == [.question])
    #expect(rehearsal.paywalls.isEmpty)
    #expect(await rehearsal.state.held.isEmpty)
    try await rehearsal.say("and what about swimming?")
    #expect(await rehearsal.state.held == ["and what about swimming?"])
  }

  @Test func otherCareGoesOnAsItDid() async throws {
    let rehearsal = try await Rehearsal(Self.script)
    try await rehearsal.say("my doctor says I get palpitations and pass out when I run")
    try await rehearsal.say("a doctor has seen it last week")
    let asked = try prompt(rehearsal)
    #expect(asked.contains("Then ask ONE question about"))
  }

  @Test func nobodyUnderAgeIsAskedByAModel() async throws {
    let rehearsal = try await Rehearsal(Self.script)
    try await rehearsal.say("I'm 13 and \(Self.crisis)")
    try await rehearsal.say("I'm 13, my sister is here now")
    #expect(rehearsal.messages.map(\.purpose) == [.care])
    #expect(rehearsal.model.requests(for: .ask).isEmpty)
  }

  @Test func aRehearsalAsksHowTheyAreToo() async throws {
    let rehearsal = try await OfflineRehearsal()
    try await rehearsal.open()
    try await rehearsal.say("I want to lose 10 kg by June")
    try await rehearsal.say(Self.crisis)
    try await rehearsal.say(Self.answer)
    let asked = try #require(await rehearsal.coachMessages.last)
    #expect(asked.contains("how are you") || asked.contains("How are you"), "\(asked)")
    #expect(asked.count { $0 == "?" } == 1)
    try await rehearsal.say("better now, we can go on")
    #expect(await rehearsal.engine.state.lastQuestion?.components.isEmpty == false)
  }
}

extension IntakeState {
  fileprivate var acceptedAnything: Bool { synthesis != nil || isCompleted || body != nil }
}
