public import FoundationEssentials
public import Intake

/// A local stub for an entitlement: a row in the store. It takes no money.
public struct StoredEntitlement: EntitlementProvider {
  private let store: any EntitlementStore

  public init(store: any EntitlementStore) { self.store = store }

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
