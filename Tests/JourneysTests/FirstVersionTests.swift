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
    var trail: [String] { Stored.texts(json["trail"]) }
    /// By step, as are the reminders.
    var choices: [String: JSONValue] { Stored.members(json["choices"]) }
    var reminders: [String: JSONValue] { Stored.members(json["reminders"]) }
    var said: [String] { Stored.texts(json["said"]) }
    var talked: [String] { Stored.texts(json["talked"]) }
    var resumedStep: String { json["then"]?["step"]?.stringValue ?? "" }
    /// By today's fields, and by those that are gone.
    var resumedAnswers: [String: JSONValue] {
      Stored.members(json["then"]?["answers"])
        .merging(Stored.members(json["then"]?["kept"])) { $1 }
        .merging(Stored.members(json["then"]?["choices"])) { $1 }
    }
    var resumedReminders: [String: JSONValue] { Stored.members(json["then"]?["reminders"]) }

    static func texts(_ value: JSONValue?) -> [String] {
      value?.arrayValue?.compactMap(\.stringValue) ?? []
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
    let resumed = await engine.state
    #expect(resumed.trail == Stored.texts(state.json["then"]?["trail"]))
    #expect(resumed.talked == Set(Stored.texts(state.json["then"]?["talked"])))
    #expect(
      resumed.reminders.mapValues { JSONValue.string($0.formatted(.iso8601)) }
        == state.resumedReminders)
    let turns = pack.state(after: await walk.log.events()).turns
    #expect(turns.map(\.text) == Stored.texts(state.json["then"]?["said"]))
  }

  @Test func theStatesHoldEverythingThatAJourneyStores() {
    #expect(Set(Self.stored.filter { !$0.trail.isEmpty }.map(\.journey)).count == 4)
    for parts in [\Stored.said, \Stored.talked] {
      #expect(Self.stored.contains { !$0[keyPath: parts].isEmpty })
    }
    for parts in [\Stored.choices, \Stored.reminders] {
      #expect(Self.stored.contains { !$0[keyPath: parts].isEmpty })
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
    func stored(_ event: JSONValue) -> EventEnvelope {
      EventEnvelope(
        kind: event["type"]?.stringValue ?? "", version: 1, json: event.serialized())
    }
    let moves = (state.trail + [state.step]).map {
      stored(["type": "journeyMoved", "to": .string($0), "way": "forward"])
    }
    let choices = state.choices.map { step, value in
      stored([
        "type": "journeyAnswered", "step": .string(step), "value": value, "wording": "?",
        "label": "?", "isOwn": true,
      ])
    }
    let said = state.said.enumerated().map { index, text in
      EventEnvelope(IntakeEvent.userSaid(UserTurn(turn: index + 1, text: text)))
    }
    let talked = state.talked.map { stored(["type": "journeyTalked", "step": .string($0)]) }
    let reminders = state.reminders.map { step, due in
      stored(["type": "journeyReminder", "step": .string(step), "change": "set", "due": due])
    }
    return [stored(start)] + answers + moves + choices + said + talked + reminders
  }

  private static func json(_ value: AnswerValue) throws -> JSONValue {
    try JSONValue(parsing: String(decoding: JSONEncoder().encode(value), as: UTF8.self))
  }
}
