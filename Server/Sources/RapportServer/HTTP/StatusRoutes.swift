import Hummingbird
import IncrementalJSON
import Intake

/// What a client needs to know before it talks: `GET /status`.
struct StatusRoutes: Sendable {
  let desk: CoachDesk

  func add(to router: Router<AppContext>) {
    router.get("status") { _, context in
      Response([
        "model": .bool(desk.models != nil && !desk.isRehearsing), "rehearsal": true,
        "pack": .string(desk.pack.name),
        "scopes": .array(context.caller.scopes.map { .string($0.rawValue) }),
      ])
    }
  }
}
