import Foundation
import GRDB
import IncrementalJSON
import Intake
import SessionStore
import Testing

/// Several persons in one file, and the file of one person from before.
@Suite struct PersonStoreTests {
  /// Makes a new store look as format 2 left it.
  static let toFormatTwo = """
    DROP INDEX session_by_person;
    ALTER TABLE session DROP COLUMN person;
    ALTER TABLE discovery DROP COLUMN person;
    DROP TABLE person;
    DROP TABLE token_use;
    DROP TABLE server_key;
    DROP TABLE outbox;
    CREATE TABLE entitlement_two (
      id INTEGER PRIMARY KEY CHECK (id = 1), source TEXT NOT NULL, granted_ms INTEGER NOT NULL);
    INSERT INTO entitlement_two SELECT 1, source, granted_ms FROM entitlement;
    DROP TABLE entitlement;
    ALTER TABLE entitlement_two RENAME TO entitlement;
    CREATE TABLE health_two (
      id INTEGER PRIMARY KEY CHECK (id = 1), json TEXT, file TEXT, changed_ms INTEGER,
      read_ms INTEGER NOT NULL);
    INSERT INTO health_two SELECT 1, json, file, changed_ms, read_ms FROM health;
    DROP TABLE health;
    ALTER TABLE health_two RENAME TO health;
    PRAGMA user_version = 2;
    """

  private let noon = Date(timeIntervalSince1970: 1_700_000_000)
  private let anna = PersonID(rawValue: "anna")
  private let ben = PersonID(rawValue: "ben")

  private func withStore<Value>(_ work: (String) throws -> Value) throws -> Value {
    let folder = FileManager.default.temporaryDirectory.path + "/rapport-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try work(folder + "/rapport.db")
  }

  private func say(_ text: String, in store: SessionStore) throws -> SessionID {
    let id = try store.createSession(at: noon)
    _ = try store.log(for: id).append(
      [.userSaid(UserTurn(turn: 1, text: text)), .discoveryCompleted], at: noon)
    return id
  }

  private func snapshot(_ text: String) -> HealthMemory.Snapshot {
    HealthMemory.Snapshot(json: text, file: "f", fileChanged: noon, readAt: noon)
  }

  @Test func aStoreOfFormatThreeGetsAnOutbox() throws {
    try withStore { path in
      let id = try say("mine", in: try SessionStore(path: path))
      let raw = try DatabaseQueue(path: path)
      try raw.write {
        try $0.execute(sql: "DROP TABLE outbox; DROP TABLE sign_in; PRAGMA user_version = 3")
      }
      try raw.close()
      let store = try SessionStore(path: path)
      #expect(try store.sessions().map(\.id) == [id])
      let outbox = Outbox(store: store)
      #expect(try outbox.put(OutboxRow(table: "goals", columns: ["primary": "a"]), at: noon))
      #expect(try outbox.entries().map(\.row.table) == ["goals"])
      #expect(try store.signIn() == nil)
    }
  }

  @Test func aStoreOfFormatFiveLearnsWhoSomebodyWas() throws {
    try withStore { path in
      let id = try say("mine", in: try SessionStore(path: path).belonging(to: anna))
      let raw = try DatabaseQueue(path: path)
      try raw.write {
        try $0.execute(sql: "DROP TABLE moved; DROP TABLE purchase; PRAGMA user_version = 5")
      }
      try raw.close()
      let store = try SessionStore(path: path)
      let device = store.belonging(to: anna)
      #expect(try device.sessions().map(\.id) == [id])
      try device.register(at: noon)
      try device.move(to: ben)
      let account = store.belonging(to: ben)
      #expect(try account.formerIDs() == [anna])
      try account.take(PurchaseReport(.paid, source: "shop", at: noon))
      #expect(try account.entitlement()?.grantedAt == noon)
    }
  }

  @Test func theFileOfOnePersonBecomesTheirs() throws {
    try withStore { path in
      let id: SessionID
      do {
        let store = try SessionStore(path: path)
        id = try say("mine", in: store)
        _ = try store.grant(.stub(at: noon))
        try store.rememberHealth(snapshot("{}"))
      }
      do {
        let raw = try DatabaseQueue(path: path)
        try raw.write { try $0.execute(sql: Self.toFormatTwo) }
        try raw.close()
      }
      let store = try SessionStore(path: path)
      #expect(try store.sessions().map(\.id) == [id])
      #expect(try store.hasFinishedDiscovery())
      #expect(try store.entitlement()?.grantedAt == noon)
      #expect(try store.health()?.snapshot?.json == "{}")
      let other = store.belonging(to: anna)
      #expect(try other.sessions().isEmpty && !other.hasFinishedDiscovery())
      #expect(try other.entitlement() == nil && other.health() == nil)
    }
  }

  @Test func deletingAPersonLeavesNoWordOfTheirs() throws {
    try withStore { path in
      let store = try SessionStore(path: path)
      let hers = store.belonging(to: anna)
      try hers.register(at: noon)
      _ = try say("canary-of-anna", in: hers)
      try hers.rememberHealth(snapshot("{\"canary-of-anna\":1}"))
      let kept = try say("canary-of-ben", in: store.belonging(to: ben))
      let receipt = try hers.deletePerson(at: noon)
      #expect(receipt.sessions == 1 && receipt.events == 2 && receipt.hadHealth)
      #expect(try !hers.isRegistered() && !hers.hasFinishedDiscovery())
      #expect(try store.belonging(to: ben).contains(kept))
      for part in ["", "-wal"] {
        let bytes = FileManager.default.contents(atPath: path + part) ?? Data()
        #expect(bytes.range(of: Data("canary-of-anna".utf8)) == nil, "\(part)")
      }
    }
  }
}
