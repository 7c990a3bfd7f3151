import Cassettes
import ContextQuality
import Intake
import LanguageModels
import RapportTesting
import Testing

@Suite struct CoachTests {
  @Test func recordedConversationsComeOutAsBefore() async throws {
    let runner = ConversationRunner(pack: try PromptPack.embedded())
    for entry in try ConversationSuite(paths: ["Fixtures/conversations/correction"]).entries {
      let cassette = try entry.load()
      let verdict = ConversationVerdict(of: await runner.run(cassette), for: cassette)
      #expect(verdict.hasPassed, "\(entry.name): \(verdict.failures)")
    }
  }

  @Test func aKneeIsRememberedAndNotAskedAboutAgain() async throws {
    let found = #"{"evidence":[{"facet":"obstacles.physical","turn":1,"quote":"my knee"}]}"#
    let model = ScriptedModel { .text($0.purpose == .score ? found : "And what would you like?") }
    let run = await ConversationRunner(pack: try PromptPack.embedded())
      .run([.init(.say("it's my knee, it hurts on stairs"))], model: model)
    #expect(run.turn(1)?.new == [Facet(component: "obstacles", name: "physical")])
    #expect(run.questions[0].facets.allSatisfy { $0.name != "physical" })
  }
}
