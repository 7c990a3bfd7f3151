import ContextQuality
import Foundation
import Intake
import Rehearsal
import Testing

@Suite struct RehearsalSample {
  @Test func aConversationWithoutAModel() async throws {
    let engine = try await IntakeEngine(
      log: InMemorySessionLog(), coach: .rehearsal, pack: try PromptPack.embedded(),
      entitlements: InMemoryEntitlement(), now: { Date() })
    try await engine.open { _ in }
    try await engine.say("I want to lose 20 pounds by June") { output in
      if case .message(let message) = output { print("Coach:", message.text) }
    }
    let components = await engine.state.components()
    #expect(components.overall > 0)
  }
}
