public import FoundationEssentials
public import IncrementalJSON
public import LanguageModels

/// Who is signed in, and with which tokens.
public struct AccountSession: Hashable, Sendable {
  /// The project that issued the tokens. They are sent nowhere else.
  public var project: String
  public var userID: String
  public var email: String
  public var accessToken: Secret
  /// Good for one refresh.
  public var refreshToken: Secret
  /// By this machine's clock.
  public var expiresAt: Date

  public init(
    project: String, userID: String, email: String, accessToken: Secret, refreshToken: Secret,
    expiresAt: Date
  ) {
    self.project = project
    self.userID = userID
    self.email = email
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.expiresAt = expiresAt
  }

  /// The form of a stored session. Contains the tokens.
  public var json: JSONValue {
    [
      "version": 1, "project": .string(project), "user": .string(userID), "email": .string(email),
      "accessToken": .string(accessToken.revealed),
      "refreshToken": .string(refreshToken.revealed),
      "expiresAt": JSONValue(Int(expiresAt.timeIntervalSince1970)),
    ]
  }

  /// Nil if a member is missing or has another type.
  public init?(json: JSONValue) {
    guard json["version"]?.intValue == 1, let project = json["project"]?.stringValue,
      let user = json["user"]?.stringValue, let email = json["email"]?.stringValue,
      let access = json["accessToken"]?.stringValue,
      let refresh = json["refreshToken"]?.stringValue,
      let expires = json["expiresAt"]?.intValue
    else { return nil }
    self.init(
      project: project, userID: user, email: email, accessToken: Secret(access),
      refreshToken: Secret(refresh), expiresAt: Date(timeIntervalSince1970: Double(expires)))
  }
}

/// Keeps one session between runs: in a file, a database, or a device's keychain.
public protocol SessionKeeper: Sendable {
  /// Nil if nobody is signed in.
  func load() async throws(SupabaseError) -> AccountSession?

  /// Replaces the session. Either the old or the new one is stored, whatever happens.
  func save(_ session: AccountSession) async throws(SupabaseError)

  /// Forgets both tokens. Does nothing if nobody is signed in.
  func remove() async throws(SupabaseError)

  /// Waits until no other process refreshes or ends the session, and keeps them from it until the
  /// result is released.
  func turn() async throws(SupabaseError) -> any Sendable & AnyObject
}
