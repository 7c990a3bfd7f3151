import HTTPStreaming
import Journeys
import LanguageModels
import SessionStore
import Supabase

/// Signs a person in to a journey with a code that a Supabase project mails. Whoever's token is an
/// account's has signed in already.
///
/// It proves the address, and keeps no tokens: who sends a request is said by its own token, and an app
/// joins the two with `POST /tokens/upgrade`.
struct MailedCode: AccountService {
  private let client: SupabaseClient?
  private let account: Account?

  /// - Parameter project: Nil if none is set up.
  init(_ project: SupabaseProject?, for caller: Caller) {
    client = project.map { SupabaseClient($0, transport: HTTPClient()) }
    account = caller.email.map { Account(id: caller.person.rawValue, email: $0) }
  }

  var isAvailable: Bool { client != nil }

  func current() -> Account? { account }

  func sendCode(to email: String) async throws(AccountError) {
    guard let client else { return try NoAccount().sendCode(to: email) }
    let address = try address(email)
    do throws(SupabaseError) {
      try await client.requestCode(for: address)
    } catch {
      throw AccountError(error)
    }
  }

  func verify(_ code: String, for email: String) async throws(AccountError) -> Account {
    guard let client else { return try NoAccount().verify(code, for: email) }
    let address = try address(email)
    guard let digits = OneTimeCode(code) else { throw AccountError(SupabaseError(.wrongCode)) }
    do throws(SupabaseError) {
      let session = try await client.verify(digits, for: address)
      return Account(id: session.userID, email: session.email)
    } catch {
      throw AccountError(error)
    }
  }

  private func address(_ email: String) throws(AccountError) -> EmailAddress {
    guard let address = EmailAddress(email) else {
      throw AccountError(SupabaseError(.emailInvalid))
    }
    return address
  }
}

extension AccountError {
  fileprivate init(_ error: SupabaseError) {
    self.init(
      code: error.code.rawValue, words: error.userMessage,
      retryAfter: error.wait.map { Int($0.components.seconds) })
  }
}
