import ContextQuality
import FoundationEssentials
import IncrementalJSON
import IntakeTestSupport
import LanguageModels
import Testing

@testable import Intake

/// A fact stands beside others of its facet until the user corrects it or takes it back.
struct FactsAddUpTests {
  private static let physio = "My physio says no heavy deadlifts off the floor."
  private static let hate = "And I hate running, my hip gets stiff."

  private static func evidence(
    _ facet: String, _ turn: Int, _ quote: String, mark: String = "none", corrects: String = ""
  ) -> String {
    #"{"facet":"\#(facet)","turn":\#(turn),"quote":"\#(quote)","mark":"\#(mark)","#
      + #""corrects":"\#(corrects)"}"#
  }

  private static func answer(_ evidence: [String], more: String = "") -> String {
    #"{"evidence":[\#(evidence.joined(separator: ","))],"stated":[],"#
      + #""care":{"kind":"none","quote":""}\#(more)}"#
  }

  /// A session in which each message is read with the next answer.
  private func session(
    _ messages: [String], reading answers: [String]
  ) async throws -> ScriptedSession {
    let session = try await ScriptedSession(ScriptedCoach.reading(answers.map { .text($0) }))
    for message in messages { try await session.say(message) }
    return session
  }

  private let limits = [
    answer([
      evidence("obstacles.physical", 1, "no heavy deadlifts off the floor", mark: "clinician")
    ]),
    answer([evidence("obstacles.physical", 2, "my hip gets stiff")]),
  ]

  @Test func anAdditionReachesEveryPromptBesideTheFirst() async throws {
    let session = try await session([Self.physio, Self.hate], reading: limits)
    let prompt = try #require(session.model.requests(for: .ask).last?.system)
    let first = try #require(
      prompt.firstRange(
        of: "- set by a doctor or therapist: \"no heavy deadlifts off the floor\""))
    let second = try #require(
      prompt.firstRange(of: "- injuries or conditions: \"my hip gets stiff\""))
    #expect(first.lowerBound < second.lowerBound)
    let facts = PersonFacts(await session.state)
    #expect(facts.medical == ["no heavy deadlifts off the floor"])
    #expect(facts.said["obstacles.physical"] == ["my hip gets stiff"])
  }

  @Test func theNextReadingSeesEveryPiece() async throws {
    let session = try await session([Self.physio, Self.hate, "Go on."], reading: limits)
    let request = try #require(session.model.requests(for: .score).last?.messages.first?.text)
    let known = try #require(JSONValue(parsing: request)["known"]?.arrayValue)
    #expect(
      known.compactMap { $0["quote"]?.stringValue } == [
        "no heavy deadlifts off the floor", "my hip gets stiff",
      ])
    #expect(known.first?["mark"]?.stringValue == "clinician")
  }

  @Test func whatTheUserTakesBackIsForgottenEverywhere() async throws {
    let wish = "I want to lose two stone for Ada's wedding"
    let part =
      #","understanding":[{"part":"intent.weightLoss","confidence":"clear","turn":1,"quote":"lose two stone"}],"notes":[{"turn":1,"quote":"Ada's wedding"}]"#
    let session = try await session(
      [wish, "Forget the two stone."],
      reading: [
        Self.answer([Self.evidence("goalClarity.target", 1, "lose two stone")], more: part),
        Self.answer([
          Self.evidence(
            "goalClarity.target", 2, "Forget the two stone", mark: "gone",
            corrects: "lose two stone")
        ]),
      ])
    let state = await session.state
    #expect(state.ledger.known.isEmpty)
    #expect(state.understanding.isEmpty)
    #expect(state.notes.map(\.quote) == ["Ada's wedding"])
    #expect(state.transcript.userTurns.first == wish)
    let prompt = try #require(session.model.requests(for: .ask).last?.system)
    #expect(!prompt.contains("two stone"))
  }

  /// A writer that takes up one of three leaves two to the program.
  @Test func noneOfADoctorsLimitsIsLeftOutOfTheProfile() throws {
    let pack = try ScriptedSession.pack.get()
    let words = "I want to swim a mile. My doctor says no running, no heavy lifting and no sauna."
    let physical = Facet(component: "obstacles", name: "physical")
    let limits = ["no running", "no heavy lifting", "no sauna"]
    var state = pack.state()
    let events: [IntakeEvent] = [
      .userSaid(UserTurn(turn: 1, text: words)),
      .scored(
        Scoring(
          turns: [1],
          evidence: limits.map {
            Evidence(facet: physical, quote: $0, turn: 1, mark: .clinician)
          })),
    ]
    for (index, event) in events.enumerated() {
      state.apply(
        RecordedEvent(position: index + 1, at: Date(timeIntervalSince1970: 0), event: event))
    }
    let answer = #"""
      {"personaProfile":{},"coachingPlan":{},"userGoals":{"primary":"swim a mile"},
      "constraints":{"physical":[{"type":"injury","detail":"no heavy lifting"}]},
      "restsOn":[{"path":"/userGoals/primary","turn":1,"quote":"swim a mile"},
      {"path":"/constraints/physical/0","turn":1,"quote":"no heavy lifting"}]}
      """#
    let synthesiser = Synthesiser(
      pack: pack, interviewer: Interviewer(pack: pack), today: "2027-01-15")
    let written = synthesiser.read(answer, state).system.constraints.physical.map(\.detail)
    #expect(written == ["no heavy lifting", "no running", "no sauna"])
  }

  /// Who puts a figure right still wants what they wanted.
  @Test func whatIsUnderstoodOutlivesACorrectedFigure() async throws {
    let part =
      #","understanding":[{"part":"intent.weightLoss","confidence":"clear","turn":1,"quote":"lose two stone"}]"#
    let session = try await session(
      ["I want to lose two stone.", "Make it one and a half."],
      reading: [
        Self.answer([Self.evidence("goalClarity.target", 1, "lose two stone")], more: part),
        Self.answer([
          Self.evidence("goalClarity.target", 2, "one and a half", corrects: "two stone")
        ]),
      ])
    #expect(await session.state.understanding.parts.map(\.id) == ["intent.weightLoss"])
  }

  @Test func aHalfJokeIsToBeMadeSureOf() async throws {
    let session = try await session(
      ["Two new shoulders, please."],
      reading: [
        Self.answer([
          Self.evidence("goalClarity.outcome", 1, "Two new shoulders", mark: "likely")
        ])
      ])
    #expect(await session.state.ledger.known == [Facet(component: "goalClarity", name: "outcome")])
    let prompt = try #require(session.model.requests(for: .ask).last?.system)
    #expect(
      prompt.contains("\"Two new shoulders\" (uncertain and new: hedged, in jest or only implied)"))
    for words in ["Well, you know.", "Let me think."] { try await session.say(words) }
    let later = try #require(session.model.requests(for: .ask).last?.system)
    #expect(
      later.contains("shoulders\" (uncertain: hedged"),
      "it stays uncertain, and isn't asked about for ever")
  }

  @Test func nothingIsAskedBeforeWhatItRestsOn() async throws {
    let session = try await session(["Hello there."], reading: [Self.answer([])])
    let state = await session.state
    let facets = state.rubric.facets.map(\.facet)
    func askable(_ names: String...) -> [String] {
      state.askable(facets.filter { names.contains($0.name) }).map(\.name)
    }
    #expect(askable("timeframe", "motive").isEmpty)
    #expect(askable("outcome", "timeframe") == ["outcome", "timeframe"])
    #expect(askable("detail", "physical") == ["physical"])
    let prompt = try #require(session.model.requests(for: .ask).last?.system)
    #expect(prompt.contains("- what they want to achieve"))
  }

  @Test func anOlderReadingReplacedWhatItRepeated() throws {
    func scored(_ turn: Int, _ quote: String) -> String {
      #"{"type":"scored","turns":[\#(turn)],"evidence":[{"facet":"obstacles.physical","turn":\#(turn),"#
        + #""quote":"\#(quote)"}],"retracted":[],"dropped":{},"points":0}"#
    }
    func quotes(version: Int) throws -> [String] {
      let said = [Self.physio, Self.hate].enumerated().map { index, text in
        EventEnvelope(IntakeEvent.userSaid(UserTurn(turn: index + 1, text: text)))
      }
      let read = [scored(1, "no heavy deadlifts"), scored(2, "my hip gets stiff")].map {
        EventEnvelope(kind: "scored", version: version, json: $0)
      }
      let envelopes = [said[0], read[0], said[1], read[1]]
      let events = try envelopes.enumerated().map { index, envelope in
        try RecordedEvent(
          position: index + 1, at: Date(timeIntervalSince1970: 0), envelope: envelope)
      }
      let facet = Facet(component: "obstacles", name: "physical")
      return try ScriptedSession.pack.get().state(after: events).ledger.pieces(for: facet)
        .map(\.evidence.text)
    }
    for version in 1...2 { #expect(try quotes(version: version) == ["my hip gets stiff"]) }
    #expect(try quotes(version: 3) == ["no heavy deadlifts", "my hip gets stiff"])
  }
}
