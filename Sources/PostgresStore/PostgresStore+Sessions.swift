public import FoundationEssentials
import Intake
public import SessionStore

extension PostgresStore {
  public func createSession(
    _ named: SessionID?, at date: Date
  ) async throws(StoreError) -> SessionID {
    var generator = SystemRandomNumberGenerator()
    let id = named ?? SessionID.random(using: &generator)
    let rows = try await perform(.writing) { link throws(PostgresFailure) in
      try link.query(
        "INSERT INTO session (id, created_ms, person) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        [.text(id.rawValue), .integer(date.milliseconds), .text(person.rawValue)])
      return try link.query("SELECT person FROM session WHERE id = $1", [.text(id.rawValue)])
    }
    guard rows.first?.text(0) == person.rawValue else {
      throw StoreError(.cannotWrite, file: name, detail: "the new conversation's id is taken")
    }
    return id
  }

  public func contains(_ session: SessionID) async throws(StoreError) -> Bool {
    // No text in the database has one.
    guard !session.rawValue.contains("\0") else { return false }
    return try await known { try $0.contains(session) }
  }

  public func everybody() async throws(StoreError) -> [PersonID] {
    try await known { try $0.everybody() }
  }

  public func sessions(withEvent kind: String) async throws(StoreError) -> [SessionID] {
    try await known { try $0.sessions(withEvent: kind) }
  }

  public func latestSession() async throws(StoreError) -> SessionID? {
    try await sessions().latest
  }

  public func latestSession(isRehearsal: Bool) async throws(StoreError) -> SessionID? {
    try await sessions().filter { $0.isRehearsal == isRehearsal }.latest
  }

  public func finishedDiscovery() async throws(StoreError) -> SessionID? {
    try await sessions().finishedDiscovery
  }

  public func hasFinishedDiscovery() async throws(StoreError) -> Bool {
    try await known { try $0.hasFinishedDiscovery() }
  }

  public func session(matching prefix: String) async throws(StoreError) -> SessionID {
    try await sessions().session(matching: prefix, in: name)
  }

  public func sessions() async throws(StoreError) -> [SessionSummary] {
    let found = try await query(.reading, Self.summaries, [.text(person.rawValue)])
    var summaries: [SessionSummary] = []
    for row in found.rows {
      summaries.append(
        SessionSummary(
          id: SessionID(rawValue: try require(row.text(0))),
          created: Date(milliseconds: try require(row.integer(1))),
          updated: Date(milliseconds: try require(row.integer(2))),
          turns: Int(row.integer(3) ?? 0),
          kinds: Set((row.text(4) ?? "").split(separator: ",").map(String.init)),
          isRehearsal: row.text(5).map { EventJSON.isRehearsal($0) } ?? false,
          firstWords: row.text(6).flatMap { EventJSON.words($0) } ?? "",
          journey: row.text(7).flatMap { EventJSON.journey($0) },
          answers: Int(row.integer(8) ?? 0)))
    }
    return summaries
  }

  private static let summaries = """
    SELECT id, created_ms, coalesce(max(at_ms), created_ms) AS updated_ms,
      count(*) FILTER (WHERE kind = 'userSaid'), string_agg(DISTINCT kind, ','),
      (SELECT json FROM event WHERE session = id AND kind = 'started'
        ORDER BY position LIMIT 1),
      (SELECT json FROM event WHERE session = id AND kind = 'userSaid'
        ORDER BY position LIMIT 1),
      (SELECT json FROM event WHERE session = id AND kind = 'journeyStarted'
        ORDER BY position LIMIT 1),
      count(DISTINCT substring(json from '"step":"([^"]*)"')) FILTER (WHERE kind = 'journeyAnswered')
    FROM session LEFT JOIN event ON event.session = id
    WHERE person = $1 GROUP BY id ORDER BY updated_ms DESC, created_ms DESC, id
    """

  public func sessions(mentioning text: String) async throws(StoreError) -> Set<SessionID> {
    let wanted = text.lowercased()
    let found = try await query(
      .reading,
      """
      SELECT event.session, json FROM event JOIN session ON session.id = event.session
      WHERE person = $1
      """, [.text(person.rawValue)])
    var sessions: Set<SessionID> = []
    for row in found.rows {
      let session = SessionID(rawValue: try require(row.text(0)))
      guard !sessions.contains(session), let words = row.text(1).flatMap({ EventJSON.words($0) }),
        words.lowercased().contains(wanted)
      else { continue }
      sessions.insert(session)
    }
    return sessions
  }
}

// One writer.
extension PostgresStore {
  public func acquireWriter(of session: SessionID) async throws(StoreError) -> SessionWriter {
    let holder: String?
    do throws(PostgresFailure) {
      holder = try await writers.take(session, until: .now + patience)
    } catch {
      throw StoreError(error, .writing, store: name)
    }
    if let holder { throw StoreError(.sessionHeld(by: SessionHolder(named: holder)), file: name) }
    return SessionWriter { [writers] in writers.release(session) }
  }

  public func waitForWriter(
    of session: SessionID, atMost limit: Duration
  ) async throws(CancellationError) {
    await writers.wait(for: session, atMost: limit)
    if Task.isCancelled { throw CancellationError() }
  }
}

extension SessionHolder {
  /// From the name of its connection: `rapport 1234`.
  init(named name: String) {
    self.init(process: name.split(separator: " ").last.flatMap { Int32($0) } ?? 0, terminal: "")
  }
}

// Deleting.
extension PostgresStore {
  /// Deletes these sessions, or none. The words are gone from the tables; the database overwrites them
  /// in its files when it next tidies them, and its backups keep them as long as they are kept.
  public func forget(
    _ sessions: [SessionID], givesSpaceBack: Bool = true
  ) async throws(StoreError) {
    for session in sessions where try await !contains(session) {
      throw StoreError(.noSuchSession(session.rawValue), file: name)
    }
    try await tables(.writing, together: true) { tables, link in
      try Self.remove(sessions, link)
      try tables.forgetUnusedHealth()
    }
    if givesSpaceBack { await giveSpaceBack() }
  }

  static func remove(
    _ sessions: [SessionID], _ link: PostgresLink
  ) throws(PostgresFailure) {
    let ids = sessions.map(\.rawValue)
    // The lock waits for appends that are being carried out, and makes later ones fail.
    for sql in [
      "SELECT 1 FROM session WHERE id = ANY ($1) ORDER BY id FOR UPDATE",
      "INSERT INTO forgetting (session) SELECT unnest($1) ON CONFLICT DO NOTHING",
      "DELETE FROM outbox WHERE session = ANY ($1)",
      "DELETE FROM event WHERE session = ANY ($1)", "DELETE FROM session WHERE id = ANY ($1)",
      "DELETE FROM forgetting WHERE session = ANY ($1)",
    ] {
      try link.query(sql, [.texts(ids)])
    }
  }

  /// Lets the database reuse what was deleted, which overwrites it in time.
  func giveSpaceBack() async {
    try? await perform(.writing, isRepeatable: false) { link throws(PostgresFailure) in
      for table in ["event", "session", "health", "outbox"] {
        try link.script("VACUUM rapport.\(table)")
      }
    }
  }

  /// No matter who it belongs to.
  public func tidy(at date: Date, keeping kept: SessionID?) async throws(StoreError) {
    let found = try await query(
      .reading,
      """
      SELECT id FROM session
      WHERE created_ms < $1 AND NOT EXISTS (
        SELECT FROM event WHERE session = id AND (at_ms >= $1 OR kind <> ALL ($2)))
      """, [.integer(date.addingTimeInterval(-86_400).milliseconds), Self.ownKinds])
    for id in found.rows.compactMap({ $0.text(0) }) where id != kept?.rawValue {
      guard let writer = try? await acquireWriter(of: SessionID(rawValue: id)) else { continue }
      try await perform(.writing) { link throws(PostgresFailure) in
        try link.transaction { link throws(PostgresFailure) in
          let said = try link.query(
            "SELECT 1 FROM event WHERE session = $1 AND kind <> ALL ($2)",
            [.text(id), Self.ownKinds])
          if said.isEmpty { try Self.remove([SessionID(rawValue: id)], link) }
        }
      }
      withExtendedLifetime(writer) {}
    }
  }

  private static let ownKinds = PostgresValue.texts(Array(SessionSummary.ownKinds))
}
