import ContextQuality
import Foundation
import IncrementalJSON
import IntakeTestSupport
import LanguageModels
import Rehearsal
import TestSupport
import Testing

@testable import Intake

/// What health data say, in a conversation.
struct HealthNoteTests {
  static func reading(_ facet: String, _ text: String) -> [Evidence] {
    Facet(facet).map { [Evidence(facet: $0, basis: .reading(text, source: "Apple Health"))] } ?? []
  }

  static let note = HealthNote(
    source: "Apple Health", through: "2027-01-14",
    evidence: reading("currentState.activity", "7,500 steps a day over 90 days")
      + reading("currentState.body", "84.3 kg, 42 years old")
      + reading("lifestyle.recovery", "6 h 23 min of sleep a night over 90 nights"),
    findings: [
      .init(about: "workoutStopped", text: "Running used to be part of your weeks."),
      .init(about: "weightRose", text: "Your weight has gone up by 3 kg.", isSensitive: true),
    ],
    figures: [
      .init(about: "sleep", text: "Sleep a night: 6 h 23 min on average over 90 nights"),
      .init(about: "bodyMass", text: "Weight: 84.3 kg", isSensitive: true),
    ])

  static func noting(
    _ change: (inout HealthNote) -> Void
  ) -> HealthNote {
    var note = note
    change(&note)
    return note
  }

  private func begun(_ note: HealthNote = note) async throws -> ScriptedSession {
    let session = try await ScriptedSession(UsualConversation.script)
    await session.engine.take(note)
    try await session.open()
    return session
  }

  @Test func theGreetingKnowsWhatWasSeen() async throws {
    let session = try await begun()
    let prompt = try #require(session.model.requests(for: .greet).first?.system)
    #expect(prompt.contains("Running used to be part of your weeks."))
    #expect(await session.kinds == [.started, .healthNoted, .greeted])
    #expect(session.notices.map(\.code) == ["health-noted"])
    #expect(await session.state.components().points > 0)
  }

  @Test func withoutDataNoPromptSpeaksOfThem() async throws {
    let session = try await ScriptedSession(UsualConversation.script)
    try await session.open()
    for text in [UsualConversation.first, UsualConversation.second] {
      try await session.say(text)
    }
    for request in session.model.requests where request.purpose != .score {
      #expect(!request.system.lowercased().contains("health data"), "\(request.purpose)")
    }
  }

  @Test func whatTheDataAnswerIsNotAskedFor() async throws {
    let session = try await begun()
    try await session.say(UsualConversation.first)
    for recorded in await session.log.events() {
      guard case .asked(let question) = recorded.event else { continue }
      for evidence in Self.note.evidence { #expect(!question.facets.contains(evidence.facet)) }
    }
    let prompt = try #require(session.model.requests(for: .ask).last?.system)
    #expect(prompt.contains(#"how much they move now: "7,500 steps a day over 90 days""#))
    #expect(!prompt.contains("have only just seen"))
    // The body is known: nobody is asked for height and weight before the summary.
    try await session.say(UsualConversation.third)
    #expect(await !session.kinds.contains(.bodyAsked))
  }

  @Test func dataThatComeLaterEnterBeforeTheNextQuestion() async throws {
    let session = try await ScriptedSession(UsualConversation.script)
    try await session.open()
    #expect(session.model.requests(for: .greet).first?.system.contains("Running") == false)
    await session.engine.take(Self.note)
    try await session.say(UsualConversation.first)
    let first = try #require(session.model.requests(for: .ask).first?.system)
    #expect(first.contains("have only just seen") && first.contains("Running used to be"))
    try await session.say("I don't really know yet, ask me something else about it")
    let second = try #require(session.model.requests(for: .ask).last?.system)
    #expect(!second.contains("have only just seen"), "said once")
  }

  @Test func theSameNoteIsNotedOnce() async throws {
    let session = try await begun()
    await session.engine.take(Self.note)
    try await session.say(UsualConversation.first)
    #expect(await session.kinds.filter { $0 == .healthNoted }.count == 1)
  }

  @Test func theUsersWordsCountMoreThanAReading() async throws {
    let session = try await begun()
    try await session.say(UsualConversation.first)
    try await session.say(UsualConversation.second)
    let facet = try #require(Facet("currentState.activity"))
    #expect(await session.state.ledger.evidence(for: facet)?.turn == 2)
    let newer = Self.noting {
      $0.evidence =
        Self.reading("currentState.activity", "9,000 steps a day")
        + Self.reading("lifestyle.recovery", "7 h of sleep a night")
    }
    await session.engine.take(newer)
    try await session.say(UsualConversation.third)
    let state = await session.state
    #expect(state.ledger.evidence(for: facet)?.turn == 2)
    let recovery = try #require(Facet("lifestyle.recovery"))
    #expect(state.ledger.evidence(for: recovery)?.text == "7 h of sleep a night")
  }

  @Test func theScorerIsToldWhatIsAReading() async throws {
    let session = try await begun()
    try await session.say(UsualConversation.first)
    let text = try #require(session.model.requests(for: .score).last?.messages.last?.text)
    let known = try #require(JSONValue(parsing: text)["known"]?.arrayValue)
    #expect(known.count == 3)
    #expect(known.allSatisfy { $0["reading"] != nil && $0["quote"] == nil && $0["turn"] == nil })
  }

  @Test func nothingOfThemIsUsedOnceTheyAreWithdrawn() async throws {
    let session = try await begun()
    await session.engine.withdrawHealth()
    try await session.say(UsualConversation.first)
    let state = await session.state
    #expect(state.health == nil && state.ledger.entries.allSatisfy { !$0.evidence.isReading })
    for purpose in [RequestPurpose.score, .ask] {
      let request = try #require(session.model.requests(for: purpose).last)
      let sent = request.system + (request.messages.last?.text ?? "")
      #expect(!sent.contains("7,500"))
    }
    // They can be connected again.
    await session.engine.take(Self.note)
    try await session.say(UsualConversation.second)
    #expect(await session.state.health == Self.note)
  }

  private func coached(_ note: HealthNote = note) async throws -> ScriptedSession {
    let session = try await begun(note)
    for text in [
      UsualConversation.first, UsualConversation.second, UsualConversation.third,
      "let's go",
    ] { try await session.say(text) }
    try await session.subscribe()
    try await session.say("how was my sleep?")
    return session
  }

  @Test func questionsAboutSleepAreAnsweredFromTheFigures() async throws {
    let session = try await coached()
    let request = try #require(session.model.requests(for: .coach).last)
    #expect(request.messages.last?.text == "how was my sleep?")
    #expect(request.system.contains("Sleep a night: 6 h 23 min on average over 90 nights"))
    #expect(request.system.contains("up to 2027-01-14, yesterday"), "\(request.system)")
    #expect(!request.system.contains("over a week old"))
  }

  @Test func dataOfMoreThanAWeekAgoAreSaidToBeOld() async throws {
    let session = try await coached(Self.noting { $0.through = "2027-01-05" })
    let request = try #require(session.model.requests(for: .coach).last)
    #expect(request.system.contains("up to 2027-01-05, 10 days ago"))
    #expect(request.system.contains("over a week old"))
  }

  @Test func aNewConversationWithTheCoachGetsFreshFigures() async throws {
    let session = try await coached()
    await session.engine.take(
      Self.noting { $0.figures = [.init(about: "sleep", text: "Sleep a night: 7 h 40 min")] })
    try await session.say("and now?")
    let request = try #require(session.model.requests(for: .coach).last)
    #expect(request.system.contains("7 h 40 min") && !request.system.contains("6 h 23 min on"))
  }

  @Test func whatIsNotReadAnyMoreIsForgotten() async throws {
    let session = try await begun()
    await session.engine.take(
      Self.noting { $0.evidence = Self.reading("currentState.activity", "3,000 steps a day") })
    try await session.say("hello there")
    #expect(await session.state.ledger.entries.map(\.evidence.text) == ["3,000 steps a day"])
  }

  @Test func oldDataMakeNothingKnownAboutNowAndAreSaidToBeOld() async throws {
    let note = Self.noting {
      $0.through = "2026-10-16"
      $0.evidence += Self.reading("pastPatterns.tried", "workouts fell from 4 to 2 a month")
    }
    let session = try await begun(note)
    let known = await session.state.ledger.known.map(\.description)
    #expect(known == ["pastPatterns.tried"])
    let prompt = try #require(session.model.requests(for: .greet).first?.system)
    #expect(prompt.contains("up to 2026-10-16, 91 days ago"))
    let recent = try await begun(Self.noting { $0.through = "2026-10-17" })
    #expect(await recent.state.ledger.known.count == 3)
    try await recent.say(UsualConversation.first)
    let ask = try #require(recent.model.requests(for: .ask).first?.system)
    #expect(ask.contains("90 days ago"))
  }

  @Test func theGreetingIsAskedForInOneLength() async throws {
    for (note, length) in [
      (Self.note, "Under 60 words"), (Self.noting { $0.findings = [] }, "under 30"),
    ] {
      let prompt = try #require(
        try await begun(note).model.requests(for: .greet).first?.system)
      #expect(prompt.contains(length))
      #expect(prompt.contains("under 30") != prompt.contains("Under 60"))
    }
  }

  @Test(arguments: [
    ("I want to lose weight. How was my sleep?", true), ("how much did i sleep", true),
    ("I want to lose weight", false),
  ])
  func aQuestionDuringDiscoveryIsAnsweredFromTheFigures(words: String, asks: Bool) async throws {
    let session = try await begun()
    try await session.say(words)
    let prompt = try #require(session.model.requests(for: .ask).last?.system)
    #expect(
      prompt.contains(#"- "Sleep a night: 6 h 23 min on average over 90 nights""#) == asks)
    #expect(prompt.contains("no numbers yet") != asks)
  }

  @Test func theFoldOfTheStoredEventsIsTheSame() async throws {
    let session = try await coached()
    let events = await session.log.events()
    let encoded = try JSONEncoder().encode(events.compactMap(\.event))
    let decoded = try JSONDecoder().decode([IntakeEvent].self, from: encoded)
    #expect(decoded == events.compactMap(\.event))
    let state = await session.state
    let folded = try ScriptedSession.pack.get().state(after: events)
    #expect(folded == state)
  }
}

/// Health data in a session.
struct HealthRehearsalTests {
  private func begun(_ note: HealthNote = HealthNoteTests.note) async throws -> IntakeEngine {
    let engine = try await IntakeEngine(
      log: InMemorySessionLog(), coach: .rehearsal, pack: ScriptedSession.pack.get(),
      entitlements: InMemoryEntitlement(), now: { Date(timeIntervalSince1970: 1_800_000_000) })
    await engine.take(note)
    try await engine.open { _ in }
    return engine
  }

  private func reply(_ engine: IntakeEngine, to text: String) async throws -> String {
    try await engine.say(text) { _ in }
    return try #require(await engine.state.transcript.messages.last?.text)
  }

  @Test(arguments: [
    "how was my sleep?", "How did I sleep lately", "how much sleep did i get?",
    "I'd like to run more. How's my sleep been?",
  ])
  func aQuestionThatTheDataAnswerIsAnsweredFromThem(question: String) async throws {
    let reply = try await reply(begun(), to: question)
    #expect(reply.contains("Sleep a night: 6 h 23 min on average over 90 nights."))
    #expect(reply.hasSuffix("?"))
  }

  @Test(arguments: ["I sleep badly", "how much should a person sleep?", "can you sleep?"])
  func wordsThatAskForNoFigureGetNone(words: String) async throws {
    #expect(try await !reply(begun(), to: words).contains("6 h 23 min"))
  }

  @Test func nobodyWhoStrugglesWithEatingIsToldTheirWeightForTheAsking() async throws {
    let engine = try await begun()
    #expect(try await reply(engine, to: "what's my weight?").contains("84.3 kg"))
    let other = try await begun()
    _ = try await reply(other, to: "I make myself throw up after I eat")
    #expect(try await !reply(other, to: "what's my weight?").contains("84.3 kg"))
  }

  @Test func aRehearsalOpensWithWhatWasSeenAndQuotesNoReadingAsWords() async throws {
    let engine = try await begun()
    let greeting = try #require(await engine.state.transcript.messages.last?.text)
    let hello = try #require(greeting.firstRange(of: "Running used to be part of your weeks."))
    #expect(greeting.hasPrefix("H") && hello.lowerBound > greeting.startIndex)
    #expect(greeting.hasSuffix("?"))
    for line in TalkativeUser.lines { try await engine.say(line) { _ in } }
    let said = await engine.state.transcript.messages.filter { $0.speaker == .coach }.dropFirst()
    for message in said {
      #expect(!message.text.contains("7,500 steps") && !message.text.contains("6 h 23 min"))
    }
    let talk = await engine.state.transcript.messages.map(\.text)
    #expect(await engine.state.synthesis != nil, "\(talk)")
  }
}
