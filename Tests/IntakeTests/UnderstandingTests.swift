import ContextQuality
import FoundationEssentials
import IntakeTestSupport
import LanguageModels
import Testing

@testable import Intake

/// What the reading makes of the person, beside the evidence.
struct UnderstandingTests {
  private static let said = "I want to lose 10 kilos by June, what's the evidence for fasting?"
  private static let evidence = [
    ("goalClarity.outcome", 1, "lose 10 kilos"), ("goalClarity.timeframe", 1, "by June"),
  ]
  private static let understanding =
    #""understanding":[{"part":"intent.weightLoss","confidence":"clear","turn":1,"#
    + #""quote":"lose 10 kilos"},{"part":"style.analytical","confidence":"likely","turn":1,"#
    + #""quote":"what's the evidence for fasting"},{"part":"obstacle.time","confidence":"clear","#
    + #""turn":1,"quote":"I never have time"},{"part":"style.grumpy","confidence":"clear","turn":1,"#
    + #""quote":"lose 10 kilos"}],"notes":[{"turn":1,"quote":"by June"}],"answers":[]"#

  /// A scorer's answer with more members.
  static func answer(_ claims: [(String, Int, String)] = [], _ more: String) -> String {
    String(Evidences.json(claims).dropLast()) + "," + more + "}"
  }

  private func session(_ answer: String) async throws -> ScriptedSession {
    let session = try await ScriptedSession { request in
      request.purpose == .score ? .text(answer) : .text("What gets in the way?")
    }
    try await session.say(Self.said)
    return session
  }

  @Test func everyPartRestsOnTheUsersWords() async throws {
    let session = try await session(Self.answer(Self.evidence, Self.understanding))
    let parts = await session.state.understanding.parts
    #expect(parts.map(\.id) == ["intent.weightLoss", "style.analytical"])
    #expect(parts.first?.kilograms == 10)
    #expect(parts.last?.quote == "what's the evidence for fasting")
    #expect(await session.state.notes == [MemoryNote(turn: 1, quote: "by June")])
    // The log alone says the same.
    let pack = try ScriptedSession.pack.get()
    #expect(pack.state(after: await session.log.events()) == (await session.state))
  }

  /// A row of a list without a value has no place for it.
  @Test func aWeightThatNobodyNamedIsLeftOutOfThePrompt() async throws {
    let session = try await session(Self.answer(Self.evidence, Self.understanding))
    let prompts = session.model.requests(for: .ask).map(\.system)
    #expect(prompts.contains { $0.contains("that is 10.0 kg") })
    #expect(!prompts.contains { $0.contains("that is  kg") })
  }

  @Test func theScoreAndTheNextTopicAreTheSameWithAndWithout() async throws {
    let with = try await session(Self.answer(Self.evidence, Self.understanding))
    let without = try await session(Evidences.json(Self.evidence))
    #expect(await with.state.components() == (await without.state.components()))
    #expect(await with.state.ledger == (await without.state.ledger))
    #expect(await with.state.pending.topic == (await without.state.pending.topic))
    #expect(await without.state.understanding.isEmpty)
  }

  @Test func itChoosesTheWordsOfTheNextQuestion() async throws {
    let with = try await session(Self.answer(Self.evidence, Self.understanding))
    let without = try await session(Evidences.json(Self.evidence))
    let pack = try ScriptedSession.pack.get()
    let figures = try #require(pack.understandingTerms["style.analytical"]?.speak)
    #expect(with.model.requests(for: .ask).first?.system.contains(figures) == true)
    #expect(without.model.requests(for: .ask).first?.system.contains(figures) == false)
  }

  @Test func itIsRefinedWhileTheAnswerArrives() async throws {
    let answer = Self.answer(Self.evidence, Self.understanding)
    let session = try await ScriptedSession { request in
      guard request.purpose == .score else { return .text("What gets in the way?") }
      let pieces = answer.map { ModelEvent.delta(String($0)) }
      return ModelReply(events: pieces + [.completed(ModelCompletion(finish: .stop))])
    }
    try await session.say(Self.said)
    var counts: [Int] = []
    for output in session.shown {
      if case .understood(let understanding) = output { counts.append(understanding.parts.count) }
      if case .scored = output { break }
    }
    #expect(counts.prefix(2) == [1, 2])
  }

  @Test func aGuessNeverReplacesWhatWasClearAndObstaclesAddUp() {
    var understanding = Understanding([
      .init(.style, "direct", confidence: .clear, turn: 1, quote: "be blunt"),
      .init(.obstacle, "time", confidence: .likely, turn: 1, quote: "two kids"),
    ])
    understanding.take([
      .init(.style, "emotional", confidence: .guess, turn: 2, quote: "I feel silly"),
      .init(.obstacle, "physical", confidence: .clear, turn: 2, quote: "my knee hurts"),
    ])
    #expect(
      understanding.parts.map(\.id) == ["style.direct", "obstacle.time", "obstacle.physical"])
    understanding.take([.init(.style, "emotional", confidence: .clear, turn: 3, quote: "I cried")])
    #expect(understanding[.style].map(\.name) == ["emotional"])
  }

  @Test func aReadingOfHealthDataCanSupportAPart() throws {
    let pack = try ScriptedSession.pack.get()
    var ledger = Ledger()
    let facet = try #require(Facet("currentState.activity"))
    ledger.record(
      Evidence(facet: facet, basis: .reading("2,100 steps a day", source: "Apple Health")))
    var check = UnderstandingCheck(
      pack: pack, transcript: Transcript([.init(.user, "hi there")]), ledger: ledger)
    var claims = PersonClaims()
    claims.parts = [
      .init("experience.beginner", confidence: .guess, turn: 0, quote: "2,100 steps a day"),
      .init("obstacle.time", confidence: .guess, turn: 0, quote: "sleeps five hours"),
    ]
    #expect(check.parts(claims).map(\.id) == ["experience.beginner"])
  }

  @Test func aRehearsalFindsWhatThePacksPhrasesSay() async throws {
    let rehearsal = try await OfflineRehearsal()
    try await rehearsal.open()
    try await rehearsal.say(
      "I want to lose 15 pounds, I'm a complete beginner and never have time.")
    let parts = await rehearsal.state.understanding.parts
    #expect(
      Set(parts.map(\.id))
        .isSuperset(of: ["intent.weightLoss", "obstacle.time", "experience.beginner"]))
    #expect(parts.allSatisfy { $0.confidence == .likely && $0.turn == 1 })
  }

  @Test func aLongConversationIsReadFromItsLastMessages() throws {
    let filler = String(repeating: "and then I went for a walk again ", count: 20)
    let messages = (1...400).flatMap { turn in
      [Transcript.Message(.coach, "Go on?"), Transcript.Message(.user, "turn \(turn) \(filler)")]
    }
    let transcript = Transcript(messages)
    let request = try ModelScorer(pack: ScriptedSession.pack.get()).request(
      transcript: transcript, ledger: Ledger(), newTurns: [400])
    let text = try #require(request.messages.first?.text)
    #expect(text.utf8.count < 60_000)
    #expect(text.contains(#"{"turn":400,"user":"turn 400 and"#))
    #expect(!text.contains("turn 100 and"))
  }
}

extension IntakeState.Pending {
  fileprivate var topic: [String]? {
    if case .question(let question) = self { question.components } else { nil }
  }
}
