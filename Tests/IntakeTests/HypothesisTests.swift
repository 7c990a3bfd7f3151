import ContextQuality
import FoundationEssentials
import IntakeTestSupport
import LanguageModels
import Testing

@testable import Intake

/// What the way of writing suggests is asked about once, and counts only after a yes.
struct HypothesisTests {
  private static let day = 86_400.0
  private static let bestTime = Facet(component: "energyPatterns", name: "bestTime")

  /// A person who writes around five in the morning, three days in a row.
  private func earlyRiser(
    readings: @escaping @Sendable (ModelRequest) -> String = { _ in Evidences.json([]) }
  ) async throws -> (ScriptedSession, TestClock) {
    // 1,800,000,000 is 08:00 UTC.
    let clock = TestClock(1_800_000_000 + Self.day - 3 * 3_600)
    let session = try await ScriptedSession.coaching(clock: clock) { request in
      request.purpose == .score ? .text(readings(request)) : .text("Good work.")
    }
    for text in ["did the walk before the shop opens", "another walk done", "walked again"] {
      try await session.say(text)
      clock.advance(by: Self.day)
    }
    return (session, clock)
  }

  @Test func itIsAskedOnceAfterTheCoachsReply() async throws {
    let (session, _) = try await earlyRiser()
    let message = try #require(session.messages.last?.text)
    #expect(message.hasPrefix("Good work.\n\n"))
    #expect(message.contains("around 5 in the morning 3 times"))
    #expect(await session.kinds.suffix(2) == [.coached, .supposed])
    let streamed = session.shown.compactMap { output in
      if case .delta(let text, _) = output { text } else { nil }
    }
    #expect(streamed.joined() == message)
    let prompt = try #require(session.model.requests(for: .coach).last?.system)
    #expect(prompt.contains("So end without a question of your own"))
    #expect(await !session.state.ledger.known.contains(Self.bestTime))
  }

  /// Readings in which the hypothesis is answered.
  private static func answering(
    _ acts: [String], quote: String
  ) -> @Sendable (ModelRequest) -> String {
    { request in
      guard request.messages.first?.text.contains("\"hypothesis\"") == true,
        let turn = ScriptedActs.newTurns(of: request).last?.turn
      else { return Evidences.json([]) }
      return Evidences.json([], acts: acts.map { ($0, "", turn, quote) })
    }
  }

  @Test func aYesMakesItKnownWithTheUsersWords() async throws {
    let said = "yes, before the kids are up"
    let (session, _) = try await earlyRiser(readings: Self.answering(["agrees"], quote: said))
    try await session.say(said)
    #expect(await session.state.hypotheses.settled["mornings"]?.verdict == .yes)
    #expect(
      await session.state.ledger.evidence(for: Self.bestTime)?.text == "yes, before the kids are up"
    )
    let pack = try ScriptedSession.pack.get()
    #expect(pack.state(after: await session.log.events()) == (await session.state))
  }

  @Test func aYesCountsWithItsQuote() async throws {
    let quote = "that's when I'm awake"
    let (session, _) = try await earlyRiser(readings: Self.answering(["agrees"], quote: quote))
    try await session.say("well spotted, that's when I'm awake")
    #expect(await session.state.ledger.evidence(for: Self.bestTime)?.text == quote)
  }

  @Test(arguments: [
    ("no, that's just the baby", ["rejects"], HypothesisAnswer.Verdict.no),
    ("it's the baby, not me", ["corrects"], .no), ("ran 5k", [], .lapsed),
    ("yes and no", ["agrees", "rejects"], .lapsed),
  ])
  func anythingElseClosesItForGood(
    reply: String, acts: [String], verdict: HypothesisAnswer.Verdict
  ) async throws {
    let (session, clock) = try await earlyRiser(readings: Self.answering(acts, quote: reply))
    try await session.say(reply)
    #expect(await session.state.hypotheses.settled["mornings"]?.verdict == verdict)
    #expect(await !session.state.ledger.known.contains(Self.bestTime))
    for _ in 0..<6 {
      clock.advance(by: Self.day)
      try await session.say("walked")
      #expect(session.messages.last?.text == "Good work.")
    }
    let asked = await session.kinds.count { $0 == .supposed }
    #expect(asked == 1)
  }

  @Test func careComesFirst() async throws {
    let (session, clock) = try await earlyRiser { request in
      request.messages.first?.text.contains("\"newUserTurns\": [4]") == true
        ? Evidences.json([], care: "medical", careQuote: "walked again") : Evidences.json([])
    }
    #expect(session.messages.map(\.purpose) == [.care])
    clock.advance(by: Self.day)
    try await session.say("the doctor says it's fine")
    #expect(session.messages.allSatisfy { !$0.text.contains("in the morning") })
  }

  @Test func aSignalAloneMakesNothingKnown() async throws {
    let (session, _) = try await earlyRiser()
    let signals = await session.state.signals()
    #expect(signals.contains(Signal(.usualTime, count: 3, value: 5)))
    #expect(await session.state.ledger.known.isEmpty)
    let prompt = try #require(session.model.requests(for: .coach).last?.system)
    #expect(prompt.contains("wrote around 5:00 on 3 days"))
  }
}

/// Signals come from counts and times.
struct RhythmTests {
  private func rhythm(
    _ turns: [(hours: Double, words: Int, waited: Double, rewrites: Int)]
  ) -> Rhythm {
    var rhythm = Rhythm()
    for (index, turn) in turns.enumerated() {
      let at = Date(timeIntervalSince1970: turn.hours * 3_600)
      rhythm.coachSpoke(at: at.addingTimeInterval(-turn.waited))
      let text = Array(repeating: "word", count: turn.words).joined(separator: " ")
      rhythm.hear(UserTurn(turn: index + 1, text: text, rewrites: turn.rewrites), at: at)
    }
    return rhythm
  }

  @Test(arguments: [
    ((words: 4, waited: 60.0, rewrites: 0), Signal(.shortAnswers, count: 3)),
    ((words: 81, waited: 60.0, rewrites: 0), Signal(.longAnswers, count: 3)),
    ((words: 9, waited: 6.0, rewrites: 0), Signal(.quickAnswers, count: 3)),
    ((words: 9, waited: 200.0, rewrites: 0), Signal(.slowAnswers, count: 3)),
    ((words: 9, waited: 60.0, rewrites: 4), Signal(.rewrites, count: 3)),
  ])
  func threeCasesMakeASignal(
    turn: (words: Int, waited: Double, rewrites: Int), signal: Signal
  ) {
    let turns = (0..<3).map { index in
      (
        hours: Double(index) / 10, words: turn.words, waited: turn.waited,
        rewrites: turn.rewrites
      )
    }
    #expect(rhythm(turns).signals { _ in 0 } == [signal])
    #expect(rhythm(Array(turns.prefix(2))).signals { _ in 0 }.isEmpty)
  }

  @Test func theTimeOfDayIsThatOfTheUsersClock() {
    let turns = [5.0, 29.5, 53.2].map { (hours: $0, words: 9, waited: 60.0, rewrites: 0) }
    #expect(
      rhythm(turns).signals { _ in 0 }.first { $0.kind == .usualTime }
        == Signal(.usualTime, count: 3, value: 5))
    #expect(
      rhythm(turns).signals { _ in -6 * 3_600 }.first { $0.kind == .usualTime }
        == Signal(.usualTime, count: 3, value: 23))
  }

  @Test func visitsAreADayOrMoreApart() {
    let turns = [0.0, 0.1, 72, 144, 216].map {
      (hours: $0, words: 9, waited: 60.0, rewrites: 0)
    }
    #expect(
      rhythm(turns).signals { _ in 0 }.first { $0.kind == .visits }
        == Signal(.visits, count: 4, value: 3))
  }

  @Test func textTwoSecondsAfterTheCoachIsNoTyping() {
    let turns = (0..<5).map { (hours: Double($0) / 10, words: 9, waited: 0.5, rewrites: 0) }
    #expect(rhythm(turns).signals { _ in 0 }.isEmpty)
  }
}
