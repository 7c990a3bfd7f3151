public import ArgumentParser
import Commands
import Intake
import SessionStore
import Settings
import Startup
import Terminal

/// `rapport sessions`: lists, shows, exports and deletes stored conversations.
struct Sessions: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions",
    abstract: "List, show, export or delete conversations.",
    discussion: """
      Examples:
        rapport sessions
        rapport sessions list --search marathon --since 30d
        rapport sessions show
        rapport sessions export k3f9 --format jsonl > transcript.jsonl
        rapport sessions forget k3f9
        rapport sessions prune --older-than 90d --dry-run
      """,
    subcommands: [List.self, Show.self, Export.self, Forget.self, Prune.self],
    defaultSubcommand: List.self)

  struct Show: TerminalCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Print a conversation.",
      usage: "rapport sessions show [<id>] [<options>]",
      discussion: """
        On a terminal, it's laid out for reading, with times where you are. Elsewhere it's Markdown, \
        with times in UTC.

        Examples:
          rapport sessions show k3f9
          rapport sessions show | less
          rapport sessions show --json | jq .events[0]
        """)

    @OptionGroup var conversation: ConversationOptions
    @Flag(help: "Print every event as JSON, as `sessions export` does.")
    var json = false

    func run(on terminal: TTY) async throws {
      let export = try await conversation.export()
      if json { return terminal.writeDocument(try export.text(.json), isJSON: true) }
      guard terminal.isInteractive else { return terminal.write(try export.text(.markdown)) }
      SessionPage(export: export).show(on: terminal)
    }
  }

  struct Export: TerminalCommand {
    static let configuration = CommandConfiguration(
      commandName: "export",
      abstract: "Export a conversation as Markdown, JSON or JSON Lines.",
      usage: "rapport sessions export [<id>] [<options>]",
      discussion: "Example:\n  rapport sessions export k3f9 --format jsonl > transcript.jsonl")

    @OptionGroup var conversation: ConversationOptions
    @Option(help: "markdown, json (every event) or jsonl (the transcript on one line).")
    var format: SessionExport.Format = .markdown

    func run(on terminal: TTY) async throws {
      let text = try await conversation.export().text(format)
      terminal.writeDocument(text, isJSON: format != .markdown)
    }
  }

  struct Forget: TerminalCommand {
    static let configuration = CommandConfiguration(
      commandName: "forget",
      abstract: "Permanently delete a conversation.",
      discussion: """
        Its words are overwritten in the file, not just unlinked. There's no undo, so a terminal \
        asks first.

        Examples:
          rapport sessions forget k3f9
          rapport sessions forget k3f9 --yes
        """)

    @OptionGroup(title: "Store") var storeOptions: SharedStoreOptions
    @Argument(help: "The conversation's id, or its first characters.", completion: .sessions)
    var id: String
    @OptionGroup var confirmation: DeletionOptions

    func run(on terminal: TTY) async throws {
      let store = try await storeOptions.existingStore()
      guard let store else { throw StoreError(.noSuchSession(id), file: "") }
      let session = try await store.session(matching: id)
      let summaries = try await store.sessions().filter { $0.id == session }
      guard try await confirmation.allow(deleting: summaries, terminal) else { return }
      try await store.forget(held: [session])
      terminal.writeAside("Conversation \(session) is gone.\n", as: .dim)
    }
  }
}

/// The question before words are gone for good.
struct DeletionOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Delete without asking.")
  var yes = false

  func allow(deleting sessions: [SessionSummary], _ terminal: TTY) async throws -> Bool {
    if yes { return true }
    guard terminal.isInteractive else {
      throw CommandFailure(
        .usage, "There's no undo, so nothing is deleted without --yes when nobody can be asked.")
    }
    SessionLines(sessions: sessions, terminal: terminal).write()
    let what = sessions.count == 1 ? "this conversation" : "these \(sessions.count) conversations"
    terminal.writeAside("Delete \(what) for good? There's no undo.\n", as: .notice)
    let answer = await terminal.readLine(prompt: "[y/N] ")
    guard case .line(let line) = answer, ["y", "yes"].contains(line.lowercased()) else {
      terminal.writeAside("Nothing was deleted.\n", as: .dim)
      return false
    }
    return true
  }
}

extension SessionExport.Format: ExpressibleByArgument {}

extension ConversationStore {
  /// Deletes sessions while no other process can take one of them.
  func forget(held sessions: [SessionID]) async throws {
    var writers: [SessionWriter] = []
    for session in sessions { writers.append(try await acquireWriter(of: session)) }
    try await forget(sessions, givesSpaceBack: true)
    withExtendedLifetime(writers) {}
  }
}

/// A stored conversation, to be printed or exported.
struct ConversationOptions: ParsableArguments {
  @OptionGroup(title: "Store") var storeOptions: SharedStoreOptions
  @OptionGroup var packOptions: PackOptions
  @Argument(
    help: "The conversation's id, or its first characters (default: the latest).",
    completion: .sessions)
  var id: String?

  func export() async throws -> SessionExport {
    let context = try CommandContext(flags: packOptions.flags, readsCredentials: false)
    guard let store = try await context.existingAnyStore(storeOptions),
      let session = try await session(in: store)
    else { throw CommandFailure(.usage, "There are no conversations yet.") }
    let events = try await store.events(of: session)
    let rubric = try context.promptPack(of: events).rubric
    return SessionExport(session: session, events: events, rubric: rubric)
  }

  /// The named conversation, or the latest in which something was said.
  private func session(in store: any ConversationStore) async throws -> SessionID? {
    if let id { return try await store.session(matching: id) }
    return try await store.sessions().first { !$0.isUnused }?.id
  }
}
