public import SessionStore

/// Who sends a request, and what they may see.
public struct Caller: Hashable, Sendable {
  public enum Scope: String, Hashable, Sendable, CaseIterable {
    /// May see scores, evidence and details of failures.
    case engineer
  }

  public var person: PersonID
  public var scopes: Set<Scope>
  /// Whether the person has an account, rather than a token for one device.
  public var hasAccount: Bool
  /// The account's address, if its token says it.
  public var email: String?
  /// The address that the request came from, for limits; nil if there are none.
  var address: String?
  /// When a device's token was issued, in seconds since 1970; nil for anybody else.
  var tokenIssued: Double?
  /// The code of the language that their device asks for, such as `de`; nil for English.
  var language: String?
  /// The request's name in the log.
  var requestID = ""

  var isEngineer: Bool { scopes.contains(.engineer) }
  /// Whether it is the person at this machine, for whom there are no limits.
  var isLocal: Bool { person == .local }

  /// The person at this machine, whose conversations `rapport chat` continues.
  static let localUser = Caller(person: .local, scopes: [.engineer], hasAccount: true)
}
