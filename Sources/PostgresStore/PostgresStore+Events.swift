public import FoundationEssentials
import IncrementalJSON
public import Intake
public import SessionStore
import Synchronization

/// One conversation's events in the database.
///
/// Remembers how far it has read, and rejects an append if there are events it has not seen.
public final class PostgresSessionLog: SessionLog {
  public let session: SessionID
  private let store: PostgresStore
  private let seen = Mutex<Int?>(nil)

  init(session: SessionID, store: PostgresStore) {
    (self.session, self.store) = (session, store)
  }

  public func events() async throws -> [RecordedEvent] {
    let events = try await store.events(of: session)
    seen.withLock { $0 = events.last?.position ?? 0 }
    return events
  }

  /// - Throws: `StoreError`; nothing was stored.
  public func append(_ events: [EventEnvelope], at date: Date) async throws -> [RecordedEvent] {
    let recorded = try await store.append(
      events, to: session, at: date, behind: seen.withLock { $0 })
    if let last = recorded.last { seen.withLock { $0 = last.position } }
    return recorded
  }
}

extension PostgresStore {
  public func log(for session: SessionID) -> PostgresSessionLog {
    PostgresSessionLog(session: session, store: self)
  }

  public func events(of session: SessionID) async throws(StoreError) -> [RecordedEvent] {
    try await known { try $0.events(of: session) }
  }

  func append(
    _ events: [EventEnvelope], to session: SessionID, at date: Date, behind seen: Int?
  ) async throws(StoreError) -> [RecordedEvent] {
    guard !events.isEmpty else { return [] }
    let append = try EventAppend(session, events, at: date, store: name)
    let position = try await perform(.writing) { link throws(PostgresFailure) in
      try append.run(link, behind: seen)
    }
    guard let position else { throw StoreError(.interleaved, file: name) }
    var recorded: [RecordedEvent] = []
    for (offset, envelope) in events.enumerated() {
      do throws(UnreadableEvent) {
        recorded.append(
          try RecordedEvent(
            position: position + offset, at: Date(milliseconds: append.stamp), envelope: envelope))
      } catch {
        throw StoreError(.unreadableEvent(session: session.rawValue, error), file: name)
      }
    }
    return recorded
  }
}

/// Events on their way into the log. May be run again after its answer was lost.
struct EventAppend: Sendable {
  let session: SessionID
  let stamp: Int64
  private let kinds: [String]
  private let versions: [Int64]
  private let texts: [String]
  /// The same for every run, and different for every append.
  private let attempt = Int64.random(in: .min ... .max)

  init(
    _ session: SessionID, _ events: [EventEnvelope], at date: Date, store: String
  ) throws(StoreError) {
    (self.session, stamp) = (session, date.milliseconds)
    (kinds, versions) = (events.map(\.kind), events.map { Int64($0.version) })
    do { texts = try events.map { try $0.text } } catch {
      throw StoreError(.cannotWrite, file: store, detail: "\(error)")
    }
  }

  /// - Returns: The position of the first event; nil if somebody else wrote in the meantime.
  func run(_ link: PostgresLink, behind seen: Int?) throws(PostgresFailure) -> Int? {
    while true {
      do throws(PostgresFailure) {
        if let position = try insert(link, behind: seen) { return position }
        return try stored(link)
      } catch {
        guard error.isConflict else { throw error }
        // Taken by an earlier run of this append, or by somebody else.
        if let position = try stored(link) { return position }
        if seen != nil { return nil }
      }
    }
  }

  /// One statement, which is carried out whole or not at all.
  private func insert(
    _ link: PostgresLink, behind seen: Int?
  ) throws(PostgresFailure) -> Int? {
    let completes = kinds.contains(IntakeEvent.Kind.discoveryCompleted.rawValue)
    let counts = completes ? try !isRehearsal(link) : false
    let rows = try link.query(
      """
      WITH last AS (SELECT coalesce(max(position), 0) AS position FROM event WHERE session = $1),
      added AS (
        INSERT INTO event (session, position, at_ms, kind, version, json, attempt)
        SELECT $1, last.position + new.number, $2, new.kind, new.version, new.json, $3
        FROM last, unnest($4, $5, $6) WITH ORDINALITY AS new (kind, version, json, number)
        WHERE last.position = coalesce($7, last.position)
          AND NOT EXISTS (SELECT FROM event WHERE session = $1 AND attempt = $3)
        RETURNING position
      ),
      finished AS (
        INSERT INTO discovery (session, person)
        SELECT id, person FROM session
        WHERE id = $1 AND $8 = 1 AND EXISTS (SELECT FROM added)
        ON CONFLICT DO NOTHING
      )
      SELECT min(position) FROM added
      """,
      [
        .text(session.rawValue), .integer(stamp), .integer(attempt), .texts(kinds),
        .integers(versions), .texts(texts),
        PostgresValue.integer(seen), .integer(counts ? 1 : 0),
      ])
    return rows.first?.integer(0).map { Int($0) }
  }

  private func stored(_ link: PostgresLink) throws(PostgresFailure) -> Int? {
    let rows = try link.query(
      "SELECT min(position) FROM event WHERE session = $1 AND attempt = $2",
      [.text(session.rawValue), .integer(attempt)])
    return rows.first?.integer(0).map { Int($0) }
  }

  private func isRehearsal(_ link: PostgresLink) throws(PostgresFailure) -> Bool {
    let kind = IntakeEvent.Kind.started.rawValue
    let rows = try link.query(
      "SELECT json FROM event WHERE session = $1 AND kind = $2",
      [.text(session.rawValue), .text(kind)])
    let now = zip(kinds, texts).filter { $0.0 == kind }.map(\.1)
    return (rows.rows.compactMap { $0.text(0) } + now).contains(where: EventJSON.isRehearsal)
  }
}

/// What the store itself reads of an event.
enum EventJSON {
  static func isRehearsal(_ json: String) -> Bool {
    (try? JSONValue(parsing: json))?["source"]?.stringValue == "rehearsal"
  }

  static func journey(_ json: String) -> String? {
    (try? JSONValue(parsing: json))?["journey"]?.stringValue
  }

  /// What somebody said in it.
  static func words(_ json: String) -> String? {
    guard let value = try? JSONValue(parsing: json) else { return nil }
    return value["text"]?.stringValue ?? value["reply"]?["text"]?.stringValue
  }
}
