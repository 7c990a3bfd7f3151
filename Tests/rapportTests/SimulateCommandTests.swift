import Foundation
import IncrementalJSON
import MockServer
import Synchronization
import TestSupport
import Testing

/// `rapport simulate` as a process. The nutrition pack's rehearsal reads by phrases, which is quick.
@Suite(.integration)
struct SimulateCommandTests {
  private static let sheet = """
    {
      "name": "Perpetua", "about": "a test", "use": "tuning", "register": "hedged", "patience": 0,
      "facts": {
        "goalClarity.outcome": {"says": "I want to lose weight.", "willing": "atOnce"},
        "goalClarity.timeframe": {"says": "No hurry at all, by summer."},
        "safety.conditions": {"says": "I have celiac disease.", "matters": true},
        "pastPatterns.tried": {"says": "I tried keto."}
      },
      "phrases": {
        "sidestep": ["Later."], "question": ["Why?"], "bare": ["Hm."], "nothing": ["No idea there."],
        "again": ["Again:"]
      }
    }
    """

  private func household() throws -> Household {
    let household = try Household()
    try household.write(Self.sheet, to: "people/perpetua.json")
    return household
  }

  @Test func twoPoliciesAreComparedInATable() throws {
    let result = try household().run(
      "simulate", "--personas", "people", "--prompts", "nutrition", "--runs", "2",
      "--policy", "shortfall", "--policy", "form", "--verbose")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("Perpetua  a test (shortfall, seed 1)"))
    #expect(result.output.contains("I want to lose weight."))
    #expect(result.output.contains("1 person with 4 facts, 4 conversations in "))
    #expect(result.output.contains("facts found at the end"))
    #expect(result.output.contains("shortfall"))
    #expect(result.output.contains("clearly worse."))
  }

  @Test func everyConversationIsARecord() throws {
    let result = try household().run(
      "simulate", "--personas", "people", "--prompts", "nutrition", "--runs", "2", "--json")
    let lines = try result.output.split(separator: "\n").map {
      try JSONValue(parsing: Array($0.utf8))
    }
    #expect(lines.map { $0["type"]?.stringValue } == ["conversation", "conversation", "figures"])
    #expect(Set(lines.compactMap { $0["seed"]?.intValue }) == [1, 2])
    #expect(lines.last?["conversations"]?.intValue == 2)
  }

  @Test func thePageHasNoScriptAndEscapesWords() throws {
    let household = try household()
    let sheet = Self.sheet.replacing("a test", with: "<script>alert(1)</script>")
    try household.write(sheet, to: "people/perpetua.json")
    let result = try household.run(
      "simulate", "--personas", "people", "--prompts", "nutrition", "--runs", "1",
      "--format", "html", "-o", "page.html")
    #expect(result.status == 0, "\(result.errors)")
    let page = try String(contentsOfFile: household.folder + "/page.html", encoding: .utf8)
    #expect(page.hasPrefix("<!DOCTYPE html>"))
    #expect(!page.contains("<script"))
    #expect(page.contains("&lt;script&gt;"))
    #expect(page.contains("facts found at the end"))
    #expect(page.contains("1 made-up person, about 1"))
  }

  /// Both models answer over the wire; what the second one says in vain is said by the rules.
  @Test func theModelsOfBothSidesAreAsked() async throws {
    let readings = Mutex(0)
    let wordings = Mutex(0)
    var options = ModelAPI.Options()
    options.takesAnyModel = true
    let api = ModelAPI(script: try BuiltInCoach.script(), options: options)
    let server = try await MockServer { request in
      let body = String(decoding: request.body, as: UTF8.self)
      if body.contains("newUserTurns") { readings.withLock { $0 += 1 } }
      if body.contains("a person in a test of models") { wordings.withLock { $0 += 1 } }
      return api.answer(request)
    }
    defer { server.stop() }
    let household = try household()
    try household.write(
      Self.sheet.replacing("a test", with: "a person in a test of models")
        .replacing("safety.conditions", with: "obstacles.physical"), to: "people/perpetua.json")
    let result = try household.run(
      "simulate", "--personas", "people", "--runs", "1", "--model", "coach", "--persona-model",
      "player", "--base-url", server.baseURL, "--json")
    #expect(result.status == 0, "\(result.errors)")
    #expect(readings.withLock(\.self) > 0 && wordings.withLock(\.self) > 0)
    #expect(result.output.contains("I want to lose weight."))
  }

  @Test func aPersonaModelThatNeverAnswersFailsTheSimulation() async throws {
    let api = ModelAPI(script: try BuiltInCoach.script())
    let server = try await MockServer { api.answer($0) }
    defer { server.stop() }
    let result = try household().run(
      "simulate", "--personas", "people", "--prompts", "nutrition", "--runs", "1",
      "--persona-model", "nobody-knows", "--base-url", server.baseURL)
    #expect(result.status != 0)
    #expect(result.errors.contains("No conversation completed."), "\(result.errors)")
    #expect(!result.output.contains("facts found at the end"))
  }

  @Test func aWrongSheetIsNamed() throws {
    let household = try household()
    try household.write(
      Self.sheet.replacing(#""hedged""#, with: #""posh""#), to: "people/wrong.json")
    let result = try household.run("simulate", "--personas", "people", "--prompts", "nutrition")
    #expect(result.status == 65)
    #expect(
      result.errors.contains("people/wrong.json: register: expected one of sms-steps"),
      "\(result.errors)")
  }

  /// They are built in, so any folder will do.
  @Test func thePeopleNeedNoCheckout() throws {
    let result = try Household().run("simulate", "--persona", "Odalys", "--runs", "1")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("1 person with "))
    let other = try Household().run("simulate", "--prompts", "nutrition")
    #expect(other.status == 65)
    #expect(other.errors.contains("Name others with --personas."), "\(other.errors)")
  }

  @Test func whatCannotBeComparedIsRefused() throws {
    let result = try household().run(
      "simulate", "--personas", "people", "--policy", "form", "--policy", "random",
      "--prompts", "nutrition", "--prompts", "fitness")
    #expect(result.status == 64)
    #expect(result.errors.contains("Change one thing at a time"))
    let month = try household().run(
      "simulate", "--personas", "people", "--prompts", "nutrition", "--month", "Perpetua")
    #expect(month.status == 64)
    #expect(month.errors.contains("Perpetua's sheet has no month."))
  }
}
