public import Journeys
public import Supabase

/// Signs people in within a journey.
public struct JourneyAccounts: AccountService {
  private let account: SupabaseAccount

  public init(_ account: SupabaseAccount) { self.account = account }

  public var isAvailable: Bool { true }

  public func current() async -> Account? {
    // A sign-in that can't be read is none; signing in again replaces it.
    (try? await account.session()).flatMap { $0 }.map { Account(id: $0.userID, email: $0.email) }
  }

  public func sendCode(to email: String) async throws(AccountError) {
    do throws(SupabaseError) {
      try await account.sendCode(to: try address(email))
    } catch {
      throw AccountError(error)
    }
  }

  public func verify(_ code: String, for email: String) async throws(AccountError) -> Account {
    do throws(SupabaseError) {
      guard let code = OneTimeCode(code) else { throw SupabaseError(.wrongCode) }
      let session = try await account.signIn(try address(email), code: code)
      return Account(id: session.userID, email: session.email)
    } catch {
      throw AccountError(error)
    }
  }

  /// A sign-in that can't be removed is told by `rapport account`.
  public func signOut() async { _ = try? await account.signOut() }

  private func address(_ email: String) throws(SupabaseError) -> EmailAddress {
    guard let address = EmailAddress(email) else { throw SupabaseError(.emailInvalid) }
    return address
  }
}

extension AccountError {
  init(_ error: SupabaseError) {
    self.init(
      code: error.code.rawValue, words: error.userMessage,
      retryAfter: error.wait.map { Int($0.components.seconds) })
  }
}
