import ContextQuality
import Intake
import IntakeTestSupport
import LanguageModels
import Testing

/// What somebody keeps to themselves is not asked for. The scorer reads that, in whatever words.
struct KeptPrivateTests {
  private static let body = Facet(component: "currentState", name: "body")
  private static let title = "their height, weight or age"

  private static let script = script(withholding: nil)

  /// A model that finds the quote withheld in the first turn, and nothing else anywhere.
  private static func script(withholding quote: String?) -> ScriptedCoach.Script {
    { reply(to: $0, withholding: quote) }
  }

  private static func reply(
    to request: ModelRequest, withholding quote: String?, in turn: Int = 1
  ) -> ModelReply {
    switch request.purpose {
    case .score:
      .text(
        Evidences.json(
          [],
          acts: quote.map { [("declines", body.description, turn, $0)] } ?? ScriptedActs.of(request)
        ))
    case .synthesise: .text(UsualConversation.synthesis)
    default: .text("And what does a normal week look like?")
    }
  }

  /// A session in which only the body is left to ask when they say this.
  private func tell(
    _ text: String, withholding quote: String? = nil
  ) async throws -> ScriptedSession {
    let session = try await ScriptedSession(events: .allButBody()) { request in
      Self.reply(to: request, withholding: quote, in: 2)
    }
    try await session.say(text)
    return session
  }

  /// A session that goes to its offer by saying nothing much after the first words, and takes it.
  private func talk(
    _ first: String, withholding quote: String? = nil,
    _ settings: IntakeSettings = IntakeSettings(maxTurns: 1)
  ) async throws -> ScriptedSession {
    let session = try await ScriptedSession(
      settings: settings, Self.script(withholding: quote))
    try await session.open()
    try await session.say(first)
    try await session.say("hm, hard to put") { $0.shownPhase == .offer }
    return session
  }

  @Test(arguments: [
    ("I'd like to move more. My weight is private.", "My weight is private"),
    ("I'd rather not say how old I am, but I sit a lot", "rather not say how old I am"),
    ("my weight, let's not go there. I sit a lot", "my weight, let's not go there"),
    ("the number on the scale stays with me, I sit a lot", "the number on the scale stays with me"),
    ("Quiero moverme más. Mi peso es cosa mía.", "Mi peso es cosa mía"),
    ("Was ich wiege, bleibt unter uns. Ich sitze viel.", "Was ich wiege, bleibt unter uns"),
  ])
  func theBodyQuestionIsLeftOut(text: String, quote: String) async throws {
    let session = try await tell(text, withholding: quote)
    #expect(await !session.kinds.contains(.bodyAsked))
    #expect(session.messages.map(\.purpose) == [.summary, .confirmation])
  }

  @Test func aRefusalThatNobodyUtteredIsNone() async throws {
    let session = try await tell("I'd like to lose weight.", withholding: "my weight is private")
    #expect(await session.kinds.contains(.bodyAsked))
  }

  @Test func whileTheirLastWordsAreUnreadNobodyIsAsked() async throws {
    let session = try await ScriptedSession(events: .allButBody()) { request in
      request.purpose == .score
        ? .failing(.badRequest) : Self.reply(to: request, withholding: nil)
    }
    try await session.say("my weight is nobody's business")
    #expect(await !session.kinds.contains(.bodyAsked))
    #expect(session.messages.map(\.purpose) == [.summary, .confirmation])
  }

  @Test func somebodyWhoSaysNothingOfTheKindIsAsked() async throws {
    let session = try await tell("I'd like to lose some weight.")
    #expect(await session.kinds.contains(.bodyAsked))
  }

  @Test func noQuestionReachesForItAndTheModelIsTold() async throws {
    let session = try await talk(
      "I'd like to move more. My weight is private.", withholding: "My weight is private",
      IntakeSettings(maxTurns: 30))
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
    try await session.talk(until: { $0.shownPhase == .offer }) {
      $0.lastQuestion?.components.first == "currentState" ? "I'd rather not say" : "hm, hard to put"
    }
    try await session.say("1")
    #expect(await !session.kinds.contains(.bodyAsked))
  }

  @Test func whatTheyTellAfterAllIsTaken() async throws {
    let session = try await ScriptedSession { request in
      guard request.purpose == .score,
        request.messages.last?.text.contains("\"newUserTurns\": [2]") == true
      else { return Self.reply(to: request, withholding: "My age is private") }
      return .text(Evidences.json([("currentState.body", 2, "I'm 42")]))
    }
    try await session.say("My age is private.")
    try await session.say("oh well, I'm 42")
    #expect(await session.state.ledger.known == [Self.body])
  }

  /// No model reads a rehearsal: a plain no to the question is what code understands.
  @Test func aRehearsalTakesABareRefusal() async throws {
    let session = try await OfflineRehearsal(events: .allButBody(source: .rehearsal))
    try await session.talk(["nothing else, really"])
    let events = await session.log.events().compactMap(\.event)
    #expect(events.count { $0.kind == .bodyAsked } == 1)
    #expect(await session.engine.state.body?.skipped == true)
    #expect(await session.engine.state.withheld == [Self.body])
  }
}
