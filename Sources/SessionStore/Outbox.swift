public import FoundationEssentials
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

/// What became of an entry that was to be sent.
public enum OutboxOutcome: Hashable, Sendable {
  case sent
  /// The account has a newer one.
  case outdated
  /// Why the account cannot take it.
  case setAside(String)
  case postponed(until: Date, String)
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
  /// Notes what became of an entry. Does nothing if its row has changed since it was read.
  func note(_ outcome: OutboxOutcome, of entry: OutboxEntry) async throws(StoreError)
}

/// The outbox of a store in a file.
public struct Outbox: AccountOutbox {
  private let store: SessionStore

  public init(store: SessionStore) { self.store = store }

  @discardableResult
  public func put(_ row: OutboxRow, at date: Date) throws(StoreError) -> Bool {
    try store.changing { try $0.put(row, at: date) }
  }

  public func entries() throws(StoreError) -> [OutboxEntry] {
    try store.known { try $0.outbox() }
  }

  public func waiting(
    for account: String, dueBy date: Date? = nil
  ) throws(StoreError) -> [OutboxEntry] {
    try store.known { try $0.waiting(for: account, dueBy: date) }
  }

  public func claim(for account: String) throws(StoreError) {
    try store.changing { try $0.claim(for: account) }
  }

  public func remove(_ session: SessionID) throws(StoreError) {
    try store.changing { try $0.unqueue(session) }
  }

  public func note(_ outcome: OutboxOutcome, of entry: OutboxEntry) throws(StoreError) {
    try store.changing { try $0.note(outcome, of: entry) }
  }

  /// Queues again what was set aside.
  ///
  /// - Returns: How many entries that are.
  public func retry(at date: Date) throws(StoreError) -> Int {
    try store.changing { try $0.retry(at: date) }
  }

  /// Removes what cannot or need not be sent. It is queued again only when it changes.
  ///
  /// - Returns: How many entries that were.
  public func discard() throws(StoreError) -> Int {
    try store.changing { try $0.discard() }
  }
}
