import ContextQuality
import Foundation
import Intake
import LanguageModels
import Testing

@Suite struct IntakeSample {
  @Test func aSessionAsksScoresAndAsksAgain() async throws {
    let model = ScriptedModel(answers: [
      .greet: [.text("What would you like to change?")],
      .score: [
        .text(#"{"evidence": [{"facet": "goalClarity.outcome", "turn": 1, "quote": "run a 10k"}]}"#)
      ],
      .ask: [.text("What gets in the way?")],
    ])
    let engine = try await IntakeEngine(
      log: InMemorySessionLog(), models: ModelRoles(all: model), pack: try PromptPack.embedded(),
      entitlements: InMemoryEntitlement(), now: { Date() })
    let show: IntakeEngine.Show = { output in
      if case .message(let message) = output { print("Coach:", message.text) }
    }
    try await engine.open(show: show)
    try await engine.say("I want to run a 10k", show: show)

    let components = await engine.state.components()
    #expect(components["goalClarity"]?.percent == 35)
    #expect(components.weakest?.name == "obstacles")
  }
}
