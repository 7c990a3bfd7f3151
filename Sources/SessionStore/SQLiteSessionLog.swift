public import FoundationEssentials
import GRDB
public import Intake
import Synchronization

/// One session's events in the store.
///
/// Remembers how far it has read, and rejects an append if there are events it has not seen.
public final class SQLiteSessionLog: SessionLog {
  public let session: SessionID
  private let store: SessionStore
  private let seen = Mutex<Int?>(nil)

  init(session: SessionID, store: SessionStore) {
    self.session = session
    self.store = store
  }

  public func events() throws -> [RecordedEvent] {
    let events = try store.events(of: session)
    seen.withLock { $0 = events.last?.position ?? 0 }
    return events
  }

  public func events(continuing known: [RecordedEvent]) throws -> [RecordedEvent] {
    let events = try store.known { try $0.events(of: session, continuing: known) }
    guard let events else { return try self.events() }
    seen.withLock { $0 = events.last?.position ?? 0 }
    return events
  }

  /// - Throws: `StoreError`; nothing was stored.
  public func append(_ events: [EventEnvelope], at date: Date) throws -> [RecordedEvent] {
    let before = position
    return try SessionStore.translating(store.path) {
      try store.database.inDatabase { database in
        var recorded: [RecordedEvent] = []
        do {
          try database.inTransaction(.immediate) {
            recorded = try write(events, at: date, database)
            return .commit
          }
        } catch {
          position = before
          throw error
        }
        return recorded
      }
    }
  }

  /// Appends in one transaction with the other conversations that append at the same time. The calling
  /// task suspends until it is on disk, and its thread is free.
  ///
  /// - Throws: `StoreError`; nothing was stored.
  public func appendTogether(
    _ events: [EventEnvelope], at date: Date
  ) async throws -> [RecordedEvent] {
    let before = position
    return try await store.writingTogether({ try self.write(events, at: date, $0) }) {
      self.position = before
    }
  }

  @discardableResult
  public func append(_ events: [IntakeEvent], at date: Date) throws -> [RecordedEvent] {
    try append(events.map { EventEnvelope($0) }, at: date)
  }

  private var position: Int? {
    get { seen.withLock(\.self) }
    set { seen.withLock { $0 = newValue } }
  }

  private func write(
    _ events: [EventEnvelope], at date: Date, _ database: Database
  ) throws -> [RecordedEvent] {
    try seen.withLock { seen in
      let recorded = try store.insert(events, into: session, at: date, behind: seen, database)
      seen = recorded.last?.position ?? seen
      return recorded
    }
  }
}

extension SessionStore {
  public func log(for session: SessionID) -> SQLiteSessionLog {
    SQLiteSessionLog(session: session, store: self)
  }

  public func events(of session: SessionID) throws(StoreError) -> [RecordedEvent] {
    try known { try $0.events(of: session) }
  }

  fileprivate func insert(
    _ events: [EventEnvelope], into session: SessionID, at date: Date, behind seen: Int?,
    _ database: Database
  ) throws -> [RecordedEvent] {
    let last = try Int.fetchOne(
      database.cachedStatement(sql: "SELECT max(position) FROM event WHERE session = ?"),
      arguments: [session.rawValue])
    guard seen == nil || seen == last ?? 0 else { throw StoreError(.interleaved, file: path) }
    return try events.enumerated().map { index, event in
      let position = (last ?? 0) + index + 1
      try insert(event, at: date, position, session, database)
      return try RecordedEvent(
        position: position, at: Date(milliseconds: date.milliseconds), envelope: event)
    }
  }

  private func insert(
    _ event: EventEnvelope, at date: Date, _ position: Int, _ session: SessionID,
    _ database: Database
  ) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO event (session, position, at_ms, kind, version, json)
        VALUES (?, ?, ?, ?, ?, ?)
        """
    ).execute(
      arguments: [
        session.rawValue, position, date.milliseconds, event.kind, event.version, event.text,
      ])
    if event.kind == IntakeEvent.Kind.discoveryCompleted.rawValue {
      try database.execute(
        sql: """
          INSERT OR IGNORE INTO discovery (session, person)
          SELECT ?1, (SELECT person FROM session WHERE id = ?1) WHERE NOT EXISTS (SELECT 1 FROM event WHERE session = ?1 AND kind = 'started'
            AND json_extract(json, '$.source') = 'rehearsal')
          """,
        arguments: [session.rawValue])
    }
  }
}

extension Date {
  package init(milliseconds: Int64) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
  }

  /// Whole milliseconds since 1970.
  package var milliseconds: Int64 {
    Int64(exactly: (timeIntervalSince1970 * 1_000).rounded()) ?? 0
  }
}
