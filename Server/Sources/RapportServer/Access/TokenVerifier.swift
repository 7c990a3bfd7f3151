import FoundationEssentials
import SessionStore

/// How callers prove who they are. Empty means that nobody has to.
public struct Authentication: Sendable {
  /// An issuer of accounts, such as a Supabase project.
  public struct Accounts: Sendable {
    public var issuer: String
    public var audience: String
    /// For HS256; nil if the issuer signs with published keys only.
    public var secret: [UInt8]?
    /// Where the issuer publishes its keys; nil if it does not.
    public var keys: KeyDirectory?

    public init(
      issuer: String, audience: String = "authenticated", secret: [UInt8]? = nil,
      keys: KeyDirectory? = nil
    ) {
      (self.issuer, self.audience, self.secret, self.keys) = (issuer, audience, secret, keys)
    }
  }

  public var accounts: Accounts?
  /// The key for device tokens; nil if this server issues none.
  public var deviceKey: [UInt8]?

  public init(accounts: Accounts? = nil, deviceKey: [UInt8]? = nil) {
    (self.accounts, self.deviceKey) = (accounts, deviceKey)
  }

  public var isConfigured: Bool { accounts != nil || deviceKey != nil }
}

/// Checks bearer tokens.
///
/// The configuration decides which algorithms exist, never the token: a header that names another
/// algorithm than its key is refused (RFC 8725, sections 3.1 and 3.2).
struct TokenVerifier: Sendable {
  static let deviceKeyID = "rapport-device"
  static let deviceIssuer = "rapport-server"
  /// How far clocks may differ, in seconds.
  static let skew = 300.0

  let authentication: Authentication
  let now: @Sendable () -> Date

  /// Nil if the token proves nothing.
  ///
  /// - Throws: ``Problem`` if the issuer's keys cannot be fetched.
  func caller(of token: String) async throws -> Caller? {
    guard let token = SignedToken(token) else { return nil }
    if token.keyID == Self.deviceKeyID { return device(token) }
    guard let accounts = authentication.accounts, let key = try await key(of: token, accounts),
      let claims = token.claims(signedWith: key),
      isValid(claims, issuer: accounts.issuer, audience: accounts.audience),
      let subject = claims.sub
    else { return nil }
    let scopes = claims.appMetadata?.scopes ?? []
    return Caller(
      person: PersonID(rawValue: "account:" + subject),
      scopes: Set(scopes.compactMap(Caller.Scope.init)), hasAccount: true, email: claims.email)
  }

  private func device(_ token: SignedToken) -> Caller? {
    guard let key = authentication.deviceKey, token.algorithm == "HS256",
      let claims = token.claims(signedWith: .secret(key)),
      // A clock that was ahead issued this token itself; only its expiry counts.
      isValid(claims, issuer: Self.deviceIssuer, audience: Self.deviceIssuer, isOwn: true),
      let subject = claims.sub
    else { return nil }
    var caller = Caller(
      person: PersonID(rawValue: "device:" + subject), scopes: [], hasAccount: false)
    caller.tokenIssued = claims.iat
    return caller
  }

  /// The only key that this token may be checked with.
  private func key(
    of token: SignedToken, _ accounts: Authentication.Accounts
  ) async throws -> TokenKey? {
    switch token.algorithm {
    case "HS256": return accounts.secret.map(TokenKey.secret)
    case "RS256", "ES256":
      guard let directory = accounts.keys, let id = token.keyID else { return nil }
      return try await directory.key(id)?.key(for: token.algorithm)
    default: return nil
    }
  }

  private func isValid(
    _ claims: TokenClaims, issuer: String, audience: String, isOwn: Bool = false
  ) -> Bool {
    let time = now().timeIntervalSince1970
    guard claims.iss == issuer, claims.aud?.names.contains(audience) == true,
      let subject = claims.sub, (1...128).contains(subject.utf8.count), let expiry = claims.exp,
      expiry + Self.skew > time
    else { return false }
    return isOwn || [claims.nbf, claims.iat].allSatisfy { ($0 ?? 0) <= time + Self.skew }
  }
}

/// Tokens for a device whose person has no account yet.
struct DeviceTokens: Sendable {
  let key: [UInt8]
  let now: @Sendable () -> Date

  /// How long a token is valid, in seconds.
  static let lifetime = 365 * 86_400.0
  /// A token older than this is renewed when it is used, so that only who stays away for a year loses theirs.
  static let renewedAfter = 86_400.0

  private struct Unsigned: Error {}

  /// A new token for a device's person.
  ///
  /// - Returns: Nil for anybody else, and if the token is still new.
  func renewed(_ caller: Caller, always: Bool = false) throws -> String? {
    guard let issued = caller.tokenIssued,
      always || now().timeIntervalSince1970 - issued > Self.renewedAfter
    else { return nil }
    return try token(of: caller.person)
  }

  /// Another token for a person who already has one.
  func token(of person: PersonID) throws -> String {
    try token(String(person.rawValue.dropFirst("device:".count)))
  }

  /// A new person, and the token that proves who they are.
  func issue() throws -> (person: PersonID, token: String) {
    var generator = SystemRandomNumberGenerator()
    let subject = (0..<3).map { _ in SessionID.random(using: &generator).rawValue }.joined()
    return (PersonID(rawValue: "device:" + subject), try token(subject))
  }

  func token(_ subject: String) throws -> String {
    let time = now().timeIntervalSince1970.rounded()
    let claims = TokenClaims(
      iss: TokenVerifier.deviceIssuer, aud: .init([TokenVerifier.deviceIssuer]), sub: subject,
      exp: time + Self.lifetime, iat: time)
    guard
      let token = try SignedToken.signing(
        claims, with: .secret(key),
        header: ["alg": "HS256", "typ": "JWT", "kid": TokenVerifier.deviceKeyID])
    else { throw Unsigned() }
    return token
  }
}
