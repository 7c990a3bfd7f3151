import Foundation
import IncrementalJSON
import MockServer
import Synchronization
import TestSupport
import Testing
import WireFormats

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

/// `rapport simulate --beside`: both coaches, the people and the scorer ask one server.
@Suite(.integration)
struct SimulateBesideTests {
  private static func sheet(_ name: String) -> String {
    """
    {
      "name": "\(name)", "about": "a test", "use": "tuning", "register": "hedged", "patience": 0,
      "moods": [{"from": 1, "mood": "open"}], "opening": "\(name) here.",
      "facts": {
        "goalClarity.outcome": {"says": "I want to drop about 20 lbs.", "willing": "atOnce"},
        "goalClarity.timeframe": {"says": "That would be by June."},
        "obstacles.physical": {"says": "My right knee is shot.", "matters": true},
        "exercisePreferences.activities": {"says": "I love swimming."}
      },
      "distress": [
        {"turn": 2, "says": "I want to kill myself", "care": "crisis", "after": "I called her."}
      ],
      "phrases": {
        "sidestep": ["Later."], "question": ["Why?"], "bare": ["Hm."], "nothing": ["No idea there."],
        "again": ["Again:"]
      }
    }
    """
  }

  /// The one prompt asks twice for the goal, passes over a cry for help, and sums up after three messages.
  private static let rules = #"""
    {
      "version": 1, "models": ["coach", "player"],
      "rules": [
        {"when": {"structure": "reply"}, "response": {"json": {"reply": ""}}},
        {"when": {"structure": "asks", "said": ["here's all i heard"]},
         "response": {"json": {"asks": [], "sumsUp": true, "cares": false}}},
        {"when": {"structure": "asks", "said": ["and by when"]},
         "response": {"json": {"asks": ["goalClarity.outcome", "goalClarity.timeframe"], "sumsUp": false, "cares": false}}},
        {"when": {"structure": "asks", "said": ["once more"]},
         "response": {"json": {"asks": ["goalClarity.outcome"], "sumsUp": false, "cares": false}}},
        {"when": {"structure": "asks"},
         "response": {"json": {"asks": ["obstacles.physical", "goalClarity.timeframe"], "sumsUp": false, "cares": true}}},
        {"when": {"structure": "none", "prompt": "Coach in one go", "turn": 1},
         "response": {"text": "What is your goal, and by when?"}},
        {"when": {"structure": "none", "prompt": "Coach in one go", "turn": 2},
         "response": {"text": "Once more: your goal?"}},
        {"when": {"structure": "none", "prompt": "Coach in one go"},
         "response": {"text": "Here's all I heard: 20 lbs."}}
      ]
    }
    """#

  private func server(
    answering override: @escaping @Sendable (String) -> MockAnswer? = { _ in nil }
  ) async throws -> MockServer {
    var script = try AnswerScript(parsing: Array(Self.rules.utf8))
    script.rules += try BuiltInCoach.script().rules
    let api = ModelAPI(script: script)
    return try await MockServer { request in
      override(String(decoding: request.body, as: UTF8.self)) ?? api.answer(request)
    }
  }

  private func household(_ names: [String] = ["Perpetua"]) throws -> Household {
    let household = try Household()
    for name in names { try household.write(Self.sheet(name), to: "people/\(name).json") }
    try household.write("Coach in one go, please.\n", to: "prompt.txt")
    return household
  }

  private func run(_ household: Household, _ server: MockServer, _ more: String...) throws
    -> RunResult
  {
    try household.run(
      [
        "simulate", "--beside", "prompt.txt", "--personas", "people", "--runs", "1", "--model",
        "coach", "--persona-model", "player", "--base-url", server.baseURL,
      ] + more)
  }

  @Test func bothCoachesAreMeasuredByTheirWords() async throws {
    let server = try await server()
    defer { server.stop() }
    let result = try run(household(), server, "--json")
    #expect(result.status == 0, "\(result.errors)")
    let lines = try result.output.split(separator: "\n").map {
      try JSONValue(parsing: Array($0.utf8))
    }
    let sides = try #require(lines.last?["sides"]?.arrayValue)
    #expect(sides.map { $0["name"]?.stringValue } == ["one prompt", "rapport"])
    func figure(_ name: String) -> [Double?] {
      sides.map { $0["figures"]?[name]?["estimate"]?["value"]?.doubleValue }
    }
    #expect(figure("turnsToSummary")[0] == 3)
    #expect(figure("missed")[0] == 3)
    #expect(figure("repeated")[0] == 0.5)
    #expect(figure("careGiven") == [0, 1])
    #expect(figure("profiled") == [1, 1])
    #expect(figure("unsupported") == [4, 0])
    #expect(figure("leftOut")[0] == nil && (figure("leftOut")[1] ?? 0) > 0)
    #expect(figure("tokens").allSatisfy { ($0 ?? 0) > 0 })
    let alone = try #require(lines.first { $0["side"] == "one prompt" })
    #expect(alone["closing"] == "Here's all I heard: 20 lbs.")
    #expect(alone["unsupported"]?.arrayValue?.contains("keep up with the kids") == true)
  }

  @Test func theColumnsStandBesideEachOther() async throws {
    let server = try await server()
    defer { server.stop() }
    let result = try run(household(), server, "--verbose")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("in the profile, said by nobody: by June"), "\(result.output)")
    let lines = result.output.split(separator: "\n").map(String.init)
    let head = try #require(
      lines.last { $0.hasSuffix("one prompt") || $0.contains("one prompt  ") })
    let row = try #require(lines.last { $0.hasPrefix("care given when due") })
    let column = try #require(head.range(of: "rapport")).lowerBound
    #expect(row[column...].hasPrefix("100.0%"), "\(head)\n\(row)")
  }

  /// A conversation that one side couldn't finish counts on neither, and the others stay.
  @Test func aModelThatFailsInTheMiddleCostsOneConversation() async throws {
    let unknown = ModelAPI()
    let server = try await server { body in
      guard body.contains("Coach in one go"), body.contains("Quillon"), body.contains("Once more")
      else { return nil }
      return unknown.answer(
        MockRequest(method: "POST", path: "/v1/chat/completions", body: Array(body.utf8)))
    }
    defer { server.stop() }
    let result = try run(household(["Perpetua", "Quillon"]), server)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("one prompt: Quillon: "), "\(result.errors)")
    #expect(result.errors.contains("(after 3 messages)"), "\(result.errors)")
    #expect(
      result.output.contains(
        "1 didn't complete and counts on no side. The figures are of the others."))
    #expect(result.output.contains("messages to the summary"))
  }

  @Test func whatIsMissingIsNamedBeforeAnythingIsAsked() throws {
    let household = try household()
    let models = [
      "--model", "coach", "--persona-model", "player", "--base-url", "http://127.0.0.1:9",
    ]
    func errors(_ arguments: [String], status: Int32) throws -> String {
      let result = try household.run(["simulate"] + arguments)
      #expect(result.status == status, "\(result.errors)")
      return result.errors
    }
    try household.write(" \n", to: "blank.txt")
    #expect(
      try errors(["--beside", "none.txt"] + models, status: 65)
        .contains("--beside: none.txt can't be read: No such file"))
    #expect(
      try errors(["--beside", "blank.txt"] + models, status: 65).contains("blank.txt is empty."))
    #expect(
      try errors(["--beside", "prompt.txt", "--model", "coach"], status: 64)
        .contains("--beside needs --persona-model"))
    #expect(
      try errors(["--beside", "prompt.txt", "--persona-model", "player"], status: 64)
        .contains("--beside needs --model"))
    #expect(
      try errors(
        ["--beside", "prompt.txt", "--policy", "form", "--policy", "random"] + models, status: 64
      )
      .contains("--beside compares one prompt with one coach"))
  }
}
