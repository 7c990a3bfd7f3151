import GRDB
import Glibc
import Synchronization

/// A store's connections: one that writes, and one that reads what is committed, so that a reader
/// never waits for a commit to reach the disk.
final class StoreConnections: Sendable {
  let writer: DatabaseQueue
  private let path: String
  private let reader = Mutex<DatabaseQueue?>(nil)
  private let waiting = Mutex<[Write]>([])
  /// Whether the last commit held more than one write.
  private let hadCompany = Atomic(false)
  private let pause: @Sendable () -> Void
  let writers: WriterLocks

  init(writer: DatabaseQueue, path: String, pause: @escaping @Sendable () -> Void) {
    (self.writer, self.path, self.pause) = (writer, path, pause)
    writers = WriterLocks(store: path)
  }

  deinit {
    // The last connection to close moves the log into the file, and only the writer can.
    try? reader.withLock(\.self)?.close()
  }

  /// Reads. Each statement sees one state of the store; nothing is written on this connection.
  func read<Value>(_ work: (Database) throws -> Value) throws -> Value {
    let queue = try reader.withLock { reader in
      if let reader { return reader }
      let opened = try DatabaseQueue(path: path, configuration: Self.readOnly)
      reader = opened
      return opened
    }
    return try queue.inDatabase(work)
  }

  private static var readOnly: Configuration {
    var configuration = SessionStore.configuration
    configuration.readonly = true
    return configuration
  }
}

// Writing together.
extension StoreConnections {
  /// One of several writes in a transaction.
  private struct Write: Sendable {
    /// Does it, and returns what to tell the waiting caller once the commit has succeeded, or failed.
    let work: @Sendable (Database) -> @Sendable ((any Error)?) -> Void
    /// The transaction could not begin.
    let refuse: @Sendable (any Error) -> Void
  }

  /// Writes in a transaction that other writes may share: those that arrive during a commit go into the
  /// next one together, so that many conversations wait for one sync instead of one each. While writes
  /// keep coming together, a commit first waits two milliseconds for more (PostgreSQL's `commit_delay`).
  ///
  /// - Parameters:
  ///   - work: All of what it writes is stored, or none.
  ///   - undo: Called if the work was done but the commit failed.
  /// - Throws: What the work throws, which does not touch the other writes; or the commit's error.
  func write<Value: Sendable>(
    _ work: @escaping @Sendable (Database) throws -> Value,
    undo: @escaping @Sendable () -> Void = {}
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let write = Write(
        work: { database in
          let outcome = Result { try Self.separately(database, work) }
          return { failure in
            if let failure, case .success = outcome {
              undo()
              continuation.resume(throwing: failure)
            } else {
              continuation.resume(with: outcome)
            }
          }
        },
        refuse: { continuation.resume(throwing: $0) })
      let isFirst = waiting.withLock { waiting in
        waiting.append(write)
        return waiting.count == 1
      }
      if isFirst { writer.asyncWriteWithoutTransaction { [self] in commit($0) } }
    }
  }

  private static func separately<Value>(
    _ database: Database, _ work: (Database) throws -> Value
  ) throws -> Value {
    // An earlier write may have failed in such a way that nothing of the transaction is left.
    guard database.isInsideTransaction else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
    // GRDB's own savepoints are parsed anew each time.
    try database.cachedStatement(sql: "SAVEPOINT one_write").execute()
    let outcome = Result { try work(database) }
    if case .failure = outcome, database.isInsideTransaction {
      try database.cachedStatement(sql: "ROLLBACK TO one_write").execute()
    }
    if database.isInsideTransaction {
      try database.cachedStatement(sql: "RELEASE one_write").execute()
    }
    return try outcome.get()
  }

  /// Keeps writes waiting until there are this many, to test what is committed together.
  func hold(until count: Int) {
    writer.asyncWriteWithoutTransaction { [self] _ in
      while waiting.withLock(\.count) < count { sched_yield() }
    }
  }

  /// Does everything that waits.
  private func commit(_ database: Database) {
    if hadCompany.load(ordering: .relaxed) { pause() }
    let writes = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    hadCompany.store(writes.count > 1, ordering: .relaxed)
    var reports: [@Sendable ((any Error)?) -> Void] = []
    do {
      try database.inTransaction(.immediate) {
        reports = writes.map { $0.work(database) }
        return .commit
      }
      for report in reports { report(nil) }
    } catch {
      if reports.isEmpty { for write in writes { write.refuse(error) } }
      for report in reports { report(error) }
    }
  }
}
