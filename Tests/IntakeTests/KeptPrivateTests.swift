import ContextQuality
import Intake
import IntakeTestSupport
import LanguageModels
import Testing

/// What somebody keeps to themselves is not asked for.
struct KeptPrivateTests {
  private static let body = Facet(component: "currentState", name: "body")
  private static let title = "your height, weight or age"

  private static func script(_ request: ModelRequest) -> ModelReply {
    switch request.purpose {
    case .score: .text(Evidences.json([]))
    case .synthesise: .text(UsualConversation.synthesis)
    default: .text("And what does a normal week look like?")
    }
  }

  /// A session that goes to its offer by saying nothing much after the first words, and takes it.
  private func talk(
    _ first: String, _ settings: IntakeSettings = IntakeSettings(maxTurns: 1)
  ) async throws -> ScriptedSession {
    let session = try await ScriptedSession(settings: settings, Self.script)
    try await session.open()
    try await session.say(first)
    try await session.say("hm, hard to put") { $0.phase == .offer }
    return session
  }

  @Test(arguments: [
    "I'd like to move more. My weight is private.",
    "I'd rather not say how old I am, but I sit a lot",
  ])
  func theBodyQuestionIsLeftOut(text: String) async throws {
    let session = try await talk(text)
    try await session.say("1")
    #expect(await !session.kinds.contains(.bodyAsked))
    #expect(session.messages.map(\.purpose) == [.summary, .confirmation])
  }

  @Test func somebodyWhoSaysNothingOfTheKindIsAsked() async throws {
    let session = try await talk("I'd like to lose some weight.")
    try await session.say("1")
    #expect(await session.kinds.contains(.bodyAsked))
  }

  @Test func noQuestionReachesForItAndTheModelIsTold() async throws {
    let session = try await talk(
      "I'd like to move more. My weight is private.", IntakeSettings(maxTurns: 30))
    let questions = await session.log.events().compactMap {
      if case .asked(let question) = $0.event { question } else { nil }
    }
    #expect(questions.contains { $0.components.contains("currentState") }, "the rest is asked for")
    #expect(!questions.contains { $0.facets.contains(Self.body) })
    for request in session.model.requests(for: .ask) {
      #expect(request.system.contains("never ask for it: \(Self.title)"))
    }
  }

  @Test func whoDeclinesAQuestionThatReachedForItIsNotAskedAtTheEnd() async throws {
    let session = try await ScriptedSession(
      settings: IntakeSettings(maxTurns: 30, followUp: .lowest), Self.script)
    try await session.open()
    try await session.say("something vague to begin with")
    try await session.talk(until: { $0.phase == .offer }) {
      $0.lastQuestion?.components.first == "currentState" ? "I'd rather not say" : "hm, hard to put"
    }
    try await session.say("1")
    #expect(await !session.kinds.contains(.bodyAsked))
  }

  @Test func whatTheyTellAfterAllIsTaken() async throws {
    let session = try await ScriptedSession { request in
      guard request.purpose == .score,
        request.messages.last?.text.contains("\"newUserTurns\": [2]") == true
      else { return Self.script(request) }
      return .text(Evidences.json([("currentState.body", 2, "I'm 42")]))
    }
    try await session.say("My age is private.")
    try await session.say("oh well, I'm 42")
    #expect(await session.state.ledger.known == [Self.body])
  }

  @Test func aRehearsalLeavesItToo() async throws {
    let session = try await OfflineRehearsal()
    try await session.talk(["I want to lose 10 kg by June. My weight is private."])
    #expect(await !session.log.events().contains { $0.event?.kind == .bodyAsked })
    for text in await session.coachMessages {
      #expect(!text.contains("How old are you") && !text.contains("Age, height or weight"))
    }
  }
}
