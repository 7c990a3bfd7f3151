import Foundation
import GRDB
import Intake
import Journeys
import SessionStore
import TestSupport
import Testing

/// A journey's answers as rows of a table.
struct StoredProfilesTests {
  private final class Folder {
    let path = FileManager.default.temporaryDirectory
      .appending(path: "rapport-profiles-\(UUID().uuidString)").path

    init() throws {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
    var store: String { path + "/rapport.db" }
  }

  private static func row(_ nick: String, _ kilograms: Int?, isDone: Bool) -> ProfileRow {
    func column(_ name: String, _ kind: Projection.Column.Kind) -> Projection.Column {
      Projection.Column(name: name, kind: kind, field: name, part: nil, since: 2)
    }
    return ProfileRow(
      table: "user_profiles",
      cells: [
        .init(column: column("nick", .text), value: .text(nick)),
        .init(
          column: column("kilograms", .integer), value: kilograms.map { .integer($0) } ?? .null),
        .init(column: column("onboarding_completed", .boolean), value: .boolean(isDone)),
      ])
  }

  private func rows(_ path: String) throws -> [Row] {
    try DatabaseQueue(path: path).read { try Row.fetchAll($0, sql: "SELECT * FROM user_profiles") }
  }

  @Test func aRowIsWrittenOnceHoweverOftenItIsWritten() throws {
    let folder = try Folder()
    let profiles = StoredProfiles(store: try SessionStore(path: folder.store))
    try profiles.write(Self.row("Kim", nil, isDone: false))
    try profiles.write(Self.row("Kim", 70, isDone: true))
    let rows = try rows(folder.store)
    #expect(rows.count == 1)
    #expect(rows[0]["nick"] == "Kim" && rows[0]["kilograms"] == 70)
    #expect(rows[0]["onboarding_completed"] == true)
  }

  /// Version 1 of the table, as it was before the journey had columns in it.
  @Test func anOlderTableGetsTheColumnsAndKeepsItsRows() throws {
    let folder = try Folder()
    let store = try SessionStore(path: folder.store)
    let script = try String(
      contentsOf: Fixtures.root.appending(path: "Fixtures/journeys/user_profiles-1.sql"),
      encoding: .utf8)
    try DatabaseQueue(path: folder.store).write { try $0.execute(sql: script) }
    try StoredProfiles(store: store).write(Self.row("Kim", 70, isDone: true))
    let rows = try rows(folder.store)
    #expect(rows.count == 2)
    let own = try #require(rows.first { $0["id"] == store.person.rawValue })
    #expect(own["email"] == "kim@example.com" && own["nick"] == "Kim")
    let other = try #require(rows.first { $0["id"] != store.person.rawValue })
    #expect(other["email"] == "lee@example.com" && other["onboarding_completed"] == false)
  }

  @Test func whatAStoreCannotWriteIsAnError() throws {
    let folder = try Folder()
    let store = try SessionStore(path: folder.store)
    try store.limitSize(pages: 1)
    #expect(throws: StoreError.self) {
      try StoredProfiles(store: store).write(
        Self.row(String(repeating: "x", count: 100_000), 1, isDone: true))
    }
  }
}
