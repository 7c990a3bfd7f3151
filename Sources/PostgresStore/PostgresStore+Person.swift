public import FoundationEssentials
public import Intake
public import SessionStore

extension PostgresStore {
  public func register(at date: Date) async throws(StoreError) {
    _ = try await query(
      .writing, "INSERT INTO person (id, created_ms) VALUES ($1, $2) ON CONFLICT DO NOTHING",
      [.text(person.rawValue), .integer(date.milliseconds)])
  }

  public func isRegistered() async throws(StoreError) -> Bool {
    try await !query(.reading, "SELECT 1 FROM person WHERE id = $1", [.text(person.rawValue)])
      .isEmpty
  }

  public func personSettings() async throws(StoreError) -> PersonSettings {
    let found = try await query(
      .reading,
      "SELECT units, time_zone, language, terms, privacy, consented_ms FROM person WHERE id = $1",
      [.text(person.rawValue)])
    var settings = PersonSettings()
    guard let row = found.first else { return settings }
    (settings.units, settings.timeZone, settings.language) = (row.text(0), row.text(1), row.text(2))
    (settings.terms, settings.privacy) = (row.text(3), row.text(4))
    settings.consentedAt = row.integer(5).map { Date(milliseconds: $0) }
    return settings
  }

  public func setPersonSettings(
    _ changes: [PersonSettings.Name: String?], at date: Date
  ) async throws(StoreError) {
    var columns = changes.map { (name: $0.key.rawValue, value: PostgresValue.text($0.value)) }
    if PersonSettings.isConsent(changes) {
      columns.append(("consented_ms", .integer(date.milliseconds)))
    }
    _ = try await query(
      .writing, PersonSettings.statement(writing: columns.map(\.name)) { "$\($0)" },
      [.text(person.rawValue), .integer(date.milliseconds)] + columns.map(\.value))
  }

  public func setRecovery(_ digest: String) async throws(StoreError) {
    _ = try await query(
      .writing,
      """
      INSERT INTO recovery (person, digest) VALUES ($1, $2)
      ON CONFLICT (person) DO UPDATE SET digest = excluded.digest
      """, [.text(person.rawValue), .text(digest)])
  }

  public func takeRecovery(_ digest: String) async throws(StoreError) -> PersonID? {
    try await query(
      .writing, "DELETE FROM recovery WHERE digest = $1 RETURNING person", [.text(digest)]
    ).first?.text(0).map { PersonID(rawValue: $0) }
  }

  /// Gives everything this person has to another. What the other has already stays.
  public func move(to other: PersonID) async throws(StoreError) {
    let people: [PostgresValue] = [.text(person.rawValue), .text(other.rawValue)]
    try await perform(.writing) { link throws(PostgresFailure) in
      try link.transaction { link throws(PostgresFailure) in
        try lock(link)
        for sql in Self.moving { try link.query(sql, people) }
        for table in try PostgresProfiles.tables(link) {
          try PostgresProfiles.move(people, in: table, link)
        }
      }
    }
  }

  /// From $1 to $2.
  private static let moving = [
    "UPDATE session SET person = $2 WHERE person = $1",
    "UPDATE discovery SET person = $2 WHERE person = $1",
    """
    INSERT INTO entitlement (person, source, granted_ms)
    SELECT $2, source, granted_ms FROM entitlement WHERE person = $1 ON CONFLICT DO NOTHING
    """,
    """
    INSERT INTO health (person, json, file, changed_ms, read_ms)
    SELECT $2, json, file, changed_ms, read_ms FROM health WHERE person = $1 ON CONFLICT DO NOTHING
    """,
    """
    INSERT INTO token_use (person, day, tokens)
    SELECT $2, day, tokens FROM token_use WHERE person = $1
    ON CONFLICT (person, day) DO UPDATE SET tokens = token_use.tokens + excluded.tokens
    """,
    """
    INSERT INTO person (id, created_ms, units, time_zone, language, terms, privacy, consented_ms)
    SELECT $2, created_ms, units, time_zone, language, terms, privacy, consented_ms
    FROM person WHERE id = $1 ON CONFLICT (id) DO \(PersonSettings.completing)
    """,
    """
    UPDATE outbox SET person = $2 WHERE person = $1 AND NOT EXISTS (
      SELECT FROM outbox AS other
      WHERE other.person = $2 AND other.name = outbox.name AND other.id = outbox.id)
    """,
    """
    INSERT INTO sign_in (person, json)
    SELECT $2, json FROM sign_in WHERE person = $1 ON CONFLICT DO NOTHING
    """,
    "UPDATE moved SET person = $2 WHERE person = $1",
    """
    INSERT INTO moved (id, person) SELECT id, $2 FROM person WHERE id = $1
    ON CONFLICT (id) DO UPDATE SET person = excluded.person
    """,
    """
    INSERT INTO purchase (person, reported_ms)
    SELECT $2, reported_ms FROM purchase WHERE person = $1 ON CONFLICT DO NOTHING
    """,
    "DELETE FROM purchase WHERE person = $1 AND $1 <> $2",
    "DELETE FROM recovery WHERE person = $1 AND $1 <> $2",
    "DELETE FROM outbox WHERE person = $1 AND $1 <> $2",
    "DELETE FROM sign_in WHERE person = $1 AND $1 <> $2",
    "DELETE FROM token_use WHERE person = $1",
    "DELETE FROM entitlement WHERE person = $1",
    "DELETE FROM health WHERE person = $1",
    "DELETE FROM person WHERE id = $1",
  ]

  /// Lets what others write for this person right now go before this transaction, or find nobody.
  private func lock(_ link: PostgresLink) throws(PostgresFailure) {
    try link.query("SELECT 1 FROM person WHERE id = $1 FOR UPDATE", [.text(person.rawValue)])
  }

  public func formerIDs() async throws(StoreError) -> [PersonID] {
    let found = try await query(
      .reading, "SELECT id FROM moved WHERE person = $1 ORDER BY id", [.text(person.rawValue)])
    return found.rows.compactMap { $0.text(0) }.map { PersonID(rawValue: $0) }
  }

  /// Deletes everything the person has; see ``forget(_:givesSpaceBack:)`` for the database's files.
  public func deletePerson(at date: Date) async throws(StoreError) -> DeletionReceipt {
    let me: [PostgresValue] = [.text(person.rawValue)]
    // Counted before, so that the receipt is right also if the deletion's answer is lost.
    let counts = try await query(
      .reading,
      """
      SELECT (SELECT count(*) FROM session WHERE person = $1),
        (SELECT count(*) FROM event JOIN session ON session.id = event.session WHERE person = $1),
        EXISTS (SELECT FROM health WHERE person = $1),
        EXISTS (SELECT FROM entitlement WHERE person = $1)
      """, me)
    var receipt = DeletionReceipt(person: person, at: date)
    if let row = counts.first {
      (receipt.sessions, receipt.events) = (Int(row.integer(0) ?? 0), Int(row.integer(1) ?? 0))
      (receipt.hadHealth, receipt.hadEntitlement) = (row.isTrue(2), row.isTrue(3))
    }
    try await perform(.writing) { link throws(PostgresFailure) in
      try link.transaction { link throws(PostgresFailure) in
        try lock(link)
        let ids = try link.query("SELECT id FROM session WHERE person = $1", me)
        try Self.remove(ids.rows.compactMap { $0.text(0) }, link)
        for table in [
          "discovery", "entitlement", "health", "token_use", "outbox", "sign_in", "moved",
          "purchase", "recovery",
        ] {
          try link.query("DELETE FROM \(table) WHERE person = $1", me)
        }
        for table in ["person"] + (try PostgresProfiles.tables(link)) {
          try link.query("DELETE FROM \"\(table)\" WHERE id = $1", me)
        }
      }
    }
    await giveSpaceBack()
    return receipt
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

  public func tokens(on day: String) async throws(StoreError) -> Int {
    let found = try await query(
      .reading, "SELECT tokens FROM token_use WHERE person = $1 AND day = $2",
      [.text(person.rawValue), .text(day)])
    return Int(found.first?.integer(0) ?? 0)
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
  private static let grant = """
    INSERT INTO entitlement (person, source, granted_ms) VALUES ($1, $2, $3)
    ON CONFLICT DO NOTHING
    """

  public func entitlement() async throws(StoreError) -> Entitlement? {
    let found = try await query(
      .reading, "SELECT source, granted_ms FROM entitlement WHERE person = $1",
      [.text(person.rawValue)])
    guard let row = found.first else { return nil }
    return Entitlement(
      source: try require(row.text(0)),
      grantedAt: Date(milliseconds: try require(row.integer(1))))
  }

  @discardableResult
  public func grant(_ entitlement: Entitlement) async throws(StoreError) -> Entitlement {
    _ = try await query(
      .writing, Self.grant,
      [
        .text(person.rawValue), .text(entitlement.source),
        .integer(entitlement.grantedAt.milliseconds),
      ])
    return try await self.entitlement() ?? entitlement
  }

  public func revoke() async throws(StoreError) {
    _ = try await query(
      .writing, "DELETE FROM entitlement WHERE person = $1", [.text(person.rawValue)])
  }

  public func take(_ report: PurchaseReport) async throws(StoreError) {
    try await perform(.writing) { link throws(PostgresFailure) in
      try link.transaction { link throws(PostgresFailure) in
        guard try isNews(report, isFirst: report.isFirst, link) else { return }
        let me: [PostgresValue] = [.text(person.rawValue)]
        switch report.change {
        case .paid:
          try link.query(
            Self.grant, me + [.text(report.source), .integer(report.at.milliseconds)])
        case .ended: try link.query("DELETE FROM entitlement WHERE person = $1", me)
        case .transferred(let people):
          let ended = try link.query(
            "DELETE FROM entitlement WHERE person = $1 RETURNING source, granted_ms", me)
          guard let row = ended.first else { return }
          for other in people {
            guard try belonging(to: other).isNews(report, isFirst: true, link) else { continue }
            try link.query(
              Self.grant,
              [.text(other.rawValue), .text(row.text(0)), .integer(row.integer(1))])
          }
        }
      }
    }
  }

  /// Notes when the report was written; false if a later one is known, or the person may have been deleted.
  private func isNews(
    _ report: PurchaseReport, isFirst: Bool, _ link: PostgresLink
  ) throws(PostgresFailure) -> Bool {
    let me: [PostgresValue] = [.text(person.rawValue)]
    // A deletion waits for this, or this for it.
    let isKnown = try !link.query("SELECT 1 FROM person WHERE id = $1 FOR KEY SHARE", me).isEmpty
    if !isKnown, !isFirst {
      let before = try link.query(
        """
        SELECT 1 FROM entitlement WHERE person = $1 UNION ALL
        SELECT 1 FROM purchase WHERE person = $1
        """, me)
      if before.isEmpty { return false }
    }
    return try !link.query(
      """
      INSERT INTO purchase (person, reported_ms) VALUES ($1, $2)
      ON CONFLICT (person) DO UPDATE SET reported_ms = excluded.reported_ms
        WHERE excluded.reported_ms >= purchase.reported_ms
      RETURNING 1
      """, me + [.integer(report.at.milliseconds)]
    ).isEmpty
  }
}

// Health data.
extension PostgresStore {
  public func health() async throws(StoreError) -> HealthMemory? {
    let found = try await query(
      .reading, "SELECT json, file, changed_ms, read_ms FROM health WHERE person = $1",
      [.text(person.rawValue)])
    guard let row = found.first else { return nil }
    guard let json = row.text(0) else { return HealthMemory() }
    return HealthMemory(
      snapshot: HealthMemory.Snapshot(
        json: json, file: try require(row.text(1)),
        fileChanged: Date(milliseconds: try require(row.integer(2))),
        readAt: Date(milliseconds: try require(row.integer(3)))))
  }

  public func rememberHealth(_ snapshot: HealthMemory.Snapshot) async throws(StoreError) {
    try await setHealth([
      .text(snapshot.json), .text(snapshot.file), .integer(snapshot.fileChanged.milliseconds),
      .integer(snapshot.readAt.milliseconds),
    ])
  }

  public func declineHealth(at date: Date) async throws(StoreError) {
    try await setHealth([
      .text(nil), .text(nil), .integer(nil as Int64?), .integer(date.milliseconds),
    ])
  }

  public func forgetHealth() async throws(StoreError) {
    _ = try await query(.writing, "DELETE FROM health WHERE person = $1", [.text(person.rawValue)])
  }

  private func setHealth(_ values: [PostgresValue]) async throws(StoreError) {
    _ = try await query(
      .writing,
      """
      INSERT INTO health (person, json, file, changed_ms, read_ms) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (person) DO UPDATE SET json = excluded.json, file = excluded.file,
        changed_ms = excluded.changed_ms, read_ms = excluded.read_ms
      """, [.text(person.rawValue)] + values)
  }
}
