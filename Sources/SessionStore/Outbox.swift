public import FoundationEssentials
import GRDB
public import IncrementalJSON

/// A row that the person's account is to have.
public struct OutboxRow: Hashable, Sendable {
  /// The table in the account's database.
  public var table: String
  /// The row's `id`; nil in a table with one row a person.
  public var id: String?
  /// The other columns, without `user_id` and `updated_at`.
  public var columns: JSONObject
  /// The conversation that it comes from, and is forgotten with.
  public var session: SessionID?

  public init(table: String, id: String? = nil, columns: JSONObject, session: SessionID? = nil) {
    self.table = table
    self.id = id
    self.columns = columns
    self.session = session
  }
}

/// A row in the outbox, and how far it has come.
public struct OutboxEntry: Hashable, Sendable {
  public enum State: String, Hashable, Sendable, CaseIterable {
    case waiting
    case sent
    /// The account cannot take it; sending it again would not help.
    case setAside = "set-aside"
    /// The account has a newer one, from another device.
    case outdated
  }

  public var row: OutboxRow
  public var changedAt: Date
  /// Rises with every change, so that the answer to an older one is not taken for this one's.
  public var revision: Int
  /// The account that it belongs to; nil until one takes it.
  public var account: String?
  public var state: State
  /// Failed attempts since the last change.
  public var attempts: Int
  /// Not to be tried again by itself before then.
  public var nextAt: Date
  /// Why it is not there yet, for an engineer.
  public var problem: String?

  package init(
    row: OutboxRow, changedAt: Date, revision: Int, account: String?, state: State, attempts: Int,
    nextAt: Date, problem: String?
  ) {
    (self.row, self.changedAt, self.revision) = (row, changedAt, revision)
    (self.account, self.state, self.attempts) = (account, state, attempts)
    (self.nextAt, self.problem) = (nextAt, problem)
  }
}

extension [OutboxEntry] {
  /// What waits and belongs to another account than the one that is signed in.
  package func waiting(forOthersThan account: String) -> Int {
    count { $0.state == .waiting && $0.account != nil && $0.account != account }
  }
}

/// Rows on their way to the person's account, stored where their conversations are.
///
/// There is one entry for each row, so a newer version replaces an older one that has not left yet. An
/// entry is on disk when ``put(_:at:)`` returns.
public protocol AccountOutbox: Sendable {
  /// Queues a row. Does nothing if it is there already with the same columns.
  ///
  /// - Returns: Whether anything changed.
  @discardableResult
  func put(_ row: OutboxRow, at date: Date) async throws(StoreError) -> Bool
  /// Everything, in the order of its changes.
  func entries() async throws(StoreError) -> [OutboxEntry]
  /// What is to be sent to an account: its own rows, and those that no account has taken.
  ///
  /// - Parameter date: Leaves out what is not due by then; nil leaves out nothing.
  func waiting(for account: String, dueBy date: Date?) async throws(StoreError) -> [OutboxEntry]
  /// Gives an account the rows that nobody has taken. From then on they go to no other.
  func claim(for account: String) async throws(StoreError)
  /// Removes what a session has queued and not sent.
  func remove(_ session: SessionID) async throws(StoreError)
  func markSent(_ entry: OutboxEntry) async throws(StoreError)
  func markOutdated(_ entry: OutboxEntry) async throws(StoreError)
  func setAside(_ entry: OutboxEntry, _ problem: String) async throws(StoreError)
  func postpone(
    _ entry: OutboxEntry, until date: Date, _ problem: String
  ) async throws(StoreError)
}

/// The outbox of a store in a file.
public struct Outbox: AccountOutbox {
  private let store: SessionStore

  public init(store: SessionStore) { self.store = store }

  @discardableResult
  public func put(_ row: OutboxRow, at date: Date) throws(StoreError) -> Bool {
    let text = JSONValue.object(row.columns).serialized()
    return try store.writing { database in
      try database.execute(
        sql: """
          INSERT INTO outbox (person, name, id, json, session, changed_ms, next_ms)
          VALUES (:person, :table, :id, :json, :session, :now, :now)
          ON CONFLICT (person, name, id) DO UPDATE SET json = excluded.json,
            session = excluded.session, changed_ms = max(excluded.changed_ms, changed_ms + 1),
            next_ms = excluded.next_ms, revision = revision + 1, state = 'waiting', attempts = 0,
            problem = NULL
          WHERE json <> excluded.json
          """,
        arguments: [
          "person": store.person.rawValue, "table": row.table, "id": row.id ?? "", "json": text,
          "session": row.session?.rawValue, "now": date.milliseconds,
        ])
      return database.changesCount > 0
    }
  }

  public func entries() throws(StoreError) -> [OutboxEntry] {
    try entries(where: "1")
  }

  public func waiting(for account: String, dueBy date: Date? = nil) throws(StoreError)
    -> [OutboxEntry]
  {
    try entries(
      where: """
        state = 'waiting' AND (account IS NULL OR account = :account)
          AND (:due IS NULL OR next_ms <= :due)
        """, ["account": account, "due": date?.milliseconds])
  }

  public func claim(for account: String) throws(StoreError) {
    try update("account = :account", where: "account IS NULL", ["account": account])
  }

  public func remove(_ session: SessionID) throws(StoreError) {
    try store.writing { database in
      try database.execute(
        sql: "DELETE FROM outbox WHERE person = ? AND session = ? AND state <> 'sent'",
        arguments: [store.person.rawValue, session.rawValue])
    }
  }

  public func markSent(_ entry: OutboxEntry) throws(StoreError) {
    try update(entry, "state = 'sent', attempts = 0, problem = NULL", [:])
  }

  public func markOutdated(_ entry: OutboxEntry) throws(StoreError) {
    try update(entry, "state = 'outdated', problem = NULL", [:])
  }

  public func setAside(_ entry: OutboxEntry, _ problem: String) throws(StoreError) {
    try update(entry, "state = 'set-aside', problem = :problem", ["problem": problem])
  }

  public func postpone(
    _ entry: OutboxEntry, until date: Date, _ problem: String
  ) throws(StoreError) {
    try update(
      entry, "attempts = attempts + 1, next_ms = :next, problem = :problem",
      ["next": date.milliseconds, "problem": problem])
  }

  /// Queues again what was set aside.
  ///
  /// - Returns: How many entries that are.
  public func retry(at date: Date) throws(StoreError) -> Int {
    try update(
      "state = 'waiting', attempts = 0, next_ms = :now", where: "state = 'set-aside'",
      ["now": date.milliseconds])
  }

  /// Removes what cannot or need not be sent. It is queued again only when it changes.
  ///
  /// - Returns: How many entries that were.
  public func discard() throws(StoreError) -> Int {
    try update("state = 'discarded'", where: "state IN ('set-aside', 'outdated')", [:])
  }

  private func update(
    _ entry: OutboxEntry, _ change: String, _ values: [String: (any DatabaseValueConvertible)?]
  ) throws(StoreError) {
    let key: [String: (any DatabaseValueConvertible)?] = [
      "table": entry.row.table, "id": entry.row.id ?? "", "revision": entry.revision,
    ]
    try update(
      change, where: "name = :table AND id = :id AND revision = :revision",
      values.merging(key) { first, _ in first })
  }

  @discardableResult
  private func update(
    _ change: String, where condition: String, _ values: [String: (any DatabaseValueConvertible)?]
  ) throws(StoreError) -> Int {
    try store.writing { database in
      let person = store.person.rawValue
      try database.execute(
        sql: "UPDATE outbox SET \(change) WHERE person = :person AND \(condition)",
        arguments: StatementArguments(values.merging(["person": person]) { first, _ in first }))
      return database.changesCount
    }
  }

  private func entries(
    where condition: String, _ values: [String: (any DatabaseValueConvertible)?] = [:]
  ) throws(StoreError) -> [OutboxEntry] {
    try SessionStore.translating(store.path) {
      try store.database.inDatabase { database in
        let person = store.person.rawValue
        return try Row.fetchAll(
          database,
          sql: """
            SELECT * FROM outbox WHERE person = :person AND state <> 'discarded' AND (\(condition))
            ORDER BY changed_ms, name, id
            """,
          arguments: StatementArguments(values.merging(["person": person]) { first, _ in first })
        ).map(entry)
      }
    }
  }

  private func entry(_ row: Row) throws(StoreError) -> OutboxEntry {
    let id: String = try store.value(of: "id", in: row)
    let text: String = try store.value(of: "json", in: row)
    let state: String = try store.value(of: "state", in: row)
    guard let columns = try? JSONValue(parsing: text).objectValue,
      let state = OutboxEntry.State(rawValue: state)
    else { throw StoreError(.damaged, file: store.path, detail: "an entry of the outbox") }
    return OutboxEntry(
      row: OutboxRow(
        table: try store.value(of: "name", in: row), id: id.isEmpty ? nil : id, columns: columns,
        session: String.fromDatabaseValue(row["session"]).map { SessionID(rawValue: $0) }),
      changedAt: Date(milliseconds: try store.value(of: "changed_ms", in: row)),
      revision: try store.value(of: "revision", in: row),
      account: String.fromDatabaseValue(row["account"]), state: state,
      attempts: try store.value(of: "attempts", in: row),
      nextAt: Date(milliseconds: try store.value(of: "next_ms", in: row)),
      problem: String.fromDatabaseValue(row["problem"]))
  }
}

// The account in the schema.
extension SessionStore {
  /// What is forgotten here is not sent anymore.
  static func removeFromOutbox(_ session: SessionID, _ database: Database) throws {
    try database.execute(
      sql: "DELETE FROM outbox WHERE session = ?", arguments: [session.rawValue])
  }
}
