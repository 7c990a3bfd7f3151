import ContextQuality
import Foundation
import GRDB
import IncrementalJSON
import SessionStore
import TestSupport
import Testing

@testable import Intake

/// A module that the intake knows nothing of.
private enum JourneyEvent: SessionEvent {
  enum Kind: String { case journeyBegun, journeyEnded }

  case begun(Begun)
  case ended

  struct Begun: Hashable, Codable { var name: String }

  private enum Key: String, CodingKey { case type }

  static func version(of kind: Kind) -> Int { kind == .journeyBegun ? 2 : 1 }

  var kind: Kind {
    switch self {
    case .begun: .journeyBegun
    case .ended: .journeyEnded
    }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    switch Kind(rawValue: try container.decode(String.self, forKey: .type)) {
    case .journeyBegun: self = .begun(try Begun(from: decoder))
    default: self = .ended
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(kind.rawValue, forKey: .type)
    if case .begun(let begun) = self { try begun.encode(to: encoder) }
  }
}

/// The log is open: it keeps what other modules and newer builds write.
@Suite(.serialized)
final class OpenLogTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "rapport-open-log-\(UUID().uuidString)").path
  private var path: String { folder + "/rapport.db" }
  private let noon = Date(timeIntervalSince1970: 1_800_000_000)
  private let zeroWidth = "zero\u{200B}width"

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func rubric() throws -> Rubric {
    let path = try CaseFile.packageRoot().appending(path: "Prompts/fitness/rubric.json")
    return try Rubric(json: String(contentsOf: path, encoding: .utf8))
  }

  /// A session with words, a journey around them, and a word of a newer build.
  private func mixed(_ store: SessionStore) throws -> SessionID {
    let id = try store.createSession(at: noon)
    _ = try store.log(for: id).append(
      [
        EventEnvelope(JourneyEvent.begun(.init(name: zeroWidth))),
        EventEnvelope(IntakeEvent.userSaid(UserTurn(turn: 1, text: "lose 20 lb"))),
        EventEnvelope(kind: "userSaid", version: 9, json: #"{"type":"userSaid","words":["x"]}"#),
        EventEnvelope(JourneyEvent.ended),
      ], at: noon)
    return id
  }

  @Test func eachModuleReadsItsOwnKinds() throws {
    let store = try SessionStore(path: path)
    let events = try SessionStore(path: path).events(of: try mixed(store))
    #expect(events.map(\.position) == [1, 2, 3, 4])
    #expect(events.map(\.envelope.version) == [2, 2, 9, 1])
    #expect(events.map { $0.event?.kind } == [nil, .userSaid, nil, nil])
    #expect(events.map(\.isFromNewerBuild) == [false, false, true, false])
    #expect(
      try events.map { try $0.event(as: JourneyEvent.self) }
        == [.begun(.init(name: zeroWidth)), nil, nil, .ended])
    let state = IntakeState(rubric: try rubric(), events: events)
    #expect(state.turns.map(\.text) == ["lose 20 lb"])
    #expect(state.position == 4)
  }

  @Test func theExportKeepsAndNamesThem() throws {
    let store = try SessionStore(path: path)
    let id = try mixed(store)
    let events = try store.events(of: id)
    let export = SessionExport(session: id, events: events, rubric: try rubric())
    let exported = try JSONValue(parsing: try export.text(.json))["events"]?.arrayValue ?? []
    #expect(exported.map { $0["version"]?.intValue } == [2, 2, 9, 1])
    #expect(exported.map { $0["event"] } == (try events.map { try $0.json }))
    #expect(exported.first?["event"] == ["type": "journeyBegun", "name": .string(zeroWidth)])
    let line = try JSONValue(parsing: try export.text(.jsonl))
    #expect(line["otherEvents"]?.arrayValue == [exported[0], exported[2], exported[3]])
    let page = try export.text(.markdown)
    #expect(page.contains("userSaid, version 9") && !page.contains("journeyBegun"))
  }

  @Test func aSessionOfWordsAloneHasNoOtherEvents() throws {
    let store = try SessionStore(path: path)
    let id = try store.createSession(at: noon)
    try store.log(for: id).append([.userSaid(UserTurn(turn: 1, text: "hi"))], at: noon)
    let export = SessionExport(session: id, events: try store.events(of: id), rubric: try rubric())
    #expect(try JSONValue(parsing: try export.text(.jsonl))["otherEvents"] == nil)
  }

  @Test(arguments: [
    (#"{"type":"userSaid","text":7}"#, "turn", "a value", "nothing"),
    (
      #"{"type":"userSaid","turn":1,"text":7,"intent":"other","releasesHeld":false}"#, "text",
      "a string", "7"
    ),
    ("{", "", "a JSON object", "{"),
  ])
  func aPayloadThatBreaksItsPromiseIsAnError(
    json: String, field: String, expected: String, found: String
  ) throws {
    let store = try SessionStore(path: path)
    let id = try store.createSession(at: noon)
    let log = store.log(for: id)
    try log.append([.discoveryCompleted], at: noon)
    try DatabaseQueue(path: path).write {
      try $0.execute(
        sql: """
          INSERT INTO event (session, position, at_ms, kind, version, json)
          VALUES (?, 2, 0, 'userSaid', 1, ?)
          """, arguments: [id.rawValue, json])
    }
    let error = #expect(throws: StoreError.self) { try store.events(of: id) }
    guard case .unreadableEvent(let session, let problem)? = error?.code else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(session == id.rawValue)
    #expect(
      problem
        == UnreadableEvent(
          position: 2, kind: "userSaid", field: field, expected: expected, found: found))
    #expect(error?.userMessage.contains("event 2 (userSaid") == true)
  }

  /// A store of format 1 has no versions: all of its payloads have version 1.
  @Test func aStoreOfFormatOneOpensAndGoesOn() throws {
    let id: SessionID
    do {
      let store = try SessionStore(path: path)
      id = try store.createSession(at: noon)
      try store.log(for: id).append([.userSaid(UserTurn(turn: 1, text: "old"))], at: noon)
    }
    do {
      let raw = try DatabaseQueue(path: path)
      try raw.write {
        try $0.execute(sql: PersonStoreTests.toFormatTwo)
        try $0.execute(sql: "ALTER TABLE event DROP COLUMN version; PRAGMA user_version = 1")
      }
      try raw.close()
    }
    let store = try SessionStore(path: path)
    #expect(try store.events(of: id).map(\.envelope.version) == [1])
    _ = try store.log(for: id).append([EventEnvelope(JourneyEvent.ended)], at: noon)
    let kinds = try SessionStore(path: path).events(of: id).map(\.envelope.kind)
    #expect(kinds == ["userSaid", "journeyEnded"])
  }
}
