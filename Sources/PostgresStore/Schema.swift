/// The tables, each step of their history in one transaction.
enum Schema {
  /// Every step so far. A step that was released is never changed; add another one.
  static let steps = [
    PackageResources.tables_sql, PackageResources.accounts_sql, PackageResources.moves_sql,
    PackageResources.purchases_sql, PackageResources.recoveries_sql,
  ].map { String(decoding: $0, as: UTF8.self) }
  static var version: Int { steps.count }

  enum State: Hashable, Sendable {
    case missing
    /// The schema's name is taken by something else.
    case foreign
    case version(Int)
  }

  static func state(_ link: PostgresLink) throws(PostgresFailure) -> State {
    let found = try link.query(
      """
      SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'rapport'),
        to_regclass('rapport.format') IS NOT NULL
      """)
    guard found.first?.isTrue(0) == true else { return .missing }
    guard found.first?.isTrue(1) == true else {
      let objects = try link.query(
        "SELECT 1 FROM pg_class WHERE relnamespace = 'rapport'::regnamespace LIMIT 1")
      return objects.isEmpty ? .missing : .foreign
    }
    let rows = try link.query("SELECT version FROM rapport.format")
    return .version(Int(rows.first?.integer(0) ?? 0))
  }

  /// Brings the tables up to date. Of several programs that start at once, one does it.
  static func migrate(_ link: PostgresLink) throws(PostgresFailure) {
    try link.script("SET statement_timeout = 0; SET lock_timeout = 0")
    try link.transaction { link throws(PostgresFailure) in
      try link.query("SELECT pg_advisory_xact_lock(hashtextextended('rapport/migration', 0))")
      let before: Int
      if case .version(let version) = try state(link) {
        before = version
      } else {
        before = 0
        try link.script(
          "CREATE SCHEMA IF NOT EXISTS rapport; CREATE TABLE format (version INTEGER NOT NULL); "
            + "INSERT INTO format VALUES (0)")
      }
      guard before < version else { return }
      for step in steps[before...] { try link.script(step) }
      try link.query("UPDATE format SET version = $1::bigint", [.integer(version)])
    }
    try link.script(
      "SET statement_timeout = \(PostgresLink.statementTime); SET lock_timeout = 5000")
  }
}
