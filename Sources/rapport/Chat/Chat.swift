import ArgumentParser
import Coaching
import Commands
import ContextQuality
import FoundationEssentials
import Glibc
import Intake
import Journeys
import LanguageModels
import Plans
import Rehearsal
import SessionStore
import Settings
import Startup
import Terminal

/// `rapport chat`: the conversation.
struct Chat: TerminalCommand {
  static let configuration = CommandConfiguration(
    commandName: "chat",
    abstract: "Talk with the coach, or resume where you left off.",
    discussion: """
      Examples:
        rapport chat
        rapport chat --offline
        rapport chat --base-url http://localhost:11434/v1 --model llama3.1
        rapport chat --record knee.json --redact Marta
        printf 'I want to run a 10k\\n' | rapport chat --json

      At the prompt: /help, /insight, /health, /log, /goals, /plan, /review, /again,
      /edit, /done, /forget, /quit.
      """)

  @OptionGroup(title: "Store") var storeOptions: StoreOptions
  @OptionGroup(title: "Model") var modelOptions: ModelOptions
  @OptionGroup(title: "Coach") var intakeOptions: IntakeOptions
  @OptionGroup(title: "Health data") var healthOptions: HealthOptions

  @Flag(help: "Rehearse without a model, key or network: set questions, and your own words back.")
  var offline = false

  @Flag(help: "Start a new conversation.")
  var new = false

  @Option(
    help: ArgumentHelp(
      "Resume this conversation (its id, or its first characters).", valueName: "id"),
    completion: .sessions)
  var session: String?

  @Option(help: ArgumentHelp("Send one message, print the reply and exit.", valueName: "text"))
  var message: String?

  @Flag(help: "Print one JSON object per line, for programs.")
  var json = false

  @Flag(help: "Show the component scores after each turn.")
  var insight = false

  @Flag(help: "Don't read a message before you send it.")
  var noPreview = false

  @Flag(help: "Disable color.")
  var noColor = false

  @Flag(name: .shortAndLong, help: "Show the conversation only: no hints, waits or suggestions.")
  var quiet = false

  @Flag(
    name: .shortAndLong, help: "Also show each request to the model, and the cause of an error.")
  var verbose = false

  @OptionGroup(title: "Log") var logOptions: LogOptions
  @OptionGroup(title: "Recording") var recordOptions: RecordOptions

  func validate() throws {
    if quiet && verbose {
      throw ValidationError("--quiet shows less; --verbose shows more. Use one of them.")
    }
    if offline, logOptions.log != nil {
      throw ValidationError("A rehearsal sends no requests, so there is nothing to log.")
    }
    if recordOptions.record != nil {
      if let session {
        throw ValidationError(
          "--record needs a conversation from its start, and \(session) has already started. Leave "
            + "out --session.")
      }
      if offline { throw ValidationError(RecordingPlan.needsModel) }
    }
    if new && session != nil {
      throw ValidationError("--new starts a conversation; --session resumes one. Use one of them.")
    }
    if offline { try modelOptions.checkRehearsal() }
  }

  var reportsAsJSON: Bool { json }

  func run(on terminal: TTY) async throws {
    let context = try CommandContext(
      flags: modelOptions.flags.merging(intakeOptions.flags) { first, _ in first },
      readsCredentials: !offline)
    context.warn(terminal)
    try await converse(context, terminal)
  }

  private func converse(_ context: CommandContext, _ terminal: TTY) async throws {
    let plan = try recordOptions.plan()
    let given = try healthOptions.health.map { try HealthFile($0) }
    async let loadingPack = pack(context)
    var settings = try context.intakeSettings()
    // A recording has one request after another.
    if plan == nil {
      settings.language = DeviceLanguage.code(in: context.environment)
    } else {
      settings.readsAhead = false
    }
    // A custom pack can be invalid; report that before using the network.
    if context.settings[.prompts] != nil { _ = try await loadingPack }
    let setup = try await coachSetup(context, terminal)
    let requests = try requestLog(context)
    let store = try context.openStore(storeOptions)
    let pack = try await loadingPack
    let isSubscribed = try store.entitlement() != nil
    let recording = try plan?.recording(
      setup.models, setup.coach, pack, settings, isSubscribed: isSubscribed, terminal)
    let choice = SessionChoice(
      store: store, isRehearsal: setup.isRehearsal, pack: pack.name)
    let chosen =
      try recording == nil ? choice.choose(named: session, new: new) : choice.beginRecorded()
    let id = chosen.id
    let writer = try store.acquireWriter(of: id)
    let engine = try await IntakeEngine(
      log: store.log(for: id), coach: requests?.logging(setup.coach) ?? setup.coach, pack: pack,
      settings: settings,
      entitlements: try entitlements(store, setup),
      surroundings: try .coached(by: pack, cycle: pack.dayCycle).reading(
        with: .encoder(for: pack.rubric)),
      now: { Date() })
    terminal.recall(await engine.state.turns.map(\.text))
    if chosen.isFinishedInstead {
      terminal.writeAside(await engine.screenTexts()(.finishedInstead) + "\n\n", as: .notice)
    }
    let desk = HealthConsent(
      store: store, engine: engine, rubric: pack.rubric, terminal: terminal,
      speaksOnlyIfNamed: setup.isRehearsal || recording != nil, isRecorded: recording != nil,
      asks: message == nil && !quiet, isForPrograms: json && message == nil && !quiet)
    let health = try await desk.link(given, isRefused: healthOptions.noHealth)
    let ending = try await conversation(
      engine, pack, store, id, terminal, setup, context, recording, health, requests
    ).ending(message)
    health.stop()
    withExtendedLifetime(writer) {}
    setup.models?.remember()
    await recording?.verify(pack)
    let isRecorded = recording?.finish() ?? true
    if terminal.writeFailure != nil { return }
    if requests?.hasFailed == true {
      terminal.writeNote("I couldn't write everything to the log.", as: .error)
    }
    let isLatest = try id == store.latestSession(isRehearsal: setup.isRehearsal)
    let hasWords = await !engine.state.turns.isEmpty
    let texts = await engine.screenTexts()
    try leave(ending, id, setup, texts, isLatest: isLatest, hasWords: hasWords, terminal)
    if !isRecorded { throw ExitStatus.cannotWrite.exit }
  }

  /// Who the conversation is with.
  private struct CoachSetup {
    var coach: CoachChoice
    /// Nil in a rehearsal, so nothing can reach the network.
    var models: ModelSetup?

    var isRehearsal: Bool { models == nil }
  }

  private func coachSetup(
    _ context: CommandContext, _ terminal: TTY
  ) async throws -> CoachSetup {
    if offline { return CoachSetup(coach: .rehearsal) }
    let models = try ModelSetup(
      context, terminal, records: recordOptions.record != nil)
    let coach = try await models.coach(terminal, asks: !json && message == nil)
    if coach.models == nil { return CoachSetup(coach: coach) }
    return CoachSetup(coach: coach, models: models)
  }

  /// A rehearsal's paywall unlocks that rehearsal only.
  private func entitlements(
    _ store: SessionStore, _ setup: CoachSetup
  ) throws -> any EntitlementProvider {
    setup.isRehearsal
      ? InMemoryEntitlement(try store.entitlement()) : StoredEntitlement(store: store)
  }

  private func pack(_ context: CommandContext) async throws -> PromptPack {
    try context.settings.path(.prompts) == nil
      ? await BuiltInPack.pack : context.promptPack()
  }

  private var verbosity: Verbosity { quiet ? .quiet : verbose ? .verbose : .normal }

  /// Nil if nobody wants to see the requests.
  private func requestLog(_ context: CommandContext) throws -> RequestLog? {
    guard verbose || logOptions.log != nil else { return nil }
    return try RequestLog(
      path: logOptions.log, includesContent: logOptions.logContent, showsLines: verbose && !json,
      mask: SecretMask([context.settings.connection().ready?.key]))
  }

  private func conversation(
    _ engine: IntakeEngine, _ pack: PromptPack, _ store: SessionStore, _ id: SessionID,
    _ terminal: TTY, _ setup: CoachSetup, _ context: CommandContext,
    _ recording: SessionRecording?, _ health: HealthFeed, _ requests: RequestLog?
  ) throws -> Conversation {
    let alphabet = BarChart.Alphabet(environment: context.environment)
    let view: any SessionView =
      json
      ? JSONLinesView(terminal: terminal)
      : ConversationView(
        terminal: terminal, rubric: pack.rubric, showsInsight: insight, verbosity: verbosity,
        alphabet: alphabet, skipsReadings: recording == nil)
    return Conversation(
      engine: engine, terminal: terminal, view: view, interrupts: .process,
      // There is little to do between chunks, so the receiving thread shows each one.
      executor: setup.models?.networkThread,
      insight: InsightText(rubric: pack.rubric, width: terminal.size.columns, alphabet: alphabet),
      health: health,
      assistant: try assistant(
        engine, pack.rubric, terminal, context, isRecorded: recording != nil),
      notebook: json ? nil : Notebook(pack), forget: { try store.forget(id) }, recording: recording,
      logged: { try store.events(of: id) },
      reminder: recording == nil
        ? .reminder(of: try JourneyState(events: store.events(of: id)), pack, at: Date()) : nil,
      home: context.environment["HOME"], editor: ExternalEditor(environment: context.environment),
      requests: requests,
      explain: { ReportedFailure($0) })
  }

  /// A recording holds exactly the requests that its replay makes.
  private func assistant(
    _ engine: IntakeEngine, _ rubric: Rubric, _ terminal: TTY, _ context: CommandContext,
    isRecorded: Bool
  ) throws -> TypingAssistant? {
    let previews = try context.previews() && !noPreview && !isRecorded
    guard json || terminal.isInteractive, !quiet else { return nil }
    return TypingAssistant(
      engine: engine, rubric: rubric, isPerson: !json, asksModels: !isRecorded,
      previews: previews && !json,
      showsInsight: insight)
  }

  private func leave(
    _ ending: Conversation.Ending, _ id: SessionID, _ setup: CoachSetup, _ texts: ScreenTexts,
    isLatest: Bool, hasWords: Bool, _ terminal: TTY
  ) throws {
    let isPerson = terminal.isInteractive && !json
    switch ending {
    case .left:
      if isPerson, !quiet {
        let isPlain =
          modelOptions.flags.isEmpty && intakeOptions.prompts == nil && storeOptions.store == nil
        let which = (setup.isRehearsal ? " --offline" : "") + (isLatest ? "" : " --session \(id)")
        terminal.writeNote(
          texts(
            .picksUp,
            [
              "command": "rapport chat" + which, "isSaved": hasWords ? "yes" : "",
              "hasOptions": isPlain ? "" : "yes",
            ]), as: .dim)
      }
    case .over, .back: break
    case .forgotten: terminal.writeAside(texts(.forgotten) + "\n", as: .dim)
    case .interrupted: throw ExitStatus.interrupted.exit
    case .failed(let status): throw status.exit
    }
  }
}

extension Conversation {
  fileprivate func ending(_ message: String?) async -> Ending {
    guard let message else { return await run() }
    return await sayOnce(OutputFilter.withoutSequences(message))
  }
}
