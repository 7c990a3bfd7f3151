import ContextQuality
import IncrementalJSON
import Intake
import LanguageModels
import Signals
import Testing

@testable import Simulation

/// Conversations with a coach that reads by the sheet, and so makes no mistakes of its own.
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
    let run = try await SimulatedConversation(with: coach(persona)).play(persona, seed: 1)
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
    let conversation = SimulatedConversation(with: try coach(persona, .random))
    let first = try await conversation.play(persona, seed: 5)
    let again = try await conversation.play(persona, seed: 5)
    let other = try await conversation.play(persona, seed: 6)
    #expect(first == again)
    #expect(first.turns.map(\.components) != other.turns.map(\.components))
  }

  @Test func aQuestionForWhatWasSaidCountsAsRepeated() async throws {
    let persona = try persona()
    let deaf = Set(persona.facts.map(\.facet).filter { $0.component == "goalClarity" })
    let run = try await SimulatedConversation(with: coach(persona, deafTo: deaf)).play(
      persona, seed: 1)
    #expect(run.turns.contains { $0.isRepeated && $0.components.first == "goalClarity" })
    #expect(run.tally(.repeated, persona).count > 0)
  }

  @Test func readyWithoutWhatMattersIsTooEarly() async throws {
    let persona = try persona()
    let wrist = try Sheets.facet("obstacles.physical")
    let early = try await SimulatedConversation(
      with: coach(persona, deafTo: [wrist], change: { $0.readyAbove = 2_000 })
    ).play(persona, seed: 1)
    #expect(early.ending == .ready)
    #expect(early.readyAt == early.turns.count || early.turns.last?.reply.text == "skip")
    #expect(early.tally(.premature, persona) == Tally(1, of: 1))
    let given = try await SimulatedConversation(with: coach(persona)).play(persona, seed: 1)
    #expect(given.tally(.premature, persona).all == 0)
  }

  @Test func careIsCountedWhereItIsDue() async throws {
    let persona = try Sheets.persona { $0.distress[0].turn = 2 }
    let run = try await SimulatedConversation(with: coach(persona)).play(persona, seed: 1)
    #expect(run.turns[1].care == [.crisis])
    #expect(run.turns[2].reply.text == "I called her.")
    #expect(run.tally(.careGiven, persona) == Tally(1, of: 1))
    #expect(run.tally(.careNeedless, persona) == Tally(0, of: 1))
    let harmless = try Sheets.persona {
      $0.distress[0].turn = 2
      $0.distress[0].care = nil
    }
    let needless = try await SimulatedConversation(with: coach(harmless)).play(harmless, seed: 1)
    #expect(needless.tally(.careNeedless, harmless) == Tally(1, of: 1))
  }

  @Test func aFormAsksForOneTopicAfterTheOther() async throws {
    let persona = try persona()
    let run = try await SimulatedConversation(with: coach(persona, .form)).play(persona, seed: 1)
    let rubric = try Sheets.pack.get().rubric.components.map(\.name)
    let asked = run.turns.compactMap(\.components.first)
    #expect(asked.count > 3)
    #expect(Array(asked.prefix(4)) == Array(rubric.prefix(4)))
  }

  @Test func theHeaviestStaysUntilNothingIsMissing() async throws {
    let persona = try persona()
    let run = try await SimulatedConversation(with: coach(persona, .weight)).play(persona, seed: 1)
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

  @Test func nothingToCountGivesNoFigure() {
    #expect(Bootstrap(seeds: [0]).estimate([[]]) == Estimate())
    #expect(Bootstrap(seeds: [1]).estimate([[.none]]) == Estimate())
  }
}
