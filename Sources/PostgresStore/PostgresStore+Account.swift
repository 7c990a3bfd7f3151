public import FoundationEssentials
import IncrementalJSON
public import SessionStore

// Who has signed in to an account elsewhere.
extension PostgresStore {
  public var outbox: any AccountOutbox { PostgresOutbox(store: self) }

  public func signIn() async throws(StoreError) -> String? {
    try await query(
      .reading, "SELECT json FROM sign_in WHERE person = $1", [.text(person.rawValue)]
    ).first?.text(0)
  }

  public func setSignIn(_ text: String?) async throws(StoreError) {
    guard let text else {
      _ = try await query(
        .writing, "DELETE FROM sign_in WHERE person = $1", [.text(person.rawValue)])
      return
    }
    _ = try await query(
      .writing,
      """
      INSERT INTO sign_in (person, json) VALUES ($1, $2)
      ON CONFLICT (person) DO UPDATE SET json = excluded.json
      """, [.text(person.rawValue), .text(text)])
  }

  public func peopleWithRows(dueBy date: Date) async throws(StoreError) -> [PersonID] {
    try await query(
      .reading,
      """
      SELECT DISTINCT person FROM outbox JOIN sign_in USING (person)
      WHERE state = 'waiting' AND next_ms <= $1 ORDER BY person
      """, [.integer(date.milliseconds)]
    ).rows.compactMap { $0.text(0).map { PersonID(rawValue: $0) } }
  }
}

/// Rows on their way to accounts, in a database that several servers share.
struct PostgresOutbox: AccountOutbox {
  let store: PostgresStore
  private var me: PostgresValue { .text(store.person.rawValue) }

  @discardableResult
  func put(_ row: OutboxRow, at date: Date) async throws(StoreError) -> Bool {
    try await !store.query(
      .writing,
      """
      INSERT INTO outbox (person, name, id, json, session, changed_ms, next_ms)
      VALUES ($1, $2, $3, $4, $5, $6, $6)
      ON CONFLICT (person, name, id) DO UPDATE SET json = excluded.json,
        session = excluded.session,
        changed_ms = greatest(excluded.changed_ms, outbox.changed_ms + 1),
        next_ms = excluded.next_ms, revision = outbox.revision + 1, state = 'waiting',
        attempts = 0, problem = NULL
      WHERE outbox.json <> excluded.json RETURNING 1
      """,
      [
        me, .text(row.table), .text(row.id ?? ""),
        .text(JSONValue.object(row.columns).serialized()), .text(row.session?.rawValue),
        .integer(date.milliseconds),
      ]
    ).isEmpty
  }

  func entries() async throws(StoreError) -> [OutboxEntry] { try await entries("TRUE", []) }

  func waiting(
    for account: String, dueBy date: Date?
  ) async throws(StoreError) -> [OutboxEntry] {
    try await entries(
      """
      state = 'waiting' AND (account IS NULL OR account = $2)
        AND ($3::bigint IS NULL OR next_ms <= $3)
      """, [.text(account), .integer(date?.milliseconds)])
  }

  func claim(for account: String) async throws(StoreError) {
    _ = try await store.query(
      .writing, "UPDATE outbox SET account = $2 WHERE person = $1 AND account IS NULL",
      [me, .text(account)])
  }

  func remove(_ session: SessionID) async throws(StoreError) {
    _ = try await store.query(
      .writing, "DELETE FROM outbox WHERE person = $1 AND session = $2 AND state <> 'sent'",
      [me, .text(session.rawValue)])
  }

  func markSent(_ entry: OutboxEntry) async throws(StoreError) {
    try await update(entry, "state = 'sent', attempts = 0, problem = NULL")
  }

  func markOutdated(_ entry: OutboxEntry) async throws(StoreError) {
    try await update(entry, "state = 'outdated', problem = NULL")
  }

  func setAside(_ entry: OutboxEntry, _ problem: String) async throws(StoreError) {
    try await update(entry, "state = 'set-aside', problem = $5", [.text(problem)])
  }

  func postpone(
    _ entry: OutboxEntry, until date: Date, _ problem: String
  ) async throws(StoreError) {
    // Counted from what was read, so that a lost answer, or another server, doesn't count twice.
    try await update(
      entry, "attempts = $5, next_ms = $6, problem = $7",
      [.integer(entry.attempts + 1), .integer(date.milliseconds), .text(problem)])
  }

  private func update(
    _ entry: OutboxEntry, _ change: String, _ values: [PostgresValue] = []
  ) async throws(StoreError) {
    _ = try await store.query(
      .writing,
      """
      UPDATE outbox SET \(change) WHERE person = $1 AND name = $2 AND id = $3 AND revision = $4
      """,
      [me, .text(entry.row.table), .text(entry.row.id ?? ""), .integer(entry.revision)] + values)
  }

  private func entries(
    _ condition: String, _ values: [PostgresValue]
  ) async throws(StoreError) -> [OutboxEntry] {
    let found = try await store.query(
      .reading,
      """
      SELECT name, id, json, session, changed_ms, revision, account, state, attempts, next_ms,
        problem
      FROM outbox WHERE person = $1 AND (\(condition)) ORDER BY changed_ms, name, id
      """, [me] + values)
    var entries: [OutboxEntry] = []
    for row in found.rows {
      let id = try store.require(row.text(1))
      let columns = try? JSONValue(parsing: try store.require(row.text(2))).objectValue
      entries.append(
        OutboxEntry(
          row: OutboxRow(
            table: try store.require(row.text(0)), id: id.isEmpty ? nil : id,
            columns: try store.require(columns),
            session: row.text(3).map { SessionID(rawValue: $0) }),
          changedAt: Date(milliseconds: try store.require(row.integer(4))),
          revision: Int(try store.require(row.integer(5))), account: row.text(6),
          state: try store.require(row.text(7).flatMap { OutboxEntry.State(rawValue: $0) }),
          attempts: Int(row.integer(8) ?? 0),
          nextAt: Date(milliseconds: try store.require(row.integer(9))), problem: row.text(10)))
    }
    return entries
  }
}
