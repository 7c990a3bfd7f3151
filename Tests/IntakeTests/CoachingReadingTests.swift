import ContextQuality
import FoundationEssentials
import IncrementalJSON
import IntakeTestSupport
import LanguageModels
import Testing

@testable import Intake

/// After the discovery, every message is read as well.
struct CoachingReadingTests {
  @Test func aMessageIsReadAndThenAnswered() async throws {
    let session = try await ScriptedSession.coaching { request in
      request.purpose == .score
        ? .text(Evidences.json([("supportSystem.people", 2, "my sister runs with me")]))
        : .text("Good.")
    }
    let before = session.model.requests.count
    try await session.say("did it, my sister runs with me now")
    #expect(session.model.requests.dropFirst(before).map(\.purpose) == [.score, .coach])
    #expect(await session.kinds.suffix(3) == [.userSaid, .scored, .coached])
    #expect(await session.state.ledger.known.map(\.description).contains("supportSystem.people"))
    // Coaching isn't measured.
    #expect(session.scores.isEmpty)
  }

  @Test func careThatTheReadingFindsComesBeforeTheReply() async throws {
    let session = try await ScriptedSession.coaching { request in
      request.purpose == .score
        ? .text(Evidences.json([], care: "eating-disorder", careQuote: "I made sure it didn't"))
        : .text("Great work!")
    }
    try await session.say("dinner stayed down for ten minutes, then I made sure it didn't")
    #expect(session.messages.map(\.purpose) == [.care])
    #expect(session.model.requests(for: .coach).isEmpty)
  }

  @Test func aReplyDoesNotWaitForAReadingThatFailed() async throws {
    let session = try await ScriptedSession.coaching { request in
      request.purpose == .score ? .failing(.overloaded) : .text("Good.")
    }
    try await session.say("did my walk")
    #expect(session.messages.map(\.text) == ["Good."])
    #expect(session.notices.isEmpty)
    try await session.say("and again")
    let last = try #require(session.model.requests(for: .score).last?.messages.first?.text)
    #expect(last.contains("\"newUserTurns\": [2,3]"))
  }

  @Test func sessionsFromBeforeThisAreNotReadLater() async throws {
    let earlier = try await ScriptedSession.coaching { _ in .text("Good.") }
    var events = await earlier.log.events().map(\.envelope)
    events += [
      EventEnvelope(IntakeEvent.userSaid(UserTurn(turn: 2, text: "did my walk"))),
      EventEnvelope(IntakeEvent.coached(CoachReply(text: "Good."))),
    ]
    let recorded = try events.enumerated().map { index, envelope in
      try RecordedEvent(
        position: index + 1, at: Date(timeIntervalSince1970: 1_800_000_000), envelope: envelope)
    }
    let session = try await ScriptedSession(events: recorded) { _ in .text("?") }
    try await session.open()
    #expect(session.model.requests.isEmpty)
  }

  /// Counts what it's given, and takes a note of every walk.
  private struct Walks: CoachingCompanion {
    var folded = 0
    func member(at now: Date) -> ReadingMember? { Self.walks }
    private static let walks: ReadingMember? = ReadingMember(
      name: "walks", schema: ["type": "array", "items": ["type": "string"]],
      instructions: "`walks`: the walks.")

    mutating func apply(_ event: RecordedEvent) { folded += 1 }

    func read(_ answer: ReadingAnswer) -> CompanionReading {
      let quotes = (answer.value?.arrayValue ?? []).compactMap(\.stringValue)
        .compactMap { answer.fit($0, turn: answer.turns.last ?? 0)?.quote }
      return CompanionReading(
        events: quotes.map { _ in
          EventEnvelope(kind: "walked", version: 1, json: #"{"type":"walked"}"#)
        },
        notices: quotes.map { .init(code: "noted", level: .info, text: "Noted: \($0)") })
    }

    func facts(on now: Date) -> CoachingFacts { CoachingFacts(entries: ["\(folded) events"]) }
  }

  @Test func aCompanionReadsItsMemberAndItsEventsAreStoredWithTheReading() async throws {
    let session = try await ScriptedSession.coaching(companion: Walks()) { request in
      request.purpose == .score
        ? .text(UnderstandingTests.answer([], #""walks":["walked to the pier","flew home"]"#))
        : .text("Good.")
    }
    try await session.say("I walked to the pier and back")
    let request = try #require(session.model.requests(for: .score).last)
    #expect(request.system.contains("`walks`: the walks."))
    #expect(request.schema?.json.contains("\"walks\"") == true)
    #expect(
      await session.log.events().map(\.envelope.kind).suffix(4)
        == ["userSaid", "scored", "walked", "coached"])
    #expect(session.notices.map(\.text) == ["Noted: walked to the pier"])
  }
}
