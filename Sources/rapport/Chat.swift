import ArgumentParser
import FoundationEssentials
import Glibc
import Intake
import LanguageModels
import SessionStore
import Settings
import Terminal

/// `rapport chat`: the conversation.
struct Chat: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "chat",
    abstract: "Talk with the coach, or go on where you stopped.",
    discussion: """
      Examples:
        rapport chat
        rapport chat --base-url http://localhost:11434/v1 --model llama3.1
        printf 'I want to run a 10k\\n' | rapport chat --json

      At the prompt: /help, /insight, /again, /forget, /quit.
      """)

  @OptionGroup var storeOptions: StoreOptions
  @OptionGroup var modelOptions: ModelOptions
  @OptionGroup var intakeOptions: IntakeOptions

  @Flag(name: .long, help: "Begin another conversation.")
  var new = false

  @Option(name: .long, help: "Go on with this conversation (its id, or the beginning of it).")
  var session: String?

  @Option(name: .long, help: "Say one thing, print the answer and leave.")
  var message: String?

  @Flag(name: .long, help: "Print one JSON object a line, for programs.")
  var json = false

  @Flag(name: .long, help: "Show the ten components after each turn.")
  var insight = false

  @Flag(name: .long, help: "No colour.")
  var noColor = false

  func validate() throws {
    if new && session != nil {
      throw ValidationError("--new begins another conversation; --session names one that is there.")
    }
  }

  func run() async throws {
    let environment = ProcessInfo.processInfo.environment
    let terminal = TTY(program: "rapport", environment: environment, noColor: noColor)
    defer { terminal.restoreModes() }
    try await reporting(terminal, asJSON: json) {
      let surroundings = try Surroundings(
        flags: modelOptions.flags.merging(intakeOptions.flags) { first, _ in first })
      surroundings.warn(terminal)
      try await converse(surroundings, terminal)
    }
  }

  private func converse(_ surroundings: Surroundings, _ terminal: TTY) async throws {
    async let loadingPack = pack(surroundings)
    let settings = try surroundings.intakeSettings()
    // A pack of one's own can be wrong: that is said before anything is asked of the network.
    if surroundings.settings[.prompts] != nil { _ = try await loadingPack }
    let setup = try ModelSetup(surroundings)
    let models = try await setup.roles(terminal, asks: !json && message == nil)
    let store = try surroundings.openStore(storeOptions)
    let pack = try await loadingPack
    let id = try chosenSession(in: store, terminal)
    let writer = try store.acquireWriter(of: id)
    let engine = try await IntakeEngine(
      log: store.log(for: id), models: models, pack: pack, settings: settings,
      entitlements: StoredEntitlement(store: store), now: { Date() })
    terminal.recall(await engine.state.turns.map(\.text))
    let ending = await conversation(engine, store, id, terminal, setup).ending(message)
    withExtendedLifetime(writer) {}
    setup.remember()
    if terminal.writeFailure != nil { return }
    try leave(ending, id, isLatest: try id == store.latestSession(), terminal)
  }

  private func pack(_ surroundings: Surroundings) async throws -> PromptPack {
    try surroundings.settings.path(.prompts) == nil
      ? await BuiltInPack.pack : surroundings.promptPack()
  }

  private func conversation(
    _ engine: IntakeEngine, _ store: SessionStore, _ id: SessionID, _ terminal: TTY,
    _ setup: ModelSetup
  ) -> Conversation {
    let alphabet = BarChart.Alphabet(environment: setup.surroundings.environment)
    let view: any SessionView =
      json
      ? JSONLinesView(terminal: terminal)
      : ConversationView(terminal: terminal, showsInsight: insight, alphabet: alphabet)
    return Conversation(
      engine: engine, terminal: terminal, view: view, interrupts: .process,
      // Between chunks there is little to do, so each is shown by the thread that received it.
      executor: setup.runtime.client,
      insight: InsightText(width: terminal.size.columns, alphabet: alphabet),
      forget: { try store.forget(id) }, explain: explanation(of:))
  }

  /// The one named, the latest, or a new one. A finished discovery that was not subscribed to is
  /// not followed by a second free one.
  private func chosenSession(in store: SessionStore, _ terminal: any Terminal) throws -> SessionID {
    let named = try session.map { try store.session(matching: $0) }
    let isEntitled = try StoredEntitlement(store: store).current() != nil
    if isEntitled, let named { return named }
    if let finished = try store.finishedDiscovery(), !isEntitled {
      if new || (named ?? finished) != finished {
        terminal.writeAside(
          "You have had your first conversation with me already, so here it is again.\n\n",
          as: .notice)
      }
      return finished
    }
    if !isEntitled, try store.hasFinishedDiscovery() {
      throw Refusal(
        .usage,
        "You have had your first conversation with me already. `rapport subscribe` goes on (it is "
          + "a stub and takes no money).")
    }
    if let named { return named }
    if !new, let latest = try store.latestSession() { return latest }
    return try store.createSession(at: Date())
  }

  private func leave(
    _ ending: Conversation.Ending, _ id: SessionID, isLatest: Bool, _ terminal: TTY
  ) throws {
    let isPerson = terminal.isInteractive && !json
    switch ending {
    case .left:
      if isPerson {
        let options = modelOptions.flags.isEmpty ? "" : " with the same options"
        let which = isLatest ? "" : " --session \(id)"
        terminal.writeAside(
          "Saved. `rapport chat\(which)`\(options) goes on where we stopped.\n", as: .dim)
      }
    case .forgotten: terminal.writeAside("It's gone.\n", as: .dim)
    case .interrupted: throw ExitStatus.interrupted.exit
    case .failed(let status): throw status.exit
    }
  }
}

extension Conversation {
  fileprivate func ending(_ message: String?) async -> Ending {
    guard let message else { return await run() }
    return await sayOnce(message)
  }
}
