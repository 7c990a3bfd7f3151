import ContextQuality
import Intake
import IntakeTestSupport
import LanguageModels
import Testing

/// A person who says nearly everything in three turns, and a model that understands them.
struct WholeConversationTests {
  @Test func goesFromGreetingToPaywallAndOn() async throws {
    let session = try await ScriptedSession(UsualConversation.script)
    try await session.open()
    #expect(session.model.requests.first?.messages.isEmpty == true, "the coach speaks first")
    #expect(session.done.map(\.discoveryComplete) == [false])

    try await session.say(UsualConversation.first)
    #expect(session.scores.first?.components.points == 5000)
    try await session.say(UsualConversation.second)
    try await session.say(UsualConversation.third)
    #expect(session.done.map(\.phase) == [.confirmation])
    #expect(await session.state.components().isReadyForCoaching)
    #expect(session.done.map(\.discoveryComplete) == [false])

    try await session.say("let's go")
    #expect(session.done.map(\.discoveryComplete) == [true])
    #expect(session.paywalls.first?.insight.contains("Here's what I heard") == true)

    try await session.decline()
    #expect(session.paywalls.isEmpty && session.done.map(\.discoveryComplete) == [false])
    try await session.say("what should I do first?")
    #expect(session.paywalls.map(\.held) == [1])
    #expect(session.model.requests(for: .coach).isEmpty, "the message is kept, not sent")

    try await session.subscribe()
    #expect(session.messages.map(\.text) == ["Twenty pounds it is: two swims this week."])
    let request = try #require(session.model.requests(for: .coach).first)
    #expect(request.messages.last?.text == "what should I do first?")
    #expect(request.system.contains("lose 20 pounds"), "the coaching system is the context")
    #expect(
      await session.kinds.filter { $0 == .discoveryCompleted }.count == 1,
      "discovery is completed once")
  }

  @Test func whatRestsOnNothingIsFlaggedAndNotShown() async throws {
    let session = try await ScriptedSession(UsualConversation.script)
    try await session.open()
    for text in [UsualConversation.first, UsualConversation.second, UsualConversation.third] {
      try await session.say(text)
    }
    let system = try #require(await session.state.synthesis?.system)
    #expect(system.unsupported == ["/constraints/physical/1"])
    #expect(system.restsOn["/constraints/physical/0"] == [1])
    #expect(system.personaProfile.medicalDisclaimer?.contains("not a doctor") == true)
    let confirm = try #require(session.model.requests(for: .confirm).first)
    #expect(!confirm.system.contains("rotator cuff"))
    #expect(confirm.system.contains("sixty hour weeks"))
  }

  @Test func aClarificationIsATurnAndRenewsTheSynthesis() async throws {
    let session = try await ScriptedSession(UsualConversation.script)
    try await session.open()
    for text in [UsualConversation.first, UsualConversation.second, UsualConversation.third] {
      try await session.say(text)
    }
    try await session.say("almost, but it's the left knee and Thursdays are out")
    #expect(
      await session.kinds.suffix(4) == [.userSaid, .scored, .synthesised, .summarised])
    #expect(session.done.map(\.phase) == [.confirmation])
    try await session.say("let's go")
    #expect(session.done.map(\.discoveryComplete) == [true])
  }

  @Test func theQuestionNamesWhatIsMissingAndNeverWhatIsKnown() async throws {
    let session = try await ScriptedSession(UsualConversation.script)
    try await session.open()
    try await session.say(UsualConversation.first)
    let request = try #require(session.model.requests(for: .ask).first)
    #expect(request.system.contains("where and with what they can train"))
    #expect(request.system.contains("\"my knee is shot\""))
    guard case .question(let question) = await session.state.pending else {
      Issue.record("no question is pending")
      return
    }
    // A sore knee is asked about further, and one question holds two topics at most.
    #expect(question.components == ["exercisePreferences"] && question.also != nil)
    #expect(!question.facets.map(\.description).contains("obstacles.physical"))
  }
}
