import ContextQuality
import FoundationEssentials
import IncrementalJSON
import LanguageModels
import Synchronization
import TestSupport
import Testing

@testable import Intake

/// A rehearsal in memory: the engine with no model behind it.
final class OfflineRehearsal: Sendable {
  let log: InMemorySessionLog
  let engine: IntakeEngine
  private let outputs = Mutex<[SessionOutput]>([])

  init(
    events: [RecordedEvent] = [], settings: IntakeSettings = IntakeSettings(),
    clock: TestClock = TestClock()
  ) async throws {
    log = InMemorySessionLog(events)
    engine = try await IntakeEngine(
      log: log, coach: .rehearsal, pack: try Rehearsal.pack.get(), settings: settings,
      entitlements: InMemoryEntitlement(), now: { clock.now() })
  }

  private var show: IntakeEngine.Show {
    outputs.withLock { $0 = [] }
    return { output in self.outputs.withLock { $0.append(output) } }
  }

  var shown: [SessionOutput] { outputs.withLock { $0 } }
  func open() async throws { try await engine.open(show: show) }
  func say(_ text: String) async throws { try await engine.say(text, show: show) }

  /// Says the lines, takes every offer, skips the body question, and agrees with the summary.
  func talk(_ lines: [String]) async throws {
    try await open()
    var rest = lines[...]
    while await engine.state.phase != .paywall {
      let state = await engine.state
      switch state.pending {
      case .offer: try await say("go on with what you have")
      case .body: try await say("skip")
      case .confirmation: try await say("let's go")
      case .question, .nothing: try await say(rest.popFirst() ?? "idk")
      }
    }
  }

  var coachMessages: [String] {
    get async {
      await engine.state.transcript.messages.filter { $0.speaker == .coach }.map(\.text)
    }
  }
}

struct RehearsalTests {
  @Test func aWholeConversationNeedsNoModelAndSaysSo() async throws {
    let rehearsal = try await OfflineRehearsal()
    try await rehearsal.open()
    guard case .notice(let notice) = rehearsal.shown.first else {
      Issue.record("nothing was said first: \(rehearsal.shown)")
      return
    }
    #expect(notice.code == "rehearsal" && notice.text.contains("no model"))
    try await rehearsal.talk(TalkativeUser.lines)
    let events = await rehearsal.log.events().map(\.event)
    #expect(events.count { $0.kind == .discoveryCompleted } == 1)
    guard case .started(let start) = events.first else { return }
    #expect(start.source == .rehearsal)
    #expect(
      !rehearsal.shown.contains { output in
        switch output {
        case .waiting, .delta: true
        default: false
        }
      }, "nothing is waited for and nothing pretends to be typed")
    try await rehearsal.engine.continueAfterPaywall { _ in }
    try await rehearsal.say("what should I do first?")
    #expect(await rehearsal.engine.state.phase == .coaching)
  }

  @Test func theProfileIsValidAndHoldsTheUsersOwnWordsOnly() async throws {
    let rehearsal = try await OfflineRehearsal()
    try await rehearsal.talk(TalkativeUser.lines)
    let system = try #require(await rehearsal.engine.state.synthesis?.system)
    #expect(system.source == .rehearsal)
    #expect(ProfileValidation.problems(in: system.json.serialized()) == [])
    #expect(system.json.serialized().contains(#""source":"rehearsal""#))
    #expect(system.unsupported == [])
    let said = TalkativeUser.lines.joined(separator: "\n")
    let goals = system.userGoals
    let words = [goals.timeline, goals.deeper].compactMap(\.self)
    let details = Constraints.lists.flatMap { system.constraints[keyPath: $0.path] }.map(\.detail)
    #expect(!details.isEmpty)
    for text in words + details { #expect(said.contains(text), "\(text)") }
  }

  @Test func whatWasNotSaidIsLeftOutAndNamed() async throws {
    let rehearsal = try await OfflineRehearsal(settings: IntakeSettings(maxTurns: 2))
    try await rehearsal.talk(["I want to lose 20 pounds"])
    let system = try #require(await rehearsal.engine.state.synthesis?.system)
    #expect(system.userGoals.timeline == nil && system.userGoals.deeper == nil)
    #expect(system.coachingPlan.checkInFrequency == nil)
    #expect(Constraints.lists.allSatisfy { system.constraints[keyPath: $0.path].isEmpty })
    for pointer in ["/userGoals/timeline", "/userGoals/deeper", "/coachingPlan/checkInFrequency"] {
      #expect(system.missing.contains(pointer))
    }
    #expect(ProfileValidation.problems(in: system.json.serialized()) == [])
  }

  @Test func theSameSessionIsToldTheSame() async throws {
    var transcripts: [[String]] = []
    for _ in 0..<2 {
      let rehearsal = try await OfflineRehearsal()
      try await rehearsal.talk(TalkativeUser.lines)
      transcripts.append(await rehearsal.coachMessages)
    }
    #expect(transcripts[0] == transcripts[1])
    var greetings: Set<String> = []
    for second in 0..<20 {
      let rehearsal = try await OfflineRehearsal(clock: TestClock(1_800_000_000 + Double(second)))
      try await rehearsal.open()
      greetings.formUnion(await rehearsal.coachMessages)
    }
    #expect(greetings.count > 1, "another session begins in other words")
  }

  @Test func aResumedSessionGoesOnAsIfItHadNeverStopped() async throws {
    let whole = try await OfflineRehearsal()
    try await whole.talk(TalkativeUser.lines)
    let events = await whole.log.events()
    let expected = await whole.coachMessages
    for count in 1..<events.count {
      let clock = TestClock(events[count - 1].at.timeIntervalSince1970)
      let resumed = try await OfflineRehearsal(events: Array(events.prefix(count)), clock: clock)
      let said = await resumed.engine.state.turns.count
      try await resumed.talk(Array(TalkativeUser.lines.dropFirst(said)))
      #expect(await resumed.coachMessages == expected, "stopped behind event \(count)")
    }
  }

  @Test(arguments: ["idk", "hm, no comment on that at the moment", "the sky is blue"])
  func nobodyIsAskedTwiceInTheSameWords(answer: String) async throws {
    let rehearsal = try await OfflineRehearsal(settings: IntakeSettings(maxTurns: 50))
    try await rehearsal.open()
    for _ in 0..<12 { try await rehearsal.say(answer) }
    let questions = await rehearsal.coachMessages.compactMap { $0.split(separator: ". ").last }
    #expect(Set(questions).count == questions.count, "\(questions)")
  }

  @Test func whatIsKnownIsNotAskedFor() async throws {
    let coach = try RehearsalCoach(pack: try Rehearsal.pack.get())
    let facets = coach.pack.rubric.facets.map(\.facet)
    var random = SeededGenerator(seed: 7)
    for _ in 0..<300 {
      let known = Set(facets.filter { _ in Bool.random(using: &random) })
      let state = state(knowing: known, coach.pack.rubric)
      guard case .ask(let plan) = state.nextStep(IntakeSettings(maxTurns: 50)) else { continue }
      let spoken = await coach.say(.question(plan), state, today: "2026-01-01") { _ in }
      let entry = try #require(
        coach.bank.all(.ask).first { entry in
          entry.lines.contains { spoken.reply.text.contains($0.tune) }
        }, "\(spoken.reply.text)")
      #expect(known.isDisjoint(with: entry.facets), "\(spoken.reply.text)")
      #expect(entry.facets.contains { $0.component == plan.component })
      #expect(!spoken.reply.text.contains("{"))
    }
  }

  private func state(knowing known: Set<Facet>, _ rubric: Rubric) -> IntakeState {
    let words = "my words about all of it"
    let events: [IntakeEvent] = [
      .started(
        SessionStart(pack: "fitness", packVersion: "1", rubricVersion: 1, source: .rehearsal)),
      .greeted(CoachReply(text: "Hi")), .userSaid(UserTurn(turn: 1, text: words)),
      .scored(
        Scoring(
          turns: [1], evidence: known.sorted().map { Evidence(facet: $0, quote: words, turn: 1) })),
    ]
    return IntakeState(
      rubric: rubric,
      events: events.enumerated().map {
        RecordedEvent(
          position: $0.offset + 1, at: Date(timeIntervalSince1970: 1_800_000_000),
          event: $0.element)
      })
  }

  @Test func aCorrectionOfTheSummaryChangesIt() async throws {
    let rehearsal = try await OfflineRehearsal(settings: IntakeSettings(maxTurns: 1))
    try await rehearsal.open()
    try await rehearsal.say(TalkativeUser.lines[0])
    while await rehearsal.engine.state.pending != .confirmation {
      try await rehearsal.say("go on with what you have")
    }
    try await rehearsal.say("no, I want to run a marathon")
    let goal = await rehearsal.engine.state.synthesis?.system.userGoals.primary
    #expect(goal?.contains("run a marathon") == true, "\(goal ?? "none")")
  }

  @Test func aSessionBegunWithTheOtherKindOfCoachIsRefused() async throws {
    let rehearsal = try await OfflineRehearsal()
    try await rehearsal.open()
    let events = await rehearsal.log.events()
    await #expect(throws: CoachMismatch(begun: .rehearsal)) {
      _ = try await Rehearsal(events: events) { _ in .failing(.unreachable) }
    }
    let talked = try await Rehearsal(WholeConversationTests.script)
    try await talked.open()
    let begun = await talked.log.events()
    await #expect(throws: CoachMismatch(begun: nil)) {
      _ = try await OfflineRehearsal(events: begun)
    }
  }

  @Test func careComesFirstWithoutAModelToo() async throws {
    let rehearsal = try await OfflineRehearsal()
    try await rehearsal.open()
    try await rehearsal.say("I want to kill myself")
    let said = await rehearsal.coachMessages
    #expect(said.last?.contains("988") == true)
    #expect(await rehearsal.engine.state.careGiven == [.crisis])
  }
}
