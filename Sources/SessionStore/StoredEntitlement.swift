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

/// What a shop reports about somebody's subscription. Reports come late, twice and in any order.
public struct PurchaseReport: Hashable, Sendable {
  public enum Change: Hashable, Sendable {
    case paid, ended
    /// These people have it from now on, if the person had it.
    case transferred(to: [PersonID])
  }

  public var change: Change
  /// Names the shop.
  public var source: String
  /// When the shop wrote it.
  public var at: Date
  /// Whether it may come before anything else is known of the person. Other reports about somebody
  /// unknown are ignored, since that person may have been deleted.
  public var isFirst: Bool

  public init(_ change: Change, source: String, at date: Date, isFirst: Bool = false) {
    (self.change, self.source, at, self.isFirst) = (change, source, date, isFirst)
  }
}

extension SessionStore {
  /// The person's right to continue after discovery; nil if none was granted.
  public func entitlement() throws(StoreError) -> Entitlement? {
    try reading { try entitlement($0) }
  }

  private func entitlement(_ database: Database) throws -> Entitlement? {
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

  /// Stores an entitlement. An earlier one stays.
  ///
  /// - Returns: The one that is stored now.
  @discardableResult
  public func grant(_ entitlement: Entitlement) throws(StoreError) -> Entitlement {
    try writing { try grant(entitlement, $0) }
    return try self.entitlement() ?? entitlement
  }

  private func grant(_ entitlement: Entitlement, _ database: Database) throws {
    try database.execute(
      sql: "INSERT OR IGNORE INTO entitlement (person, source, granted_ms) VALUES (?, ?, ?)",
      arguments: [
        person.rawValue, entitlement.source, entitlement.grantedAt.milliseconds,
      ])
  }

  /// Ends the entitlement. What was already said in conversations stays.
  public func revoke() throws(StoreError) {
    try writing { try revoke($0) }
  }

  private func revoke(_ database: Database) throws {
    try database.execute(
      sql: "DELETE FROM entitlement WHERE person = ?", arguments: [person.rawValue])
  }

  /// Follows a shop's report, unless a later one was followed before.
  public func take(_ report: PurchaseReport) throws(StoreError) {
    try writing { database in
      guard try isNews(report, isFirst: report.isFirst, database) else { return }
      switch report.change {
      case .paid: try grant(Entitlement(source: report.source, grantedAt: report.at), database)
      case .ended: try revoke(database)
      case .transferred(let people):
        guard let entitlement = try self.entitlement(database) else { return }
        try revoke(database)
        for other in people.map({ belonging(to: $0) }) {
          guard try other.isNews(report, isFirst: true, database) else { continue }
          try other.grant(entitlement, database)
        }
      }
    }
  }

  /// Notes when the report was written; false if a later one is known, or the person may have been deleted.
  private func isNews(
    _ report: PurchaseReport, isFirst: Bool, _ database: Database
  ) throws -> Bool {
    try database.execute(
      sql: """
        INSERT INTO purchase (person, reported_ms)
        SELECT :me, :at WHERE :first
          OR EXISTS (SELECT 1 FROM person WHERE id = :me)
          OR EXISTS (SELECT 1 FROM entitlement WHERE person = :me)
          OR EXISTS (SELECT 1 FROM purchase WHERE person = :me)
        ON CONFLICT (person) DO UPDATE SET reported_ms = excluded.reported_ms
          WHERE excluded.reported_ms >= reported_ms
        """,
      arguments: ["me": person.rawValue, "at": report.at.milliseconds, "first": isFirst])
    return database.changesCount > 0
  }
}
