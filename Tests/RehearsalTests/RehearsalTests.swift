import ContextQuality
import FoundationEssentials
import IncrementalJSON
import IntakeTestSupport
import LanguageModels
import Signals
import Synchronization
import TestSupport
import Testing

@testable import Intake
@testable import Rehearsal

struct RehearsalTests {
  @Test func aWholeConversationNeedsNoModelAndSaysSo() async throws {
    let session = try await OfflineRehearsal()
    try await session.open()
    guard case .notice(let notice) = session.shown.first else {
      Issue.record("nothing was said first: \(session.shown)")
      return
    }
    #expect(notice.code == "rehearsal" && notice.text.contains("no language model"))
    try await session.talk(TalkativeUser.lines)
    let events = await session.log.events().compactMap(\.event)
    #expect(events.count { $0.kind == .discoveryCompleted } == 1)
    guard case .started(let start) = events.first else { return }
    #expect(start.source == .rehearsal)
    #expect(
      !session.shown.contains { output in
        switch output {
        case .waiting, .delta: true
        default: false
        }
      }, "nothing is waited for and nothing pretends to be typed")
    try await session.engine.continueAfterPaywall { _ in }
    try await session.say("what should I do first?")
    #expect(await session.engine.state.shownPhase == .coaching)
  }

  @Test func theProfileIsValidAndHoldsTheUsersOwnWordsOnly() async throws {
    let session = try await OfflineRehearsal()
    try await session.talk(TalkativeUser.lines)
    let system = try #require(await session.engine.state.synthesis?.system)
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
    let session = try await OfflineRehearsal(settings: IntakeSettings(maxTurns: 2))
    try await session.talk(["I want to lose 20 pounds"])
    let system = try #require(await session.engine.state.synthesis?.system)
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
      let session = try await OfflineRehearsal()
      try await session.talk(TalkativeUser.lines)
      transcripts.append(await session.coachMessages)
    }
    #expect(transcripts[0] == transcripts[1])
    var greetings: Set<String> = []
    for second in 0..<20 {
      let session = try await OfflineRehearsal(clock: TestClock(1_800_000_000 + Double(second)))
      try await session.open()
      greetings.formUnion(await session.coachMessages)
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
    let session = try await OfflineRehearsal(settings: IntakeSettings(maxTurns: 50))
    try await session.open()
    for _ in 0..<12 { try await session.say(answer) }
    let questions = await session.coachMessages.compactMap { $0.split(separator: ". ").last }
    #expect(Set(questions).count == questions.count, "\(questions)")
  }

  @Test func whoWritesAnotherLanguageIsOfferedOnlyWhatItReads() async throws {
    let session = try await OfflineRehearsal()
    try await session.open()
    let english = try #require(await session.engine.starters())
    try await session.say("Ich will abnehmen und wieder fit werden")
    let offered = try #require(await session.engine.starters())
    #expect(!offered.shown.isEmpty)
    #expect(offered.shown.allSatisfy(english.shown.contains))
  }

  @Test func whatIsKnownIsNotAskedFor() async throws {
    let coach = try RehearsalCoach(pack: try PromptPack.embedded())
    let facets = coach.pack.rubric.facets.map(\.facet)
    var random = SeededGenerator(seed: 7)
    for _ in 0..<300 {
      let known = Set(facets.filter { _ in Bool.random(using: &random) })
      let state = state(knowing: known, coach.pack.rubric)
      guard case .ask(let plan) = state.nextStep(IntakeSettings(maxTurns: 50)) else { continue }
      let spoken = await coach.say(.question(plan), state, Scene(today: "2026-01-01")) { _ in }
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
    let session = try await OfflineRehearsal(settings: IntakeSettings(maxTurns: 1))
    try await session.open()
    try await session.say(TalkativeUser.lines[0])
    try await session.say("go on with what you have") { $0.pending == .confirmation }
    try await session.say("no, I want to run a marathon")
    let goal = await session.engine.state.synthesis?.system.userGoals.primary
    #expect(goal?.contains("run a marathon") == true, "\(goal ?? "none")")
  }

  @Test func aSessionBegunWithTheOtherKindOfCoachIsRefused() async throws {
    let session = try await OfflineRehearsal()
    try await session.open()
    let events = await session.log.events()
    await #expect(throws: CoachMismatch(begun: .rehearsal)) {
      _ = try await ScriptedSession(events: events) { _ in .failing(.unreachable) }
    }
    let talked = try await ScriptedSession(UsualConversation.script)
    try await talked.open()
    let begun = await talked.log.events()
    await #expect(throws: CoachMismatch(begun: nil)) {
      _ = try await OfflineRehearsal(events: begun)
    }
  }

  @Test func careComesFirstWithoutAModelToo() async throws {
    let session = try await OfflineRehearsal()
    try await session.open()
    try await session.say("I want to kill myself")
    let said = await session.coachMessages
    #expect(said.last?.contains("988") == true)
    #expect(await session.engine.state.careGiven == [.crisis])
  }
}
