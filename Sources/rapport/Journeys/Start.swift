import ArgumentParser
import Commands
import FoundationEssentials
import Intake
import Journeys
import Plans
import SessionStore
import Settings
import Startup
import Sync
import Terminal

/// `rapport start`: a journey, from its welcome to its end.
struct Start: TerminalCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Walk through an onboarding flow, or resume where you left off.",
    discussion: """
      Examples:
        rapport start
        rapport start discovery --offline
        echo '{"answer": true}' | rapport start discovery --json

      Enter goes on, < or Esc goes back, ? says why something is asked.
      Ctrl-C leaves; everything is saved.
      """)

  @Argument(
    help: ArgumentHelp(
      "The journey (default: the one you were in last, else discovery or the pack's only one).",
      valueName: "journey"),
    completion: .journeys)
  var journey: String?

  @OptionGroup(title: "Store") var storeOptions: StoreOptions
  @OptionGroup(title: "Model") var modelOptions: ModelOptions
  @OptionGroup(title: "Coach") var intakeOptions: IntakeOptions
  @OptionGroup(title: "Health data") var healthOptions: HealthOptions

  @Flag(help: "Rehearse the conversation without a model, key or network.")
  var offline = false

  @Flag(help: "Start over in a new session; the old one is kept.")
  var new = false

  @Flag(help: "Print one screen per line as JSON, and read one action per line.")
  var json = false

  @Flag(help: "Disable color.")
  var noColor = false

  private static let offlineNote =
    "Signing in would save your program to your account, so that you can pick it up elsewhere. You "
    + "started with --offline, so everything stays on this machine and nobody is asked to sign in."

  func validate() throws {
    if offline { try modelOptions.checkRehearsal() }
  }

  var reportsAsJSON: Bool { json }

  func run(on terminal: TTY) async throws {
    let context = try CommandContext(
      flags: modelOptions.flags.merging(intakeOptions.flags) { first, _ in first },
      readsCredentials: !offline)
    context.warn(terminal)
    try await walk(context, terminal)
  }

  private func walk(_ context: CommandContext, _ terminal: TTY) async throws {
    let store = try context.openStore(storeOptions)
    let choice = try JourneyChoice(
      store: store, pack: context.promptPack(),
      isPackSet: context.settings[.prompts] != nil, now: Date()
    ).choose(journey, new: new, isRehearsal: offline)
    let resume = ResumeCommand("rapport start \(choice.journey.name)", isOffline: offline)
    do {
      try await walk(choice, resume, store, context, terminal)
    } catch let error where !(error is ExitCode) {
      throw ResumableFailure(error, resumedBy: resume)
    }
  }

  private func walk(
    _ choice: JourneyChoice.Chosen, _ resume: ResumeCommand, _ store: SessionStore,
    _ context: CommandContext, _ terminal: TTY
  ) async throws {
    let health = JourneyTalk.HealthChoice(
      file: try healthOptions.health.map { try HealthFile($0) },
      isRefused: healthOptions.noHealth)
    let id = try choice.session ?? store.createSession(at: Date())
    let writer = try store.acquireWriter(of: id)
    let log = store.log(for: id)
    var settings = try context.intakeSettings()
    settings.language = DeviceLanguage.code(in: context.environment)
    let coach = JourneyCoach(
      context: context, store: store, session: id, terminal: terminal, isOffline: offline)
    // A rehearsal stays on this machine.
    let account = offline ? nil : try context.accountIfSet(besideStore: storeOptions.store)
    let isSetUp = offline && (try? context.supabaseProject()) != nil
    let none = NoAccount(because: isSetUp ? Self.offlineNote : nil)
    let sender = account.map { JourneySender(store: store, account: $0) }
    let engine = try await JourneyEngine(
      choice.journey, pack: choice.pack, log: log, settings: settings,
      providers: JourneyProviders(
        account: account.map { JourneyAccounts($0, store: store, session: id) } ?? none,
        drafter: JourneyDrafter(coach: coach), sync: queue(sender, choice.pack, store, id),
        profiles: StoredProfiles(store: store), now: { Date() },
        staysLocal: offline, startsOver: new))
    let talk = JourneyTalk(
      engine: engine, pack: choice.pack, log: log, store: store, session: id, context: context,
      terminal: terminal, coach: coach, isJSON: json, resume: resume, health: health)
    if choice.isFinishedInstead, !json {
      terminal.writeNote(ScreenTexts.english(.finishedInstead), as: .notice)
    }
    let run = JourneyRun(engine: engine, terminal: terminal, talk: talk, isJSON: json)
    let ending = try await run.run()
    withExtendedLifetime(writer) {}
    if ending != .interrupted { await sender?.finish(atMost: Self.patience) }
    if account != nil { try tellWaiting(store, terminal) }
    try leave(ending, resume, terminal)
    if ending == .finished, !json {
      let pack =
        try context.promptPack().name == choice.pack.name ? "" : " --prompts \(choice.pack.name)"
      try tellWhatFollows(choice, store, id, pack, terminal)
    }
  }

  /// How long the end waits for what is still being sent.
  private static let patience = Duration.seconds(2)

  private func tellWhatFollows(
    _ choice: JourneyChoice.Chosen, _ store: SessionStore, _ id: SessionID, _ prompts: String,
    _ terminal: TTY
  ) throws {
    let events = try store.events(of: id)
    let summary = try store.sessions().first { $0.id == id }
    let plan = try ActivePlan(events: events)
    let isCoaching = choice.pack.state(after: events).isCoaching
    if isCoaching || summary?.isWithoutConversation == true {
      let isRehearsal = offline || summary?.isRehearsal == true
      let chat = "rapport chat" + (isRehearsal ? " --offline" : "") + prompts
      terminal.writeNote("`\(chat)` is where you write to me.", as: .dim)
    }
    if !isCoaching {
      terminal.writeNote(
        "`rapport start \(choice.journey.name) --new` goes through it again.", as: .dim)
    }
    if plan.program != nil {
      terminal.writeNote("`rapport program` shows your program, day by day.", as: .dim)
    } else if choice.pack.dayCycle(after: events) != nil {
      terminal.writeNote("`rapport program` shows which day it is.", as: .dim)
    }
  }

  private func queue(
    _ sender: JourneySender?, _ pack: PromptPack, _ store: SessionStore, _ id: SessionID
  ) -> any SyncQueue {
    guard let sender else { return NoSync() }
    return JourneyQueue(
      store: store, session: id, pack: pack, queued: { Task { await sender.send() } })
  }

  private func tellWaiting(_ store: SessionStore, _ terminal: TTY) throws {
    let waiting = try Outbox(store: store).entries().count { $0.state == .waiting }
    guard waiting > 0, !json else { return }
    terminal.writeNote(
      waiting == 1
        ? "One thing still waits to reach your account. `rapport sync` sends it."
        : "\(waiting) things still wait to reach your account. `rapport sync` sends them.",
      as: .dim)
  }

  private func leave(
    _ ending: JourneyRun.Ending, _ resume: ResumeCommand, _ terminal: TTY
  ) throws {
    if case .failed(let status) = ending { throw status.exit }
    guard ending != .finished else { return }
    if terminal.isInteractive, !json {
      let isPlain =
        modelOptions.flags.isEmpty && intakeOptions.prompts == nil && storeOptions.store == nil
      terminal.writeNote(
        "Everything is saved. `\(resume.whole)`"
          + (isPlain ? "" : " with the same options") + " picks up where we left off.",
        as: .dim)
    } else if ending == .interrupted {
      throw ExitStatus.interrupted.exit
    }
  }
}

/// Chooses the journey, its pack, and the session to resume.
struct JourneyChoice {
  let store: SessionStore
  let pack: PromptPack
  /// Whether the person named the pack; if not, a journey of any built-in pack will do.
  let isPackSet: Bool
  let now: Date

  struct Chosen {
    var journey: Journey
    var pack: PromptPack
    /// Nil for a new one.
    var session: SessionID?
    /// Whether it is the one that was finished, since a new one is not free.
    var isFinishedInstead = false
  }

  private static let usual = "discovery"

  /// A pack of one's own may have others: then its only one.
  private func usualName() throws -> String {
    let names = try packs().flatMap(\.journeyNames)
    if names.contains(Self.usual) { return Self.usual }
    if names.count == 1 { return names[0] }
    guard !names.isEmpty else {
      throw CommandFailure(
        .usage, "The pack \(pack.name) has no journeys. `rapport chat` talks with it.")
    }
    throw CommandFailure(
      .usage, "Which journey? I know \(names.joined(separator: ", ")).")
  }

  func choose(_ name: String?, new: Bool, isRehearsal: Bool = false) throws -> Chosen {
    if !new, let begun = try latest(name) { return begun }
    let name = try name ?? usualName()
    for pack in try packs() {
      if let journey = try pack.journey(name) {
        let begun = Chosen(journey: journey, pack: pack, session: nil)
        return try isRehearsal ? begun : finished(journey, pack) ?? begun
      }
    }
    if name.hasSuffix(".json") {
      let plain = URL(filePath: name).deletingPathExtension().lastPathComponent
      throw CommandFailure(
        .usage,
        "I start a journey by its name. Put the file into the folder journeys of a pack, then: "
          + "`rapport start \(plain) --prompts PACK`. `rapport journey check` takes a file.")
    }
    let names = Set(try packs().flatMap(\.journeyNames)).sorted().joined(separator: ", ")
    throw CommandFailure(
      .usage, "There is no journey \(name). `rapport journey list` shows them: \(names).")
  }

  /// With a model, each store has one free discovery. Once it is finished, its paywall is shown.
  private func finished(_ journey: Journey, _ pack: PromptPack) throws -> Chosen? {
    guard journey.hasPaywall, try store.entitlement() == nil,
      let id = try store.finishedDiscovery(),
      let start = try JourneyState(events: store.events(of: id)).start,
      (start.journey, start.pack) == (journey.name, pack.name)
    else { return nil }
    return Chosen(journey: journey, pack: pack, session: id, isFinishedInstead: true)
  }

  /// The set pack first, then the built-in ones, unless the set pack is a folder.
  private func packs() throws -> [PromptPack] {
    guard !isPackSet else { return [pack] }
    let others = PromptPack.embeddedNames.filter { $0 != pack.name && $0 != "shared" }
    return try [pack] + others.map { try PromptPack.embedded($0) }
  }

  /// The session that was last in the journey. If none is named: one with a reminder that is due, then an
  /// unfinished one, then a finished one.
  private func latest(_ name: String?) throws -> Chosen? {
    var unfinished: Chosen?
    var finished: Chosen?
    for id in try store.sessions(withEvent: PlanEvent.Kind.journeyStarted.rawValue) {
      let state = try JourneyState(events: store.events(of: id))
      guard let start = state.start, name == nil || start.journey == name,
        let pack = try packs().first(where: { $0.name == start.pack }),
        let journey = try pack.journey(start.journey)
      else { continue }
      let chosen = Chosen(journey: journey, pack: pack, session: id)
      if name != nil || journey.hasReminder(for: state, at: now) { return chosen }
      if state.isCompleted {
        finished = finished ?? chosen
      } else {
        unfinished = unfinished ?? chosen
      }
    }
    return unfinished ?? finished
  }
}
