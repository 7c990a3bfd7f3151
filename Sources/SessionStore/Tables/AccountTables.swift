package import FoundationEssentials
import IncrementalJSON

// Who has signed in to an account elsewhere.
extension PersonTables {
  package func signIn() throws -> String? {
    try run("SELECT json FROM sign_in WHERE person = $1").first?.text(0)
  }

  package func setSignIn(_ text: String?) throws {
    guard let text else {
      try run("DELETE FROM sign_in WHERE person = $1")
      return
    }
    try run(
      """
      INSERT INTO sign_in (person, json) VALUES ($1, $2)
      ON CONFLICT (person) DO UPDATE SET json = excluded.json
      """, [.text(text)])
  }

  /// Those who have signed in, and one more person, if they have rows that are due.
  package static func peopleWithRows(
    dueBy date: Date, including person: PersonID?, _ link: any TableLink
  ) throws -> [PersonID] {
    try link.run(
      """
      SELECT DISTINCT person FROM outbox
      WHERE state = 'waiting' AND next_ms <= $1 AND (person = $2
        OR EXISTS (SELECT 1 FROM sign_in WHERE sign_in.person = outbox.person))
      ORDER BY person
      """, [.date(date), .text(person?.rawValue)]
    ).map { PersonID(rawValue: try require($0.text(0))) }
  }
}

// Rows on their way to the account.
extension PersonTables {
  /// - Returns: Whether anything changed.
  package func put(_ row: OutboxRow, at date: Date) throws -> Bool {
    try !run(
      """
      INSERT INTO outbox (person, name, id, json, session, changed_ms, next_ms)
      VALUES ($1, $2, $3, $4, $5, $6, $6)
      ON CONFLICT (person, name, id) DO UPDATE SET json = excluded.json,
        session = excluded.session,
        changed_ms = CASE WHEN excluded.changed_ms > outbox.changed_ms
          THEN excluded.changed_ms ELSE outbox.changed_ms + 1 END,
        next_ms = excluded.next_ms, revision = outbox.revision + 1, state = 'waiting',
        attempts = 0, problem = NULL
      WHERE outbox.json <> excluded.json RETURNING 1
      """,
      [
        .text(row.table), .text(row.id ?? ""),
        .text(JSONValue.object(row.columns).serialized()), .text(row.session?.rawValue),
        .date(date),
      ]
    ).isEmpty
  }

  package func outbox() throws -> [OutboxEntry] { try outbox(where: "1 = 1", []) }

  package func waiting(for account: String, dueBy date: Date?) throws -> [OutboxEntry] {
    try outbox(
      where: """
        state = 'waiting' AND (account IS NULL OR account = $2)
          AND (CAST($3 AS BIGINT) IS NULL OR next_ms <= $3)
        """, [.text(account), .date(date)])
  }

  package func claim(for account: String) throws {
    try run(
      "UPDATE outbox SET account = $2 WHERE person = $1 AND account IS NULL", [.text(account)])
  }

  /// Removes what a session has queued and not sent.
  package func unqueue(_ session: SessionID) throws {
    try run(
      "DELETE FROM outbox WHERE person = $1 AND session = $2 AND state <> 'sent'",
      [.text(session.rawValue)])
  }

  package func note(_ outcome: OutboxOutcome, of entry: OutboxEntry) throws {
    let (change, values): (String, [TableValue]) =
      switch outcome {
      case .sent: ("state = 'sent', attempts = 0, problem = NULL", [])
      case .outdated: ("state = 'outdated', problem = NULL", [])
      case .setAside(let problem): ("state = 'set-aside', problem = $5", [.text(problem)])
      // Counted from what was read, so that a lost answer, or another server, doesn't count twice.
      case .postponed(let date, let problem):
        (
          "attempts = $5, next_ms = $6, problem = $7",
          [.integer(Int64(entry.attempts + 1)), .date(date), .text(problem)]
        )
      }
    try run(
      """
      UPDATE outbox SET \(change) WHERE person = $1 AND name = $2 AND id = $3 AND revision = $4
      """,
      [
        .text(entry.row.table), .text(entry.row.id ?? ""), .integer(Int64(entry.revision)),
      ] + values)
  }

  /// Queues again what was set aside.
  ///
  /// - Returns: How many entries that are.
  package func retry(at date: Date) throws -> Int {
    try run(
      """
      UPDATE outbox SET state = 'waiting', attempts = 0, next_ms = $2
      WHERE person = $1 AND state = 'set-aside' RETURNING 1
      """, [.date(date)]
    ).count
  }

  /// Removes what cannot or need not be sent. It is queued again only when it changes.
  ///
  /// - Returns: How many entries that were.
  package func discard() throws -> Int {
    try run(
      """
      UPDATE outbox SET state = 'discarded'
      WHERE person = $1 AND state IN ('set-aside', 'outdated') RETURNING 1
      """
    ).count
  }

  private func outbox(where condition: String, _ values: [TableValue]) throws -> [OutboxEntry] {
    try run(
      """
      SELECT name, id, json, session, changed_ms, revision, account, state, attempts, next_ms,
        problem
      FROM outbox WHERE person = $1 AND state <> 'discarded' AND (\(condition))
      ORDER BY changed_ms, name, id
      """, values
    ).map(entry)
  }

  private func entry(_ row: any TableRow) throws -> OutboxEntry {
    let id = try require(row.text(1))
    let columns = try? JSONValue(parsing: try require(row.text(2))).objectValue
    return OutboxEntry(
      row: OutboxRow(
        table: try require(row.text(0)), id: id.isEmpty ? nil : id,
        columns: try require(columns), session: row.text(3).map { SessionID(rawValue: $0) }),
      changedAt: try require(row.date(4)), revision: Int(try require(row.integer(5))),
      account: row.text(6),
      state: try require(row.text(7).flatMap { OutboxEntry.State(rawValue: $0) }),
      attempts: Int(try require(row.integer(8))), nextAt: try require(row.date(9)),
      problem: row.text(10))
  }
}
