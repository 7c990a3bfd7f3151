import ArgumentParser
import Commands
import FoundationEssentials
import SessionStore
import Terminal

extension Sessions {
  struct Prune: TerminalCommand {
    static let configuration = CommandConfiguration(
      commandName: "prune",
      abstract: "Permanently delete old conversations, or rehearsals.",
      usage: "rapport sessions prune [<options>]",
      discussion: """
        Deletes the conversations that match every option given. Their words are overwritten in the \
        file, and there's no undo: try it with --dry-run first.

        Examples:
          rapport sessions prune --older-than 90d --dry-run
          rapport sessions prune --rehearsals --older-than 2026-01-31
          rapport sessions prune --rehearsals --yes
        """)

    @Option(
      help: ArgumentHelp(
        "Untouched since then: a date, or an age such as 12h, 90d or 4w.", valueName: "time"))
    var olderThan: PastTime?

    @Flag(help: "Only rehearsals, which had no model.")
    var rehearsals = false

    @Flag(help: "List what would be deleted, and delete nothing.")
    var dryRun = false

    @OptionGroup var confirmation: DeletionOptions
    @OptionGroup(title: "Store") var storeOptions: SharedStoreOptions

    func validate() throws {
      if olderThan == nil, !rehearsals {
        throw ValidationError("Say what to delete: --older-than, --rehearsals, or both.")
      }
    }

    func run(on terminal: TTY) async throws {
      let store = try await storeOptions.existingStore()
      let latest = olderThan?.date(before: Date()) ?? .distantFuture
      let old = try await store?.sessions().filter {
        $0.updated < latest && (!rehearsals || $0.isRehearsal)
      }
      guard let store, let old, !old.isEmpty else {
        return terminal.writeAside("No conversation matches.\n", as: .dim)
      }
      if dryRun { return report(old, terminal) }
      guard try await confirmation.allow(deleting: old, terminal) else { return }
      try await store.forget(held: old.map(\.id))
      terminal.writeAside("Deleted \(Self.count(old)).\n", as: .dim)
    }

    private func report(_ sessions: [SessionSummary], _ terminal: TTY) {
      SessionLines(sessions: sessions, terminal: terminal).write()
      terminal.writeAside("Without --dry-run, this deletes \(Self.count(sessions)).\n", as: .notice)
    }

    private static func count(_ sessions: [SessionSummary]) -> String {
      sessions.count.counted("conversation")
    }
  }
}
