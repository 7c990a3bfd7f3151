public import Journeys
import SessionStore

extension PostgresStore {
  public var profiles: any ProfileStore { PostgresProfiles(store: self) }
}

/// The tables that journeys write their answers to, beside the log: one row per person.
struct PostgresProfiles: ProfileStore {
  let store: PostgresStore

  /// Writes a row. Columns that an older table does not have are added first; others stay as they are.
  func write(_ row: ProfileRow) async throws {
    let person = store.person
    try await store.perform(.writing) { link throws(PostgresFailure) in
      try link.transaction { link throws(PostgresFailure) in
        try Self.prepare(row, link)
        try Self.upsert(row, person, link)
      }
    }
  }

  private static func prepare(
    _ row: ProfileRow, _ link: PostgresLink
  ) throws(PostgresFailure) {
    let found = try link.query(
      """
      SELECT column_name::text FROM information_schema.columns
      WHERE table_schema = 'rapport' AND table_name = $1
      """, [.text(row.table)])
    let known = Set(found.rows.compactMap { $0.text(0) })
    guard known.isEmpty || !row.cells.allSatisfy({ known.contains($0.column.name) }) else { return }
    // Of several that need the table, one makes it.
    try link.query("SELECT pg_advisory_xact_lock(hashtextextended('rapport/profiles', 0))")
    let table = quoted(row.table)
    try link.query(
      "CREATE TABLE IF NOT EXISTS \(table) (id TEXT PRIMARY KEY COLLATE \"C\")")
    for cell in row.cells {
      try link.query(
        "ALTER TABLE \(table) ADD COLUMN IF NOT EXISTS "
          + "\(quoted(cell.column.name)) \(cell.column.kind.definition)")
    }
  }

  private static func upsert(
    _ row: ProfileRow, _ person: PersonID, _ link: PostgresLink
  ) throws(PostgresFailure) {
    let names = row.cells.map { quoted($0.column.name) }
    let values = row.cells.enumerated().map { "$\($0 + 2)::\($1.column.kind.type)" }
    let updates = names.map { "\($0) = EXCLUDED.\($0)" }
    try link.query(
      """
      INSERT INTO \(quoted(row.table)) (\((["id"] + names).joined(separator: ", ")))
      VALUES (\((["$1"] + values).joined(separator: ", ")))
      ON CONFLICT (id) DO UPDATE SET \(updates.joined(separator: ", "))
      """, [.text(person.rawValue)] + row.cells.map { .text($0.value.text) })
  }

  /// Names have letters, digits and underscores only.
  private static func quoted(_ name: String) -> String { "\"\(name)\"" }
}

extension Projection.Column.Kind {
  fileprivate var type: String {
    switch self {
    case .text: "text"
    case .integer: "bigint"
    case .real: "double precision"
    case .boolean: "boolean"
    }
  }

  fileprivate var definition: String { self == .boolean ? "boolean NOT NULL DEFAULT false" : type }
}

extension ProfileRow.Cell.Value {
  /// As the database reads it; nil for null.
  fileprivate var text: String? {
    switch self {
    case .null: nil
    case .text(let text): text
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .boolean(let flag): flag ? "true" : "false"
    }
  }
}
