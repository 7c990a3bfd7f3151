import ArgumentParser
import Commands
import FoundationEssentials
import SessionStore
import Startup
import Terminal

/// `rapport subscribe`: a stub for a subscription.
struct Subscribe: TerminalCommand {
  static let configuration = CommandConfiguration(
    commandName: "subscribe",
    abstract: "Continue after the first conversation (a stub: it takes no money).",
    discussion: """
      Example:
        rapport subscribe && rapport chat
      """)

  @OptionGroup(title: "Store") var storeOptions: StoreOptions

  func run(on terminal: TTY) async throws {
    let store = try CommandContext().openStore(storeOptions)
    _ = try store.grant(.stub(at: Date()))
    let next = try store.latestSession() == nil ? "Start" : "Continue"
    terminal.writeAside(
      "You're subscribed (a stub: no money was taken). \(next) with `rapport chat`.\n",
      as: .notice
    )
  }
}
