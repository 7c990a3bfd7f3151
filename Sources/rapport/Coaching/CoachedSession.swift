import ArgumentParser
import Coaching
import ContextQuality
import FoundationEssentials
import HealthRecords
import Intake
import Journeys
import Plans
import SessionStore
import Startup
import Terminal

/// Which conversation a command is about.
struct CoachedOptions: ParsableArguments {
  @OptionGroup(title: "Store") var storeOptions: SharedStoreOptions

  @Option(
    help: ArgumentHelp(
      "A conversation's id, or its first characters (default: the latest with a profile).",
      valueName: "id"),
    completion: .sessions)
  var session: String?

  @OptionGroup var packOptions: PackOptions
}

/// A stored conversation with what coaching knows of it.
struct CoachedSession {
  let store: any ConversationStore
  let id: SessionID
  private(set) var book: CoachingBook
  let pack: CoachingPack
  private let prompts: PromptPack
  private var events: [RecordedEvent]
  private let now: Date

  var state: CoachingState { book.state }
  var today: Day { book.today }
  var text: EntryText { book.text }
  var cycle: DayCycle.Day? { book.cycle?.day(at: now) }

  var reviewer: Reviewer { Reviewer(state, pack, text, today: today) }
  var progress: Progress { state.progress(pack, today: today) }

  /// - Throws: `CommandFailure` if there is no conversation.
  init(_ options: CoachedOptions, now: Date = Date()) async throws {
    let context = try CommandContext(
      flags: options.packOptions.flags, readsCredentials: false)
    guard let store = try await context.existingAnyStore(options.storeOptions),
      let id = try await Self.session(options.session, in: store, context)
    else {
      throw CommandFailure(
        .usage,
        "You haven't talked with the coach yet. Start a conversation: `rapport chat`.")
    }
    let events = try await store.events(of: id)
    let prompts = try context.promptPack(of: events)
    (self.store, self.id, self.now) = (store, id, now)
    (self.prompts, self.events) = (prompts, events)
    do throws(PackError) {
      pack = try CoachingPack(prompts, cycle: prompts.dayCycle)
    } catch {
      throw CommandFailure(.badData, "\(error)")
    }
    book = try Self.book(prompts, pack, events, now)
  }

  private static func book(
    _ prompts: PromptPack, _ pack: CoachingPack, _ events: [RecordedEvent], _ now: Date
  ) throws -> CoachingBook {
    try CoachingBook(prompts, pack, events: events, for: .init(zone: .current), at: now)
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

  /// Makes a change of the book, stores it, and shows the care that its words needed.
  ///
  /// - Returns: The change; nil if care was all that came of it.
  /// - Throws: `CommandFailure` if the book refuses it. Nothing is stored then.
  mutating func change(
    showingCareOn terminal: TTY, _ make: (CoachingBook) throws(CoachingRefusal) -> CoachingChange
  ) async throws -> CoachingChange? {
    let change: CoachingChange
    do throws(CoachingRefusal) {
      change = try make(book)
    } catch {
      throw CommandFailure(error)
    }
    try await store(change.envelopes)
    if let care = change.care {
      terminal.write(terminal.wrapped(care) + (change.isOnlyCare ? "\n" : "\n\n"))
    }
    return change.isOnlyCare ? nil : change
  }

  mutating func store(_ events: [CoachingEvent]) async throws {
    try await store(events.map { EventEnvelope($0) })
  }

  /// Stores events while no other process has the conversation, and folds them.
  private mutating func store(_ envelopes: [EventEnvelope]) async throws {
    guard !envelopes.isEmpty else { return }
    let writer = try await store.acquireWriter(of: id)
    let log = store.log(for: id)
    // The log refuses to append to events that it hasn't seen.
    _ = try await log.events()
    events += try await log.append(envelopes, at: now)
    book = try Self.book(prompts, pack, events, now)
    withExtendedLifetime(writer) {}
  }
}

extension CommandFailure {
  fileprivate init(_ refusal: CoachingRefusal) {
    let hint =
      switch refusal {
      case .noEntry: " `rapport log` lists the entries with their numbers."
      case .noLimit, .severalLimits: " `rapport goals` lists them with their numbers."
      case .nothingOpen: " `rapport review` looks back."
      default: ""
      }
    self.init(.usage, refusal.description + hint)
  }
}

extension ParsableCommand {
  /// - Throws: `ValidationError` unless an option is left out or has a date.
  func requireDate(_ text: String?, for option: String) throws {
    guard let text, Day(text) == nil else { return }
    throw ValidationError("\(option) must be a date such as 2026-01-31, not \(text).")
  }
}
