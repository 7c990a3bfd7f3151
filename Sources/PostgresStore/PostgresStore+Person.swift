public import FoundationEssentials
public import Intake
public import SessionStore

// What is kept about a person, in a database.
extension PostgresStore {
  /// Reads with one statement.
  func known<Value: Sendable>(
    _ read: @Sendable (PersonTables) throws -> Value
  ) async throws(StoreError) -> Value {
    try await tables(.reading) { tables, _ in try read(tables) }
  }

  /// Changes something with one statement, or with several in a transaction.
  func changing<Value: Sendable>(
    together: Bool = false, _ change: @Sendable (PersonTables) throws -> Value
  ) async throws(StoreError) -> Value {
    try await tables(.writing, together: together) { tables, _ in try change(tables) }
  }

  func tables<Value: Sendable>(
    _ purpose: Purpose, together: Bool = false,
    _ work: @Sendable (PersonTables, PostgresLink) throws -> Value
  ) async throws(StoreError) -> Value {
    @Sendable func attempt(_ link: PostgresLink) throws(PostgresFailure) -> Value {
      do {
        return try work(PersonTables(person, PostgresTables(link: link)), link)
      } catch {
        throw error as? PostgresFailure ?? .unusable(error as? TableProblem ?? .damaged)
      }
    }
    return try await perform(purpose) { link throws(PostgresFailure) in
      together ? try link.transaction(attempt) : try attempt(link)
    }
  }

  public func register(at date: Date) async throws(StoreError) {
    try await changing { try $0.register(at: date) }
  }

  public func isRegistered() async throws(StoreError) -> Bool {
    try await known { try $0.isRegistered() }
  }

  public func personSettings() async throws(StoreError) -> PersonSettings {
    try await known { try $0.settings() }
  }

  public func setPersonSettings(
    _ changes: [PersonSettings.Name: String?], at date: Date
  ) async throws(StoreError) {
    try await changing { try $0.set(changes, at: date) }
  }

  public func move(to other: PersonID) async throws(StoreError) {
    try await changing(together: true) { try $0.move(to: other) }
  }

  public func formerIDs() async throws(StoreError) -> [PersonID] {
    try await known { try $0.formerIDs() }
  }

  public func setRecovery(_ digest: String) async throws(StoreError) {
    try await changing { try $0.setRecovery(digest) }
  }

  public func takeRecovery(_ digest: String) async throws(StoreError) -> PersonID? {
    try await changing { try $0.takeRecovery(digest) }
  }

  public func tokens(on day: String) async throws(StoreError) -> Int {
    try await known { try $0.tokens(on: day) }
  }

  public func addTokens(_ count: Int, on day: String) async throws(StoreError) {
    let payer =
      person.isAddress
      ? "SELECT $1 AS id"
      : """
      SELECT id FROM person WHERE id = coalesce((SELECT person FROM moved WHERE id = $1), $1)
      FOR KEY SHARE
      """
    // Counting twice would be unfair, so a lost answer isn't asked for again.
    try await perform(.writing, isRepeatable: false) { link throws(PostgresFailure) in
      try link.query(
        """
        WITH payer AS (\(payer)),
          old AS (DELETE FROM token_use USING payer WHERE person = payer.id AND day < $2)
        INSERT INTO token_use (person, day, tokens) SELECT id, $2, $3 FROM payer
        ON CONFLICT (person, day) DO UPDATE SET tokens = token_use.tokens + excluded.tokens
        """, [.text(person.rawValue), .text(day), .integer(count)])
    }
  }

  /// Deletes everything the person has; see ``forget(_:givesSpaceBack:)`` for the database's files.
  public func deletePerson(at date: Date) async throws(StoreError) -> DeletionReceipt {
    // Counted before, so that the receipt is right also if the deletion's answer is lost.
    let receipt = try await known { try $0.receipt(at: date) }
    try await tables(.writing, together: true) { tables, link in
      try tables.lock()
      try Self.remove(try tables.sessions(), link)
      try tables.delete()
    }
    await giveSpaceBack()
    return receipt
  }

  public func serverKey(
    _ name: String, making make: @Sendable () -> [UInt8]
  ) async throws(StoreError) -> [UInt8] {
    let key = make()
    let found = try await perform(.writing) { link throws(PostgresFailure) in
      try link.query(
        "INSERT INTO server_key (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING",
        [.text(name), .bytes(key)])
      return try link.query("SELECT value FROM server_key WHERE name = $1", [.text(name)])
    }
    return try require(found.first?.bytes(0))
  }
}

// The subscription.
extension PostgresStore {
  public func entitlement() async throws(StoreError) -> Entitlement? {
    try await known { try $0.entitlement() }
  }

  @discardableResult
  public func grant(_ entitlement: Entitlement) async throws(StoreError) -> Entitlement {
    try await changing { try $0.grant(entitlement) }
  }

  public func revoke() async throws(StoreError) { try await changing { _ = try $0.revoke() } }

  public func take(_ report: PurchaseReport) async throws(StoreError) {
    try await changing(together: true) { try $0.take(report) }
  }
}

// Health data.
extension PostgresStore {
  public func health() async throws(StoreError) -> HealthMemory? {
    try await known { try $0.health() }
  }

  public func rememberHealth(_ snapshot: HealthMemory.Snapshot) async throws(StoreError) {
    try await changing { try $0.rememberHealth(snapshot) }
  }

  public func declineHealth(at date: Date) async throws(StoreError) {
    try await changing { try $0.declineHealth(at: date) }
  }

  public func forgetHealth() async throws(StoreError) {
    try await changing { try $0.forgetHealth() }
  }
}

// The account elsewhere.
extension PostgresStore {
  public var outbox: any AccountOutbox { PostgresOutbox(store: self) }

  public func signIn() async throws(StoreError) -> String? {
    try await known { try $0.signIn() }
  }

  public func setSignIn(_ text: String?) async throws(StoreError) {
    try await changing { try $0.setSignIn(text) }
  }

  public func peopleWithRows(dueBy date: Date) async throws(StoreError) -> [PersonID] {
    try await known { try PersonTables.peopleWithRows(dueBy: date, including: nil, $0.link) }
  }
}

/// Rows on their way to accounts, in a database that several servers share.
private struct PostgresOutbox: AccountOutbox {
  let store: PostgresStore

  func put(_ row: OutboxRow, at date: Date) async throws(StoreError) -> Bool {
    try await store.changing { try $0.put(row, at: date) }
  }

  func entries() async throws(StoreError) -> [OutboxEntry] {
    try await store.known { try $0.outbox() }
  }

  func waiting(for account: String, dueBy date: Date?) async throws(StoreError) -> [OutboxEntry] {
    try await store.known { try $0.waiting(for: account, dueBy: date) }
  }

  func claim(for account: String) async throws(StoreError) {
    try await store.changing { try $0.claim(for: account) }
  }

  func remove(_ session: SessionID) async throws(StoreError) {
    try await store.changing { try $0.unqueue(session) }
  }

  func note(_ outcome: OutboxOutcome, of entry: OutboxEntry) async throws(StoreError) {
    try await store.changing { try $0.note(outcome, of: entry) }
  }
}

/// A connection to the database, in a transaction or for one statement.
struct PostgresTables: TableLink {
  let link: PostgresLink
  var isShared: Bool { true }

  func run(_ sql: String, _ values: [TableValue]) throws -> [any TableRow] {
    try link.query(sql, values.map(PostgresValue.init)).rows
  }

  func profileTables() throws -> [String] {
    try link.query(
      """
      SELECT table_name::text FROM information_schema.tables
      WHERE table_schema = 'rapport' AND table_name LIKE 'user\\_%' ORDER BY table_name
      """
    ).rows.compactMap { $0.text(0) }
  }
}

extension PostgresRows.Row: TableRow {}

extension PostgresValue {
  fileprivate init(_ value: TableValue) {
    self =
      switch value {
      case .text(let text): .text(text)
      case .integer(let number): .integer(number)
      }
  }
}
