public import FoundationEssentials
import GRDB
import Intake

extension SessionStore {
  /// What an intake records before anybody says something.
  static let ownKinds = Set(
    [IntakeEvent.Kind.started, .greeted, .healthNoted, .healthWithdrawn].map(\.rawValue))

  /// Removes what earlier programs left behind: sessions in which nothing was said for a day, and
  /// the locks of processes that were killed. What another process has open stays.
  ///
  /// - Parameter kept: A session to keep in any case.
  public func tidy(at date: Date, keeping kept: SessionID? = nil) throws(StoreError) {
    let yesterday = date.addingTimeInterval(-86_400)
    for session in try sessions() where session.isUnused && session.updated < yesterday {
      guard session.id != kept, let writer = try? acquireWriter(of: session.id) else { continue }
      try removeIfUnused(session.id)
      withExtendedLifetime(writer) {}
    }
    for file in leftLocks() {
      (try? FileLock(path: file))?.remove(file)
    }
  }

  private func removeIfUnused(_ session: SessionID) throws(StoreError) {
    try Self.translating(path) {
      try database.write { database in
        let kinds = try String.fetchSet(
          database, sql: "SELECT kind FROM event WHERE session = ?", arguments: [session.rawValue])
        if kinds.isSubset(of: Self.ownKinds) { try Self.remove(session, from: database) }
      }
    }
  }

  static func remove(_ session: SessionID, from database: Database) throws {
    for sql in [
      "INSERT INTO forgetting (session) VALUES (?)", "DELETE FROM event WHERE session = ?",
      "DELETE FROM session WHERE id = ?", "DELETE FROM forgetting WHERE session = ?",
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
