import Cassettes
import ContextQuality
import Foundation
import Intake
import LanguageModels
import RapportTesting
import TestSupport
import Testing

/// The suite that the documentation shows, as its readers would run it.
@Suite struct ExampleSuiteTests {
  @Test func aKneeIsRememberedAndNotAskedAboutAgain() async throws {
    let found = #"{"evidence":[{"facet":"obstacles.physical","turn":1,"quote":"my knee"}]}"#
    let model = ScriptedModel { .text($0.purpose == .score ? found : "And what would you like?") }
    let run = await ConversationRunner(pack: try PromptPack.embedded())
      .run([.init(.say("it's my knee, it hurts on stairs"))], model: model)
    #expect(run.turn(1)?.new == [Facet(component: "obstacles", name: "physical")])
    #expect(run.questions[0].facets.allSatisfy { $0.name != "physical" })
  }

  /// What stands in the article is what is compiled here.
  @Test func theArticleShowsThisCode() throws {
    let root = try CaseFile.packageRoot()
    let article = try String(
      contentsOf: root.appending(
        path: "Sources/RapportTesting/RapportTesting.docc/TestingYourCoach.md"), encoding: .utf8)
    let code = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
    let body = code.split(separator: "  @Test func aKnee")[1].split(separator: "\n\n")[0]
    #expect(article.contains(body))
  }
}
