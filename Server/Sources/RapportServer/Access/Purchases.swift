import FoundationEssentials
import HTTPTypes
import Intake
import SessionStore

/// Where subscriptions come from.
public enum Purchases: Hashable, Sendable {
  /// A stub that takes no money: "continue" at the paywall grants the subscription.
  case stub
  /// A store, which tells this server through RevenueCat's webhook. Nobody can grant it here.
  case revenueCat

  func provider(_ stored: StoredEntitlement) -> any EntitlementProvider {
    switch self {
    case .stub: stored
    case .revenueCat: PurchasedEntitlement(stored: stored)
    }
  }
}

/// An entitlement that only a purchase can grant.
struct PurchasedEntitlement: EntitlementProvider {
  let stored: StoredEntitlement

  func current() async throws -> Entitlement? { try await stored.current() }

  func subscribe(at _: Date) async throws -> Entitlement {
    if let entitlement = try await stored.current() { return entitlement }
    throw PurchaseRequired()
  }
}
