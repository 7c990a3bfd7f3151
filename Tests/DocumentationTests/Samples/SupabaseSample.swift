import HTTPStreaming
import Supabase
import Testing

@Suite struct SupabaseSample {
  /// Sends a code, and signs in with it.
  func signIn(
    _ email: EmailAddress, to project: SupabaseProject, keeper: any SessionKeeper,
    readCode: () async -> OneTimeCode
  ) async throws -> SupabaseAccount {
    let account = SupabaseAccount(
      SupabaseClient(project, transport: HTTPClient()), keeper: keeper)
    try await account.sendCode(to: email)
    try await account.signIn(email, code: await readCode())
    return account
  }

  private struct NoKeeper: SessionKeeper {
    func load() -> AccountSession? { nil }
    func save(_ session: AccountSession) {}
    func remove() {}
    func turn() async -> any Sendable & AnyObject { Turn() }
    private final class Turn: Sendable {}
  }

  @Test func aProjectThatIsNotThereIsSaid() async throws {
    let project = try SupabaseProject(url: "http://127.0.0.1:9", key: "sb_publishable_sample")
    let email = try #require(EmailAddress("marta@example.com"))
    let code = try #require(OneTimeCode("123456"))
    let error = await #expect(throws: SupabaseError.self) {
      try await signIn(email, to: project, keeper: NoKeeper()) { code }
    }
    #expect(error?.code == .unreachable)
  }
}
