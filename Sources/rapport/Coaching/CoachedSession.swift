import ArgumentParser
import Coaching
import ContextQuality
import FoundationEssentials
import HealthRecords
import Intake
import Journeys
import SessionStore
import Signals
import Startup
import Terminal

/// Which conversation a command is about.
struct CoachedOptions: ParsableArguments {
  @OptionGroup(title: "Store") var storeOptions: SharedStoreOptions

  @Option(
    name: .long,
    help: ArgumentHelp(
      "A conversation's id, or its first characters (default: the latest with a profile).",
      valueName: "id"),
    completion: .sessions)
  var session: String?
}

/// A stored conversation with what coaching knows of it.
struct CoachedSession {
  let store: any ConversationStore
  let id: SessionID
  private(set) var state: CoachingState
  let intake: IntakeState
  let prompts: PromptPack
  let pack: CoachingPack
  let now: Date

  var today: Day { Day(of: now, in: .current) }
  var text: EntryText {
    EntryText(
      pack, language: prompts.languageCode(for: intake), units: state.units ?? .metric)
  }
  var reader: EntryReader { EntryReader(pack, units: state.units ?? .metric) }

  var reviewer: Reviewer { Reviewer(state, pack, text, today: today) }
  var progress: Progress { state.progress(pack, today: today) }

  /// - Throws: `CommandFailure` if there's no conversation.
  init(_ options: CoachedOptions, now: Date = Date()) async throws {
    let context = try CommandContext(readsCredentials: false)
    guard let store = try await context.existingAnyStore(options.storeOptions),
      let id = try await Self.session(options.session, in: store, context)
    else {
      throw CommandFailure(
        .usage,
        "There's no conversation to keep a log for yet. Start one: `rapport chat`.")
    }
    let events = try await store.events(of: id)
    let prompts = try context.promptPack(of: events)
    self.store = store
    self.prompts = prompts
    self.id = id
    self.now = now
    state = try CoachingState(events: events, careNotes: prompts.careNotes)
    intake = prompts.state(after: events)
    do throws(PackError) {
      pack = try CoachingPack(prompts)
    } catch {
      throw CommandFailure(.badData, "\(error)")
    }
  }

  /// The fixed answer to words that need care before anything else; nil for all others.
  func care(for words: String) -> String? {
    prompts.careNet.classify(words).map { prompts.careText($0.name, kind: $0.kind) }
  }

  /// The named one, else the latest with a profile, else the latest.
  private static func session(
    _ prefix: String?, in store: any ConversationStore, _ context: CommandContext
  ) async throws -> SessionID? {
    if let prefix { return try await store.session(matching: prefix) }
    let ids = try await store.sessions().filter { !$0.isUnused }.map(\.id)
    for id in ids {
      let kinds = try await store.events(of: id).map(\.envelope.kind)
      if kinds.contains(IntakeEvent.Kind.synthesised.rawValue) { return id }
    }
    return ids.first
  }

  /// Stores events while no other process has the conversation, and folds them.
  mutating func store(_ events: [CoachingEvent]) async throws {
    guard !events.isEmpty else { return }
    let writer = try await store.acquireWriter(of: id)
    let log = store.log(for: id)
    // The log refuses to append to events that it hasn't seen.
    _ = try await log.events()
    for event in try await log.append(events.map { EventEnvelope($0) }, at: now) {
      try state.apply(event)
    }
    withExtendedLifetime(writer) {}
  }
}
