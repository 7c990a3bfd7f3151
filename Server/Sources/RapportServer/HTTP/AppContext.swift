import Hummingbird
import Logging

/// A request's context: who asks, and what they may see.
struct AppContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  var caller: Caller = .localUser

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
  }
}

/// Who sends a request.
struct Caller: Hashable, Sendable {
  enum Scope: String, Hashable, Sendable, CaseIterable {
    /// May see scores, evidence and details of failures.
    case engineer
  }

  var scopes: Set<Scope>

  var isEngineer: Bool { scopes.contains(.engineer) }

  /// The person at this machine, whose conversations `rapport chat` continues.
  static let localUser = Caller(scopes: [.engineer])
}
