import ArgumentParser
import Commands
import FoundationEssentials
import IncrementalJSON
import SessionStore
import Startup
import Supabase
import Terminal

/// `rapport account`: signing in and out.
struct Account: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "account",
    abstract: "Sign in by email, sign out, or see who is signed in.",
    discussion: """
      An account keeps what the coach understood, your goal and your program in a Supabase project, \
      so that another device can have them. Nothing needs one.

      Examples:
        rapport account sign-in you@example.com
        rapport account
        rapport account sign-out
      """,
    subcommands: [Show.self, SignIn.self, SignOut.self],
    defaultSubcommand: Show.self)

  struct Show: TerminalCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Print who is signed in, and where.",
      discussion: """
        It reads what is stored here and asks nobody.

        Examples:
          rapport account show
          rapport account show --json | jq -r .email
        """)

    @OptionGroup(title: "Store") var storeOptions: StoreOptions
    @Flag(help: "Print it as JSON.")
    var json = false

    func run(on terminal: TTY) async throws {
      let (account, context) = try storeOptions.account(terminal)
      let session = try await account.session()
      let url = account.client.project.url
      let entries = try context.existingStore(storeOptions.store)
        .map { try Outbox(store: $0).entries() }
      let others = session.flatMap { entries?.waiting(forOthersThan: $0.userID) } ?? 0
      guard !json else {
        let document: JSONValue = [
          "project": .string(url), "email": session.map { .string($0.email) } ?? .null,
          "user": session.map { .string($0.userID) } ?? .null,
          "otherAccount": JSONValue(others),
        ]
        return terminal.writeRecord(document.serialized())
      }
      guard let session else {
        return terminal.writeNote(
          "Nobody is signed in at \(account.client.project.host). Sign in with "
            + "`rapport account sign-in`.", as: .notice)
      }
      terminal.write("email    \(session.email)\nproject  \(url)\n")
      if let note = OtherAccount.note(others) { terminal.writeNote(note, as: .notice) }
    }
  }

  struct SignIn: TerminalCommand {
    static let configuration = CommandConfiguration(
      commandName: "sign-in",
      abstract: "Sign in with a code that is sent by email.",
      discussion: """
        Without a terminal, the code is the next line of standard input.

        Example:
          rapport account sign-in you@example.com
        """)

    @OptionGroup(title: "Store") var storeOptions: StoreOptions
    @Argument(help: "Your email address (default: asks for it).")
    var email: String?

    func run(on terminal: TTY) async throws {
      let (account, _) = try storeOptions.account(terminal)
      let session = try await SignInDialogue(account: account, terminal: terminal).run(email)
      terminal.writeNote(
        "You're signed in as \(session.email). `rapport sync` sends what I know so far to your "
          + "account.", as: .notice)
    }
  }

  struct SignOut: TerminalCommand {
    static let configuration = CommandConfiguration(
      commandName: "sign-out",
      abstract: "Sign out here; other devices stay signed in.",
      discussion: """
        Everything stays on this machine.

        Example:
          rapport account sign-out
        """)

    @OptionGroup(title: "Store") var storeOptions: StoreOptions

    func run(on terminal: TTY) async throws {
      let (account, _) = try storeOptions.account(terminal)
      guard try await account.session() != nil else {
        let other = try await account.otherProject()
        return terminal.writeNote(
          "Nobody was signed in at \(account.client.project.host)."
            + (other.map { " The sign-in at \($0) stays; to end it, set SUPABASE_URL to that." }
              ?? ""),
          as: .notice)
      }
      let problem = try await account.signOut()
      terminal.writeNote("You're signed out. Everything is still on this machine.", as: .notice)
      if problem != nil {
        let host = account.client.project.host
        terminal.writeNote(
          "I couldn't tell \(host), so it will find out when the sign-in expires.", as: .dim)
      }
    }
  }
}

extension StoreOptions {
  /// The account beside the store.
  fileprivate func account(_ terminal: TTY) throws -> (SupabaseAccount, CommandContext) {
    let context = try CommandContext(readsCredentials: false)
    context.warn(terminal)
    return (try context.account(besideStore: store), context)
  }
}
