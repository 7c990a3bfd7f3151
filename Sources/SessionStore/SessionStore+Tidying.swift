public import FoundationEssentials
import GRDB

extension SessionStore {
  /// Removes what earlier programs left behind, no matter who it belongs to: sessions in which nothing was
  /// said for a day, and what killed processes and earlier versions left of their locks. What somebody
  /// has open stays.
  ///
  /// - Parameter kept: A session to keep in any case.
  public func tidy(at date: Date, keeping kept: SessionID? = nil) throws(StoreError) {
    let yesterday = date.addingTimeInterval(-86_400)
    for session in try unused(since: yesterday) where session != kept {
      guard let writer = try? acquireWriter(of: session) else { continue }
      try removeIfUnused(session)
      withExtendedLifetime(writer) {}
    }
    _ = presence.exclusively { connections.writers.clear() }
    for file in leftLocks() {
      (try? FileLock(path: file))?.remove(file)
    }
  }

  private func unused(since date: Date) throws(StoreError) -> [SessionID] {
    let kinds = databaseQuestionMarks(count: SessionSummary.ownKinds.count)
    return try Self.translating(path) {
      try database.inDatabase { database in
        try String.fetchAll(
          database,
          sql: """
            SELECT id FROM session
            WHERE NOT EXISTS (
                SELECT 1 FROM event WHERE session = id AND kind NOT IN (\(kinds)))
              AND coalesce((SELECT max(at_ms) FROM event WHERE session = id), created_ms) < ?
            """, arguments: StatementArguments(SessionSummary.ownKinds) + [date.milliseconds])
      }
    }.map(SessionID.init(rawValue:))
  }

  private func removeIfUnused(_ session: SessionID) throws(StoreError) {
    try writing { database in
      let kinds = try String.fetchSet(
        database, sql: "SELECT kind FROM event WHERE session = ?", arguments: [session.rawValue])
      if kinds.isSubset(of: SessionSummary.ownKinds) { try Self.remove(session, from: database) }
    }
  }

  static func remove(_ session: SessionID, from database: Database) throws {
    for sql in [
      "INSERT INTO forgetting (session) VALUES (?)", "DELETE FROM event WHERE session = ?",
      "DELETE FROM session WHERE id = ?", "DELETE FROM forgetting WHERE session = ?",
      "DELETE FROM outbox WHERE session = ?",
    ] {
      try database.execute(sql: sql, arguments: [session.rawValue])
    }
  }

  private func leftLocks() -> [String] {
    let folder = path.folder
    let name = path.dropFirst(folder.isEmpty ? 0 : folder.count + 1)
    let files = try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)
    return (files ?? []).filter { $0.hasPrefix(name + ".") && $0.hasSuffix(".lock") }
      .map { folder.isEmpty ? $0 : folder + "/" + $0 }
  }
}
