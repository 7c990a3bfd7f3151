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
    guard let events = try store.events(of: session, continuing: known) else { return try events() }
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
    try reading { database in
      try Row.fetchAll(
        database.cachedStatement(
          sql:
            "SELECT position, at_ms, kind, version, json FROM event WHERE session = ? ORDER BY position"
        ),
        arguments: [session.rawValue]
      ).map { try self.event($0, of: session) }
    }
  }

  /// What is stored, given its beginning; nil if it begins otherwise. A log only ever grows, so its last
  /// event tells whether it is the same one.
  fileprivate func events(
    of session: SessionID, continuing known: [RecordedEvent]
  ) throws(StoreError) -> [RecordedEvent]? {
    guard let last = known.last else { return nil }
    return try reading { database in
      let rows = try Row.fetchAll(
        database.cachedStatement(
          sql: """
            SELECT position, at_ms, kind, version, json FROM event
            WHERE session = ? AND position >= ? ORDER BY position
            """), arguments: [session.rawValue, last.position])
      guard let first = rows.first, try value(of: "position", in: first) == last.position,
        try value(of: "at_ms", in: first) == last.at.milliseconds,
        try value(of: "kind", in: first) == last.envelope.kind
      else { return nil }
      return known + (try rows.dropFirst().map { try self.event($0, of: session) })
    }
  }

  private func event(_ row: Row, of session: SessionID) throws -> RecordedEvent {
    let position: Int = try value(of: "position", in: row)
    let at = Date(milliseconds: try value(of: "at_ms", in: row))
    let envelope = EventEnvelope(
      kind: try value(of: "kind", in: row), version: try value(of: "version", in: row),
      json: try value(of: "json", in: row))
    do throws(UnreadableEvent) {
      return try RecordedEvent(position: position, at: at, envelope: envelope)
    } catch {
      throw StoreError(.unreadableEvent(session: session.rawValue, error), file: path)
    }
  }

  /// - Throws: `damaged` if the file holds a value of another type, at which GRDB would trap.
  func value<Value: DatabaseValueConvertible>(
    of column: String, in row: Row
  ) throws(StoreError) -> Value {
    let stored: DatabaseValue = row[column]
    guard let value = Value.fromDatabaseValue(stored) else {
      throw StoreError(.damaged, file: path, detail: "\(column) holds another type of value")
    }
    return value
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
