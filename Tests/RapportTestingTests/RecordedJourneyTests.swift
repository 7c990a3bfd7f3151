import Foundation
import IncrementalJSON
import Intake
import Journeys
import RapportTesting
import TestSupport
import Testing

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
    #expect(results.count >= 13)
  }

  @Test func anotherScreenIsAMismatchAtItsPlace() async throws {
    let entry = try #require(try Self.entries().first)
    let recording = try #require(try entry.journey())
    let text = recording.text.replacing("\"kind\": \"intro\"", with: "\"kind\": \"tour\"")
    let changed = try #require(try JourneyRecording(parsing: Array(text.utf8)))
    let pack = try PromptPack.embedded(recording.pack)
    let played = try await changed.played(with: pack)
    let found = changed.differences(from: played)
    #expect(!found.isEmpty && found.allSatisfy { $0.path.hasPrefix("walk[") })
    #expect(recording.differences(from: played).isEmpty)
  }

  @Test func everyJourneyHasThreeWithAMigration() throws {
    var counts: [String: Int] = [:]
    var migrated: Set<String> = []
    for entry in try Self.entries() {
      let recording = try #require(try entry.journey())
      counts[recording.journey, default: 0] += 1
      if recording.json["events"] != nil { migrated.insert(recording.journey) }
    }
    for pack in PromptPack.embeddedNames where pack != "shared" {
      for name in try PromptPack.embedded(pack).journeyNames {
        #expect(counts[name, default: 0] >= 3, "\(name)")
        #expect(migrated.contains(name), "\(name)")
      }
    }
  }
}
