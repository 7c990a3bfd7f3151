import ContextQuality
import IntakeTestSupport
import LanguageModels
import Testing

@testable import Intake

/// A conversation that is over, in one request.
struct TranscriptScorerTests {
  private let outcome = Facet(component: "goalClarity", name: "outcome")

  private func ledger(
    _ messages: [Transcript.Message], turns: [Int]? = nil, _ script: @escaping ScriptedCoach.Script
  ) async throws -> (Ledger?, ScriptedCoach) {
    let model = ScriptedCoach(script)
    let scorer = TranscriptScorer(pack: try ScriptedSession.pack.get(), model: model)
    let reading = try await scorer.read(Transcript(messages), turns: turns)
    return (try? reading.get().ledger, model)
  }

  private let said: [Transcript.Message] = [
    .init(.user, "I want to lose 20 lb."), .init(.coach, "And?"),
    .init(.user, "Forget the 20 lb, I no longer want that."), .init(.coach, "What then?"),
    .init(.user, "I want to run a 10k in May."),
  ]

  @Test func whatWasTakenBackAndSaidAnewIsKnownWhenItWas() async throws {
    // In no order, as models answer.
    let answer = """
      {"evidence":[{"facet":"goalClarity.outcome","turn":3,"quote":"run a 10k"},
      {"facet":"goalClarity.outcome","turn":1,"quote":"lose 20 lb"}],
      "retracted":[{"facet":"goalClarity.outcome","turn":2,"quote":"Forget the 20 lb"}],"care":"none"}
      """
    let (ledger, model) = try await ledger(said) { _ in .text(answer) }
    #expect(model.requests.count == 1)
    #expect(model.requests[0].messages[0].text.contains(#""newUserTurns": [1,2,3]"#))
    let known = (1...3).map { ledger?.known(after: $0).contains(outcome) == true }
    #expect(known == [true, false, true])
    #expect(ledger?.latestStretch(of: outcome)?.evidence.turn == 3)
  }

  @Test func aCarelessQuoteCountsAsTheUsersWords() async throws {
    let answer = """
      {"evidence":[{"facet":"goalClarity.outcome","turn":1,"quote":"\\"I want to run a 10k in May\\""},
      {"facet":"goalClarity.target","turn":3,"quote":"run a 20k in May"}],"care":"none"}
      """
    let (ledger, _) = try await ledger(said) { _ in .text(answer) }
    #expect(ledger?.entries.map(\.evidence.text) == ["I want to run a 10k in May"])
    #expect(ledger?.entries.first?.evidence.turn == 3)
  }

  @Test func onlyTheTurnsThatWereReadLiveAreAskedAbout() async throws {
    let (_, model) = try await ledger(said, turns: [1, 3]) { _ in .text(Evidences.json([])) }
    #expect(model.requests[0].messages[0].text.contains(#""newUserTurns": [1,3]"#))
  }

  @Test func whereNothingIsSaidNothingIsAsked() async throws {
    let silent: [Transcript.Message] = [.init(.coach, "Hello?"), .init(.user, " ")]
    let (ledger, model) = try await ledger(silent) { _ in .failing(.unreachable) }
    #expect(ledger?.entries.isEmpty == true)
    #expect(model.requests.isEmpty)
  }

  @Test func heightAndWeightAreReadByCodeAsInALiveSession() async throws {
    let question = try ScriptedSession.pack.get().render(.bodyQuestion, [:])
    let (ledger, _) = try await ledger([
      .init(.user, "I want to run."), .init(.coach, question), .init(.user, "178 cm, 82 kg"),
    ]) { _ in .text(Evidences.json([])) }
    #expect(ledger?.known == [Facet(component: "currentState", name: "body")])
  }

  @Test func anAnswerThatCannotBeUsedIsAskedForOnceMoreAndThenTheConversationFails() async throws {
    let (ledger, model) = try await ledger(said) { _ in .text("I think they are ready!") }
    #expect(ledger == nil)
    #expect(model.requests.count == 2)
  }

  @Test func aModelThatCannotBeHadIsNoFaultOfTheConversation() async throws {
    await #expect(throws: (any Error).self) {
      _ = try await ledger(said) { _ in .failing(.unreachable) }
    }
  }
}
