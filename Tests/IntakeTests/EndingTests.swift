import ContextQuality
import Intake
import IntakeTestSupport
import LanguageModels
import Testing

/// A person can end the questions at any turn, and ask what one is for.
struct EndingTests {
  private static func script(_ request: ModelRequest) -> ModelReply {
    guard request.purpose == .score else { return UsualConversation.script(request) }
    let isFirst = request.messages.last?.text.contains("\"newUserTurns\": [1]") == true
    return .text(
      Evidences.json(
        isFirst ? [("goalClarity.outcome", 1, "lose 20 pounds")] : [],
        acts: ScriptedActs.of(request)))
  }

  private static let first = "I want to lose 20 pounds"

  @Test(arguments: [
    "I want to stop now", "go on with what you have", "/done", "No more questions!", "enough",
  ])
  func atAnyTurnTheSummaryOfWhatThereIsComes(ending: String) async throws {
    let session = try await ScriptedSession(Self.script)
    try await session.open()
    try await session.say(Self.first)
    #expect(session.messages.map(\.purpose) == [.question])
    try await session.say(ending)
    #expect(session.messages.map(\.purpose) == [.summary, .confirmation])
    #expect(await session.state.synthesis?.isMinimal == true)
    #expect(await session.state.setAside.isEmpty)
  }

  @Test func whatIsNotKnownIsSaid() async throws {
    let session = try await ScriptedSession(Self.script)
    try await session.open()
    try await session.say(Self.first)
    try await session.say("/done")
    let text = try #require(session.messages.last?.text)
    #expect(text.hasPrefix("I don't know this yet, so I left it open: what gets in the way"))
    #expect(text.hasSuffix("tell me what to change."))
    #expect(await session.state.turns.last?.text == "Go on with what you have")
  }

  @Test func evenBeforeTheFirstWord() async throws {
    let session = try await ScriptedSession(Self.script)
    try await session.open()
    try await session.say("/done")
    #expect(session.messages.map(\.purpose) == [.summary, .confirmation])
    #expect(session.model.requests(for: .score).isEmpty)
  }

  @Test(arguments: [
    "I want to stop now", "Take a careful first step!", "1", "/done", "enough", "goAhead",
  ])
  func afterAnOfferNoQuestionFollows(answer: String) async throws {
    let session = try await ScriptedSession(
      settings: IntakeSettings(maxTurns: 1), Self.script)
    try await session.open()
    try await session.say(Self.first) { $0.shownPhase == .offer }
    try await session.say(answer)
    #expect(session.messages.map(\.purpose) == [.summary, .confirmation])
  }

  @Test func whatWasSaidBeforeTheEndIsRead() async throws {
    let session = try await ScriptedSession { request in
      guard request.purpose == .score else { return UsualConversation.script(request) }
      return .text(
        Evidences.json(
          [("goalClarity.outcome", 1, "lose 20 pounds")],
          acts: [("stops", "", 1, "That's enough questions.")]))
    }
    try await session.open()
    try await session.say("I want to lose 20 pounds. That's enough questions.")
    #expect(session.messages.map(\.purpose) == [.summary, .confirmation])
    #expect(await session.state.ledger.known.count == 1)
  }

  @Test func atTheSummaryItWaitsAndLaterThereIsNothingToEnd() async throws {
    let session = try await ScriptedSession(Self.script)
    try await session.open()
    try await session.say(Self.first)
    try await session.say("/done")
    try await session.say("/done")
    #expect(session.messages.map(\.purpose) == [.question])
    #expect(session.messages[0].text.hasPrefix("No hurry."))
    try await session.say("let's go")
    try await session.say("/done")
    #expect(session.notices.map(\.code) == ["intake-done"])
    #expect(await session.state.held.isEmpty)
  }

  // MARK: Why a thing is asked.

  @Test func whyHeightAndWeightAreAskedGetsAnAnswerAndTheQuestionOnceMore() async throws {
    let session = try await ScriptedSession(events: .allButBody(), Self.script)
    try await session.say("and that's about it")
    #expect(session.messages.map(\.purpose) == [.body])
    try await session.say("Why do you need that?")
    #expect(session.messages.map(\.purpose) == [.body])
    #expect(session.messages[0].text.contains("safe for your body"))
    #expect(session.messages[0].text.contains("how much do you weigh?"))
    try await session.say("180 cm, 80 kg")
    #expect(session.messages.map(\.purpose) == [.summary, .confirmation])
    #expect(await session.state.body?.heightCentimetres == 180)
  }

  @Test func itIsExplainedOnce() async throws {
    let session = try await ScriptedSession(events: .allButBody(), Self.script)
    try await session.say("and that's about it")
    #expect(session.messages.map(\.purpose) == [.body])
    try await session.say("why?")
    try await session.say("why do you need to know that")
    #expect(session.messages.map(\.purpose) == [.answer])
    try await session.say("skip")
    #expect(session.messages.map(\.purpose) == [.summary, .confirmation])
  }

  @Test func askingWhyIsNoRefusal() async throws {
    let session = try await ScriptedSession(Self.script)
    try await session.open()
    try await session.say("hello there, coach")
    let asked = await session.state.lastQuestion?.components
    for _ in 1...3 { try await session.say("Why do you want to know that?") }
    #expect(session.messages.map(\.purpose) == [.question])
    #expect(await session.state.setAside.isEmpty)
    #expect(await session.state.lastQuestion?.components == asked)
  }

  // MARK: An answer that couldn't be read.

  @Test func anUnreadAnswerIsSaidAndReadAgain() async throws {
    let session = try await ScriptedSession { request in
      let isFirst = request.messages.last?.text.contains("\"newUserTurns\": [2]") == true
      return request.purpose == .score && isFirst ? .text("no JSON at all") : Self.script(request)
    }
    try await session.open()
    try await session.say(Self.first)
    let asked = await session.state.lastQuestion?.components.first
    try await session.say("work gets in the way, I'm away all week")
    #expect(session.notices.map(\.code) == ["reading-missed"])
    #expect(
      session.notices[0].text
        == "I may have missed part of that; I'll reread it with your next message.")
    #expect(await session.state.lastQuestion?.components.first != asked)
    #expect(
      session.model.requests(for: .ask).last?.system.contains("never ask for anything it already")
        == true)
    try await session.say("and the kids")
    #expect(session.notices.isEmpty)
    let reread = try #require(session.model.requests(for: .score).last?.messages.last?.text)
    #expect(
      reread.contains("\"newUserTurns\": [2,3]") || reread.contains("\"newUserTurns\": [2, 3]"))
  }
}
