import GRDB
public import Journeys

/// The tables that journeys write their answers to, in the store's file: one row per person.
public struct StoredProfiles: ProfileStore {
  private let store: SessionStore

  public init(store: SessionStore) { self.store = store }

  /// Writes a row. Columns that an older table does not have are added first; others stay as they are.
  ///
  /// - Throws: `StoreError`; nothing was written.
  public func write(_ row: ProfileRow) throws {
    try SessionStore.translating(store.path) {
      try store.database.inDatabase { database in
        try database.inTransaction(.immediate) {
          try prepare(row, database)
          try upsert(row, database)
          return .commit
        }
      }
    }
  }

  private func prepare(_ row: ProfileRow, _ database: Database) throws {
    let table = row.table.quotedDatabaseIdentifier
    try database.execute(
      sql: "CREATE TABLE IF NOT EXISTS \(table) (id TEXT PRIMARY KEY NOT NULL)")
    let known = Set(try database.columns(in: row.table).map(\.name))
    for cell in row.cells where !known.contains(cell.column.name) {
      let name = cell.column.name.quotedDatabaseIdentifier
      try database.execute(sql: "ALTER TABLE \(table) ADD COLUMN \(name) \(cell.column.kind.sql)")
    }
  }

  private func upsert(_ row: ProfileRow, _ database: Database) throws {
    let names = row.cells.map(\.column.name.quotedDatabaseIdentifier)
    let updates = names.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    let marks = Array(repeating: "?", count: names.count + 1).joined(separator: ", ")
    var values: [(any DatabaseValueConvertible)?] = [store.person.rawValue]
    values += row.cells.map(\.value.stored)
    try database.execute(
      sql: """
        INSERT INTO \(row.table.quotedDatabaseIdentifier) (id, \(names.joined(separator: ", ")))
        VALUES (\(marks)) ON CONFLICT (id) DO UPDATE SET \(updates)
        """, arguments: StatementArguments(values))
  }
}

extension Projection.Column.Kind {
  fileprivate var sql: String {
    switch self {
    case .text: "TEXT"
    case .integer: "INTEGER"
    case .real: "REAL"
    case .boolean: "BOOLEAN NOT NULL DEFAULT 0"
    }
  }
}

extension ProfileRow.Cell.Value {
  fileprivate var stored: (any DatabaseValueConvertible)? {
    switch self {
    case .null: nil
    case .text(let text): text
    case .integer(let number): number
    case .real(let number): number
    case .boolean(let flag): flag
    }
  }
}
