import GRDB

/// Whose data something is.
public struct PersonID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  public var description: String { rawValue }

  /// The person at this machine, who needs no account.
  public static let local = PersonID(rawValue: "local")

  /// Whether it names everybody at one address, whose tokens are counted together, and nobody who
  /// could be registered.
  package var isAddress: Bool { rawValue.hasPrefix("address:") }
}

// Persons in the schema.
extension SessionStore {
  static let personColumn = "person TEXT NOT NULL DEFAULT '\(PersonID.local)'"

  static let personTables = """
    CREATE INDEX session_by_person ON session (person);
    CREATE TABLE person (
      id TEXT PRIMARY KEY NOT NULL, created_ms INTEGER NOT NULL,
      units TEXT, time_zone TEXT, language TEXT,
      terms TEXT, privacy TEXT, consented_ms INTEGER
    ) WITHOUT ROWID;
    CREATE TABLE entitlement (
      person TEXT PRIMARY KEY NOT NULL, source TEXT NOT NULL, granted_ms INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE health (
      person TEXT PRIMARY KEY NOT NULL, json TEXT, file TEXT, changed_ms INTEGER,
      read_ms INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE token_use (
      person TEXT NOT NULL, day TEXT NOT NULL, tokens INTEGER NOT NULL, PRIMARY KEY (person, day)
    ) WITHOUT ROWID;
    -- The server's own keys, such as the one that signs device tokens.
    CREATE TABLE server_key (name TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL) WITHOUT ROWID;
    """

  /// Since format 6: who somebody was before, such as on a device that has no account.
  static let movedTable = """
    CREATE TABLE IF NOT EXISTS moved (
      id TEXT PRIMARY KEY NOT NULL, person TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS moved_by_person ON moved (person);
    """

  /// From format 2, in which everything was one person's.
  static func givePersons(_ database: Database) throws {
    let hasHealth = try database.tableExists("health")
    try database.execute(
      sql: """
        ALTER TABLE session ADD COLUMN \(personColumn);
        ALTER TABLE discovery ADD COLUMN \(personColumn);
        ALTER TABLE entitlement RENAME TO entitlement_before;
        \(hasHealth ? "ALTER TABLE health RENAME TO health_before;" : "")
        \(personTables)
        INSERT INTO entitlement (person, source, granted_ms)
          SELECT '\(PersonID.local)', source, granted_ms FROM entitlement_before;
        DROP TABLE entitlement_before;
        """)
    guard hasHealth else { return }
    try database.execute(
      sql: """
        INSERT INTO health (person, json, file, changed_ms, read_ms)
          SELECT '\(PersonID.local)', json, file, changed_ms, read_ms FROM health_before;
        DROP TABLE health_before;
        """)
  }
}
