import Foundation
import IncrementalJSON
import Intake
import IntakeTestSupport
import Journeys
import TestSupport
import Testing

/// Somebody who began with the first version of a journey resumes with today's.
struct FirstVersionTests {
  /// A state stored by version 1, and what has to come out.
  struct Stored: Sendable, CustomTestStringConvertible {
    var json: JSONValue
    var testDescription: String { json["name"]?.stringValue ?? "" }
    var journey: String { json["journey"]?.stringValue ?? "" }
    var step: String { json["step"]?.stringValue ?? "" }
    var answers: [String: JSONValue] { Stored.members(json["answers"]) }
    var resumedStep: String { json["then"]?["step"]?.stringValue ?? "" }
    /// By today's fields, and by those that are gone.
    var resumedAnswers: [String: JSONValue] {
      Stored.members(json["then"]?["answers"])
        .merging(Stored.members(json["then"]?["kept"])) { $1 }
    }

    private static func members(_ value: JSONValue?) -> [String: JSONValue] {
      Dictionary(value?.objectValue?.map { ($0, $1) } ?? []) { $1 }
    }
  }

  private static let folder = "Fixtures/journeys/version-1"

  private static func text(_ name: String) throws -> String {
    try String(contentsOf: Fixtures.root.appending(path: "\(folder)/\(name)"), encoding: .utf8)
  }

  static let stored: [Stored] =
    (try? JSONValue(parsing: text("states.json"))["states"]?.arrayValue)?.map { Stored(json: $0) }
    ?? []

  private static func pack(of journey: String) throws -> PromptPack {
    let names = try PromptPack.embeddedNames.filter {
      try PromptPack.embedded($0).journeyNames.contains(journey)
    }
    return try PromptPack.embedded(try #require(names.first))
  }

  @Test func thereAreStatesOfEveryJourney() {
    #expect(
      Set(Self.stored.map(\.journey)) == ["discovery", "trainer", "trainer-structured", "matador"])
  }

  @Test(arguments: stored)
  func aStoredStateResumesWithEveryAnswer(_ state: Stored) async throws {
    let pack = try Self.pack(of: state.journey)
    let text = try Self.text("\(state.journey).json")
    let old = try Journey(json: text, file: "\(state.journey).json", rubric: pack.rubric)
    #expect(old.version == 1)
    let log = InMemorySessionLog()
    _ = try await log.append(
      Self.events(of: state, JSONValue(parsing: text), pack), at: TestClock().now())
    let journey = try #require(try pack.journey(state.journey))
    let walk = TestWalk(journey, pack: pack, events: await log.events())
    let (engine, screen) = try await walk.opened()
    #expect(screen.step == state.resumedStep)
    let answers = await engine.state.answers
    #expect(Set(answers.keys) == Set(state.resumedAnswers.keys))
    for (name, value) in state.resumedAnswers {
      #expect(try answers[name].map { try Self.json($0.value) } == value, "\(name)")
    }
  }

  /// What the program of that time stored: the start, the answers, and the step that was shown.
  private static func events(
    of state: Stored, _ journey: JSONValue, _ pack: PromptPack
  ) throws -> [EventEnvelope] {
    let start: JSONValue = [
      "type": "journeyStarted", "journey": .string(state.journey), "version": 1,
      "pack": .string(pack.name), "units": "imperial", "timeZone": "America/New_York",
    ]
    let answers = try state.answers.sorted { $0.key < $1.key }.map { name, value in
      let step = journey["steps"]?.arrayValue?.first { $0["field"]?.stringValue == name }
      let answered: JSONValue = [
        "type": "journeyAnswered", "step": try #require(step?["id"]), "field": .string(name),
        "value": value, "wording": "?", "label": "?", "isOwn": true,
      ]
      return EventEnvelope(kind: "journeyAnswered", version: 1, json: answered.serialized())
    }
    let moved: JSONValue = ["type": "journeyMoved", "to": .string(state.step), "way": "forward"]
    return [EventEnvelope(kind: "journeyStarted", version: 1, json: start.serialized())] + answers
      + [EventEnvelope(kind: "journeyMoved", version: 1, json: moved.serialized())]
  }

  private static func json(_ value: AnswerValue) throws -> JSONValue {
    try JSONValue(parsing: String(decoding: JSONEncoder().encode(value), as: UTF8.self))
  }
}
