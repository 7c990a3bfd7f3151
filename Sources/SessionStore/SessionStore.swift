import GRDB
import GRDBSQLite
import Glibc

/// All of one person's sessions, in one SQLite file.
///
/// Events are append-only: triggers reject any change or removal, except when a whole session is
/// forgotten. An append is on disk when it returns (WAL, synchronous FULL); appends that wait at the same
/// time are committed together. Each process has one connection that writes, and one that only reads.
/// Several processes may share the file, but only one may use a session at a time.
///
/// SQLite before 3.51.3 can lose a checkpoint if two connections write and checkpoint at once
/// (sqlite.org/wal.html, "The WAL-Reset Bug"). So automatic checkpoints are off while others may
/// have the file open: SQLite makes one when the last connection closes, and forgetting a session
/// makes one under an exclusive lock.
public final class SessionStore: Sendable {
  /// `RPRT`, in SQLite's `application_id`.
  static let applicationID = 0x5250_5254
  static let formatVersion = 8

  public let path: String
  /// Whose sessions these are.
  public let person: PersonID
  let connections: StoreConnections
  /// Shared by every process that has the file open.
  let presence: FileLock

  /// SQLite's own version.
  public static var sqliteVersion: String { String(cString: sqlite3_libversion()) }

  /// Opens a store, creating it if missing.
  public convenience init(path: String) throws(StoreError) {
    try self.init(path: path) { usleep(2_000) }
  }

  /// - Parameter pause: Waits for more writes before a commit, after one that held several.
  package init(path: String, pause: @escaping @Sendable () -> Void) throws(StoreError) {
    self.path = path
    person = .local
    let file = StoreFile(path: path)
    let (presence, isAlone) = try Self.enter(file)
    self.presence = presence
    for part in ["", "-wal", "-shm"] { PrivateFiles.tighten(path + part, to: 0o600) }
    connections = try Self.translating(path) {
      let queue = try DatabaseQueue(path: path, configuration: Self.configuration)
      try queue.inDatabase { try Self.prepare($0, path, mayFinish: isAlone) }
      return StoreConnections(writer: queue, path: path, pause: pause)
    }
    presence.share()
  }

  private init(_ store: SessionStore, person: PersonID) {
    (path, self.person) = (store.path, person)
    (connections, presence) = (store.connections, store.presence)
  }

  /// The connection that writes.
  var database: DatabaseQueue { connections.writer }

  /// The same file as somebody else sees it: their sessions, subscription and health data, and
  /// nothing of anybody else.
  public func belonging(to person: PersonID) -> SessionStore {
    SessionStore(self, person: person)
  }

  /// An existing store; nil if there is none. Creates nothing.
  public static func existing(at path: String) throws(StoreError) -> SessionStore? {
    switch try StoreFile(path: path).state() {
    case .missing, .empty: nil
    case .unfinished, .ready: try SessionStore(path: path)
    }
  }

  /// Waits for the file's lock: exclusive to create a store, shared to use one.
  private static func enter(_ file: StoreFile) throws(StoreError) -> (FileLock, isAlone: Bool) {
    for _ in 0..<500 {
      let state = try file.state()
      if state == .missing { try PrivateFiles.make(file.path) }
      let isReady = state == .ready
      // Another process may have created the store while this one waited.
      if let lock = try FileLock(path: file.lockPath, shared: isReady),
        try (file.state() == .ready) == isReady
      {
        return (lock, !isReady)
      }
      usleep(10_000)  // No lock signals both that its holder left and that the file is ready.
    }
    throw StoreError(.busy, file: file.path)
  }

  static var configuration: Configuration {
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

  /// - Parameter mayFinish: No other process is in the store, so an unfinished one can be
  ///   completed.
  private static func prepare(_ database: Database, _ path: String, mayFinish: Bool) throws {
    let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    guard version <= formatVersion else {
      throw StoreError(.newerVersion(found: version, known: formatVersion), file: path)
    }
    if mayFinish {
      // Switching to WAL is a synced write, which also writes the tables to disk.
      try database.execute(sql: "PRAGMA synchronous = OFF")
      if version == 0 { try create(database) }
      try database.execute(sql: "PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL")
    }
    try database.execute(sql: "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0")
    try migrate(database)
  }

  /// Brings an earlier store up to date: in format 1, every payload has version 1; in format 2,
  /// everything belongs to the person at this machine; format 3 has no outbox, format 4 no sign-ins.
  /// Format 5 does not know who somebody was before, format 6 not when their purchases were reported, and
  /// format 7 has no recovery codes.
  private static func migrate(_ database: Database) throws {
    func version() throws -> Int {
      try Int.fetchOne(database, sql: "PRAGMA user_version") ?? formatVersion
    }
    while try version() < formatVersion {
      try database.inTransaction(.immediate) {
        // Another process may have done it in the meantime.
        switch try version() {
        case 1:
          try database.execute(
            sql: """
              ALTER TABLE event ADD COLUMN version INTEGER NOT NULL DEFAULT 1 CHECK (version > 0)
              """)
        case 2: try givePersons(database)
        case 3: try database.execute(sql: Schema.outbox)
        case 4: try database.execute(sql: Schema.signIns)
        case 5: try database.execute(sql: Schema.moves)
        case 6: try database.execute(sql: Schema.purchases)
        case 7: try database.execute(sql: Schema.recoveries)
        default: return .rollback
        }
        try database.execute(sql: "PRAGMA user_version = \(try version() + 1)")
        return .commit
      }
    }
  }

  private static func create(_ database: Database) throws {
    try database.inTransaction(.exclusive) {
      for tables in Schema.all { try database.execute(sql: tables) }
      try database.execute(
        sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(formatVersion)")
      return .commit
    }
  }

  /// Moves what the write-ahead log holds into the file, so that the log does not grow for as long as a
  /// server runs. Does nothing while another process has the store open: that one's last connection
  /// does it.
  ///
  /// - Returns: Whether this process was alone and the log is now empty.
  @discardableResult
  public func checkpoint() throws(StoreError) -> Bool {
    try Self.translating(path) {
      try presence.exclusively {
        try database.inDatabase { _ = try $0.checkpoint(.truncate) }
      } != nil
    }
  }

  /// Limits the file to this many pages of 4 KiB, to simulate a full disk.
  package func limitSize(pages: Int) throws {
    try database.inDatabase { try $0.execute(sql: "PRAGMA max_page_count = \(pages)") }
  }

  func reading<Value>(_ work: (Database) throws -> Value) throws(StoreError) -> Value {
    try Self.translating(path) { try connections.read(work) }
  }

  func writing<Value>(_ work: (Database) throws -> Value) throws(StoreError) -> Value {
    try Self.translating(path) { try database.write(work) }
  }

  /// Writes together with any others that write at the same time. All of it is stored, or none.
  func writingTogether<Value: Sendable>(
    _ work: @escaping @Sendable (Database) throws -> Value,
    undo: @escaping @Sendable () -> Void = {}
  ) async throws(StoreError) -> Value {
    do {
      return try await connections.write(work, undo: undo)
    } catch {
      return try Self.translating(path) { throw error }
    }
  }

  /// Keeps writes waiting until there are this many, to test what is committed together.
  package func holdWrites(until count: Int) { connections.hold(until: count) }

  /// Turns what GRDB throws into an error about this file.
  static func translating<Value>(
    _ path: String, _ work: () throws -> Value
  ) throws(StoreError) -> Value {
    do {
      return try work()
    } catch let error as StoreError {
      throw error
    } catch let error as DatabaseError {
      throw StoreError(error, path: path)
    } catch let problem as TableProblem {
      throw StoreError(problem, store: path)
    } catch {
      throw StoreError(.cannotOpen, file: path, detail: "\(error)")
    }
  }
}

/// The tables, as a new store gets them.
enum Schema {
  static let persons = text(PackageResources.persons_sql)
  static let outbox = text(PackageResources.outbox_sql)
  static let signIns = text(PackageResources.sign_ins_sql)
  static let moves = text(PackageResources.moves_sql)
  static let purchases = text(PackageResources.purchases_sql)
  static let recoveries = text(PackageResources.recoveries_sql)
  static let all = [
    text(PackageResources.events_sql), persons, outbox, signIns, moves, purchases, recoveries,
  ]

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension StoreError {
  init(_ error: DatabaseError, path: String) {
    let code: Code =
      switch error.resultCode {
      // The file's owner was checked before SQLite opened it.
      case .SQLITE_NOTADB, .SQLITE_CORRUPT: .damaged
      case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
      case .SQLITE_CANTOPEN: .cannotOpen
      default: .cannotWrite
      }
    self.init(code, file: path, detail: error.message ?? "SQLite error \(error.resultCode)")
  }
}
