import FoundationEssentials
import GRDB
import GRDBSQLite
import Intake

/// All sessions of one person, in one SQLite file.
///
/// Events are append-only: triggers refuse to change or remove one, except when its whole session
/// is forgotten. An append is on disk when it returns (WAL, synchronous FULL). One connection a
/// process; several processes may use the file, one of them at a time for any session.
///
/// SQLite before 3.51.3 can lose a checkpoint when two connections write and checkpoint at once
/// (sqlite.org/wal.html, "The WAL-Reset Bug"). So none runs by itself while others may have the
/// file open: SQLite takes one when the last connection closes, and forgetting a session takes one
/// under a lock that no other process shares.
public final class SessionStore: Sendable {
  /// `RPRT`, in SQLite's `application_id`.
  static let applicationID = 0x5250_5254
  static let formatVersion = 1

  public let path: String
  let database: DatabaseQueue
  /// Shared by every process that has the file open.
  let presence: FileLock

  /// SQLite's own version.
  public static var sqliteVersion: String { String(cString: sqlite3_libversion()) }

  /// Opens a store, and makes it where there is none.
  public init(path: String) throws(StoreError) {
    self.path = path
    try PrivateFiles.prepare(path)
    guard let presence = try FileLock(path: path + ".open", shared: true) else {
      throw StoreError(.busy, file: path)
    }
    self.presence = presence
    database = try Self.translating(path) {
      let queue = try DatabaseQueue(path: path, configuration: Self.configuration)
      try queue.inDatabase { try Self.prepare($0, path) }
      return queue
    }
  }

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = true
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { database in
      try database.execute(
        sql: """
          PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA secure_delete = ON;
          """)
    }
    return configuration
  }

  /// Checks whose file it is before anything is written to it.
  private static func prepare(_ database: Database, _ path: String) throws {
    var (application, version, isEmpty) = (0, 0, false)
    // At one moment: another process may be making the store right now.
    try database.inTransaction(.deferred) {
      application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
      version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
      isEmpty = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") == 0
      return .commit
    }
    guard application == applicationID || (application == 0 && version == 0 && isEmpty) else {
      throw StoreError(.notAStore, file: path)
    }
    guard version <= formatVersion else {
      throw StoreError(.newerVersion(found: version, known: formatVersion), file: path)
    }
    try database.execute(
      sql: """
        PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0;
        """)
    if version < formatVersion { try create(database) }
  }

  private static func create(_ database: Database) throws {
    try database.inTransaction(.immediate) {
      guard try Int.fetchOne(database, sql: "PRAGMA user_version") == 0 else { return .commit }
      try database.execute(sql: schema)
      try database.execute(
        sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(formatVersion)")
      return .commit
    }
  }

  private static let schema = """
    CREATE TABLE session (
      id TEXT PRIMARY KEY NOT NULL,
      created_ms INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE event (
      session TEXT NOT NULL REFERENCES session(id) ON DELETE CASCADE,
      position INTEGER NOT NULL CHECK (position > 0),
      at_ms INTEGER NOT NULL,
      kind TEXT NOT NULL,
      json TEXT NOT NULL,
      PRIMARY KEY (session, position)
    ) WITHOUT ROWID;
    CREATE TABLE forgetting (session TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
    CREATE TRIGGER event_is_never_changed BEFORE UPDATE ON event
      BEGIN SELECT raise(ABORT, 'events are append-only'); END;
    CREATE TRIGGER event_is_never_removed BEFORE DELETE ON event
      WHEN NOT EXISTS (SELECT 1 FROM forgetting WHERE session = OLD.session)
      BEGIN SELECT raise(ABORT, 'events are append-only'); END;
    -- A discovery that was finished, kept without its words when they are forgotten.
    CREATE TABLE discovery (session TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
    CREATE TABLE entitlement (
      id INTEGER PRIMARY KEY CHECK (id = 1), source TEXT NOT NULL, granted_ms INTEGER NOT NULL
    );
    """

  /// Keeps the file from growing beyond this many pages of 4 KiB: a full disk, made to order.
  package func limitSize(pages: Int) throws {
    try database.inDatabase { try $0.execute(sql: "PRAGMA max_page_count = \(pages)") }
  }

  /// Turns what GRDB throws into words about this file.
  static func translating<Value>(
    _ path: String, _ work: () throws -> Value
  ) throws(StoreError) -> Value {
    do {
      return try work()
    } catch let error as StoreError {
      throw error
    } catch let error as DatabaseError {
      throw StoreError(error, path: path)
    } catch {
      throw StoreError(.cannotOpen, file: path, detail: "\(error)")
    }
  }
}

extension StoreError {
  init(_ error: DatabaseError, path: String) {
    let code: Code =
      switch error.resultCode {
      case .SQLITE_NOTADB: .notAStore
      case .SQLITE_CORRUPT: .damaged
      case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
      case .SQLITE_CANTOPEN: .cannotOpen
      default: .cannotWrite
      }
    self.init(code, file: path, detail: error.message ?? "SQLite error \(error.resultCode)")
  }
}
