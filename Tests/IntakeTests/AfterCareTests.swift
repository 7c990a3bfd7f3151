import ContextQuality
import Intake
import IntakeTestSupport
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
    case .synthesise: .text(UsualConversation.synthesis)
    default: .text("And what does a normal week look like?")
    }
  }

  private func prompt(_ session: ScriptedSession) throws -> String {
    try #require(session.model.requests(for: .ask).last?.system)
  }

  @Test(arguments: [crisis, emergency])
  func theyAreAskedHowTheyAreBeforeAnythingOfTheIntake(danger: String) async throws {
    let session = try await ScriptedSession(Self.script)
    try await session.open()
    try await session.say("I'd like to get back to running")
    try await session.say(danger)
    #expect(session.messages.map(\.purpose) == [.care])
    try await session.say(Self.answer)
    #expect(session.messages.map(\.purpose) == [.question])
    let first = try prompt(session)
    #expect(first.contains("whether they got help") && first.contains("Let them lead"))
    for component in await session.state.rubric.components {
      #expect(!first.contains("question about \(component.title)"))
    }
    #expect(await session.state.lastQuestion == nil, "no component was asked about")
    try await session.say("better. ask me about running if you like")
    #expect(await session.state.lastQuestion?.components.isEmpty == false)
    #expect(try prompt(session).contains("then ask ONE question"))
  }

  /// A sign in each message: the first is answered with the fixed text, and the next by the coach.
  @Test func whoWasJustToldToSeeADoctorIsNotToldTheSameAgain() async throws {
    let session = try await ScriptedSession { request in
      guard request.purpose == .score else { return Self.script(request) }
      let text = request.messages.last?.text ?? ""
      let isSecond = text.contains("\"newUserTurns\": [2]")
      return .text(
        Evidences.json(
          [], care: "medical", careQuote: isSecond ? "shaky before lunch" : "toes a bit numb"))
    }
    try await session.say("my sugar is high and I have toes a bit numb")
    #expect(session.messages.map(\.purpose) == [.care])
    try await session.say("I take a tablet for it, and was shaky before lunch")
    #expect(session.messages.map(\.purpose) == [.question])
    #expect(try prompt(session).contains("no intensity until a doctor"))
    try await session.say(Self.emergency)
    #expect(session.messages.map(\.purpose) == [.care], "an urgent sign comes first")
  }

  @Test func anAnswerToTheCheckInThatFailedIsAskedForAgain() async throws {
    let session = try await ScriptedSession { request in
      request.purpose == .ask && request.system.contains("Let them lead")
        && request.messages.count < 5
        ? .failing(.overloaded) : Self.script(request)
    }
    try await session.say(Self.crisis)
    try await session.say(Self.answer)
    #expect(session.done.map(\.failed) == [true])
    try await session.say("hello?")
    #expect(try prompt(session).contains("Let them lead"))
  }

  @Test func neitherAnOfferNorTheBodyNorASummaryComesFirst() async throws {
    let session = try await ScriptedSession(settings: IntakeSettings(maxTurns: 1), Self.script)
    try await session.open()
    try await session.say("hm, hard to put") { $0.shownPhase == .offer }
    try await session.say(Self.emergency)
    try await session.say("1")
    #expect(session.messages.map(\.purpose) == [.question])
    #expect(try prompt(session).contains("Let them lead"))
    #expect(await !session.state.acceptedAnything)
  }

  @Test func agreeingToASummaryWaitsUntilTheyWereAsked() async throws {
    let session = try await ScriptedSession(UsualConversation.script)
    for text in [
      UsualConversation.first, UsualConversation.second, UsualConversation.third,
      Self.crisis, "let's go",
    ] {
      try await session.say(text)
    }
    #expect(session.messages.map(\.purpose) == [.question])
    #expect(session.paywalls.isEmpty)
    #expect(await !session.state.isCompleted)
    try await session.say("I'm all right again, really")
    #expect(session.messages.map(\.purpose) == [.summary, .confirmation])
  }

  @Test func atThePaywallTheirAnswerIsHeardAndNotKept() async throws {
    let session = try await ScriptedSession(UsualConversation.script)
    for text in [
      UsualConversation.first, UsualConversation.second, UsualConversation.third,
      "let's go", Self.crisis, Self.answer,
    ] {
      try await session.say(text)
    }
    #expect(session.messages.map(\.purpose) == [.question])
    #expect(session.paywalls.isEmpty)
    #expect(await session.state.held.isEmpty)
    try await session.say("and what about swimming?")
    #expect(await session.state.held == ["and what about swimming?"])
  }

  @Test func otherCareGoesOnAsItDid() async throws {
    let session = try await ScriptedSession(Self.script)
    try await session.say("my doctor says I get palpitations and pass out when I run")
    try await session.say("a doctor has seen it last week")
    let asked = try prompt(session)
    #expect(asked.contains("then ask ONE question"))
  }

  @Test func nobodyUnderAgeIsAskedByAModel() async throws {
    let session = try await ScriptedSession(Self.script)
    try await session.say("I'm 13 and \(Self.crisis)")
    try await session.say("I'm 13, my sister is here now")
    #expect(session.messages.map(\.purpose) == [.care])
    #expect(session.model.requests(for: .ask).isEmpty)
  }

  @Test func aRehearsalAsksHowTheyAreToo() async throws {
    let session = try await OfflineRehearsal()
    try await session.open()
    try await session.say("I want to lose 10 kg by June")
    try await session.say(Self.crisis)
    try await session.say(Self.answer)
    let asked = try #require(await session.coachMessages.last)
    #expect(asked.lowercased().contains("how are you"), "\(asked)")
    #expect(asked.count { $0 == "?" } == 1)
    try await session.say("better now, we can go on")
    #expect(await session.engine.state.lastQuestion?.components.isEmpty == false)
  }
}

extension IntakeState {
  fileprivate var acceptedAnything: Bool { synthesis != nil || isCompleted || body != nil }
}
