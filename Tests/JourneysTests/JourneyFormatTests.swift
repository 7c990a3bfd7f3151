import ContextQuality
import Foundation
import IncrementalJSON
import Intake
import Journeys
import TestSupport
import Testing

/// What a journey's file may say, and how mistakes are named.
struct JourneyFormatTests {
  private static func rubric() throws -> Rubric { try PromptPack.embeddedRubric() }

  private static func steps(_ steps: String, _ rest: String = "") -> String {
    "{\"name\": \"try\", \"version\": 2, \"title\": \"Try\", \"steps\": [\(steps)]\(rest)}"
  }

  private static let end = #"{"id": "bye", "kind": "success", "title": "Bye", "next": "end"}"#

  /// A step that asks for a goal, `x` or `y`.
  private static let goals =
    #"{"id": "goal", "kind": "select", "title": "Goal?", "field": "goal", "#
    + #""options": [{"id": "x", "label": "X"}, {"id": "y", "label": "Y"}]}, "#

  @Test func everyShippedJourneyIsSound() throws {
    for name in PromptPack.embeddedNames where name != "shared" {
      let pack = try PromptPack.embedded(name)
      for journey in pack.journeyNames { #expect(try pack.journey(journey)?.name == journey) }
    }
    #expect(try PromptPack.embedded().journeyNames.contains("discovery"))
  }

  @Test func everyShippedJourneyFitsTheSchema() throws {
    let schema = JSONSchema(try Self.file("Prompts/shared/journey.schema.json"))
    for pack in PromptPack.embeddedNames {
      let folder = Fixtures.root.appending(path: "Prompts/\(pack)/journeys")
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      for name in names {
        let problems = try schema.problems(try Self.file("Prompts/\(pack)/journeys/\(name)"))
        #expect(problems.isEmpty, "\(pack)/\(name): \(problems)")
      }
    }
  }

  @Test func theDocumentedExampleIsSound() throws {
    let page = try String(
      contentsOf: Fixtures.root.appending(path: "docs/journeys.md"), encoding: .utf8)
    let start = try #require(page.range(of: "```json\n")).upperBound
    let end = try #require(page.range(of: "```", range: start..<page.endIndex)).lowerBound
    let text = String(page[start..<end])
    let journey = try Journey(json: text, file: "example", rubric: Self.rubric())
    #expect(Set(journey.steps.map(\.kind)) == Set(Step.Kind.allCases))
    let schema = JSONSchema(try Self.file("Prompts/shared/journey.schema.json"))
    #expect(try schema.problems(JSONValue(parsing: text)).isEmpty)
  }

  private static func file(_ path: String) throws -> JSONValue {
    try JSONValue(
      parsing: String(contentsOf: Fixtures.root.appending(path: path), encoding: .utf8))
  }

  struct Mistake: CustomTestStringConvertible {
    var testDescription: String
    var json: String
    var reason: String

    init(_ name: String, _ json: String, _ reason: String) {
      (testDescription, self.json, self.reason) = (name, json, reason)
    }
  }

  @Test(arguments: [
    Mistake(
      "unknown step",
      steps(#"{"id": "hi", "kind": "intro", "title": "Hi", "next": "nowhere"}, "# + end),
      "try.json: step hi: next: there is no step nowhere"),
    Mistake(
      "dead end", steps(#"{"id": "hi", "kind": "intro", "title": "Hi"}"#),
      "try.json: step hi: a dead end: the last step needs \"next\": \"end\""),
    Mistake(
      "unreachable step",
      steps(
        #"{"id": "hi", "kind": "intro", "title": "Hi", "next": "bye"}, "#
          + #"{"id": "lost", "kind": "intro", "title": "Lost"}, "# + end),
      "try.json: step lost: no way leads here"),
    Mistake(
      "duplicate field",
      steps(
        #"{"id": "a", "kind": "text", "title": "A", "field": "name"}, "#
          + #"{"id": "b", "kind": "text", "title": "B", "field": "name"}, "# + end),
      "try.json: step b: step a fills the field name too, and both can be shown"),
    Mistake(
      "duplicate id",
      steps(
        #"{"id": "a", "kind": "intro", "title": "A"}, {"id": "a", "kind": "intro", "title": "B"}, "#
          + end),
      "try.json: step a: another step has this id"),
    Mistake(
      "jump into a later sign-in",
      steps(
        #"{"id": "hi", "kind": "intro", "title": "Hi", "next": "code"}, "#
          + #"{"id": "in", "kind": "signIn", "title": "In"}, "#
          + #"{"id": "code", "kind": "verifyCode", "title": "Code"}, "# + end),
      "try.json: step in: no way leads here"),
    Mistake(
      "jump into the code",
      steps(
        #"{"id": "go", "kind": "choice", "title": "Go?", "options": [{"id": "a", "label": "A"}, "#
          + #"{"id": "b", "label": "B", "next": "code"}]}, "#
          + #"{"id": "in", "kind": "signIn", "title": "In"}, "#
          + #"{"id": "code", "kind": "verifyCode", "title": "Code"}, "# + end),
      "try.json: step go: jumps into the sign-in at code; jump to its signIn step"),
    Mistake(
      "a loop",
      steps(
        #"{"id": "a", "kind": "intro", "title": "A"}, "#
          + #"{"id": "b", "kind": "intro", "title": "B", "next": "a"}, "# + end),
      "try.json: step b: next: a isn't a later step, so this could go on for ever"),
    Mistake(
      "unknown field in a text",
      steps(#"{"id": "hi", "kind": "intro", "title": "Hi {{name}}"}, "# + end),
      "try.json: step hi: {{name}}: no step fills the field name"),
    Mistake(
      "unknown member",
      steps(#"{"id": "hi", "kind": "intro", "title": "Hi", "colour": "red"}, "# + end),
      "try.json: step hi: colour: no such member here"),
    Mistake(
      "unknown facet",
      steps(
        #"{"id": "a", "kind": "text", "title": "A", "field": "a", "facets": ["goal.none"]}, "# + end
      ), "try.json: step a: goal.none isn't a facet of the rubric"),
    Mistake(
      "a request before the sign-in",
      steps(
        #"{"id": "talk", "kind": "conversation", "title": "Talk", "ends": "ready"}, "#
          + #"{"id": "in", "kind": "signIn", "title": "In"}, "#
          + #"{"id": "code", "kind": "verifyCode", "title": "Code"}, "# + end,
        ", \"network\": \"afterSignIn\""),
      "try.json: step talk: sends requests, but comes before the sign-in"),
    Mistake(
      "a sign-in that can be passed over",
      steps(
        goals
          + #"{"id": "in", "kind": "signIn", "title": "In", "when": {"field": "goal", "is": "x"}}, "#
          + #"{"id": "code", "kind": "verifyCode", "title": "Code"}, "#
          + #"{"id": "talk", "kind": "conversation", "title": "Talk", "ends": "ready"}, "# + end,
        ", \"network\": \"afterSignIn\""),
      "try.json: step in: when: could pass over the sign-in that network: afterSignIn promises"),
    Mistake(
      "a figure beyond anything",
      steps(
        #"{"id": "a", "kind": "stepper", "title": "A", "field": "a", "quantity": "height", "#
          + #""min": 1, "max": 1e300, "initial": 1e200}, "# + end),
      "try.json: step a: max: expected at most 1000000, found 1e+300"),
    Mistake(
      "no number", steps(#"{"id": "a", "kind": "stepper", "title": "A", "field": "a"}, "# + end),
      "try.json: step a: min: expected a number, found nothing"),
    Mistake(
      "no such option",
      steps(
        goals
          + #"{"id": "b", "kind": "intro", "title": "B", "when": {"field": "goal", "is": "z"}}, "#
          + end),
      "try.json: step b: when: goal has no option z; it has x, y"),
    Mistake(
      "a figure asked of an option",
      steps(
        goals
          + #"{"id": "b", "kind": "intro", "title": "B", "when": {"field": "goal", "atLeast": 3}}, "#
          + end),
      "try.json: step b: when: goal isn't a number"),
    Mistake(
      "a condition on what comes later",
      steps(
        #"{"id": "b", "kind": "intro", "title": "B", "when": {"field": "goal", "is": "x"}}, "#
          + goals + end),
      "try.json: step b: when: the field goal is filled only at step goal, not before"),
    Mistake(
      "conditions that can't both hold",
      steps(
        goals + #"{"id": "b", "kind": "intro", "title": "B", "when": "#
          + #"{"all": [{"field": "goal", "is": "x"}, {"field": "goal", "is": "y"}]}}, "# + end),
      "try.json: step b: when: two of its conditions can't both hold"),
    Mistake(
      "unknown field in an option's label",
      steps(goals.replacing("\"X\"", with: "\"{{nobody}}\"") + end),
      "try.json: step goal: {{nobody}}: no step fills the field nobody"),
    Mistake(
      "a field in a text that isn't filled in",
      steps(goals + #"{"id": "b", "kind": "intro", "title": "B", "button": "{{goal}}"}, "# + end),
      "try.json: step b: {{goal}}: fields aren't filled in here, only in titles and texts"),
    Mistake(
      "a part that no document has",
      steps(#"{"id": "b", "kind": "intro", "title": "{{goal.foo}}"}, "# + end),
      "try.json: step b: {{goal.foo}}: a goal has .primary"),
    Mistake(
      "a document that nobody drafts",
      steps(#"{"id": "b", "kind": "intro", "title": "{{program.first}}"}, "# + end),
      "try.json: step b: {{program.first}}: no step before it drafts the program"),
    Mistake(
      "a migration over several versions",
      steps(
        goals + end,
        #", "migrations": [{"from": 1, "steps": {"old": "middle"}}, "#
          + #"{"from": 2, "steps": {"middle": "gone"}}]"#
      ).replacing("\"version\": 2", with: "\"version\": 4"),
      "try.json: migration from 1: there is no step gone"),
    Mistake("no JSON", "{", "try.json:1:"),
    Mistake("no object", "[]", "try.json: expected an object, found []"),
    Mistake(
      "two at once",
      steps(
        #"{"id": "a", "kind": "intro", "title": "A", "next": "b"}, "#
          + #"{"id": "c", "kind": "intro", "title": "C", "section": "d"}, "# + end),
      "try.json: step a: next: there is no step b\ntry.json: step c: section d doesn't exist"),
    Mistake(
      "two that can't be read",
      steps(
        #"{"id": "a", "kind": "intro", "title": 1}, {"id": "b", "kind": "choice", "title": "B", "#
          + #""options": [{"id": "x", "label": 2}, {"id": "y", "label": "Y"}]}, "# + end),
      "try.json: step a: title: expected a text of at most 2000 characters, found 1\n"
        + "try.json: step b: option x: label: expected"),
  ])
  func mistakesNameTheirPlace(_ mistake: Mistake) throws {
    let error = #expect(throws: PackError.self) {
      try Journey(json: mistake.json, file: "try.json", rubric: Self.rubric())
    }
    let text = "\(try #require(error))"
    let plain = mistake.json == "{" ? text : text.replacing(/try\.json:\d+:/, with: "try.json:")
    #expect(plain.hasPrefix(mistake.reason), "\(text)")
  }

  @Test func conditionsNestOnlySoDeep() throws {
    var condition = #"{"signedIn": true}"#
    for _ in 0..<9 { condition = "{\"not\": \(condition)}" }
    let json = Self.steps(
      "{\"id\": \"a\", \"kind\": \"intro\", \"title\": \"A\", \"when\": \(condition)}, " + Self.end)
    let error = #expect(throws: PackError.self) {
      try Journey(json: json, file: "try.json", rubric: Self.rubric())
    }
    #expect("\(try #require(error))".contains("at most 8 deep"))
  }

  @Test func filesAndListsHaveLimits() throws {
    let many = (0..<201).map { "{\"id\": \"s\($0)\", \"kind\": \"intro\", \"title\": \"S\"}" }
    #expect(throws: PackError.self) {
      try Journey(
        json: Self.steps(many.joined(separator: ",")), file: "try.json", rubric: Self.rubric())
    }
    let long = Self.steps(Self.end + String(repeating: " ", count: Journey.longestFile))
    let error = #expect(throws: PackError.self) {
      try Journey(json: long, file: "try.json", rubric: Self.rubric())
    }
    #expect("\(try #require(error))".contains("KiB"))
  }

  /// Damaged files are refused, or read; they never crash and never hang.
  @Test func damagedFilesAreRefused() throws {
    let pack = try PromptPack.embedded()
    let whole = try String(
      contentsOf: Fixtures.root.appending(path: "Prompts/fitness/journeys/trainer.json"),
      encoding: .utf8)
    var random = SeededGenerator(seed: 7)
    let pieces = ["\"", "{", "}", "[", "null", "9e99", "-1", "end", "\\u0000", ":", ","]
    for _ in 0..<400 {
      var bytes = Array(whole.utf8)
      let place = Int.random(in: 0..<bytes.count, using: &random)
      let length = Int.random(in: 0..<40, using: &random)
      let piece = pieces[Int.random(in: 0..<pieces.count, using: &random)]
      bytes.replaceSubrange(place..<min(place + length, bytes.count), with: Array(piece.utf8))
      let text = String(decoding: bytes, as: UTF8.self)
      let journey = try? Journey(json: text, file: "fuzz.json", rubric: pack.rubric)
      if let journey { #expect(!journey.outline.isEmpty && !journey.mermaid.isEmpty) }
    }
  }

  @Test func theFlowIsDrawnWithItsJumps() throws {
    let journey = try #require(try PromptPack.embedded().journey("trainer"))
    #expect(journey.outline.contains("Skip for now -> firstName"))
    #expect(journey.outline.contains("again after 7 days: ready to bend"))
    #expect(journey.mermaid.hasPrefix("flowchart TD\n"))
    #expect(journey.mermaid.contains("s_assessmentPrompt -->|Skip for now| s_firstName"))
    let structured = try #require(try PromptPack.embedded().journey("trainer-structured"))
    for (place, step) in structured.steps.enumerated() where step.when != nil {
      let before = structured.steps[place - 1].id
      #expect(structured.mermaid.contains("s_\(before) -.-> "), "\(before)")
    }
  }
}
