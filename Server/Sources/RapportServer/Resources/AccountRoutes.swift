import HTTPTypes
import Hummingbird
import IncrementalJSON

/// The account that a person signed in to within a journey.
struct AccountRoutes: Sendable {
  /// Nil if no project is set up.
  let accounts: AccountDesk?

  func add(to router: RouterGroup<AppContext>) {
    router.get("account") { _, context in Response(try await state(context)) }
    router.delete("account") { _, context in
      try await accounts?.signOut(context.caller.person)
      return Response(try await state(context))
    }
  }

  private func state(_ context: AppContext) async throws -> JSONValue {
    guard let accounts else {
      return ["available": false, "signed_in": false, "email": .null]
    }
    return try await accounts.state(of: context.caller.person)
  }
}
