public import FoundationEssentials
import GRDB
public import Intake

/// A local stub for an entitlement: a row in the store. It takes no money.
public struct StoredEntitlement: EntitlementProvider {
  private let store: SessionStore

  public init(store: SessionStore) { self.store = store }

  public func current() throws -> Entitlement? {
    try SessionStore.translating(store.path) {
      try store.database.inDatabase { database in
        try Row.fetchOne(database, sql: "SELECT source, granted_ms FROM entitlement").map { row in
          Entitlement(
            source: try store.value(of: "source", in: row),
            grantedAt: Date(milliseconds: try store.value(of: "granted_ms", in: row)))
        }
      }
    }
  }

  /// Granting it again changes nothing.
  public func subscribe(at date: Date) throws -> Entitlement {
    try SessionStore.translating(store.path) {
      try store.database.write { database in
        try database.execute(
          sql: "INSERT OR IGNORE INTO entitlement (id, source, granted_ms) VALUES (1, 'stub', ?)",
          arguments: [date.milliseconds])
      }
    }
    return try current() ?? Entitlement(source: "stub", grantedAt: date)
  }
}
