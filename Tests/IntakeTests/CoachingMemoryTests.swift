import ContextQuality
import FoundationEssentials
import IntakeTestSupport
import LanguageModels
import Synchronization
import Testing

@testable import Intake

/// The coaching prompt fits its budget, and the coach stays who it is.
struct CoachingMemoryTests {
  private static var system: CoachingSystem {
    var system = CoachingSystem()
    system.personaProfile.role = "A patient running coach"
    system.personaProfile.communicationStyle = "Dry, short, and never chirpy"
    system.personaProfile.toneModulation = [
      .init(when: "they are discouraged", tone: "softer, and a smaller step")
    ]
    system.userGoals.primary = "Run 10 km without pain"
    return system
  }

  /// A state after many coaching turns, with a note from the first turn and one from each tenth.
  static func state(turns: Int) throws -> IntakeState {
    var state = try ScriptedSession.pack.get().state(after: .coached(system))
    let filler = String(repeating: "and the weather was what it is up here ", count: 6)
    func apply(_ event: IntakeEvent) {
      state.apply(
        RecordedEvent(
          position: state.position + 1, at: Date(timeIntervalSince1970: 1_800_000_000),
          event: event))
    }
    for turn in 2...turns {
      apply(.userSaid(UserTurn(turn: turn, text: "turn \(turn): ran again, \(filler)")))
      let notes =
        turn == 2
        ? [MemoryNote(turn: 1, quote: "my sister Ines gets married on 6 June")]
        : turn % 10 == 0 ? [MemoryNote(turn: turn, quote: "turn \(turn): ran again")] : nil
      apply(.scored(Scoring(turns: [turn], notes: notes, model: "scripted")))
      if turn < turns { apply(.coached(CoachReply(text: "Good. \(filler)"))) }
    }
    return state
  }

  private func prompt(_ state: IntakeState, saying text: String) throws -> ModelRequest {
    var state = state
    state.apply(
      RecordedEvent(
        position: state.position + 1, at: Date(timeIntervalSince1970: 1_800_000_001),
        event: .coached(CoachReply(text: "Good."))))
    state.apply(
      RecordedEvent(
        position: state.position + 1, at: Date(timeIntervalSince1970: 1_800_000_002),
        event: .userSaid(UserTurn(turn: state.turns.count + 1, text: text))))
    var scene = Scene(today: "2027-01-15")
    scene.facts = CoachingFacts(
      programme: ["Tuesday: 4 km easy"], entries: (1...300).map { "run \($0)" })
    return try Interviewer(pack: ScriptedSession.pack.get()).coaching(state, scene)
  }

  private func tokens(_ request: ModelRequest) -> Int {
    ([request.system] + request.messages.map(\.text)).reduce(0) {
      $0 + CoachingMemory.tokens($1)
    }
  }

  @Test func aThousandTurnsStayWithinTheBudget() throws {
    let request = try prompt(try Self.state(turns: 1_000), saying: "what should I do today?")
    #expect(tokens(request) <= IntakeSettings().coachingTokens)
    #expect(request.messages.last?.text == "what should I do today?")
    #expect(request.messages.count > 10)
    #expect(request.system.contains("Tuesday: 4 km easy"))
    #expect(request.system.contains("run 14") && !request.system.contains("run 15\n"))
  }

  @Test func aFactOfTheFirstTurnIsThereWhereItMatters() throws {
    let state = try Self.state(turns: 1_000)
    let wedding = "(message 1) \"my sister Ines gets married on 6 June\""
    let about = try prompt(state, saying: "can I skip the run for my sister's wedding?")
    #expect(about.system.contains(wedding))
    var small = Scene(today: "2027-01-15")
    small.budget = 3_000
    let tight = try Interviewer(pack: ScriptedSession.pack.get()).coaching(state, small)
    #expect(!tight.system.contains(wedding))
  }

  @Test func aShortConversationIsSentAsItIs() throws {
    let state = try Self.state(turns: 4)
    let request = try Interviewer(pack: ScriptedSession.pack.get())
      .coaching(state, Scene(today: "2027-01-15"))
    #expect(request.messages.count == state.transcript.messages.count)
    #expect(!request.system.contains("married"))
  }

  @Test func oneHugeMessageIsNeverDropped() throws {
    let text = String(repeating: "long ", count: 3_000)
    let request = try prompt(try Self.state(turns: 20), saying: text)
    #expect(request.messages.last?.text == text)
  }

  @Test func aHundredTurnsLaterThePersonaIsTheSameAndInEveryPrompt() async throws {
    let session = try await ScriptedSession.coaching(system: Self.system) { request in
      request.purpose == .score
        ? .text(
          UnderstandingTests.answer(
            [],
            #""understanding":[{"part":"style.emotional","confidence":"clear","turn":2,"#
              + #""quote":"I feel so low about it"}]"#)) : .text("Go on.")
    }
    let persona = try JSONEncoder().encode(Self.system.personaProfile).sorted()
    for turn in 0..<100 { try await session.say("I feel so low about it, day \(turn)") }
    let kept = try #require(await session.state.synthesis?.system.personaProfile)
    #expect(try JSONEncoder().encode(kept).sorted() == persona)
    let prompts = session.model.requests(for: .coach).map(\.system)
    #expect(prompts.count == 100)
    for prompt in prompts {
      #expect(prompt.contains("Dry, short, and never chirpy"))
      #expect(prompt.contains("softer, and a smaller step"))
    }
  }

  @Test func theToneFollowsTheMoodOfThisMessageOnly() async throws {
    let session = try await ScriptedSession.coaching(system: Self.system) { request in
      guard request.purpose == .score else { return .text("Go on.") }
      let isLow = request.messages.first?.text.contains("\"newUserTurns\": [2]") == true
      return .text(
        isLow
          ? UnderstandingTests.answer(
            [],
            #""understanding":[{"part":"mood.low","confidence":"clear","turn":2,"#
              + #""quote":"I feel useless today"}]"#) : Evidences.json([]))
    }
    try await session.say("I feel useless today")
    try await session.say("ran anyway and it went well enough")
    let prompts = session.model.requests(for: .coach).map(\.system)
    let sign = "follow what `toneModulation` says for it"
    #expect(prompts.map { $0.contains(sign) } == [true, false])
  }

  /// Tells how often it was looked at.
  private struct Counting: CoachingCompanion {
    let looks = Counter()
    func member(at now: Date) -> ReadingMember? { nil }

    mutating func apply(_ event: RecordedEvent) {}
    func read(_ answer: ReadingAnswer) -> CompanionReading { CompanionReading() }

    func facts(on now: Date) -> CoachingFacts {
      CoachingFacts(currentState: ["look \(looks.next())"])
    }
  }

  private final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
      count.withLock { count in
        count += 1
        return count
      }
    }
  }

  @Test func theCurrentStateIsKeptUntilItIsAskedAbout() async throws {
    let session = try await ScriptedSession.coaching(companion: Counting()) { request in
      request.purpose == .score ? .text(Evidences.json([])) : .text("Go on.")
    }
    for text in ["walked a bit", "walked a bit more", "how did I sleep?", "fine then"] {
      try await session.say(text)
    }
    let prompts = session.model.requests(for: .coach).map(\.system)
    let looks = prompts.map { prompt in
      prompt.split(separator: "\n").first { $0.hasPrefix("- look") }.map(String.init)
    }
    #expect(looks == ["- look 1", "- look 1", "- look 3", "- look 3"])
    let kinds = Set(await session.log.events().map(\.envelope.kind))
    #expect(!kinds.contains { $0.contains("urrent") })
  }
}
