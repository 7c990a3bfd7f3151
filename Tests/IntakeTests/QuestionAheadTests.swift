import ContextQuality
import FoundationEssentials
import IntakeTestSupport
import LanguageModels
import Signals
import TestSupport
import Testing

@testable import Intake

/// Questions that begin while the model still reads.
struct QuestionAheadTests {
  private typealias Whole = UsualConversation

  private static var settings: IntakeSettings {
    var settings = IntakeSettings()
    settings.readsAhead = true
    return settings
  }

  private func session(
    _ reader: QuickReader = .outcome, _ script: @escaping ScriptedCoach.Script = Whole.script
  ) async throws -> ScriptedSession {
    let session = try await ScriptedSession(
      settings: Self.settings, surroundings: Surroundings(reader: reader), script)
    try await session.open()
    return session
  }

  // MARK: The decision

  /// The plan after a first message; nil if the program waits for the model.
  private func plan(
    _ reader: QuickReader, after text: String = "I want to lose weight"
  ) async throws -> QuestionPlan? {
    var state = try ScriptedSession.pack.get().state(after: [])
    let events: [IntakeEvent] = [
      .greeted(CoachReply(text: "What would you like to change?")),
      .userSaid(UserTurn(turn: 1, text: text)),
    ]
    for (index, event) in events.enumerated() {
      state.apply(
        RecordedEvent(position: index + 1, at: .init(timeIntervalSince1970: 0), event: event))
    }
    let reading = try #require(reader.read(state.transcript, []))
    let signals = try ScriptedSession.pack.get().signals
    return state.questionAhead(reading, signals, IntakeSettings())?.plan
  }

  @Test func itAsksForTheLargestGapThatIsLeft() async throws {
    let plan = try await plan(.finding("obstacles.barrier", "obstacles.detail"))
    #expect(plan?.component == "goalClarity")
  }

  @Test func whatTheMessageMayTellIsNotAskedFor() async throws {
    let certain = try await plan(.outcome)
    #expect(certain?.missing.map(\.name) == ["barrier", "detail", "physical"])
    let doubtful = try await plan(
      .finding("goalClarity.outcome", chances: ["obstacles.physical": 0.02]))
    #expect(doubtful?.missing.map(\.name) == ["barrier", "detail"])
    let loose = try await plan(
      .finding("goalClarity.outcome", chances: ["obstacles.barrier": 0.3]))
    #expect(loose?.missing.map(\.name) == ["physical"])
    let chances = [
      "obstacles.barrier": 0.1, "obstacles.detail": 0.2, "obstacles.physical": 0.05,
    ]
    let least = try await plan(.finding("goalClarity.outcome", chances: chances))
    #expect(least?.missing.map(\.name) == ["physical"])
  }

  @Test func aTopicThatTheMessageTouchesIsNotAddedToTheQuestion() async throws {
    #expect(try await plan(.finding())?.companion == "obstacles")
    #expect(try await plan(.finding(chances: ["obstacles.physical": 0.02]))?.companion == nil)
  }

  /// The same chance for most facets.
  private static func most(_ chance: Double) -> [String: Double] {
    let names = ((try? ScriptedSession.pack.get().rubric.facets) ?? []).map(\.facet.description)
      .filter { !$0.hasPrefix("supportSystem") }
    return Dictionary(uniqueKeysWithValues: names.map { ($0, chance) })
  }

  @Test func ifAllThatIsMissingMayHaveBeenToldTheNextComponentIsAskedAbout() async throws {
    let chances = ["obstacles.barrier": 0.2, "obstacles.detail": 0.2, "obstacles.physical": 0.2]
    let plan = try await plan(.finding("goalClarity.outcome", chances: chances))
    #expect(plan?.component == "goalClarity")
    #expect(plan?.missing.map(\.name) == ["target", "timeframe", "motive"])
  }

  @Test func itWaitsWhereTheModelCouldDecideOtherwise() async throws {
    // It could be ready.
    #expect(try await plan(.finding(chances: Self.most(0.3))) == nil)
    #expect(try await plan(.finding(chances: Self.most(0.1))) != nil)
    // All of it could have been told.
    #expect(try await plan(.finding(chances: Self.most(0.2))) == nil)
    // It could do more than answer.
    let acting = QuickReader(name: "glance") { _, _ in QuickReading(evidence: [], mayAct: true) }
    #expect(try await plan(acting) == nil)
  }

  @Test(arguments: [
    ("my knee hurts when I run", true), ("no injuries", true), ("a bit of asthma", true),
    ("something with my spleen", false), ("my chest feels odd on the stairs", false),
    ("knee surgery six weeks ago", false), ("I skip dinner most days", false),
  ])
  func whatMayNeedCareWaits(text: String, asks: Bool) async throws {
    let reader = QuickReader.finding("goalClarity.outcome", tellsOfConditions: true)
    #expect((try await plan(reader, after: text) != nil) == asks)
  }

  // MARK: The engine

  @Test func theQuestionBeginsBeforeTheMessageHasBeenRead() async throws {
    let gate = Gate()
    let model = SlowModel(purpose: .score, gate: gate)
    let log = InMemorySessionLog()
    let engine = try await IntakeEngine(
      log: log, models: ModelRoles(all: model), pack: try ScriptedSession.pack.get(),
      settings: Self.settings, entitlements: InMemoryEntitlement(),
      surroundings: Surroundings(reader: .outcome), now: TestClock().now)
    try await engine.open { _ in }
    // Nothing but the question's words lets the reading go on.
    try await engine.say(Whole.first) { output in
      if case .delta(_, .question) = output { gate.open() }
    }
    #expect(
      await log.events().map(\.event?.kind) == [.started, .greeted, .userSaid, .scored, .asked])
    #expect(await engine.state.ledger.known.count == 7, "the model has the last word")
  }

  @Test func aReadingThatFailedIsMadeUpForWithTheNextMessage() async throws {
    let session = try await session { request in
      request.purpose == .score && request.messages.last?.text.contains("[1]") == true
        ? .failing(.overloaded) : Whole.script(request)
    }
    try await session.say(Whole.first)
    #expect(session.messages.map(\.purpose) == [.question])
    #expect(session.notices.map(\.code) == ["reading-missed"])
    try await session.say(Whole.second)
    #expect(
      session.model.requests(for: .score).last?.messages.last?.text
        .contains("\"newUserTurns\": [1,2]") == true)
  }

  @Test func withoutAModelNothingButTheMessageIsStored() async throws {
    let session = try await session { request in
      request.purpose == .greet ? Whole.script(request) : .failing(.overloaded)
    }
    try await session.say(Whole.first)
    #expect(await session.kinds == [.started, .greeted, .userSaid])
    #expect(session.notices.count == 1)
    #expect(session.done.map(\.failed) == [true])
  }

  @Test func careFollowsTheQuestionAtOnce() async throws {
    let session = try await session { request in
      request.purpose == .score
        ? .text(
          Evidences.json([], care: "medical", careQuote: "the stairs do something funny to me"))
        : Whole.script(request)
    }
    try await session.say("the stairs do something funny to me and I want to lose weight")
    #expect(await session.kinds == [.started, .greeted, .userSaid, .scored, .asked, .cared])
    #expect(session.messages.map(\.purpose) == [.question, .care])
    #expect(session.done.map(\.failed) == [false])
  }

  @Test func careStopsAQuestionThatHasNotBegun() async throws {
    let gate = Gate()
    let model = SlowModel(
      { request in
        request.purpose == .score
          ? .text(
            Evidences.json([], care: "medical", careQuote: "the stairs do something funny to me"))
          : Whole.script(request)
      }, gate: gate
    ) { $0.purpose == .ask }
    let log = InMemorySessionLog()
    let engine = try await IntakeEngine(
      log: log, models: ModelRoles(all: model), pack: try ScriptedSession.pack.get(),
      settings: Self.settings, entitlements: InMemoryEntitlement(),
      surroundings: Surroundings(reader: .outcome), now: TestClock().now)
    try await engine.open { _ in }
    // The gate opens with the question's cancellation alone.
    try await engine.say("the stairs do something funny to me") { _ in }
    let events = await log.events().compactMap(\.event)
    #expect(events.map(\.kind).suffix(2) == [.scored, .cared])
  }

  @Test func itIsOffUnlessAskedFor() async throws {
    let session = try await ScriptedSession(
      surroundings: Surroundings(reader: .outcome), Whole.script)
    try await session.open()
    try await session.say(Whole.first)
    #expect(session.shown.first == .waiting(.reading))
  }
}
