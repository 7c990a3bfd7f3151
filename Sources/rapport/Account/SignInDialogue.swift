import Commands
import Startup
import Supabase
import Terminal

/// Asks for an address and then for the code that was sent there.
struct SignInDialogue {
  let account: SupabaseAccount
  let terminal: any Terminal

  /// - Throws: `SupabaseError`, or an exit code when the person leaves.
  func run(_ typed: String?) async throws -> AccountSession {
    var typed = typed
    while true {
      let email = try await address(typed)
      typed = nil
      do throws(SupabaseError) { try await account.sendCode(to: email) } catch {
        guard terminal.isInteractive, error.code == .emailInvalid else { throw error }
        terminal.writeNote(error.userMessage, as: .error)
        continue
      }
      terminal.writeNote("I sent a code to \(email). It may take a minute.", as: .coach)
      if let session = try await code(for: email) { return session }
    }
  }

  private func address(_ typed: String?) async throws -> EmailAddress {
    var typed = typed
    while true {
      let text: String
      if let typed { text = typed } else { text = try await line("Email: ") }
      if let email = EmailAddress(text) { return email }
      let error = SupabaseError(.emailInvalid)
      guard terminal.isInteractive else { throw error }
      terminal.writeNote(error.userMessage, as: .error)
      typed = nil
    }
  }

  /// Nil if the person would rather use another address.
  private func code(for email: EmailAddress) async throws -> AccountSession? {
    if terminal.isInteractive {
      terminal.writeNote("Enter alone sends a new one; < goes back to the address.", as: .dim)
    }
    while true {
      let typed = try await line("Code: ")
      if typed == "<" { return nil }
      if !typed.isEmpty, OneTimeCode(typed) == nil {
        terminal.writeNote("A code is six to ten digits, such as 123456.", as: .error)
        continue
      }
      switch await result(of: typed, email) {
      case .success(let session?): return session
      case .success(nil):
        terminal.writeNote("I sent a new code. Only the latest one works.", as: .coach)
      case .failure(let error):
        guard terminal.isInteractive || error.code == .wrongCode, error.isForAnotherTry else {
          throw error
        }
        terminal.writeNote(error.userMessage, as: .error)
      }
    }
  }

  /// Signs in with a code, or sends a new one if none was typed; nil then.
  private func result(
    of typed: String, _ email: EmailAddress
  ) async -> Result<AccountSession?, SupabaseError> {
    do throws(SupabaseError) {
      if let code = OneTimeCode(typed) {
        return .success(try await account.signIn(email, code: code))
      }
      try await account.sendCode(to: email)
      return .success(nil)
    } catch {
      return .failure(error)
    }
  }

  private func line(_ prompt: String) async throws -> String {
    switch await terminal.readLine(prompt: prompt) {
    case .line(let line):
      return line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    case .interrupted: throw ExitStatus.interrupted.exit
    case .endOfInput:
      if terminal.isInteractive { throw ExitStatus.interrupted.exit }
      throw CommandFailure(.usage, "I need the code from the email on standard input.")
    }
  }
}

extension SupabaseError {
  /// Whether typing again, or waiting a little, helps.
  fileprivate var isForAnotherTry: Bool {
    [.wrongCode, .emailLimit, .tooManyRequests, .unreachable, .timedOut, .serverError]
      .contains(code)
  }
}
