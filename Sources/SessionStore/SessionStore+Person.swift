public import FoundationEssentials
import GRDB
public import Intake

// What is kept about a person, in a file.
extension SessionStore {
  func known<Value>(
    _ read: (PersonTables) throws -> Value
  ) throws(StoreError) -> Value {
    try reading { try read(tables($0)) }
  }

  func changing<Value>(_ change: (PersonTables) throws -> Value) throws(StoreError) -> Value {
    try writing { try change(tables($0)) }
  }

  func tables(_ database: Database) -> PersonTables {
    PersonTables(person, FileLink(database: database))
  }

  public func register(at date: Date) throws(StoreError) {
    try changing { try $0.register(at: date) }
  }

  public func isRegistered() throws(StoreError) -> Bool { try known { try $0.isRegistered() } }

  public func personSettings() throws(StoreError) -> PersonSettings {
    try known { try $0.settings() }
  }

  public func setPersonSettings(
    _ changes: [PersonSettings.Name: String?], at date: Date
  ) throws(StoreError) {
    try changing { try $0.set(changes, at: date) }
  }

  public func move(to other: PersonID) throws(StoreError) {
    try changing { try $0.move(to: other) }
  }

  public func formerIDs() throws(StoreError) -> [PersonID] { try known { try $0.formerIDs() } }

  public func setRecovery(_ digest: String) throws(StoreError) {
    try changing { try $0.setRecovery(digest) }
  }

  public func takeRecovery(_ digest: String) throws(StoreError) -> PersonID? {
    try changing { try $0.takeRecovery(digest) }
  }

  public func tokens(on day: String) throws(StoreError) -> Int {
    try known { try $0.tokens(on: day) }
  }

  public func addTokens(_ count: Int, on day: String) async throws(StoreError) {
    try await writingTogether { [self] database in
      guard let payer = try payer(database) else { return }
      try database.execute(
        sql: """
          INSERT INTO token_use (person, day, tokens) VALUES (?, ?, ?)
          ON CONFLICT (person, day) DO UPDATE SET tokens = tokens + excluded.tokens
          """,
        arguments: [payer, day, count])
      try database.execute(
        sql: "DELETE FROM token_use WHERE person = ? AND day < ?", arguments: [payer, day])
    }
  }

  private func payer(_ database: Database) throws -> String? {
    if person.isAddress { return person.rawValue }
    return try String.fetchOne(
      database,
      sql: """
        SELECT id FROM person
        WHERE id = coalesce((SELECT person FROM moved WHERE id = :me), :me)
        """, arguments: ["me": person.rawValue])
  }

  /// Deletes everything the person has, so that their words are in no file of the store afterward.
  ///
  /// - Throws: As ``forget(_:)-(SessionID)``.
  public func deletePerson(at date: Date) throws(StoreError) -> DeletionReceipt {
    let receipt = try Self.translating(path) {
      try presence.exclusively {
        try erase(givesSpaceBack: false) { database in
          let tables = tables(database)
          let receipt = try tables.receipt(at: date)
          for id in try tables.sessions() { try Self.remove(id, from: database) }
          try tables.delete()
          return receipt
        }
      }
    }
    guard let receipt else { throw StoreError(.inUse, file: path) }
    return receipt
  }

  /// A key of the server's own, made at its first use.
  public func serverKey(
    _ name: String, making make: @Sendable () -> [UInt8]
  ) throws(StoreError) -> [UInt8] {
    try writing { database in
      try database.execute(
        sql: "INSERT OR IGNORE INTO server_key (name, value) VALUES (?, ?)",
        arguments: [name, Data(make())])
      let key = try Data.fetchOne(
        database, sql: "SELECT value FROM server_key WHERE name = ?", arguments: [name])
      return Array(key ?? Data())
    }
  }
}

// The subscription.
extension SessionStore {
  public func entitlement() throws(StoreError) -> Entitlement? {
    try known { try $0.entitlement() }
  }

  @discardableResult
  public func grant(_ entitlement: Entitlement) throws(StoreError) -> Entitlement {
    try changing { try $0.grant(entitlement) }
  }

  public func revoke() throws(StoreError) { try changing { _ = try $0.revoke() } }

  public func take(_ report: PurchaseReport) throws(StoreError) {
    try changing { try $0.take(report) }
  }
}

// Health data.
extension SessionStore {
  public func health() throws(StoreError) -> HealthMemory? { try known { try $0.health() } }

  public func rememberHealth(_ snapshot: HealthMemory.Snapshot) throws(StoreError) {
    try changing { try $0.rememberHealth(snapshot) }
  }

  public func declineHealth(at date: Date) throws(StoreError) {
    let had = try health()?.snapshot != nil
    try changing { try $0.declineHealth(at: date) }
    if had { emptyLog() }
  }

  public func forgetHealth() throws(StoreError) {
    guard try health() != nil else { return }
    try changing { try $0.forgetHealth() }
    emptyLog()
  }

  /// Overwrites the deleted snapshot (`secure_delete`) and empties the log if no other process uses
  /// it.
  private func emptyLog() { _ = try? checkpoint() }
}

// The account elsewhere.
extension SessionStore {
  public func signIn() throws(StoreError) -> String? { try known { try $0.signIn() } }

  public func setSignIn(_ text: String?) throws(StoreError) {
    try changing { try $0.setSignIn(text) }
  }

  /// The person at this machine has a file instead of a sign-in here.
  public func peopleWithRows(dueBy date: Date) throws(StoreError) -> [PersonID] {
    try known { try PersonTables.peopleWithRows(dueBy: date, including: .local, $0.link) }
  }
}

/// A connection to the store's file, in a transaction or for one statement.
private struct FileLink: TableLink {
  let database: Database
  /// One process writes at a time.
  var isShared: Bool { false }

  func run(_ sql: String, _ values: [TableValue]) throws -> [any TableRow] {
    let statement = try database.cachedStatement(sql: sql)
    let named = values.enumerated().map { ("\($0 + 1)", $1.stored) }
    let arguments = StatementArguments(Dictionary(uniqueKeysWithValues: named))
    guard statement.columnCount > 0 else {
      try statement.execute(arguments: arguments)
      return []
    }
    return try Row.fetchAll(statement, arguments: arguments)
  }

  func profileTables() throws -> [String] {
    try String.fetchAll(
      database,
      sql:
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'user_*' ORDER BY name")
  }
}

extension TableValue {
  fileprivate var stored: DatabaseValue {
    switch self {
    case .text(let text): text.databaseValue
    case .integer(let number): number.databaseValue
    }
  }
}

extension Row: TableRow {
  package func text(_ column: Int) -> String? { String.fromDatabaseValue(self[column]) }
  package func integer(_ column: Int) -> Int64? { Int64.fromDatabaseValue(self[column]) }
}
