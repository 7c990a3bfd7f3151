public import FoundationEssentials
import GRDB
public import Intake
import Synchronization

/// One session's events in the store.
///
/// It remembers how far it has read, and refuses to append behind events that it has not seen.
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

  /// - Throws: `StoreError`; then nothing was stored.
  public func append(_ events: [IntakeEvent], at date: Date) throws -> [RecordedEvent] {
    try seen.withLock { seen in
      let recorded = try store.append(events, to: session, at: date, behind: seen)
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
    try Self.translating(path) {
      try database.inDatabase { database in
        try Row.fetchAll(
          database,
          sql: "SELECT position, at_ms, json FROM event WHERE session = ? ORDER BY position",
          arguments: [session.rawValue]
        ).map { try self.event($0, of: session) }
      }
    }
  }

  private func event(_ row: Row, of session: SessionID) throws -> RecordedEvent {
    let position: Int = row["position"]
    let json: String = row["json"]
    do {
      return RecordedEvent(
        position: position, at: Date(milliseconds: row["at_ms"]),
        event: try JSONDecoder.events.decode(IntakeEvent.self, from: Data(json.utf8)))
    } catch {
      throw StoreError(
        .unreadableEvent(session: session.rawValue, position: position), file: path,
        detail: "\(error)")
    }
  }

  func append(
    _ events: [IntakeEvent], to session: SessionID, at date: Date, behind seen: Int?
  ) throws(StoreError) -> [RecordedEvent] {
    try Self.translating(path) {
      try database.inDatabase { database in
        var recorded: [RecordedEvent] = []
        try database.inTransaction(.immediate) {
          let last = try Int.fetchOne(
            database, sql: "SELECT max(position) FROM event WHERE session = ?",
            arguments: [session.rawValue])
          guard seen == nil || seen == last ?? 0 else { throw StoreError(.interleaved, file: path) }
          for event in events {
            let position = (last ?? 0) + recorded.count + 1
            try insert(event, at: date, position, session, database)
            recorded.append(
              RecordedEvent(
                position: position, at: Date(milliseconds: date.milliseconds), event: event))
          }
          return .commit
        }
        return recorded
      }
    }
  }

  private func insert(
    _ event: IntakeEvent, at date: Date, _ position: Int, _ session: SessionID,
    _ database: Database
  ) throws {
    let json = String(decoding: try JSONEncoder.events.encode(event), as: UTF8.self)
    try database.execute(
      sql: "INSERT INTO event (session, position, at_ms, kind, json) VALUES (?, ?, ?, ?, ?)",
      arguments: [
        session.rawValue, position, date.milliseconds, event.kind.rawValue, json,
      ])
    if event.kind == .discoveryCompleted {
      try database.execute(
        sql: """
          INSERT OR IGNORE INTO discovery (session)
          SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM event WHERE session = ?1 AND kind = 'started'
            AND json_extract(json, '$.source') = 'rehearsal')
          """,
        arguments: [session.rawValue])
    }
  }
}

extension JSONEncoder {
  /// Events as they are stored and exported: keys in order, dates as ISO 8601.
  static var events: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return encoder
  }
}

extension JSONDecoder {
  static var events: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return decoder
  }
}

extension Date {
  init(milliseconds: Int64) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
  }

  /// Whole milliseconds since 1970.
  var milliseconds: Int64 {
    Int64(exactly: (timeIntervalSince1970 * 1_000).rounded()) ?? 0
  }
}
