public import FoundationEssentials
import GRDB

/// What is kept about a person beside their conversations.
public struct PersonSettings: Hashable, Sendable {
  /// `metric` or `imperial`.
  public var units: String?
  /// An IANA name, such as `Europe/Berlin`.
  public var timeZone: String?
  /// A BCP 47 tag, such as `de`.
  public var language: String?
  /// The versions of the terms and the privacy notice that the person agreed to.
  public var terms: String?
  public var privacy: String?
  public var consentedAt: Date?

  public init() {}

  /// What changes by itself, by its name in the store and in requests.
  public enum Name: String, Hashable, Sendable, CaseIterable {
    case units
    case timeZone = "time_zone"
    case language, terms, privacy
  }
}

extension PersonSettings {
  /// The statement that writes some columns of a person, who is created if missing. Its parameters are
  /// the id, the date and the columns' values.
  package static func statement(
    writing columns: [String], mark: (Int) -> String
  ) -> String {
    let names = ["id", "created_ms"] + columns
    let changes = columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    return """
      INSERT INTO person (\(names.joined(separator: ", ")))
      VALUES (\(names.indices.map { mark($0 + 1) }.joined(separator: ", ")))
      ON CONFLICT (id) DO \(columns.isEmpty ? "NOTHING" : "UPDATE SET \(changes)")
      """
  }

  /// Takes over what the person has not set.
  package static let completing =
    "UPDATE SET "
    + (Name.allCases.map(\.rawValue) + ["consented_ms"])
    .map { "\($0) = coalesce(person.\($0), excluded.\($0))" }.joined(separator: ", ")

  /// Whether somebody agrees to something with these changes.
  package static func isConsent(_ changes: [Name: String?]) -> Bool {
    changes.contains { [.terms, .privacy].contains($0.key) && $0.value != nil }
  }
}

/// What was deleted with a person.
public struct DeletionReceipt: Hashable, Sendable {
  public var person: PersonID
  public var at: Date
  public var sessions: Int
  public var events: Int
  public var hadHealth: Bool
  public var hadEntitlement: Bool

  package init(person: PersonID, at date: Date) {
    (self.person, at) = (person, date)
    (sessions, events, hadHealth, hadEntitlement) = (0, 0, false, false)
  }
}

extension SessionStore {
  /// Creates the person if missing.
  public func register(at date: Date) throws(StoreError) {
    try writing { database in
      try database.execute(
        sql: "INSERT OR IGNORE INTO person (id, created_ms) VALUES (?, ?)",
        arguments: [person.rawValue, date.milliseconds])
    }
  }

  /// Whether the person was registered and not deleted since.
  public func isRegistered() throws(StoreError) -> Bool {
    try reading {
      try Int.fetchOne(
        $0, sql: "SELECT 1 FROM person WHERE id = ?", arguments: [person.rawValue]) != nil
    }
  }

  public func personSettings() throws(StoreError) -> PersonSettings {
    try reading { database in
      var settings = PersonSettings()
      guard
        let row = try Row.fetchOne(
          database.cachedStatement(sql: "SELECT * FROM person WHERE id = ?"),
          arguments: [person.rawValue])
      else { return settings }
      func text(_ column: String) -> String? { String.fromDatabaseValue(row[column]) }
      (settings.units, settings.timeZone) = (text("units"), text("time_zone"))
      settings.language = text("language")
      (settings.terms, settings.privacy) = (text("terms"), text("privacy"))
      settings.consentedAt = Int64.fromDatabaseValue(row["consented_ms"])
        .map { Date(milliseconds: $0) }
      return settings
    }
  }

  /// Writes these settings in one statement, nil for none; the others stay as they are. Agreeing to a
  /// version of the terms or the privacy notice dates the consent.
  public func setPersonSettings(
    _ changes: [PersonSettings.Name: String?], at date: Date
  ) throws(StoreError) {
    var columns = changes.map { (name: $0.key.rawValue, value: $0.value.databaseValue) }
    if PersonSettings.isConsent(changes) {
      columns.append(("consented_ms", date.milliseconds.databaseValue))
    }
    let statement = PersonSettings.statement(writing: columns.map(\.name)) { _ in "?" }
    try writing { [columns] database in
      try database.execute(
        sql: statement,
        arguments: [person.rawValue, date.milliseconds] + StatementArguments(columns.map(\.value)))
    }
  }

  /// Gives everything this person has to another, such as an account that they signed in to. An
  /// entitlement, health data and settings that the other has already stay. This person is then unknown.
  public func move(to other: PersonID) throws(StoreError) {
    try writing { database in
      for sql in [
        "UPDATE session SET person = :to WHERE person = :from",
        "UPDATE discovery SET person = :to WHERE person = :from",
        "UPDATE OR IGNORE entitlement SET person = :to WHERE person = :from",
        "UPDATE OR IGNORE health SET person = :to WHERE person = :from",
        """
        INSERT INTO token_use (person, day, tokens)
        SELECT :to, day, tokens FROM token_use WHERE person = :from
        ON CONFLICT (person, day) DO UPDATE SET tokens = tokens + excluded.tokens
        """,
        "DELETE FROM token_use WHERE person = :from",
        "UPDATE OR IGNORE outbox SET person = :to WHERE person = :from",
        "DELETE FROM outbox WHERE person = :from",
        "UPDATE OR IGNORE sign_in SET person = :to WHERE person = :from",
        "DELETE FROM sign_in WHERE person = :from",
        "UPDATE OR IGNORE purchase SET person = :to WHERE person = :from",
        "DELETE FROM purchase WHERE person = :from",
        "DELETE FROM recovery WHERE person = :from",
        "DELETE FROM entitlement WHERE person = :from",
        "DELETE FROM health WHERE person = :from",
        """
        INSERT INTO person
          (id, created_ms, units, time_zone, language, terms, privacy, consented_ms)
        SELECT :to, created_ms, units, time_zone, language, terms, privacy, consented_ms
        FROM person WHERE id = :from
        ON CONFLICT (id) DO \(PersonSettings.completing)
        """,
        "UPDATE moved SET person = :to WHERE person = :from",
        "INSERT OR REPLACE INTO moved (id, person) SELECT id, :to FROM person WHERE id = :from",
        "DELETE FROM person WHERE id = :from",
      ] + (try StoredProfiles.tables(database)).flatMap(StoredProfiles.moving) {
        try database.execute(
          sql: sql, arguments: ["from": person.rawValue, "to": other.rawValue])
      }
    }
  }

  /// Whose things this person took over, such as those of devices that an account was used on.
  public func formerIDs() throws(StoreError) -> [PersonID] {
    try reading { database in
      try String.fetchAll(
        database, sql: "SELECT id FROM moved WHERE person = ? ORDER BY id",
        arguments: [person.rawValue]
      ).map { PersonID(rawValue: $0) }
    }
  }

  /// Keeps the digest of the person's recovery code, in place of an earlier one.
  public func setRecovery(_ digest: String) throws(StoreError) {
    try writing { database in
      try database.execute(
        sql: "INSERT OR REPLACE INTO recovery (person, digest) VALUES (?, ?)",
        arguments: [person.rawValue, digest])
    }
  }

  /// Uses a recovery code up.
  ///
  /// - Returns: Whose it was; nil if it is nobody's.
  public func takeRecovery(_ digest: String) throws(StoreError) -> PersonID? {
    try writing { database in
      try String.fetchOne(
        database, sql: "DELETE FROM recovery WHERE digest = ? RETURNING person",
        arguments: [digest]
      ).map { PersonID(rawValue: $0) }
    }
  }

  /// Deletes everything the person has, so that their words are in no file of the store afterward.
  ///
  /// - Throws: As ``forget(_:)-(SessionID)``.
  public func deletePerson(at date: Date) throws(StoreError) -> DeletionReceipt {
    var receipt = DeletionReceipt(person: person, at: date)
    let isDeleted: Void? = try Self.translating(path) {
      try presence.exclusively {
        try erase(givesSpaceBack: false) { database in
          try count(into: &receipt, database)
          let ids = try String.fetchAll(
            database, sql: "SELECT id FROM session WHERE person = ?", arguments: [person.rawValue])
          for id in ids { try Self.remove(SessionID(rawValue: id), from: database) }
          for table in [
            "discovery", "entitlement", "health", "token_use", "outbox", "sign_in", "moved",
            "purchase", "recovery",
          ] {
            try database.execute(
              sql: "DELETE FROM \(table) WHERE person = ?", arguments: [person.rawValue])
          }
          for table in ["person"] + (try StoredProfiles.tables(database)) {
            try database.execute(
              sql: "DELETE FROM \(table.quotedDatabaseIdentifier) WHERE id = ?",
              arguments: [person.rawValue])
          }
        }
      }
    }
    guard isDeleted != nil else { throw StoreError(.inUse, file: path) }
    return receipt
  }

  private func count(into receipt: inout DeletionReceipt, _ database: Database) throws {
    func count(_ sql: String) throws -> Int {
      try Int.fetchOne(database, sql: sql, arguments: [person.rawValue]) ?? 0
    }
    receipt.sessions = try count("SELECT count(*) FROM session WHERE person = ?")
    receipt.events = try count(
      "SELECT count(*) FROM event WHERE session IN (SELECT id FROM session WHERE person = ?)")
    receipt.hadHealth = try count("SELECT count(*) FROM health WHERE person = ?") > 0
    receipt.hadEntitlement = try count("SELECT count(*) FROM entitlement WHERE person = ?") > 0
  }

  /// Counts tokens that the person's replies used on a day, such as `2026-11-22`. Somebody who took over counts for
  /// them; nothing is counted for somebody who was deleted.
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

  /// The tokens that the person's replies used on a day.
  public func tokens(on day: String) throws(StoreError) -> Int {
    try reading {
      try Int.fetchOne(
        $0, sql: "SELECT tokens FROM token_use WHERE person = ? AND day = ?",
        arguments: [person.rawValue, day]) ?? 0
    }
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
