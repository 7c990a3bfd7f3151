public import FoundationEssentials
import GRDB
import Intake

/// What the person said to having their health data looked at, and what was seen.
public struct HealthMemory: Hashable, Sendable {
  /// A snapshot as JSON: figures and findings, none of the data themselves.
  public struct Snapshot: Hashable, Sendable {
    public var json: String
    /// The file it was made from, and when that was changed last.
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

  /// Nil where they said no.
  public var snapshot: Snapshot?

  public init(snapshot: Snapshot? = nil) { self.snapshot = snapshot }
}

/// The person's health snapshot, beside their conversations in the same file.
///
/// It belongs to the person rather than to a conversation, and goes with the last conversation that
/// took note of it. The table is made when it is first needed, so that stores of earlier versions
/// stay what they are.
extension SessionStore {
  private static let healthTable = """
    CREATE TABLE IF NOT EXISTS health (
      id INTEGER PRIMARY KEY CHECK (id = 1), json TEXT, file TEXT, changed_ms INTEGER,
      read_ms INTEGER NOT NULL
    )
    """

  /// Nil where the person has not been asked.
  public func health() throws(StoreError) -> HealthMemory? {
    try Self.translating(path) {
      try database.inDatabase { database in
        guard try database.tableExists("health"),
          let row = try Row.fetchOne(database, sql: "SELECT * FROM health")
        else { return nil }
        guard let json = String.fromDatabaseValue(row["json"]) else { return HealthMemory() }
        return HealthMemory(
          snapshot: HealthMemory.Snapshot(
            json: json, file: try value(of: "file", in: row),
            fileChanged: Date(milliseconds: try value(of: "changed_ms", in: row)),
            readAt: Date(milliseconds: try value(of: "read_ms", in: row))))
      }
    }
  }

  public func rememberHealth(_ snapshot: HealthMemory.Snapshot) throws(StoreError) {
    try setHealth([
      snapshot.json, snapshot.file, snapshot.fileChanged.milliseconds,
      snapshot.readAt.milliseconds,
    ])
  }

  /// Keeps a no, and nothing else.
  public func declineHealth(at date: Date) throws(StoreError) {
    let had = try health()?.snapshot != nil
    try setHealth([nil, nil, nil, date.milliseconds])
    if had { emptyLog() }
  }

  /// Forgets a snapshot, and keeps no answer in its place.
  public func forgetHealth() throws(StoreError) {
    guard try health() != nil else { return }
    try Self.translating(path) {
      try database.write { try $0.execute(sql: "DELETE FROM health") }
    }
    emptyLog()
  }

  /// What a snapshot said is overwritten (`secure_delete`); the log is emptied where nobody else uses
  /// it.
  private func emptyLog() {
    _ = try? presence.exclusively {
      try database.inDatabase { _ = try $0.checkpoint(.truncate) }
    }
  }

  private func setHealth(_ values: [(any DatabaseValueConvertible)?]) throws(StoreError) {
    try Self.translating(path) {
      try database.write { database in
        try database.execute(sql: Self.healthTable)
        try database.execute(
          sql: """
            INSERT INTO health (id, json, file, changed_ms, read_ms) VALUES (1, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET json = excluded.json, file = excluded.file,
              changed_ms = excluded.changed_ms, read_ms = excluded.read_ms
            """,
          arguments: StatementArguments(values))
      }
    }
  }

  /// Within the writing that forgets a session.
  static func forgetUnusedHealth(_ database: Database) throws {
    guard try database.tableExists("health") else { return }
    try database.execute(
      sql: """
        DELETE FROM health WHERE json IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM event WHERE kind = ?)
        """,
      arguments: [IntakeEvent.Kind.healthNoted.rawValue])
  }
}
