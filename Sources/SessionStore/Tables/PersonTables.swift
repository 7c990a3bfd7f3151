package import FoundationEssentials
package import Intake

/// What is kept about one person beside their conversations, in the tables that every database has.
package struct PersonTables {
  let person: PersonID
  package let link: any TableLink

  package init(_ person: PersonID, _ link: any TableLink) {
    (self.person, self.link) = (person, link)
  }

  /// Runs a statement whose `$1` is the person.
  @discardableResult
  func run(_ sql: String, _ values: [TableValue] = []) throws -> [any TableRow] {
    try link.run(sql, [.text(person.rawValue)] + values)
  }
}

// The person.
extension PersonTables {
  package func register(at date: Date) throws {
    try run(
      "INSERT INTO person (id, created_ms) VALUES ($1, $2) ON CONFLICT DO NOTHING", [.date(date)])
  }

  package func isRegistered() throws -> Bool {
    try !run("SELECT 1 FROM person WHERE id = $1").isEmpty
  }

  package func settings() throws -> PersonSettings {
    var settings = PersonSettings()
    let found = try run(
      "SELECT units, time_zone, language, terms, privacy, consented_ms FROM person WHERE id = $1")
    guard let row = found.first else { return settings }
    (settings.units, settings.timeZone, settings.language) = (row.text(0), row.text(1), row.text(2))
    (settings.terms, settings.privacy) = (row.text(3), row.text(4))
    settings.consentedAt = row.date(5)
    return settings
  }

  package func set(_ changes: [PersonSettings.Name: String?], at date: Date) throws {
    var columns = changes.map { (name: $0.key.rawValue, value: TableValue.text($0.value)) }
    let isConsent = changes.contains {
      [.terms, .privacy].contains($0.key) && $0.value != nil
    }
    if isConsent { columns.append(("consented_ms", .date(date))) }
    let names = ["id", "created_ms"] + columns.map(\.name)
    let changed = columns.map { "\($0.name) = excluded.\($0.name)" }.joined(separator: ", ")
    try run(
      """
      INSERT INTO person (\(names.joined(separator: ", ")))
      VALUES (\(names.indices.map { "$\($0 + 1)" }.joined(separator: ", ")))
      ON CONFLICT (id) DO \(columns.isEmpty ? "NOTHING" : "UPDATE SET \(changed)")
      """, [.date(date)] + columns.map(\.value))
  }

  package func formerIDs() throws -> [PersonID] {
    try run("SELECT id FROM moved WHERE person = $1 ORDER BY id").map {
      PersonID(rawValue: try require($0.text(0)))
    }
  }

  package func setRecovery(_ digest: String) throws {
    try run(
      """
      INSERT INTO recovery (person, digest) VALUES ($1, $2)
      ON CONFLICT (person) DO UPDATE SET digest = excluded.digest
      """, [.text(digest)])
  }

  package func takeRecovery(_ digest: String) throws -> PersonID? {
    try link.run("DELETE FROM recovery WHERE digest = $1 RETURNING person", [.text(digest)])
      .first?.text(0).map { PersonID(rawValue: $0) }
  }

  package func tokens(on day: String) throws -> Int {
    let found = try run(
      "SELECT tokens FROM token_use WHERE person = $1 AND day = $2", [.text(day)])
    return Int(found.first?.integer(0) ?? 0)
  }

  /// Lets what others write for this person right now go before this transaction. What they write later finds
  /// nobody.
  package func lock() throws {
    if link.isShared { try run("SELECT 1 FROM person WHERE id = $1 FOR UPDATE") }
  }
}

// Moving and deleting.
extension PersonTables {
  /// Gives everything this person has to another. What the other has already stays.
  package func move(to other: PersonID) throws {
    guard other != person else { return }
    try lock()
    let profiles = try link.profileTables().flatMap { table in
      [
        """
        UPDATE "\(table)" SET id = $2 WHERE id = $1
          AND NOT EXISTS (SELECT 1 FROM "\(table)" WHERE id = $2)
        """, "DELETE FROM \"\(table)\" WHERE id = $1",
      ]
    }
    for sql in Self.moving + profiles {
      try link.run(
        sql, [.text(person.rawValue)] + (sql.contains("$2") ? [.text(other.rawValue)] : []))
    }
  }

  /// From $1 to $2.
  private static let moving =
    [
      "UPDATE session SET person = $2 WHERE person = $1",
      "UPDATE discovery SET person = $2 WHERE person = $1",
      """
      UPDATE outbox SET person = $2 WHERE person = $1 AND NOT EXISTS (
        SELECT 1 FROM outbox AS other
        WHERE other.person = $2 AND other.name = outbox.name AND other.id = outbox.id)
      """,
      copying("token_use", "day, tokens")
        + " (person, day) DO UPDATE SET tokens = token_use.tokens + excluded.tokens",
      """
      INSERT INTO person (id, created_ms, \(settingColumns))
      SELECT $2, created_ms, \(settingColumns) FROM person WHERE id = $1
      ON CONFLICT (id) DO UPDATE SET \(completing)
      """,
      copying("entitlement", "source, granted_ms") + " DO NOTHING",
      copying("health", "json, file, changed_ms, read_ms") + " DO NOTHING",
      copying("sign_in", "json") + " DO NOTHING",
      copying("purchase", "reported_ms") + " DO NOTHING",
      "UPDATE moved SET person = $2 WHERE person = $1",
      """
      INSERT INTO moved (id, person) SELECT id, $2 FROM person WHERE id = $1
      ON CONFLICT (id) DO UPDATE SET person = excluded.person
      """,
    ]
    + ["outbox", "token_use", "entitlement", "health", "sign_in", "purchase", "recovery"].map {
      "DELETE FROM \($0) WHERE person = $1"
    } + ["DELETE FROM person WHERE id = $1"]

  private static func copying(_ table: String, _ columns: String) -> String {
    """
    INSERT INTO \(table) (person, \(columns))
    SELECT $2, \(columns) FROM \(table) WHERE person = $1 ON CONFLICT
    """
  }

  private static let settingNames = PersonSettings.Name.allCases.map(\.rawValue) + ["consented_ms"]
  private static let settingColumns = settingNames.joined(separator: ", ")

  /// Takes over what the person has not set.
  private static let completing =
    settingNames.map { "\($0) = coalesce(person.\($0), excluded.\($0))" }.joined(separator: ", ")

  /// What will be deleted with the person.
  package func receipt(at date: Date) throws -> DeletionReceipt {
    var receipt = DeletionReceipt(person: person, at: date)
    let counts = try run(
      """
      SELECT (SELECT count(*) FROM session WHERE person = $1),
        (SELECT count(*) FROM event JOIN session ON session.id = event.session WHERE person = $1),
        EXISTS (SELECT 1 FROM health WHERE person = $1),
        EXISTS (SELECT 1 FROM entitlement WHERE person = $1)
      """)
    guard let row = counts.first else { return receipt }
    (receipt.sessions, receipt.events) = (Int(row.integer(0) ?? 0), Int(row.integer(1) ?? 0))
    (receipt.hadHealth, receipt.hadEntitlement) = (row.integer(2) == 1, row.integer(3) == 1)
    return receipt
  }

  package func sessions() throws -> [SessionID] {
    try run("SELECT id FROM session WHERE person = $1").map {
      SessionID(rawValue: try require($0.text(0)))
    }
  }

  /// Deletes everything but the conversations.
  package func delete() throws {
    for table in [
      "discovery", "entitlement", "health", "token_use", "outbox", "sign_in", "moved", "purchase",
      "recovery",
    ] {
      try run("DELETE FROM \(table) WHERE person = $1")
    }
    for table in ["person"] + (try link.profileTables()) {
      try run("DELETE FROM \"\(table)\" WHERE id = $1")
    }
  }
}

// The subscription.
extension PersonTables {
  package func entitlement() throws -> Entitlement? {
    try run("SELECT source, granted_ms FROM entitlement WHERE person = $1").first
      .map(entitlement)
  }

  private func entitlement(_ row: any TableRow) throws -> Entitlement {
    Entitlement(
      source: try require(row.text(0)), grantedAt: try require(row.date(1)))
  }

  /// - Returns: The one that is stored now.
  package func grant(_ entitlement: Entitlement) throws -> Entitlement {
    try run(
      """
      INSERT INTO entitlement (person, source, granted_ms) VALUES ($1, $2, $3)
      ON CONFLICT DO NOTHING
      """, [.text(entitlement.source), .date(entitlement.grantedAt)])
    return try self.entitlement() ?? entitlement
  }

  /// - Returns: The one that was stored.
  @discardableResult
  package func revoke() throws -> Entitlement? {
    try run("DELETE FROM entitlement WHERE person = $1 RETURNING source, granted_ms").first
      .map(entitlement)
  }

  /// Follows a shop's report, unless a later one was followed before.
  package func take(_ report: PurchaseReport) throws {
    guard try isNews(report, isFirst: report.isFirst) else { return }
    switch report.change {
    case .paid: _ = try grant(Entitlement(source: report.source, grantedAt: report.at))
    case .ended: try revoke()
    case .transferred(let people):
      guard let entitlement = try revoke() else { return }
      for other in people.map({ PersonTables($0, link) }) {
        guard try other.isNews(report, isFirst: true) else { continue }
        _ = try other.grant(entitlement)
      }
    }
  }

  /// Notes when the report was written; false if a later one is known, or the person may have been deleted.
  private func isNews(_ report: PurchaseReport, isFirst: Bool) throws -> Bool {
    // A deletion waits for this, or this for it.
    let isKnown = try !run(
      "SELECT 1 FROM person WHERE id = $1" + (link.isShared ? " FOR KEY SHARE" : "")
    ).isEmpty
    if !isKnown, !isFirst {
      let before = try run(
        """
        SELECT 1 FROM entitlement WHERE person = $1 UNION ALL
        SELECT 1 FROM purchase WHERE person = $1
        """)
      if before.isEmpty { return false }
    }
    return try !run(
      """
      INSERT INTO purchase (person, reported_ms) VALUES ($1, $2)
      ON CONFLICT (person) DO UPDATE SET reported_ms = excluded.reported_ms
        WHERE excluded.reported_ms >= purchase.reported_ms
      RETURNING 1
      """, [.date(report.at)]
    ).isEmpty
  }
}

// Health data.
extension PersonTables {
  package func health() throws -> HealthMemory? {
    let found = try run("SELECT json, file, changed_ms, read_ms FROM health WHERE person = $1")
    guard let row = found.first else { return nil }
    guard let json = row.text(0) else { return HealthMemory() }
    return HealthMemory(
      snapshot: HealthMemory.Snapshot(
        json: json, file: try require(row.text(1)),
        fileChanged: try require(row.date(2)), readAt: try require(row.date(3))))
  }

  package func rememberHealth(_ snapshot: HealthMemory.Snapshot) throws {
    try setHealth([
      .text(snapshot.json), .text(snapshot.file), .date(snapshot.fileChanged),
      .date(snapshot.readAt),
    ])
  }

  package func declineHealth(at date: Date) throws {
    try setHealth([.text(nil), .text(nil), .integer(nil), .date(date)])
  }

  private func setHealth(_ values: [TableValue]) throws {
    try run(
      """
      INSERT INTO health (person, json, file, changed_ms, read_ms) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (person) DO UPDATE SET json = excluded.json, file = excluded.file,
        changed_ms = excluded.changed_ms, read_ms = excluded.read_ms
      """, values)
  }

  package func forgetHealth() throws { try run("DELETE FROM health WHERE person = $1") }

  /// A snapshot goes with the last conversation that used it.
  package func forgetUnusedHealth() throws {
    try run(
      """
      DELETE FROM health WHERE person = $1 AND json IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM event JOIN session ON session.id = event.session
          WHERE kind = $2 AND session.person = $1)
      """, [.text(IntakeEvent.Kind.healthNoted.rawValue)])
  }
}
