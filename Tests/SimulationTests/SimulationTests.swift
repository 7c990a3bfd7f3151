import ContextQuality
import IncrementalJSON
import Intake
import LanguageModels
import Signals
import Testing

@testable import Simulation

/// Conversations with a coach that reads from the sheet, so its reading is always right.
struct SimulationTests {
  private func coach(
    _ persona: Persona, _ policy: SimulatedPolicy = .shortfall, deafTo: Set<Facet> = [],
    change: (inout IntakeSettings) -> Void = { _ in }
  ) throws -> SimulatedCoach {
    var settings = policy.settings()
    change(&settings)
    return SimulatedCoach(
      pack: try Sheets.pack.get(), choice: KnowingCoach.choice(persona, deafTo: deafTo),
      settings: settings)
  }

  private func persona() throws -> Persona {
    try Sheets.persona {
      $0.distress = []
      $0.moods = []
    }
  }

  @Test func whatIsToldIsFound() async throws {
    let persona = try persona()
    let run = try await coach(persona).play(persona, seed: 1)
    #expect(run.found == Set(run.turns.flatMap(\.reply.told)))
    #expect(run.found.count >= 6)
    #expect(run.misheard.isEmpty)
    #expect(run.turns.first?.reply.text.hasPrefix("Hello there.") == true)
    #expect(run.turns.first?.components.isEmpty == true)
    #expect(run.turns.dropFirst().first?.components.isEmpty == false)
    #expect(run.ending == .offer)
    let repeats = run.turns.filter(\.isRepeated)
    #expect(repeats.isEmpty)
    #expect(!run.closing.isEmpty)
  }

  @Test func theSameSeedGivesTheSameConversation() async throws {
    let persona = try persona()
    let coach = try coach(persona, .random)
    let first = try await coach.play(persona, seed: 5)
    let again = try await coach.play(persona, seed: 5)
    let other = try await coach.play(persona, seed: 6)
    #expect(first == again)
    #expect(first.turns.map(\.components) != other.turns.map(\.components))
  }

  @Test func aQuestionForWhatWasSaidCountsAsRepeated() async throws {
    let persona = try persona()
    let deaf = Set(persona.facts.map(\.facet).filter { $0.component == "goalClarity" })
    let run = try await coach(persona, deafTo: deaf).play(
      persona, seed: 1)
    #expect(run.turns.contains { $0.isRepeated && $0.components.first == "goalClarity" })
    #expect(run.tally(.repeated, persona).count > 0)
  }

  @Test func readyWithoutWhatMattersIsTooEarly() async throws {
    let persona = try persona()
    let wrist = try Sheets.facet("obstacles.physical")
    let early = try await coach(persona, deafTo: [wrist], change: { $0.readyAbove = 2_000 })
      .play(persona, seed: 1)
    #expect(early.ending == .ready)
    #expect(early.readyAt == early.turns.count || early.turns.last?.reply.text == "skip")
    #expect(early.tally(.premature, persona) == Tally(1, of: 1))
    let given = try await coach(persona).play(persona, seed: 1)
    #expect(given.tally(.premature, persona).all == 0)
  }

  @Test func careIsCountedWhereItIsDue() async throws {
    let persona = try Sheets.persona { $0.distress[0].turn = 2 }
    let run = try await coach(persona).play(persona, seed: 1)
    #expect(run.turns[1].care == [.crisis])
    #expect(run.turns[2].reply.text == "I called her.")
    #expect(run.tally(.careGiven, persona) == Tally(1, of: 1))
    #expect(run.tally(.careNeedless, persona) == Tally(0, of: 1))
    let harmless = try Sheets.persona {
      $0.distress[0].turn = 2
      $0.distress[0].care = nil
    }
    let needless = try await coach(harmless).play(harmless, seed: 1)
    #expect(needless.tally(.careNeedless, harmless) == Tally(1, of: 1))
  }

  @Test func aFormAsksForOneTopicAfterTheOther() async throws {
    let persona = try persona()
    let run = try await coach(persona, .form).play(persona, seed: 1)
    let rubric = try Sheets.pack.get().rubric.components.map(\.name)
    let asked = run.turns.compactMap(\.components.first)
    #expect(asked.count > 3)
    #expect(Array(asked.prefix(4)) == Array(rubric.prefix(4)))
  }

  @Test func theHeaviestStaysUntilNothingIsMissing() async throws {
    let persona = try persona()
    let run = try await coach(persona, .weight).play(persona, seed: 1)
    let asked = run.turns.compactMap(\.components.first)
    #expect(asked.first == "goalClarity")
    #expect(asked.firstIndex(of: "obstacles") ?? 0 > 0)
  }

  @Test func sidesAreComparedOnTheSamePeopleAndSeeds() async throws {
    let persona = try persona()
    let goal = Set(persona.facts.map(\.facet).filter { $0.component == "goalClarity" })
    let simulation = Simulation(
      personas: [persona],
      sides: [
        .init(name: "hears", coach: try coach(persona)),
        .init(name: "deaf", coach: try coach(persona, deafTo: goal)),
      ], runs: 4)
    let report = try await simulation.run()
    #expect(report.conversations == 4)
    #expect(report.sides.map { $0.runs[0].map(\.seed) } == [[1, 2, 3, 4], [1, 2, 3, 4]])
    let found = try #require(report.rows.first { $0.figure == .found })
    #expect(found.verdict(1) == .worse)
    #expect(found.differences[0] == nil)
    let repeated = try #require(report.rows.first { $0.figure == .repeated })
    #expect(repeated.verdict(1) == .worse)
    let curve = report.curve(0, turns: 8)
    #expect(curve == curve.sorted())
    #expect(abs((curve.last ?? 0) - (found.estimates[0].value ?? 0)) < 0.2)
    #expect(report.json["sides"]?[1]?["figures"]?["found"]?["verdict"] == "worse")
  }

  @Test func aCoachWithoutAnswersFailsAndCountsOnNoSide() async throws {
    let persona = try persona()
    let broken = SimulatedCoach(
      pack: try Sheets.pack.get(), choice: .models(.init(all: ScriptedModel(answers: [:]))))
    let simulation = Simulation(
      personas: [persona],
      sides: [
        .init(name: "hears", coach: try coach(persona)), .init(name: "broken", coach: broken),
      ],
      runs: 2, width: 1)
    let report = try await simulation.run()
    #expect(report.conversations == 0)
    #expect(report.failures.count == 2)
    #expect(report.failures.first?.persona == "Ottoline")
  }

  @Test func aSideThatOnlyFailsStopsAllBeforeMoreIsSpent() async throws {
    let persona = try persona()
    let broken = SimulatedCoach(
      pack: try Sheets.pack.get(), choice: .models(.init(all: ScriptedModel(answers: [:]))))
    let simulation = Simulation(
      personas: [persona],
      sides: [
        .init(name: "hears", coach: try coach(persona)), .init(name: "broken", coach: broken),
      ],
      runs: 20, width: 1)
    let report = try await simulation.run()
    #expect(report.failures.count == Simulation.patience)
  }
}

/// A coach that is one prompt, on scripted models.
struct OnePromptCoachTests {
  private func run(profiles: [String]) async throws -> SimulatedRun {
    let nothing = """
      {"evidence": [], "stated": [], "care": {"kind": "none", "quote": ""}, "acts": []}
      """
    let model = ScriptedModel(answers: [
      .coach: [.text("Here's what I heard: a lake.")], .score: [.text(nothing)],
      .synthesise: profiles.map { .text($0) },
    ])
    let listener = ScriptedModel(answers: [
      .starters: [.text(#"{"asks": [], "sumsUp": true, "cares": false}"#)]
    ])
    let reader = ConversationReader(
      pack: try Sheets.pack.get(), listener: listener, scorer: model)
    let coach = OnePromptCoach(prompt: "Coach.", model: model, reader: reader)
    return try await coach.play(
      try Sheets.persona { $0.distress = [] }, seed: 1, wording: nil)
  }

  @Test func aProfileThatCannotBeReadIsAskedForOnceMore() async throws {
    let profile = #"{"userGoals": {"primary": "row a whole lake", "timeline": "before winter"}}"#
    let second = try await run(profiles: ["Sure!", profile])
    #expect(second.unsupported == ["before winter"])
    let none = try await run(profiles: ["Sure!", "Sure!", profile])
    #expect(none.unsupported == nil)
    #expect(none.tally(.profiled, try Sheets.persona()) == Tally(0, of: 1))
    #expect(none.ending == .ready && none.closing == "Here's what I heard: a lake.")
  }
}

struct BootstrapTests {
  private func tallies(_ values: [[Int]]) -> [[Tally]] {
    values.map { $0.map { Tally($0, of: 10) } }
  }

  @Test func anIntervalHoldsTheValueAndGrowsWithTheSpread() throws {
    let bootstrap = Bootstrap(seeds: [3, 3, 3, 3])
    let even = bootstrap.estimate(tallies([[5, 5, 5], [5, 5, 5], [5, 5, 5], [5, 5, 5]]))
    #expect(even == Estimate(value: 0.5, low: 0.5, high: 0.5))
    let wide = bootstrap.estimate(tallies([[1, 2, 0], [9, 10, 8], [2, 1, 3], [8, 7, 9]]))
    #expect(wide.value == 0.5)
    let (low, high) = (try #require(wide.low), try #require(wide.high))
    #expect(low < 0.35 && high > 0.65)
  }

  @Test func aDifferenceIsPaired() throws {
    let bootstrap = Bootstrap(seeds: [2, 2, 2])
    let first = tallies([[0, 1], [5, 6], [8, 9]])
    let second = tallies([[1, 2], [6, 7], [9, 10]])
    let difference = bootstrap.difference(first, second)
    #expect(abs((difference.low ?? 0) - 0.1) < 1e-9)
    #expect(abs((difference.high ?? 0) - 0.1) < 1e-9)
  }

  @Test func oneConversationHasNoInterval() {
    let bootstrap = Bootstrap(seeds: [0, 1])
    #expect(bootstrap.estimate(tallies([[], [4]])) == Estimate(value: 0.4))
    #expect(
      bootstrap.difference(tallies([[], [4]]), tallies([[], [5]])).low == nil)
  }

  @Test func nothingToCountGivesNoFigure() {
    #expect(Bootstrap(seeds: [0]).estimate([[]]) == Estimate())
    #expect(Bootstrap(seeds: [1]).estimate([[.none]]) == Estimate())
  }
}

/// A model may say it differently, and nothing else.
struct ModelWordingTests {
  private static let reply = PersonaPlayer.Reply(
    text: "Eight kilometers without a stop. 8 exactly.", manner: .told,
    told: [Facet(component: "goalClarity", name: "target")])

  private func wording(_ answer: String) throws -> ModelWording {
    let pack = try Sheets.pack.get()
    let model = ScriptedModel(answers: [.starters: [.text(answer)]])
    return ModelWording(model, rubric: pack.rubric) { text in
      var facets: Set<Facet> = []
      if text.contains("ight") { facets.insert(Facet(component: "goalClarity", name: "target")) }
      if text.contains("wrist") { facets.insert(Facet(component: "obstacles", name: "physical")) }
      return facets
    }
  }

  @Test func otherWordsForTheSameFactPass() async throws {
    let words = try await wording(#"{"reply": "I'd row eight km, all 8, in one go."}"#)
      .words(for: Self.reply, of: Sheets.persona(), after: ["How far?"])
    #expect(words == "I'd row eight km, all 8, in one go.")
  }

  @Test(arguments: [
    #"{"reply": "I'd row eight km, if my wrist lets me."}"#,
    #"{"reply": "I'd row eight km in 50 minutes."}"#, #"{"reply": "Quite far."}"#,
    #"{"reply": " "}"#, #"{"words": "eight"}"#, "eight",
  ])
  func otherFactsNumbersOrNothingDoNot(_ answer: String) async throws {
    let words = try await wording(answer)
      .words(for: Self.reply, of: Sheets.persona(), after: ["How far?"])
    #expect(words == nil)
  }

  @Test func distressAndMenusAreNeverReworded() async throws {
    let wording = try wording(#"{"reply": "eight"}"#)
    let persona = try Sheets.persona()
    for manner in [PersonaPlayer.Manner.distress, .refused, .bare] {
      let reply = PersonaPlayer.Reply(text: "skip", manner: manner)
      #expect(try await wording.words(for: reply, of: persona, after: []) == "skip")
    }
  }

  @Test func aModelThatNeverAnswersFailsAndALaterFailureIsSaidByTheRule() async throws {
    let rubric = try Sheets.pack.get().rubric
    let persona = try Sheets.persona()
    let model = ScriptedModel(answers: [
      .starters: [
        .failure(ModelError(.unauthorized, detail: "no")), .text(#"{"reply": "8 km"}"#),
        .failure(ModelError(.unauthorized, detail: "no")),
      ]
    ])
    let wording = ModelWording(model, rubric: rubric) { _ in [] }
    await #expect(throws: ModelError.self) {
      try await wording.words(for: Self.reply, of: persona, after: [])
    }
    #expect(try await wording.words(for: Self.reply, of: persona, after: []) == "8 km")
    #expect(try await wording.words(for: Self.reply, of: persona, after: []) == nil)
  }

  @Test func whatDoesNotPassIsSaidByTheRule() async throws {
    let persona = try Sheets.persona { $0.distress = [] }
    let coach = SimulatedCoach(
      pack: try Sheets.pack.get(), choice: KnowingCoach.choice(persona))
    let run = try await coach.play(persona, seed: 1, wording: try wording("no JSON"))
    let told = run.turns.filter { $0.reply.manner == .told }
    #expect(!told.isEmpty)
    #expect(told.allSatisfy { $0.isRuleInstead })
    #expect(run.turns.first?.reply.text.hasPrefix("Hello there.") == true)
  }
}

/// One visit after the other, with the log, its questions and its dates.
struct SimulatedMonthTests {
  private func entries(_ change: (inout PersonaMonth) -> Void = { _ in }) async throws
    -> [SimulatedMonth.Entry]
  {
    var month = PersonaMonth(
      startsOn: "2026-03-02",
      visits: [
        .init(day: 2, does: .trains, says: ["did squats 3x5 at 60 kg, felt easy"]),
        .init(day: 9, does: .talks, says: ["what next?"]),
      ],
      reviews: ["no"], limits: ["yes"], supposed: ["no"])
    change(&month)
    let persona = try Sheets.persona {
      $0.distress = []
      $0.month = month
    }
    let coach = SimulatedCoach(
      pack: try Sheets.pack.get(), choice: KnowingCoach.choice(persona))
    return try await SimulatedMonth(with: coach).play(persona, seed: 1)
  }

  @Test func everyVisitHasItsDate() async throws {
    let entries = try await entries()
    let days = entries.filter { if case .day = $0 { true } else { false } }
    #expect(
      days == [
        .day(0, date: "2026-03-02", nil), .day(2, date: "2026-03-04", .trains),
        .day(9, date: "2026-03-11", .talks),
      ])
    #expect(entries.contains(.person("did squats 3x5 at 60 kg, felt easy")))
    let notes = entries.compactMap { if case .note(let text) = $0 { text } else { nil } }
    let isNoted = notes.contains { $0.contains("60 kg") }
    #expect(isNoted, "\(notes)")
  }

  @Test func aReviewIsAnsweredByTheSheet() async throws {
    let entries = try await entries { month in
      month.visits = [2, 6, 10].map {
        .init(day: $0, does: .trains, says: ["did squats 3x5 at 60 kg"])
      }
      month.reviews = ["No, leave it as it is"]
    }
    let answer = try #require(entries.firstIndex(of: .person("No, leave it as it is")))
    let asked = try #require(Self.coach(entries[..<answer]).last)
    #expect(asked.contains("Say yes, no"), "\(asked)")
    let after = entries[answer...].map(Self.text)
    #expect(after.contains { $0.contains("everything stays as it is") }, "\(after)")
  }

  @Test func aLimitThatLapsesIsFollowedUpOnce() async throws {
    let entries = try await entries { month in
      month.visits = [
        .init(day: 2, does: .ill, says: ["I have a cold, no training this week"]),
        .init(day: 18, does: .trains, says: ["did squats 3x5 at 60 kg"]),
        .init(day: 20, does: .trains, says: ["did squats 3x5 at 60 kg"]),
      ]
      month.limits = ["Yes, it's over"]
    }
    let answer = try #require(entries.firstIndex(of: .person("Yes, it's over")))
    let asked = try #require(Self.coach(entries[..<answer]).last)
    #expect(asked.contains("Is that over?"), "\(asked)")
    #expect(Self.coach(entries[...]).count { $0.contains("Is that over?") } == 1)
  }

  private static func text(_ entry: SimulatedMonth.Entry) -> String {
    switch entry {
    case .coach(let text), .person(let text), .note(let text): text
    case .day: ""
    }
  }

  private static func coach(_ entries: ArraySlice<SimulatedMonth.Entry>) -> [String] {
    entries.compactMap { if case .coach(let text) = $0 { text } else { nil } }
  }

  @Test func aSheetWithoutAMonthIsRefused() async throws {
    let persona = try Sheets.persona()
    let coach = SimulatedCoach(
      pack: try Sheets.pack.get(), choice: KnowingCoach.choice(persona))
    await #expect(throws: SimulationFailure.self) {
      try await SimulatedMonth(with: coach).play(persona, seed: 1)
    }
  }
}
