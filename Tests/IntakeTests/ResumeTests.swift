import ContextQuality
import FoundationEssentials
import IncrementalJSON
import Intake
import IntakeTestSupport
import LanguageModels
import Testing

/// A session that is killed between any two of its events goes on at the right step, once.
struct ResumeTests {
  private static let words = [
    UsualConversation.first, UsualConversation.second, UsualConversation.third,
    "let's go", "what should I do first?",
  ]

  /// A person who says the next thing whenever the coach waits, then continues after the paywall.
  private static func finish(_ session: ScriptedSession) async throws -> [SessionOutput] {
    var shown: [SessionOutput] = []
    try await session.open()
    shown += session.shown
    // Each step says the next of the words, or takes the paywall.
    for _ in 0...words.count where await !session.isOver {
      let state = await session.state
      if state.shownPhase == .paywall && !state.held.isEmpty {
        try await session.subscribe()
      } else {
        try await session.say(words[state.turns.count + state.held.count])
      }
      shown += session.shown
    }
    try #require(await session.isOver)
    return shown
  }

  private static func whole() async throws -> [RecordedEvent] {
    let session = try await ScriptedSession(UsualConversation.script)
    _ = try await finish(session)
    return await session.log.events()
  }

  @Test func everyCutResumesAtTheRightStepExactlyOnce() async throws {
    let whole = try await Self.whole()
    for length in 0...whole.count {
      let session = try await ScriptedSession(
        events: Array(whole.prefix(length)), UsualConversation.script)
      if whole.prefix(length).contains(where: { $0.event?.kind == .entitled }) {
        _ = await session.entitlements.subscribe(at: Date(timeIntervalSince1970: 0))
      }
      _ = try await Self.finish(session)
      let kinds = await session.kinds
      for once: IntakeEvent.Kind in [.started, .greeted, .discoveryCompleted, .entitled, .coached] {
        #expect(kinds.filter { $0 == once }.count == 1, "\(once) after a cut at \(length)")
      }
      #expect(await session.state.turns.map(\.text) == Self.words, "a cut at \(length)")
      #expect(await session.log.events().prefix(length) == whole.prefix(length))
    }
  }

  @Test func theSameEventsFoldToTheSameStateHoweverTheyAreFed() async throws {
    let whole = try await Self.whole()
    let rubric = try ScriptedSession.pack.get().rubric
    let atOnce = IntakeState(rubric: rubric, events: whole)
    var oneByOne = IntakeState(rubric: rubric)
    for event in whole { oneByOne.apply(event) }
    #expect(atOnce == oneByOne)
  }

  @Test func eventsSurviveTheirJSON() async throws {
    for recorded in try await Self.whole() {
      let json = try JSONEncoder().encode(recorded.event)
      #expect(try JSONDecoder().decode(IntakeEvent.self, from: json) == recorded.event)
      let value = try JSONValue(parsing: String(decoding: json, as: UTF8.self))
      #expect(value["type"]?.stringValue == recorded.envelope.kind)
    }
  }

  @Test func aFinishedDiscoveryOpensAtThePaywallWithTheInsight() async throws {
    let whole = try await Self.whole()
    let end = try #require(whole.firstIndex { $0.event?.kind == .paywallShown })
    let session = try await ScriptedSession(
      events: Array(whole[...end]), UsualConversation.script)
    try await session.open()
    #expect(session.paywalls.first?.insight.contains("Here's what I heard") == true)
    #expect(session.done.map(\.discoveryComplete) == [false], "it was said before")
    #expect(session.model.requests.isEmpty)
  }

  @Test func completionIsSaidAgainWhereACrashMayHaveSwallowedIt() async throws {
    let whole = try await Self.whole()
    let end = try #require(whole.firstIndex { $0.event?.kind == .discoveryCompleted })
    let session = try await ScriptedSession(
      events: Array(whole[...end]), UsualConversation.script)
    try await session.open()
    #expect(session.done.map(\.discoveryComplete) == [true])
    #expect(await session.kinds.filter { $0 == .discoveryCompleted }.count == 1)
  }

  @Test func whatCanBeAnsweredIsOfferedAgainOnResume() async throws {
    let whole = try await Self.whole()
    let ends: [(IntakeEvent.Kind, [String])] = [
      (.summarised, ["resumed", "confirmation", "choices"]),
      (.paywallShown, ["resumed", "paywall"]),
    ]
    for (kind, expected) in ends {
      let end = try #require(whole.firstIndex { $0.event?.kind == kind })
      let session = try await ScriptedSession(
        events: Array(whole[...end]), UsualConversation.script)
      try await session.open()
      let shown = session.shown.compactMap { output in
        switch output {
        case .resumed: "resumed"
        case .message(let message): message.purpose.rawValue
        case .choices: "choices"
        case .paywall: "paywall"
        default: nil
        }
      }
      #expect(shown == expected)
      #expect(session.done.count == 1)
    }
  }

  @Test func anotherPacksSessionIsNotGoneOnWith() async throws {
    let start = SessionStart(pack: "career", packVersion: "1", rubricVersion: 1)
    let events = [
      RecordedEvent(position: 1, at: Date(timeIntervalSince1970: 0), event: .started(start))
    ]
    let error = await #expect(throws: PackMismatch.self) {
      _ = try await ScriptedSession(events: events, UsualConversation.script)
    }
    #expect(error?.begun == "career" && error?.now == "fitness")
  }
}

extension ScriptedSession {
  fileprivate var isOver: Bool {
    get async {
      let state = await state
      return state.shownPhase == .coaching && state.nextStep(IntakeSettings()) == .awaitUser
    }
  }
}
