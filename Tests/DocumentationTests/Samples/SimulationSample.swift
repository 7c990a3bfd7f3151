import Foundation
import Intake
import Rehearsal
import Simulation
import TestSupport
import Testing

@Suite struct SimulationSample {
  /// Compares the present order of questions with a random one.
  func compare() async throws -> SimulationReport {
    let pack = try PromptPack.embedded()
    let personas = try PersonaFolder.embedded(for: pack)
    let sides = [SimulatedPolicy.shortfall, .random].map { policy in
      Simulation.Side(
        name: policy.rawValue,
        coach: SimulatedCoach(pack: pack, choice: .rehearsal, settings: policy.settings()))
    }
    let report = try await Simulation(personas: personas, sides: sides, runs: 5).run()
    return report
  }

  @Test func halfOfThePeopleAreOnlyForMeasuring() throws {
    let pack = try PromptPack.embedded()
    let folder = Fixtures.root.appending(path: "Fixtures/personas").path
    let personas = try PersonaFolder.personas(at: folder, for: pack)
    #expect(personas.count == 40)
    #expect(personas.count { $0.use == .measuring } == 20)
  }
}
