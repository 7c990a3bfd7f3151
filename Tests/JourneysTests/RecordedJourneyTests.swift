import Foundation
import IncrementalJSON
import Intake
import IntakeTestSupport
import Journeys
import TestSupport
import Testing

/// Journeys that somebody walked through, kept with every screen: what they did, and what they saw.
struct RecordedJourneyTests {
  static let folder = Fixtures.root.appending(path: "Fixtures/journeys/recorded")

  static let files: [String] =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".json") }.sorted()

  /// Set `RAPPORT_UPDATE_JOURNEYS` to write the screens anew. The test still fails that once, so that a
  /// person looks at the change.
  @Test(arguments: files)
  func theSameAnswersShowTheSameScreens(file: String) async throws {
    let path = Self.folder.appending(path: file)
    let recording = try JSONValue(parsing: String(contentsOf: path, encoding: .utf8))
    let played = try await Self.play(recording)
    guard played != recording else { return }
    if ProcessInfo.processInfo.environment["RAPPORT_UPDATE_JOURNEYS"] != nil {
      try (played.serialized(pretty: true) + "\n").write(
        to: path, atomically: true, encoding: .utf8)
    }
    Issue.record("\(file) shows other screens; RAPPORT_UPDATE_JOURNEYS=1 updates it")
  }

  @Test func everyJourneyHasThree() throws {
    var counts: [String: Int] = [:]
    for file in Self.files {
      let json = try JSONValue(
        parsing: String(contentsOf: Self.folder.appending(path: file), encoding: .utf8))
      counts[json["journey"]?.stringValue ?? "", default: 0] += 1
    }
    for (_, journey) in WalkTests.journeys {
      #expect(counts[journey, default: 0] >= 3, "\(journey)")
    }
  }

  private static func play(_ recording: JSONValue) async throws -> JSONValue {
    let pack = try PromptPack.embedded(recording["pack"]?.stringValue ?? "")
    let journey = try #require(try pack.journey(recording["journey"]?.stringValue ?? ""))
    let events = try (recording["events"]?.arrayValue ?? []).enumerated().map { index, event in
      try RecordedEvent(
        position: index + 1, at: Date(timeIntervalSince1970: 1_700_000_000),
        envelope: EventEnvelope(
          kind: event["type"]?.stringValue ?? "", version: 1, json: event.serialized()))
    }
    let walk = TestWalk(
      journey, pack: pack,
      accounts: TestAccounts(isAvailable: recording["hasAccounts"]?.boolValue ?? false),
      permissions: TerminalPermissions(), events: events)
    var played: [JSONValue] = []
    var (engine, screen) = try await walk.opened()
    played.append(["shows": brief(screen)])
    for step in recording["walk"]?.arrayValue ?? [] {
      guard let action = step["do"] else { continue }
      if action["kill"]?.boolValue == true {
        (engine, screen) = try await walk.opened()
      } else if let days = action["days"]?.doubleValue {
        walk.clock.advance(by: days * 86_400)
        (engine, screen) = try await walk.opened()
      } else if let fails = action["profileFails"]?.boolValue {
        walk.profiles.fail(fails)
      } else if let fails = action["syncFails"]?.boolValue {
        walk.sync.fail(fails)
      } else if action["talk"]?.boolValue == true {
        screen = try await walk.talk(engine)
      } else {
        screen = try await engine.act(input(action))
      }
      played.append(["do": action, "shows": brief(screen)])
    }
    var members = recording.objectValue ?? [:]
    members["walk"] = .array(played)
    if recording["hasAccounts"] != nil {
      members["synced"] = .array(walk.sync.items.map { .string($0.kind.rawValue) })
    }
    return .object(members)
  }

  private static func input(_ action: JSONValue) -> JourneyInput {
    if let units = action["units"]?.stringValue.flatMap(Units.init(rawValue:)) {
      return .units(units)
    }
    if action["back"] != nil { return .back }
    if action["info"] != nil { return .info }
    return .answer(action["answer"] ?? true)
  }

  /// What a person would notice.
  private static func brief(_ screen: JourneyScreen) -> JSONValue {
    let whole = screen.json
    let names = [
      "step", "kind", "section", "title", "rows", "diff", "info", "problem", "back",
    ]
    var members = JSONObject(names.compactMap { name in whole[name].map { (name, $0) } })
    if let value = whole["input"]?["text"] ?? whole["input"]?["value"] { members["value"] = value }
    if let options = whole["options"]?.arrayValue {
      members["options"] = .array(options.compactMap { $0["id"] })
    }
    return .object(members)
  }
}
