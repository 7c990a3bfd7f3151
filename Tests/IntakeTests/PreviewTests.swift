import ContextQuality
import IntakeTestSupport
import LanguageModels
import Rehearsal
import Synchronization
import TestSupport
import Testing

@testable import Intake

/// Drafts that are read before they are sent.
struct PreviewTests {
  private typealias Whole = UsualConversation

  private func events(_ engine: IntakeEngine, _ log: InMemorySessionLog) async -> [IntakeEvent] {
    await log.events().compactMap(\.event)
  }

  private func opened(_ script: @escaping ScriptedCoach.Script = Whole.script) async throws
    -> ScriptedSession
  {
    let session = try await ScriptedSession(script)
    try await session.open()
    return session
  }

  private func preview(_ text: String, _ session: ScriptedSession) async -> DraftReading? {
    await session.engine.preview(text, at: await session.state.position)
  }

  @Test func whatWasReadIsThereWhenExactlyThatIsSent() async throws {
    let plain = try await opened()
    try await plain.say(Whole.first)
    try await plain.say(Whole.second)
    let ahead = try await opened()
    for text in [Whole.first, Whole.second] {
      let reading = try #require(await preview(text, ahead))
      #expect(!reading.new.isEmpty)
      try await ahead.say(text)
      #expect(!ahead.shown.contains(.waiting(.reading)), "nothing is left to wait for")
      #expect(ahead.scores.count == 1)
    }
    #expect(await ahead.log.events().map(\.event) == plain.log.events().map(\.event))
    let asked = ahead.model.requests(for: .score)
    #expect(asked.map(\.messages) == plain.model.requests(for: .score).map(\.messages))
    #expect(asked.map(\.isBackground) == [true, true])
    #expect(plain.model.requests.map(\.isBackground).allSatisfy { !$0 })
  }

  @Test func aDraftIsNeitherStoredNorCounted() async throws {
    let session = try await opened()
    let before = (await session.state, await session.kinds)
    #expect(await preview(Whole.first, session) != nil)
    #expect(await session.state == before.0)
    #expect(await session.kinds == before.1)
  }

  @Test(arguments: ["I want to lose 20 pounds", Whole.first + " ", "idk"])
  func whatIsSentOtherwiseIsReadAnew(sent: String) async throws {
    let session = try await opened()
    _ = await preview(Whole.first, session)
    try await session.say(sent)
    let inTime = session.model.requests(for: .score).filter { !$0.isBackground }
    let plain = try await opened()
    try await plain.say(sent)
    #expect(inTime == plain.model.requests(for: .score))
    #expect(await session.log.events().map(\.event) == plain.log.events().map(\.event))
  }

  @Test(arguments: ["", "   ", "idk", "I want to kill myself"])
  func whatWouldNotBeScoredIsNotRead(text: String) async throws {
    let session = try await opened()
    #expect(await preview(text, session) == nil)
    #expect(session.model.requests(for: .score).isEmpty)
  }

  @Test func textThatWasSentMeanwhileIsNoDraft() async throws {
    let session = try await opened()
    let position = await session.state.position
    try await session.say(Whole.first)
    #expect(await session.engine.preview(Whole.first, at: position) == nil)
    #expect(session.model.requests(for: .score).count == 1)
  }

  @Test(arguments: [ModelReply.failing(.overloaded), .text("no JSON"), .text("{}")])
  func aReadingThatFailedIsForgotten(first: ModelReply) async throws {
    let isFirst = Mutex(true)
    let session = try await opened { request in
      if request.purpose == .score, request.isBackground { return first }
      isFirst.withLock { $0 = false }
      return Whole.script(request)
    }
    #expect(await preview(Whole.first, session) == nil)
    try await session.say(Whole.first)
    #expect(session.scores.first?.failure == nil)
    #expect(await session.state.ledger.known.count == 7)
  }

  @Test func sentWhileItIsReadItIsWaitedForAndNotAskedTwice() async throws {
    let gate = Gate()
    let model = SlowModel(gate: gate) { $0.isBackground }
    let (engine, log) = try await engine(model)
    try await engine.open { _ in }
    let position = await engine.state.position
    async let reading = engine.preview(Whole.first, at: position)
    await model.asked(1, for: .score)
    let waits = Mutex(0)
    async let said: Void = engine.say(Whole.first) { output in
      if output == .waiting(.reading) {
        waits.withLock { $0 += 1 }
        gate.open()
      }
    }
    try await said
    #expect(await reading != nil)
    #expect(waits.withLock(\.self) == 1)
    #expect(model.requests.count { $0.purpose == .score } == 1)
    #expect(
      await log.events().map(\.event?.kind) == [.started, .greeted, .userSaid, .scored, .asked])
  }

  @Test func anotherDraftEndsTheReadingOfTheOneBefore() async throws {
    let gate = Gate()
    let model = SlowModel(gate: gate) { request in
      request.isBackground && !(request.messages.last?.text.contains("20 pounds") ?? false)
    }
    let (engine, _) = try await engine(model)
    try await engine.open { _ in }
    let position = await engine.state.position
    async let first = engine.preview("I want", at: position)
    await model.asked(1, for: .score)
    // The gate opens with the cancellation of the first alone.
    let second = await engine.preview(Whole.first, at: position)
    #expect(await first == nil)
    #expect(second?.new.isEmpty == false)
  }

  @Test func aCancelledReadingIsNotWhatATurnWaitsFor() async throws {
    let gate = Gate()
    let model = SlowModel(gate: gate) { $0.isBackground }
    let (engine, _) = try await engine(model)
    try await engine.open { _ in }
    let position = await engine.state.position
    let reading = Task { await engine.preview(Whole.first, at: position) }
    await model.asked(1, for: .score)
    reading.cancel()
    try await engine.say(Whole.first) { _ in }
    #expect(await engine.state.ledger.known.count == 7)
    #expect(await reading.value == nil)
  }

  @Test func afterAFailedReadingNoOtherDraftIsReadUntilSomethingIsSent() async throws {
    let session = try await opened { request in
      let fails = request.isBackground && request.messages.last?.text.contains("20 pounds") == false
      return fails ? .failing(.rateLimited) : Whole.script(request)
    }
    #expect(await preview("I want", session) == nil)
    #expect(await preview(Whole.first, session) == nil)
    #expect(session.model.requests(for: .score).count == 1)
    try await session.say(Whole.first)
    #expect(await preview(Whole.second, session) != nil)
  }

  @Test func anAnswerOfNoUseIsNotAskedForAgainInTheBackground() async throws {
    let session = try await opened { request in
      request.purpose == .score ? .text("no JSON") : Whole.script(request)
    }
    #expect(await preview(Whole.first, session) == nil)
    #expect(session.model.requests(for: .score).count == 1)
  }

  /// What came in between is part of what is read.
  @Test func healthDataThatArrivesEndsTheReadingOfADraft() async throws {
    let gate = Gate()
    let model = SlowModel(gate: gate) { $0.isBackground }
    let (engine, _) = try await engine(model)
    try await engine.open { _ in }
    let position = await engine.state.position
    let reading = Task { await engine.preview(Whole.first, at: position) }
    await model.asked(1, for: .score)
    await engine.take(HealthNoteTests.note)
    // The gate stays shut: only a cancellation ends the draft's request.
    try await engine.say(Whole.first) { _ in }
    #expect(await reading.value == nil)
    #expect(model.requests.count { $0.purpose == .score } == 2)
  }

  @Test func theRehearsalReadsDraftsToo() async throws {
    let log = InMemorySessionLog()
    let engine = try await IntakeEngine(
      log: log, coach: .rehearsal, pack: try ScriptedSession.pack.get(),
      entitlements: InMemoryEntitlement(), now: TestClock().now)
    try await engine.open { _ in }
    let reading = await engine.preview(
      "I want to lose 20 pounds by June", at: await engine.state.position)
    #expect(reading?.new.map(\.facet.component).contains("goalClarity") == true)
  }

  private func engine(
    _ model: SlowModel
  ) async throws -> (IntakeEngine, InMemorySessionLog) {
    let log = InMemorySessionLog()
    let engine = try await IntakeEngine(
      log: log, models: ModelRoles(all: model), pack: try ScriptedSession.pack.get(),
      entitlements: InMemoryEntitlement(), now: TestClock().now)
    return (engine, log)
  }
}
