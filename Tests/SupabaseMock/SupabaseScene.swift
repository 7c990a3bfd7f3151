import FoundationEssentials
import IncrementalJSON
import MockServer

/// One request at one moment.
struct SupabaseScene {
  let options: SupabaseAPI.Options
  let request: SupabaseRequest
  let now: Date

  /// A refresh token may be used again so long after it was: its answer may have been lost.
  private static let reuseSeconds = 10.0

  init(options: SupabaseAPI.Options, request: SupabaseRequest) {
    self.options = options
    self.request = request
    now = options.now()
  }

  private func refused(
    _ status: Int, _ code: String, _ message: String, retryAfter: Int? = nil
  ) -> SupabaseReply {
    .auth(status, code, message, to: request.raw, retryAfter: retryAfter)
  }

  func requestCode(_ state: inout SupabaseState) -> SupabaseReply {
    guard let email = address else {
      return refused(
        400, "validation_failed", "Unable to validate email address: invalid format")
    }
    if request.body?["create_user"]?.boolValue == false, state.users[email] == nil {
      return refused(422, "otp_disabled", "Signups not allowed for otp")
    }
    if let sent = state.codes[email]?.sent {
      let left = Double(options.resendAfter) - now.timeIntervalSince(sent)
      guard left <= 0 else {
        return refused(
          429, "over_email_send_rate_limit",
          "For security purposes, you can only request this after \(Int(left.rounded(.up))) seconds."
        )
      }
    }
    let code = options.code ?? SupabaseTokens.digits()
    state.codes[email] = .init(digits: code, sent: now)
    state.send(code, to: email)
    return SupabaseReply(200, ["message_id": .null])
  }

  func verify(_ state: inout SupabaseState) -> SupabaseReply {
    guard let digits = request.body?["token"]?.stringValue, !digits.isEmpty else {
      return refused(400, "validation_failed", "Verify requires a token")
    }
    guard request.body?["type"]?.stringValue == "email" else {
      return refused(400, "validation_failed", "Invalid email verification type")
    }
    guard let email = address else {
      return refused(
        400, "validation_failed",
        "Only an email address or phone number should be provided on verify")
    }
    guard var code = state.codes[email], code.wrongTries < options.codeTries else {
      return state.codes[email] == nil
        ? wrongCode
        : refused(429, "over_request_rate_limit", "Request rate limit reached", retryAfter: 300)
    }
    guard code.digits == digits, now.timeIntervalSince(code.sent) < Double(options.codeLifetime)
    else {
      code.wrongTries += 1
      state.codes[email] = code
      return wrongCode
    }
    state.codes[email] = nil
    var user = state.users[email] ?? .init(id: Self.id(), email: email, created: now)
    user.lastSignIn = now
    state.users[email] = user
    return SupabaseReply(200, session(Self.id(), of: user, parent: nil, &state))
  }

  func refresh(_ state: inout SupabaseState) -> SupabaseReply {
    guard let name = request.body?["refresh_token"]?.stringValue, !name.isEmpty else {
      return refused(400, "validation_failed", "refresh_token required")
    }
    guard let token = state.refreshTokens[name],
      let user = state.users.values.first(where: { $0.id == token.userID })
    else {
      return refused(
        400, "refresh_token_not_found", "Invalid Refresh Token: Refresh Token Not Found")
    }
    guard let used = token.usedAt, !token.isRevoked else {
      guard !token.isRevoked else { return alreadyUsed }
      state.refreshTokens[name]?.usedAt = now
      return SupabaseReply(200, session(token.session, of: user, parent: name, &state))
    }
    // The answer to the first use may have been lost: its result is given again.
    let active = state.refreshTokens.first {
      $0.value.session == token.session && $0.value.usedAt == nil
    }
    if let active, active.value.parent == name {
      return SupabaseReply(
        200, session(token.session, of: user, parent: name, &state, refreshToken: active.key))
    }
    if let active, now.timeIntervalSince(used) < Self.reuseSeconds {
      return SupabaseReply(
        200, session(token.session, of: user, parent: name, &state, refreshToken: active.key))
    }
    // An old token can only come from somebody who stole it, so the whole family ends.
    for key in state.refreshTokens.keys where state.refreshTokens[key]?.session == token.session {
      state.refreshTokens[key]?.isRevoked = true
    }
    return alreadyUsed
  }

  func signOut(_ state: inout SupabaseState) -> SupabaseReply {
    guard let token = identified(state) else { return badToken }
    let scope = request.query["scope"] ?? "global"
    let sessions: Set<String> =
      switch scope {
      case "local": [token.session]
      default:
        Set(state.refreshTokens.values.filter { $0.userID == token.userID }.map(\.session))
          .subtracting(scope == "others" ? [token.session] : [])
      }
    for session in sessions { state.endSession(session) }
    return SupabaseReply(204)
  }

  func user(_ state: inout SupabaseState) -> SupabaseReply {
    guard let token = identified(state),
      let user = state.users.values.first(where: { $0.id == token.userID })
    else { return badToken }
    return SupabaseReply(200, json(user))
  }

  /// The token's session, if the mock issued it and it's still good.
  func identified(_ state: SupabaseState) -> SupabaseState.AccessToken? {
    guard let bearer = request.bearer, let token = state.accessTokens[bearer], token.expires > now
    else { return nil }
    return token
  }

  private var wrongCode: SupabaseReply {
    refused(403, "otp_expired", "Token has expired or is invalid")
  }

  private var alreadyUsed: SupabaseReply {
    refused(400, "refresh_token_already_used", "Invalid Refresh Token: Already Used")
  }

  private var badToken: SupabaseReply {
    request.bearer == nil
      ? refused(401, "no_authorization", "This endpoint requires a Bearer token")
      : refused(403, "bad_jwt", "invalid JWT: unable to parse or verify signature")
  }

  private var address: String? {
    guard let text = request.body?["email"]?.stringValue?.lowercased(),
      text.wholeMatch(of: /[^@\s]+@[^@\s.]+(\.[^@\s.]+)+/) != nil
    else { return nil }
    return text
  }

  private func session(
    _ id: String, of user: SupabaseState.User, parent: String?, _ state: inout SupabaseState,
    refreshToken: String? = nil
  ) -> JSONValue {
    let expires = now.addingTimeInterval(Double(options.tokenLifetime))
    let seconds = Int(expires.timeIntervalSince1970)
    let access = SupabaseTokens.access([
      "iss": "supabase-mock", "sub": .string(user.id), "aud": "authenticated",
      "exp": JSONValue(seconds), "iat": JSONValue(Int(now.timeIntervalSince1970)),
      "email": .string(user.email), "phone": "", "role": "authenticated", "aal": "aal1",
      "session_id": .string(id), "is_anonymous": false,
      "app_metadata": ["provider": "email", "providers": ["email"]], "user_metadata": [:],
      "amr": [["method": "otp", "timestamp": JSONValue(Int(now.timeIntervalSince1970))]],
    ])
    let refresh = refreshToken ?? SupabaseTokens.refresh()
    state.accessTokens[access] = .init(session: id, userID: user.id, expires: expires)
    if refreshToken == nil {
      state.refreshTokens[refresh] = .init(session: id, userID: user.id, parent: parent)
    }
    return [
      "access_token": .string(access), "token_type": "bearer",
      "expires_in": JSONValue(options.tokenLifetime), "expires_at": JSONValue(seconds),
      "refresh_token": .string(refresh), "user": json(user),
    ]
  }

  private func json(_ user: SupabaseState.User) -> JSONValue {
    let created = JSONValue.string(Self.timestamp(user.created))
    let seen = JSONValue.string(Self.timestamp(user.lastSignIn ?? user.created))
    return [
      "id": .string(user.id), "aud": "authenticated", "role": "authenticated",
      "email": .string(user.email), "email_confirmed_at": created, "phone": "",
      "confirmed_at": created, "last_sign_in_at": seen,
      "app_metadata": ["provider": "email", "providers": ["email"]], "user_metadata": [:],
      "identities": [
        [
          "identity_id": .string(user.id), "id": .string(user.id), "user_id": .string(user.id),
          "identity_data": [
            "email": .string(user.email), "email_verified": true, "sub": .string(user.id),
          ],
          "provider": "email", "last_sign_in_at": seen, "created_at": created, "updated_at": seen,
          "email": .string(user.email),
        ]
      ],
      "created_at": created, "updated_at": seen, "is_anonymous": false,
    ]
  }

  private static func id() -> String { UUID().uuidString.lowercased() }

  static func timestamp(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}
