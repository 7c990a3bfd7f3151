public import FoundationEssentials
import GRDB
public import Intake

/// A local stub for an entitlement: a row in the store. It takes no money.
public struct StoredEntitlement: EntitlementProvider {
  private let store: any ConversationStore

  public init(store: any ConversationStore) { self.store = store }

  public func current() async throws(StoreError) -> Entitlement? { try await store.entitlement() }

  /// Granting it again changes nothing.
  public func subscribe(at date: Date) async throws(StoreError) -> Entitlement {
    try await store.grant(.stub(at: date))
  }
}

extension Entitlement {
  /// One that took no money.
  public static func stub(at date: Date) -> Entitlement {
    Entitlement(source: "stub", grantedAt: date)
  }
}

extension SessionStore {
  /// The person's right to continue after discovery; nil if none was granted.
  public func entitlement() throws(StoreError) -> Entitlement? {
    try reading { database in
      try Row.fetchOne(
        database.cachedStatement(
          sql: "SELECT source, granted_ms FROM entitlement WHERE person = ?"),
        arguments: [person.rawValue]
      ).map { row in
        Entitlement(
          source: try value(of: "source", in: row),
          grantedAt: Date(milliseconds: try value(of: "granted_ms", in: row)))
      }
    }
  }

  /// Stores an entitlement. An earlier one stays.
  ///
  /// - Returns: The one that is stored now.
  @discardableResult
  public func grant(_ entitlement: Entitlement) throws(StoreError) -> Entitlement {
    try writing { database in
      try database.execute(
        sql: "INSERT OR IGNORE INTO entitlement (person, source, granted_ms) VALUES (?, ?, ?)",
        arguments: [
          person.rawValue, entitlement.source, entitlement.grantedAt.milliseconds,
        ])
    }
    return try self.entitlement() ?? entitlement
  }

  /// Ends the entitlement. What was already said in conversations stays.
  public func revoke() throws(StoreError) {
    try writing { database in
      try database.execute(
        sql: "DELETE FROM entitlement WHERE person = ?", arguments: [person.rawValue])
    }
  }
}
