public import ArgumentParser
import FoundationEssentials
import Intake
import SessionStore
import Terminal

/// `rapport sessions`: lists, shows, exports and deletes stored conversations.
struct Sessions: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions",
    abstract: "List, show, export or delete conversations.",
    discussion: """
      Examples:
        rapport sessions
        rapport sessions show
        rapport sessions export k3f9 --format jsonl > transcript.jsonl
        rapport sessions forget k3f9
      """,
    subcommands: [List.self, Show.self, Export.self, Forget.self],
    defaultSubcommand: List.self)

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List conversations, newest first.",
      discussion: "Example:\n  rapport sessions list")

    @OptionGroup(title: "Store") var storeOptions: StoreOptions

    func run() async throws {
      try await withStore(storeOptions) { store, _, terminal in
        let sessions = try store?.sessions() ?? []
        if sessions.isEmpty { terminal.writeAside("No conversations yet.\n", as: .dim) }
        for session in sessions {
          terminal.write(Self.line(session, terminal.wrappingWidth) + "\n")
        }
      }
    }

    private static func line(_ session: SessionSummary, _ width: Int?) -> String {
      let date = session.updated.formatted(
        .iso8601.year().month().day().dateTimeSeparator(.space).time(
          includingFractionalSeconds: false)
      )
      .prefix(16)
      let state =
        session.isCompleted ? "finished" : session.turns == 1 ? "1 turn" : "\(session.turns) turns"
      let words =
        (session.isRehearsal ? "(rehearsal) " : "")
        + session.firstWords.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      let padded = state + String(repeating: " ", count: max(0, 9 - state.count))
      let start = "\(session.id)  \(date)  \(padded)  "
      let room = max(20, (width ?? 90) - start.count)
      return start + (words.count > room ? words.prefix(room - 1) + "…" : words)
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Print a conversation.",
      discussion: "Example:\n  rapport sessions show k3f9")

    @OptionGroup(title: "Store") var storeOptions: StoreOptions
    @Argument(
      help: "The conversation's id, or its first characters (default: the latest).",
      completion: .sessions)
    var id: String?

    func run() async throws {
      try await exporting(storeOptions, id, .markdown) { $1.write($0) }
    }
  }

  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "export",
      abstract: "Export a conversation as Markdown, JSON or JSON Lines.",
      discussion: "Example:\n  rapport sessions export k3f9 --format jsonl > transcript.jsonl")

    @OptionGroup(title: "Store") var storeOptions: StoreOptions
    @Argument(
      help: "The conversation's id, or its first characters (default: the latest).",
      completion: .sessions)
    var id: String?
    @Option(
      name: .long, help: "markdown, json (every event) or jsonl (the transcript on one line).")
    var format: SessionExport.Format = .markdown

    func run() async throws {
      try await exporting(storeOptions, id, format) {
        $1.writeDocument($0, isJSON: format != .markdown)
      }
    }
  }

  struct Forget: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "forget",
      abstract: "Permanently delete a conversation.",
      discussion: """
        Its words are overwritten in the file, not just unlinked.

        Example:
          rapport sessions forget k3f9
        """)

    @OptionGroup(title: "Store") var storeOptions: StoreOptions
    @Argument(help: "The conversation's id, or its first characters.", completion: .sessions)
    var id: String

    func run() async throws {
      try await withStore(storeOptions) { store, _, terminal in
        guard let store else { throw StoreError(.noSuchSession(id), file: "") }
        let session = try store.session(matching: id)
        let writer = try store.acquireWriter(of: session)
        try store.forget(session)
        withExtendedLifetime(writer) {}
        terminal.writeAside("Conversation \(session) is gone.\n", as: .dim)
      }
    }
  }
}

extension SessionExport.Format: ExpressibleByArgument {}

private func withStore(
  _ options: StoreOptions, _ body: (SessionStore?, CommandContext, TTY) throws -> Void
) async throws {
  let terminal = TTY(program: "rapport", environment: ProcessInfo.processInfo.environment)
  try await reporting(terminal) {
    let context = try CommandContext()
    try body(try context.existingStore(options), context, terminal)
  }
}

private func exporting(
  _ options: StoreOptions, _ id: String?, _ format: SessionExport.Format,
  _ write: (String, TTY) -> Void
) async throws {
  try await withStore(options) { store, context, terminal in
    guard let store, let session = try session(id, in: store) else {
      throw CommandFailure(.usage, "There are no conversations yet.")
    }
    let events = try store.events(of: session)
    let export = SessionExport(
      session: session, events: events, rubric: try context.promptPack(of: events).rubric)
    write(try export.text(format), terminal)
  }
}

/// The named conversation, or the latest.
private func session(_ id: String?, in store: SessionStore) throws -> SessionID? {
  guard let id else { return try store.latestSession() }
  return try store.session(matching: id)
}
