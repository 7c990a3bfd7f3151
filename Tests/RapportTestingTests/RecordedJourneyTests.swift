import Foundation
import IncrementalJSON
import Intake
import Journeys
import RapportTesting
import TestSupport
import Testing
import WireFormats

/// Journeys that somebody walked through, kept with every screen. `rapport test` plays them too.
struct RecordedJourneyTests {
  static let folder = Fixtures.root.appending(path: "Fixtures/journeys/recorded").path

  private static func entries() throws -> [ConversationSuite.Entry] {
    try ConversationSuite(paths: [folder]).entries
  }

  @Test func theSameAnswersShowTheSameScreens() async throws {
    let runner = SuiteRunner(options: .init()) { _ in
      preconditionFailure("a walk is no conversation")
    }
    let results = await runner.run(try ConversationSuite(paths: [Self.folder]))
    for result in results {
      #expect(
        result.failures.isEmpty, "\(result.name): \(result.failures.map(\.path)); --update updates")
    }
    #expect(results.count >= 17)
  }

  /// What a model was asked and answered is part of a walk, byte for byte as its server sends it.
  @Test func aChangedRequestIsDriftAndAnUnansweredOneAFailure() async throws {
    let entry = try #require(try Self.entries().first { $0.name == "trainer-edits-in-words" })
    let recording = try #require(try entry.journey())
    let pack = try PromptPack.embedded(recording.pack)
    var json = recording.json
    var exchanges = try #require(json["cassette"]?["exchanges"]?.arrayValue)
    func played(_ exchanges: [JSONValue]) async throws -> ConversationVerdict? {
      var cassette = json["cassette"]?.objectValue ?? [:]
      cassette["exchanges"] = .array(exchanges)
      json["cassette"] = .object(cassette)
      let text = JSONValue.object(json).serialized()
      let changed = try #require(try JourneyRecording(parsing: Array(text.utf8)))
      return try await changed.played(with: pack).verdict(isStrict: true)
    }
    var request = try #require(exchanges[0]["request"]?.objectValue)
    request["prompt"] = "0000000000000000"
    var exchange = try #require(exchanges[0].objectValue)
    exchange["request"] = .object(request)
    exchanges[0] = .object(exchange)
    let drifted = try #require(try await played(exchanges))
    #expect(drifted.failures.map(\.path) == ["draft (--strict)"])
    exchanges.removeLast()
    let short = try #require(try await played(exchanges))
    #expect(short.failures.contains { $0.path == "a request for edit" })
  }

  @Test func aCassetteThatCannotBeReadIsNamed() {
    let text =
      #"{"journey":"trainer","pack":"fitness","walk":[],"cassette":{"version":1,"title":1}}"#
    let error = #expect(throws: FieldError.self) { try JourneyRecording(parsing: Array(text.utf8)) }
    #expect(error?.path == "cassette.title")
  }

  @Test func anotherScreenIsAMismatchAtItsPlace() async throws {
    let entry = try #require(try Self.entries().first)
    let recording = try #require(try entry.journey())
    let text = recording.text.replacing("\"kind\": \"intro\"", with: "\"kind\": \"tour\"")
    let changed = try #require(try JourneyRecording(parsing: Array(text.utf8)))
    let pack = try PromptPack.embedded(recording.pack)
    let played = try await changed.played(with: pack).recording
    let found = changed.differences(from: played)
    #expect(!found.isEmpty && found.allSatisfy { $0.path.hasPrefix("walk[") })
    #expect(recording.differences(from: played).isEmpty)
  }

  @Test func everyJourneyHasThreeWithAMigrationAndASyncThatFailsAndRecovers() throws {
    var counts: [String: Int] = [:]
    var (migrated, recovered): (Set<String>, Set<String>) = ([], [])
    var modelled: [String: Int] = [:]
    for entry in try Self.entries() {
      let recording = try #require(try entry.journey())
      counts[recording.journey, default: 0] += 1
      if recording.json["events"] != nil { migrated.insert(recording.journey) }
      let acts = (recording.json["walk"]?.arrayValue ?? []).compactMap { $0["do"]?["syncFails"] }
      if acts.contains(.bool(true)), acts.last == .bool(false) {
        recovered.insert(recording.journey)
      }
      for exchange in recording.json["cassette"]?["exchanges"]?.arrayValue ?? [] {
        modelled[exchange["purpose"]?.stringValue ?? "", default: 0] += 1
      }
    }
    for pack in PromptPack.embeddedNames where pack != "shared" {
      for name in try PromptPack.embedded(pack).journeyNames {
        #expect(counts[name, default: 0] >= 3, "\(name)")
        #expect(migrated.contains(name), "\(name)")
        #expect(recovered.contains(name), "\(name)")
      }
    }
    #expect(modelled["draft", default: 0] >= 3 && modelled["edit", default: 0] >= 3)
  }
}
