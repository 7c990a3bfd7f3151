public import FoundationEssentials
import GRDB
import Intake

/// The person's answer about health data, and what was read.
public struct HealthMemory: Hashable, Sendable {
  /// A JSON snapshot: figures and findings, but no raw data.
  public struct Snapshot: Hashable, Sendable {
    public var json: String
    /// The source file and its last modification.
    public var file: String
    public var fileChanged: Date
    public var readAt: Date

    public init(json: String, file: String, fileChanged: Date, readAt: Date) {
      self.json = json
      self.file = file
      self.fileChanged = fileChanged
      self.readAt = readAt
    }
  }

  /// Nil if they opted out.
  public var snapshot: Snapshot?

  public init(snapshot: Snapshot? = nil) { self.snapshot = snapshot }
}

/// The person's health snapshot, in the same file as their conversations.
///
/// It belongs to the person rather than to a conversation, and is deleted with the last
/// conversation that used it.
extension SessionStore {
  /// Nil if the person has not been asked.
  public func health() throws(StoreError) -> HealthMemory? {
    try reading { database in
      guard
        let row = try Row.fetchOne(
          database.cachedStatement(sql: "SELECT * FROM health WHERE person = ?"),
          arguments: [person.rawValue])
      else { return nil }
      guard let json = String.fromDatabaseValue(row["json"]) else { return HealthMemory() }
      return HealthMemory(
        snapshot: HealthMemory.Snapshot(
          json: json, file: try value(of: "file", in: row),
          fileChanged: Date(milliseconds: try value(of: "changed_ms", in: row)),
          readAt: Date(milliseconds: try value(of: "read_ms", in: row))))
    }
  }

  public func rememberHealth(_ snapshot: HealthMemory.Snapshot) throws(StoreError) {
    try setHealth([
      snapshot.json, snapshot.file, snapshot.fileChanged.milliseconds,
      snapshot.readAt.milliseconds,
    ])
  }

  /// Stores an opt-out and nothing else.
  public func declineHealth(at date: Date) throws(StoreError) {
    let had = try health()?.snapshot != nil
    try setHealth([nil, nil, nil, date.milliseconds])
    if had { emptyLog() }
  }

  /// Forgets a snapshot without storing an answer.
  public func forgetHealth() throws(StoreError) {
    guard try health() != nil else { return }
    try writing {
      try $0.execute(sql: "DELETE FROM health WHERE person = ?", arguments: [person.rawValue])
    }
    emptyLog()
  }

  /// Overwrites the deleted snapshot (`secure_delete`) and empties the log if no other process uses
  /// it.
  private func emptyLog() {
    _ = try? presence.exclusively {
      try database.inDatabase { _ = try $0.checkpoint(.truncate) }
    }
  }

  private func setHealth(_ values: [(any DatabaseValueConvertible)?]) throws(StoreError) {
    try writing { database in
      try database.execute(
        sql: """
          INSERT INTO health (person, json, file, changed_ms, read_ms) VALUES (?, ?, ?, ?, ?)
          ON CONFLICT (person) DO UPDATE SET json = excluded.json, file = excluded.file,
            changed_ms = excluded.changed_ms, read_ms = excluded.read_ms
          """,
        arguments: StatementArguments([person.rawValue] + values))
    }
  }

  /// Runs in the transaction that forgets a session.
  func forgetUnusedHealth(_ database: Database) throws {
    try database.execute(
      sql: """
        DELETE FROM health WHERE person = ?1 AND json IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM event WHERE kind = ?2
            AND session IN (SELECT id FROM session WHERE person = ?1))
        """,
      arguments: [person.rawValue, IntakeEvent.Kind.healthNoted.rawValue])
  }
}
