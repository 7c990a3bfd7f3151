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
        try Row.fetchOne(
          database, sql: "SELECT source, granted_ms FROM entitlement WHERE person = ?",
          arguments: [store.person.rawValue]
        ).map { row in
          Entitlement(
            source: try store.value(of: "source", in: row),
            grantedAt: Date(milliseconds: try store.value(of: "granted_ms", in: row)))
        }
      }
    }
  }

  /// Granting it again changes nothing.
  public func subscribe(at date: Date) throws -> Entitlement {
    try grant(Entitlement(source: "stub", grantedAt: date))
  }

  /// Stores an entitlement that was granted elsewhere. An earlier one stays.
  @discardableResult
  public func grant(_ entitlement: Entitlement) throws -> Entitlement {
    try SessionStore.translating(store.path) {
      try store.database.write { database in
        try database.execute(
          sql: "INSERT OR IGNORE INTO entitlement (person, source, granted_ms) VALUES (?, ?, ?)",
          arguments: [
            store.person.rawValue, entitlement.source, entitlement.grantedAt.milliseconds,
          ])
      }
    }
    return try current() ?? entitlement
  }

  /// Ends the entitlement. What was already said in conversations stays.
  public func revoke() throws {
    try SessionStore.translating(store.path) {
      try store.database.write { database in
        try database.execute(
          sql: "DELETE FROM entitlement WHERE person = ?", arguments: [store.person.rawValue])
      }
    }
  }
}
