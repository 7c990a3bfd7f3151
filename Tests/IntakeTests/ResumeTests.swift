import ContextQuality
import FoundationEssentials
import IncrementalJSON
import Intake
import LanguageModels
import Testing

/// A session that is killed between any two of its events goes on at the right step, once.
struct ResumeTests {
  private static let words = [
    WholeConversationTests.first, WholeConversationTests.second, WholeConversationTests.third,
    "let's go", "what should I do first?",
  ]

  /// A person who says the next thing whenever the coach waits, then continues after the paywall.
  private static func finish(_ rehearsal: Rehearsal) async throws -> [SessionOutput] {
    var shown: [SessionOutput] = []
    try await rehearsal.open()
    shown += rehearsal.shown
    while await !rehearsal.isOver {
      let state = await rehearsal.state
      if state.phase == .paywall && !state.held.isEmpty {
        try await rehearsal.subscribe()
      } else {
        try await rehearsal.say(words[state.turns.count + state.held.count])
      }
      shown += rehearsal.shown
    }
    return shown
  }

  private static func whole() async throws -> [RecordedEvent] {
    let rehearsal = try await Rehearsal(WholeConversationTests.script)
    _ = try await finish(rehearsal)
    return await rehearsal.log.events()
  }

  @Test func everyCutResumesAtTheRightStepExactlyOnce() async throws {
    let whole = try await Self.whole()
    for length in 0...whole.count {
      let rehearsal = try await Rehearsal(
        events: Array(whole.prefix(length)), WholeConversationTests.script)
      if whole.prefix(length).contains(where: { $0.event.kind == .entitled }) {
        _ = await rehearsal.entitlements.subscribe(at: Date(timeIntervalSince1970: 0))
      }
      _ = try await Self.finish(rehearsal)
      let kinds = await rehearsal.kinds
      for once: IntakeEvent.Kind in [.started, .greeted, .discoveryCompleted, .entitled, .coached] {
        #expect(kinds.filter { $0 == once }.count == 1, "\(once) after a cut at \(length)")
      }
      #expect(await rehearsal.state.turns.map(\.text) == Self.words, "a cut at \(length)")
      #expect(await rehearsal.log.events().prefix(length) == whole.prefix(length))
    }
  }

  @Test func theSameEventsFoldToTheSameStateHoweverTheyAreFed() async throws {
    let whole = try await Self.whole()
    let rubric = try Rehearsal.pack.get().rubric
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
      #expect(value["type"]?.stringValue == recorded.event.kind.rawValue)
    }
  }

  @Test func aFinishedDiscoveryOpensAtThePaywallWithTheInsight() async throws {
    let whole = try await Self.whole()
    let end = try #require(whole.firstIndex { $0.event.kind == .paywallShown })
    let rehearsal = try await Rehearsal(
      events: Array(whole[...end]), WholeConversationTests.script)
    try await rehearsal.open()
    #expect(rehearsal.paywalls.first?.insight.contains("Here's what I heard") == true)
    #expect(rehearsal.done.map(\.discoveryComplete) == [false], "it was said before")
    #expect(rehearsal.model.requests.isEmpty)
  }

  @Test func completionIsSaidAgainWhereACrashMayHaveSwallowedIt() async throws {
    let whole = try await Self.whole()
    let end = try #require(whole.firstIndex { $0.event.kind == .discoveryCompleted })
    let rehearsal = try await Rehearsal(
      events: Array(whole[...end]), WholeConversationTests.script)
    try await rehearsal.open()
    #expect(rehearsal.done.map(\.discoveryComplete) == [true])
    #expect(await rehearsal.kinds.filter { $0 == .discoveryCompleted }.count == 1)
  }

  @Test func whatCanBeAnsweredIsOfferedAgainOnResume() async throws {
    let whole = try await Self.whole()
    let ends: [(IntakeEvent.Kind, [String])] = [
      (.summarised, ["resumed", "confirmation", "choices"]),
      (.paywallShown, ["resumed", "paywall"]),
    ]
    for (kind, expected) in ends {
      let end = try #require(whole.firstIndex { $0.event.kind == kind })
      let rehearsal = try await Rehearsal(
        events: Array(whole[...end]), WholeConversationTests.script)
      try await rehearsal.open()
      let shown = rehearsal.shown.compactMap { output in
        switch output {
        case .resumed: "resumed"
        case .message(let message): message.purpose.rawValue
        case .choices: "choices"
        case .paywall: "paywall"
        default: nil
        }
      }
      #expect(shown == expected)
      #expect(rehearsal.done.count == 1)
    }
  }

  @Test func anotherPacksSessionIsNotGoneOnWith() async throws {
    let start = SessionStart(pack: "career", packVersion: "1", rubricVersion: 1)
    let events = [
      RecordedEvent(position: 1, at: Date(timeIntervalSince1970: 0), event: .started(start))
    ]
    let error = await #expect(throws: PackMismatch.self) {
      _ = try await Rehearsal(events: events, WholeConversationTests.script)
    }
    #expect(error?.begun == "career" && error?.now == "fitness")
  }
}

extension Rehearsal {
  fileprivate var isOver: Bool {
    get async {
      let state = await state
      return state.phase == .coaching && state.nextStep(IntakeSettings()) == .awaitUser
    }
  }
}
