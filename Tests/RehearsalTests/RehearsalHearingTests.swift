import ContextQuality
import FoundationEssentials
import IntakeTestSupport
import Testing

@testable import Intake
@testable import Rehearsal

/// What a rehearsal makes of words that it reads simply.
struct RehearsalHearingTests {
  private static let availability = Facet(component: "lifestyle", name: "availability")

  /// Components of the first questions to somebody whose answers mean nothing to the scorer.
  private func asked(answering answer: String, _ source: ProfileSource?) throws -> [String] {
    var state = heard("hello", as: [], try PromptPack.embedded().rubric, source)
    var asked: [String] = []
    for turn in 2..<30 {
      guard case .ask(let plan) = state.nextStep(IntakeSettings(maxTurns: 50)) else { break }
      asked.append(plan.component)
      let events: [IntakeEvent] = [
        .asked(
          Question(
            components: [plan.component], facets: plan.missing, explicit: false,
            reply: CoachReply(text: "Why?"))),
        .userSaid(UserTurn(turn: turn, text: answer)),
        .scored(Scoring(turns: [turn], evidence: [])),
      ]
      for event in events {
        state.apply(
          RecordedEvent(
            position: state.position + 1, at: .init(timeIntervalSince1970: 1), event: event))
      }
    }
    return asked
  }

  @Test func whatWasAnsweredIsNotAskedAgainInTheNextBreath() throws {
    let asked = try asked(answering: "I'd go back to an erg in a heartbeat", .rehearsal)
    #expect(asked.count > 10)
    // The last one left has nothing else to make way for.
    let last = asked.last
    #expect(zip(asked, asked.dropFirst()).allSatisfy { $0 != $1 || $0 == last }, "\(asked)")
    for component in Set(asked) { #expect(asked.count { $0 == component } == 2, "\(asked)") }
    let short = try self.asked(answering: "the erg", .rehearsal)
    #expect(short.first == short.dropFirst().first, "a few words are asked about at once")
    let withModel = try self.asked(answering: "I'd go back to an erg in a heartbeat", nil)
    #expect(withModel == short, "a model understood what there was to understand")
  }

  @Test(
    arguments: [
      ("I'd rather not talk about food", "nutritionReadiness"),
      ("please don't ask me about what I eat", "nutritionReadiness"),
      ("my weight is private", "currentState"), ("no questions about my weight", "currentState"),
      ("I'd rather not eat meat", ""), ("I don't like to skip meals", ""),
      ("I don't want to talk all day", ""),
    ])
  func aTopicThatIsKeptPrivateIsNotAskedFor(words: String, component: String) async throws {
    let session = try await OfflineRehearsal()
    try await session.open()
    try await session.say("I want to run a 10k in May because I miss it")
    try await session.say(words)
    let state = await session.engine.state
    #expect(Set(state.withheld.map(\.component)) == (component.isEmpty ? [] : [component]))
    #expect(state.askedFacets.isEmpty || state.withheld.isDisjoint(with: state.askedFacets))
  }

  /// Why somebody wants it is in the clause that says so.
  @Test func theReasonForAGoalIsKept() async throws {
    let session = try await OfflineRehearsal(settings: IntakeSettings(maxTurns: 1))
    try await session.open()
    try await session.say("I want to lose 10 kg by June because my father had a heart attack")
    let motive = Facet(component: "goalClarity", name: "motive")
    let known = await session.engine.state.ledger.evidence(for: motive)?.text
    #expect(known == "because my father had a heart attack")
    try await session.say("go on with what you have") { $0.pending == .confirmation }
    let summary = try #require(await session.coachMessages.last)
    #expect(summary.contains("“my father had a heart attack”"), "\(summary)")
    let deeper = await session.engine.state.synthesis?.system.userGoals.deeper
    #expect(deeper?.hasSuffix("my father had a heart attack") == true, "\(deeper ?? "")")
  }

  private func summarised() async throws -> OfflineRehearsal {
    let session = try await OfflineRehearsal(settings: IntakeSettings(maxTurns: 1))
    try await session.open()
    try await session.say(
      "I want to lose 20 pounds. I can train Tuesday and Thursday mornings and Sunday any time")
    try await session.say("go on with what you have") { $0.pending == .confirmation }
    return session
  }

  @Test(arguments: [
    ("mornings after a day off are best", "Tuesday"),
    ("I could also do Saturday mornings now and then", "Tuesday"),
    ("no, I can train on Wednesday evenings", "Wednesday"),
    ("actually I can train on Wednesday evenings", "Wednesday"),
  ])
  func aSummaryIsChangedOnlyByWordsThatPutItRight(message: String, day: String) async throws {
    let session = try await summarised()
    try await session.say(message)
    let evidence = try #require(
      await session.engine.state.ledger.evidence(for: Self.availability))
    #expect(evidence.text.contains(day), "\(evidence.text)")
  }

  @Test(arguments: ["yes thats right", "no wait", "yes"])
  func aReplyThatOnlySaysHowToGoOnTellsNothingAnew(reply: String) throws {
    let coach = try RehearsalCoach(pack: try PromptPack.embedded())
    let known = coach.pack.rubric.facets.map(\.facet)
    var state = heard("my words about all of it", as: known, coach.pack.rubric)
    state.apply(
      RecordedEvent(
        position: 9, at: .init(timeIntervalSince1970: 2),
        event: .summarised(CoachReply(text: "Here's what I heard."))))
    state.apply(
      RecordedEvent(
        position: 10, at: .init(timeIntervalSince1970: 3),
        event: .userSaid(UserTurn(turn: 2, text: reply))))
    #expect(coach.saidAnew(in: 2, state).isEmpty)
  }

  private func heard(
    _ words: String, as facets: [Facet], _ rubric: Rubric, _ source: ProfileSource? = .rehearsal
  ) -> IntakeState {
    let events: [IntakeEvent] = [
      .started(
        SessionStart(pack: "fitness", packVersion: "1", rubricVersion: 1, source: source)),
      .userSaid(UserTurn(turn: 1, text: words)),
      .scored(
        Scoring(turns: [1], evidence: facets.map { Evidence(facet: $0, quote: words, turn: 1) })),
    ]
    return IntakeState(
      rubric: rubric,
      events: events.enumerated().map {
        RecordedEvent(
          position: $0.offset + 1, at: .init(timeIntervalSince1970: 1), event: $0.element)
      })
  }

  @Test(arguments: [
    ("my wife passed in march and I let everything slide", "sorry"),
    ("we used to walk to the harbor every evening", nil),
    ("that's what it would cost me, 80 a month", nil),
  ])
  func theFirstAnswerIsNoFalseNote(message: String, word: String?) async throws {
    let session = try await OfflineRehearsal()
    try await session.open()
    try await session.say(message)
    let said = try #require(await session.coachMessages.last)
    if let word { #expect(said.contains(word), "\(said)") }
    for wrong in ["Hi!", "This rehearsal costs", "that tells me why"] {
      #expect(!said.contains(wrong), "\(said)")
    }
  }

  @Test func aWeightIsNoInjuryToPlanAround() throws {
    let physical = Facet(component: "obstacles", name: "physical")
    let state = heard("64 kilos", as: [physical], try PromptPack.embedded().rubric)
    let bank = try PromptPack.embedded().questionBank()
    let help = Phrasing(state, bank).sentences(bank.all(.help))
    #expect(!help.contains { $0.contains("64 kilos") }, "\(help)")
  }
}
