import ContextQuality
import IncrementalJSON
import IntakeTestSupport
import LanguageModels
import Testing

@testable import Intake

/// The example in a prompt is what its schema asks for, with every member filled.
struct PromptExampleTests {
  private static let transcript = Transcript([.init(.coach, "?"), .init(.user, "!")])

  /// The last line of the prompt's part for the schema that holds an object.
  private func example(_ prompt: String) throws -> JSONValue {
    let line = try #require(prompt.split(separator: "\n").last { $0.hasPrefix("{\"") })
    return try JSONValue(parsing: String(line))
  }

  @Test(arguments: PromptPack.embeddedNames)
  func theReadingsExampleFitsItsSchema(name: String) throws {
    let pack = try PromptPack.embedded(name)
    let request = try ModelScorer(pack: pack).request(
      transcript: Self.transcript, ledger: Ledger(), newTurns: [1])
    let schema = try JSONValue(parsing: try #require(request.schema?.json))
    let example = try example(request.system)
    #expect(example.faults(schema).isEmpty)
    for member in ["evidence", "stated"] {
      #expect(example[member]?.arrayValue?.isEmpty == false, "\(member)")
    }
    let quotes = (example["evidence"]?.arrayValue ?? [])
    #expect(quotes.contains { $0["corrects"]?.stringValue?.isEmpty == false })
    #expect(quotes.contains { $0["mark"]?.stringValue != ScorerAnswer.noMark })
    for quote in quotes {
      let facet = try #require(quote["facet"]?.stringValue.flatMap { Facet($0) })
      #expect(pack.rubric[facet] != nil)
    }
  }

  /// Everybody's age matters, their height and weight only to a coach that asks for them.
  @Test func onlyACoachOfTheBodyReadsHeightAndWeight() throws {
    func prompt(_ pack: PromptPack) throws -> String {
      try ModelScorer(pack: pack).request(
        transcript: Self.transcript, ledger: Ledger(), newTurns: [1]
      ).system
    }
    let own = ["rubric.json", "care.txt", "care/notes.json", "pack.json"]
    for name in ["fitness", "life"] {
      let files = try PromptPack.embeddedFiles(name)
      let shared = try PromptPack(
        unchecked: files.filter { own.contains($0.key) || $0.key.hasPrefix("care/") }, folder: name)
      for pack in [try PromptPack.embedded(name), shared] {
        let prompt = try prompt(pack)
        #expect(prompt.contains("the user's own age"))
        #expect(prompt.contains("height or weight") == (name == "fitness"), "\(name)")
      }
    }
  }

  @Test(arguments: PromptPack.embeddedNames)
  func theShortReadingsExampleFitsItsSchema(name: String) throws {
    for moment in [ReadingMoment.summary, .body] {
      let scorer = ModelScorer(
        pack: try PromptPack.embedded(name), person: PersonReading(), moment: moment)
      let request = try scorer.request(
        transcript: Self.transcript, ledger: Ledger(), newTurns: [1])
      let schema = try JSONValue(parsing: try #require(request.schema?.json))
      #expect(try example(request.system).faults(schema).isEmpty)
    }
  }

  @Test(arguments: PromptPack.embeddedNames)
  func theProfilesExampleFitsItsSchema(name: String) throws {
    let pack = try PromptPack.embedded(name)
    let synthesiser = Synthesiser(
      pack: pack, interviewer: Interviewer(pack: pack), today: "2026-01-05")
    let request = try synthesiser.request(pack.state(), minimal: false)
    let schema = try JSONValue(parsing: try #require(request.schema?.json))
    #expect(try example(request.system).faults(schema).isEmpty)
  }

  @Test func theAmendmentsExampleFitsItsSchema() async throws {
    let session = try await ScriptedSession.coaching { _ in .text("Go on.") }
    let amends = try #require(try ScriptedSession.pack.get().amends(await session.state))
    let example = try #require(JSONValue(exampleIn: amends.instructions))
    #expect(JSONValue.array([example]).faults(amends.schema).isEmpty)
  }

  /// Prompts speak of the person as others do.
  @Test(arguments: PromptPack.embeddedNames)
  func labelsInPromptsAreNotAboutYou(name: String) throws {
    let rubric = try PromptPack.embedded(name).rubric
    for label in rubric.components.map(\.label) + rubric.facets.map(\.label) {
      let words = label.lowercased().split { !$0.isLetter }
      #expect(!words.contains { ["you", "your", "me", "i"].contains($0) }, "\(label)")
    }
  }
}
