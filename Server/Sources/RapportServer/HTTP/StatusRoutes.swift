import Hummingbird
import IncrementalJSON
import Intake

/// What a client needs to know before it talks: `GET /status`.
struct StatusRoutes: Sendable {
  let desk: CoachDesk
  let authentication: Authentication

  func addOpen(to router: Router<AppContext>) {
    router.get("status") { _, _ in
      Response([
        "model": .bool(desk.models != nil && !desk.isRehearsing), "rehearsal": true,
        "pack": .string(desk.pack.name),
        "subscriptions": desk.purchases == .stub ? "stub" : "store",
        "sign_in": .object([
          "required": .bool(authentication.isConfigured),
          "accounts": .bool(authentication.accounts != nil),
          "device_tokens": .bool(authentication.deviceKey != nil),
        ]),
      ])
    }
  }
}
