import FoundationEssentials
import HTTPStreaming
import IncrementalJSON
public import LanguageModels

/// GoTrue's requests. They remember nothing: ``SupabaseAccount`` does.
extension SupabaseClient {
  /// Sends an email with a code, and creates the account at the first one.
  public func requestCode(for email: EmailAddress) async throws(SupabaseError) {
    _ = try await send(
      .post, "/auth/v1/otp", ["email": .string(email.text), "create_user": true, "data": [:]])
  }

  public func verify(
    _ code: OneTimeCode, for email: EmailAddress
  ) async throws(SupabaseError) -> AccountSession {
    try session(
      await send(
        .post, "/auth/v1/verify",
        ["type": "email", "email": .string(email.text), "token": .string(code.digits)]))
  }

  /// Exchanges a refresh token for a new session. The token is used up by it.
  public func refresh(_ token: Secret) async throws(SupabaseError) -> AccountSession {
    try session(
      await send(
        .post, "/auth/v1/token?grant_type=refresh_token",
        ["refresh_token": .string(token.revealed)]))
  }

  /// Ends this session, and leaves the person's other devices signed in.
  public func signOut(_ accessToken: Secret) async throws(SupabaseError) {
    _ = try await send(.post, "/auth/v1/logout?scope=local", [:], token: accessToken)
  }

  private func session(_ answer: SupabaseAnswer) throws(SupabaseError) -> AccountSession {
    guard let json = answer.json, let access = json["access_token"]?.stringValue,
      let refresh = json["refresh_token"]?.stringValue, let user = json["user"]?["id"]?.stringValue,
      !access.isEmpty, !refresh.isEmpty, !user.isEmpty
    else { throw unexpected("a session without its tokens") }
    // Relative, so that a wrong clock on either side doesn't matter.
    let lifetime = json["expires_in"]?.intValue ?? 3_600
    return AccountSession(
      project: project.url, userID: user, email: json["user"]?["email"]?.stringValue ?? "",
      accessToken: Secret(access), refreshToken: Secret(refresh),
      expiresAt: now().addingTimeInterval(Double(min(max(lifetime, 0), 31_536_000))))
  }
}
