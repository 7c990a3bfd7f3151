import IncrementalJSON
import Intake
import IntakeTestSupport
import Journeys
import LanguageModels
import Plans
import Testing

/// A journey of five questions, and the goal and the program that rest on them.
enum Plan {
  private static let json = """
    {"name": "plan", "version": 2, "title": "Plan", "steps": [
      {"id": "goal", "kind": "text", "field": "goal", "title": "Your goal?",
        "facets": ["goalClarity.outcome"]},
      {"id": "hurts", "kind": "text", "field": "hurts", "title": "What hurts?",
        "facets": ["obstacles.physical"]},
      {"id": "days", "kind": "text", "field": "days", "title": "Which days?",
        "facets": ["lifestyle.availability"]},
      {"id": "gear", "kind": "text", "field": "gear", "title": "What do you have?",
        "facets": ["exercisePreferences.access"]},
      {"id": "hates", "kind": "text", "field": "hates", "title": "What do you dislike?",
        "facets": ["exercisePreferences.dislikes"]},
      {"id": "goalReview", "kind": "review", "document": "goal", "title": "Goal",
        "approve": "Approve", "back": {"ask": "You haven't approved your goal yet. Go back?"}},
      {"id": "programReview", "kind": "review", "document": "program", "title": "Program",
        "approve": "Activate"},
      {"id": "done", "kind": "success", "title": "Done", "next": "end",
        "rows": [{"label": "First", "value": "{{program.first}}"}]}],
    "migrations": [{"from": 1, "steps": {"pain": "hurts"}, "fields": {"pain": "hurts"}}]}
    """

  static func walk(_ drafter: any DocumentDrafter = TemplateDrafter()) throws -> TestWalk {
    let pack = try PromptPack.embedded()
    return TestWalk(
      try Journey(json: json, file: "plan.json", rubric: pack.rubric), pack: pack,
      drafter: drafter)
  }

  static let steps = ["goal", "hurts", "days", "gear", "hates"]
  static let said = [
    "Run a 10k by June", "My left knee hurts", "Tuesday and Thursday mornings, not on Fridays",
    "Dumbbells at home, no gym", "I hate burpees",
  ]

  /// Answers the five questions.
  ///
  /// - Parameter answers: By step, in place of the usual ones.
  static func answered(
    _ walk: TestWalk, _ answers: [String: String] = [:]
  ) async throws -> (JourneyEngine, JourneyScreen) {
    var (engine, screen) = try await walk.opened()
    for (step, usual) in zip(steps, said) {
      screen = try await engine.answer(.string(answers[step] ?? usual))
    }
    return (engine, screen)
  }

  /// At the review of the program.
  static func reviewing(
    _ walk: TestWalk, _ answers: [String: String] = [:]
  ) async throws -> (JourneyEngine, JourneyScreen) {
    let (engine, _) = try await answered(walk, answers)
    return (engine, try await engine.answer("approve"))
  }

  /// Goes on to a review, or to the first question that comes before it.
  static func reach(
    _ step: String, _ engine: JourneyEngine, _ answers: [String: String] = [:]
  ) async throws -> JourneyScreen {
    var screen = await engine.screen
    let usual = Dictionary(uniqueKeysWithValues: zip(steps, said))
    for _ in 0..<12 where screen.step != step || screen.kind != .review {
      if screen.kind == .confirmation { return screen }
      let answer = answers[screen.step] ?? usual[screen.step] ?? "approve"
      screen = try await engine.answer(.string(answer))
    }
    return screen
  }

  /// The walk's log as a program of before wrote it, which knew nothing of what documents rest on.
  static func aged(_ walk: TestWalk, isOlderVersion: Bool) async throws -> [RecordedEvent] {
    try await walk.log.events().map { recorded in
      var text = try recorded.envelope.text.replacing(/"facts":"[^"]*",/, with: "")
      if isOlderVersion {
        text = text.replacing(#""version":2"#, with: #""version":1"#)
          .replacing(#""hurts""#, with: #""pain""#)
      }
      return try RecordedEvent(
        position: recorded.position, at: recorded.at,
        envelope: EventEnvelope(
          kind: recorded.envelope.kind, version: recorded.envelope.version, json: text))
    }
  }

  /// Goes back, whatever that asks.
  static func back(to step: String, _ engine: JourneyEngine) async throws {
    for _ in 0..<80 where await engine.screen.step != step {
      let screen = try await engine.act(.back)
      if screen.kind == .confirmation { try await engine.answer("yes") }
    }
    #expect(await engine.screen.step == step)
  }

  static func goal(quote: String = "Run a 10k by June") -> JSONValue {
    [
      "primary": "Run 10 km by June", "measure": .null, "byWhen": "by June", "date": .null,
      "why": .null, "milestones": [["what": "5 km", "byWhen": "by April"]],
      "restsOn": [["path": "/primary", "quote": .string(quote)]],
    ]
  }

  static func program(
    days: [String] = ["tuesday", "thursday"], exercises: [String] = ["Dumbbell row"],
    minutes: Int = 40, adapts: Bool = true, constraint: String = "left knee"
  ) -> JSONValue {
    [
      "title": "Strong legs", "weeks": 6,
      "sessions": .array(
        days.map { day -> JSONValue in
          [
            "day": .string(day), "time": "07:00", "title": "Strength",
            "minutes": JSONValue(minutes),
            "exercises": .array(
              exercises.map {
                [
                  "name": .string($0), "sets": 3, "repetitions": "8", "load": .null,
                  "effort": .null, "minutes": .null, "note": .null,
                ]
              }),
          ]
        }),
      "progression": [["week": 3, "change": "One more set"]],
      "adaptations": adapts ? [["constraint": .string(constraint), "how": "No jumping"]] : [],
      "restsOn": [],
    ]
  }

  static func model(
    draft: [JSONValue], edit: [JSONValue] = []
  ) -> ScriptedModel {
    func answers(_ values: [JSONValue]) -> [ScriptedModel.Answer] {
      values.map { .text($0.stringValue ?? $0.serialized(), pieceLength: 25) }
    }
    return ScriptedModel(answers: [.draft: answers(draft), .edit: answers(edit)])
  }

  static func drafter(_ model: ScriptedModel) -> ModelDrafter {
    ModelDrafter(models: ModelRoles(all: model))
  }

  static func rows(_ screen: JourneyScreen) -> [String] {
    screen.rows.map { "\($0.label): \($0.value)" }
  }
}

extension JourneyScreen {
  var program: TrainingProgram? {
    document.flatMap { try? JSONValue(parsing: $0.json) }.flatMap(TrainingProgram.init(json:))
  }
}

extension ScriptedModel {
  /// Without those for the profile, which is written at the same time.
  var documentRequests: [ModelRequest] {
    requests.filter { $0.purpose != .synthesise }
  }
}
