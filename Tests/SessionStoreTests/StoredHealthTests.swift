import ContextQuality
import Foundation
import GRDB
import IncrementalJSON
import Intake
import SessionStore
import Testing

/// The person's snapshot beside their conversations.
@Suite(.serialized)
final class StoredHealthTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "rapport-health-\(UUID().uuidString)").path
  private var path: String { folder + "/rapport.db" }
  private let noon = Date(timeIntervalSince1970: 1_800_000_000)

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private var kept: HealthMemory.Snapshot {
    .init(json: #"{"steps":73219}"#, file: "/x/export.zip", fileChanged: noon, readAt: noon)
  }

  private var note: IntakeEvent {
    .healthNoted(HealthNote(source: "Apple Health", through: "2026-01-30"))
  }

  private func bytesHold(_ text: String) throws -> Bool {
    try FileManager.default.contentsOfDirectory(atPath: folder).contains {
      FileManager.default.contents(atPath: folder + "/" + $0)?.range(of: Data(text.utf8)) != nil
    }
  }

  @Test func aNoLeavesNothingOfTheSnapshotInTheFile() throws {
    let store = try SessionStore(path: path)
    try store.rememberHealth(kept)
    #expect(try bytesHold("73219"))
    try store.declineHealth(at: noon)
    #expect(try !bytesHold("73219"))
  }

  @Test func theSnapshotGoesWithTheLastConversationThatTookNoteOfIt() throws {
    let store = try SessionStore(path: path)
    let ids = try (0..<3).map { _ in try store.createSession(at: noon) }
    for id in ids.prefix(2) { _ = try store.log(for: id).append([note], at: noon) }
    try store.rememberHealth(kept)
    try store.forget(ids[0])
    #expect(try store.health()?.snapshot == kept)
    try store.forget(ids[1])
    #expect(try store.health() == nil)
    #expect(try !bytesHold("73219"))
  }

  @Test func readingsStandApartFromWordsInATranscript() throws {
    func evidence(_ facet: String, _ basis: Evidence.Basis) throws -> Evidence {
      Evidence(facet: try #require(Facet(facet)), basis: basis)
    }
    let events: [IntakeEvent] = [
      .healthNoted(
        HealthNote(
          source: "Apple Health", through: "2026-01-30",
          evidence: [
            try evidence("currentState.activity", .reading("7,500 steps", source: "Apple Health")),
            try evidence("lifestyle.recovery", .reading("6 h", source: "Apple Health")),
          ])),
      .userSaid(UserTurn(turn: 1, text: "I walk 4000 steps")),
      .scored(
        Scoring(
          turns: [1],
          evidence: [try evidence("currentState.activity", .quote("4000 steps", turn: 1))],
          model: "m")),
    ]
    let recorded = events.enumerated().map {
      RecordedEvent(position: $0.offset + 1, at: noon, event: $0.element)
    }
    let export = SessionExport(
      session: SessionID(rawValue: "abc"), events: recorded,
      rubric: try PromptPack.embedded().rubric)
    let line = try JSONValue(parsing: export.text(.jsonl))
    #expect(line["facets"]?["currentState.activity"]?["quote"]?.stringValue == "4000 steps")
    #expect(line["facets"]?["lifestyle.recovery"] == nil)
    #expect(line["readings"]?["lifestyle.recovery"]?["reading"]?.stringValue == "6 h")
    #expect(try export.text(.markdown).contains("Health data up to 2026-01-30"))
    #expect(try export.text(.json).contains("healthNoted"))
  }
}
