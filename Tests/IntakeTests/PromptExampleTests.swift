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

  /// What of a value isn't as its schema wants it, by place.
  private func faults(_ value: JSONValue, _ schema: JSONValue, _ place: String = "") -> [String] {
    let types =
      schema["type"]?.arrayValue?.compactMap(\.stringValue) ?? [
        schema["type"]?.stringValue ?? ""
      ]
    if value == .null { return types.contains("null") ? [] : ["\(place): null"] }
    if let choices = schema["enum"]?.arrayValue { return choices.contains(value) ? [] : [place] }
    switch types[0] {
    case "object":
      let members = schema["properties"]?.objectValue ?? [:]
      let given = Set((value.objectValue ?? [:]).map(\.name))
      let asked = Set(members.map(\.name))
      return given.symmetricDifference(asked).map { "\(place)/\($0)" }
        + members.flatMap { faults(value[$0.name] ?? .null, $0.value, "\(place)/\($0.name)") }
    case "array":
      guard let items = value.arrayValue, let item = schema["items"] else { return [place] }
      return items.enumerated().flatMap { faults($0.element, item, "\(place)/\($0.offset)") }
    case "string": return value.stringValue == nil ? [place] : []
    case "integer": return value.intValue == nil ? [place] : []
    case "number": return value.doubleValue == nil ? [place] : []
    default: return ["\(place): \(types)"]
    }
  }

  @Test(arguments: PromptPack.embeddedNames)
  func theReadingsExampleFitsItsSchema(name: String) throws {
    let pack = try PromptPack.embedded(name)
    let request = try ModelScorer(pack: pack).request(
      transcript: Self.transcript, ledger: Ledger(), newTurns: [1])
    let schema = try JSONValue(parsing: try #require(request.schema?.json))
    let example = try example(request.system)
    #expect(faults(example, schema).isEmpty)
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

  @Test(arguments: PromptPack.embeddedNames)
  func theShortReadingsExampleFitsItsSchema(name: String) throws {
    for moment in [ReadingMoment.summary, .body] {
      let scorer = ModelScorer(
        pack: try PromptPack.embedded(name), person: PersonReading(), moment: moment)
      let request = try scorer.request(
        transcript: Self.transcript, ledger: Ledger(), newTurns: [1])
      let schema = try JSONValue(parsing: try #require(request.schema?.json))
      #expect(faults(try example(request.system), schema).isEmpty)
    }
  }

  @Test(arguments: PromptPack.embeddedNames)
  func theProfilesExampleFitsItsSchema(name: String) throws {
    let pack = try PromptPack.embedded(name)
    let synthesiser = Synthesiser(
      pack: pack, interviewer: Interviewer(pack: pack), today: "2026-01-05")
    let request = try synthesiser.request(pack.state(), minimal: false)
    let schema = try JSONValue(parsing: try #require(request.schema?.json))
    #expect(faults(try example(request.system), schema).isEmpty)
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
