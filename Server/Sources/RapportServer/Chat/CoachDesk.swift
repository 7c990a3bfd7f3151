public import FoundationEssentials
import HTTPTypes
import IncrementalJSON
public import Intake
import Journeys
import Plans
import Rehearsal
public import SessionStore
import Startup

/// What every conversation needs: the store, the prompts, the limits and the models.
public struct CoachDesk: Sendable {
  public private(set) var store: any ConversationStore
  public let pack: PromptPack
  public let settings: IntakeSettings
  /// Nil if no model is set up; only rehearsals are possible then.
  public let models: ModelRoles?
  /// Whether every new conversation is a rehearsal.
  public let isRehearsing: Bool
  /// Where subscriptions come from.
  public let purchases: Purchases
  /// Where people sign in within a journey, and what is theirs is sent; nil for none.
  public let accounts: AccountDesk?
  public let now: @Sendable () -> Date
  let coaching = CoachingShelf()
  let recent = RecentLogs()

  public init(
    store: any ConversationStore, pack: PromptPack, settings: IntakeSettings, models: ModelRoles?,
    isRehearsing: Bool = false, purchases: Purchases = .stub, accounts: AccountDesk? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    (self.store, self.pack, self.settings, self.models) = (store, pack, settings, models)
    (self.isRehearsing, self.purchases, self.accounts) = (isRehearsing, purchases, accounts)
    self.now = now
  }

  /// The same desk for somebody's own conversations.
  func serving(_ person: PersonID) -> CoachDesk {
    var desk = self
    desk.store = store.belonging(to: person)
    return desk
  }
}

/// A conversation that this process may write to.
struct OpenConversation: Sendable {
  let id: SessionID
  let log: ChatRequestLog
  let engine: IntakeEngine
  let meter: TokenMeter
  /// The journey this conversation is a step of; nil if it stands alone or the journey is over.
  let journey: JourneyEngine?
  /// Whether it belongs to a journey without a paywall.
  let isFree: Bool
  let isRehearsal: Bool
  /// What was stored before.
  let events: [RecordedEvent]
  /// Held as long as this is.
  let writer: SessionWriter

  var base: EventID.Base { EventID.Base(after: events) }
}

extension EventID.Base {
  init(after events: [RecordedEvent]) {
    self.init(
      position: events.last?.position ?? 0, stamp: events.last.map { Self.stamp($0.at) } ?? 0)
  }

  /// Whether the log has this place.
  func isIn(_ events: [RecordedEvent]) -> Bool {
    if position == 0 { return stamp == 0 }
    return events.first { $0.position == position }.map { Self.stamp($0.at) } == stamp
  }

  private static func stamp(_ date: Date) -> Int64 {
    Int64((date.timeIntervalSince1970 * 1_000).rounded())
  }
}

extension CoachDesk {
  /// Takes the conversation for this process and folds its log.
  ///
  /// - Parameter language: The device's, for a conversation that begins; what the person has set comes first.
  /// - Throws: ``Problem``: another process has it, or it needs another coach or other prompts.
  func open(
    _ id: SessionID, clientMessageID: String? = nil, asRehearsal: Bool = false,
    language: String? = nil, timing: @escaping @Sendable (Duration) -> Void
  ) async throws -> OpenConversation {
    let writer = try await store.acquireWriter(of: id)
    let log = ChatRequestLog(
      store.sharedLog(for: id), clientMessageID: clientMessageID, isOnlyWriter: true,
      continuing: recent.take(id), timing: timing)
    let events = try await log.events()
    let meter = TokenMeter()
    let isRehearsal = events.start.map { $0.source == .rehearsal } ?? (asRehearsal || isRehearsing)
    let entitlement = StoredEntitlement(store: store)
    let journey = try await journey(in: events, of: id, log)
    let input = await journey?.conversation
    if journey != nil, input == nil { throw Problem.notTalking }
    var settings =
      if let journey, let input { await journey.intakeSettings(for: input) } else { settings }
    let person = try await store.personSettings()
    settings.language = DeviceLanguage.code(person.language) ?? language
    let engine = try await IntakeEngine(
      log: log, coach: try coach(isRehearsal: isRehearsal, meter), pack: pack, settings: settings,
      // A rehearsal's paywall unlocks that rehearsal only.
      entitlements: isRehearsal
        ? InMemoryEntitlement(try await entitlement.current()) : purchases.provider(entitlement),
      surroundings: try surroundings(person).reading(with: .encoder(for: pack.rubric)), now: now)
    if !isRehearsal { await takeHealth(engine) }
    return OpenConversation(
      id: id, log: log, engine: engine, meter: meter, journey: journey,
      isFree: input.map { !$0.hasPaywall } ?? false, isRehearsal: isRehearsal, events: events,
      writer: writer)
  }

  /// The journey that the session is in; nil if it is none, or over.
  private func journey(
    in events: [RecordedEvent], of id: SessionID, _ log: ChatRequestLog
  ) async throws -> JourneyEngine? {
    let state = try JourneyState(events: events)
    guard let start = state.start, !state.isCompleted else { return nil }
    return try await JourneyEngine(
      try journey(named: start.journey), pack: pack, log: log, settings: settings,
      providers: try await journeyProviders(for: id))
  }

  private func coach(isRehearsal: Bool, _ meter: TokenMeter) throws(Problem) -> CoachChoice {
    if isRehearsal { return .rehearsal }
    guard let models else { throw .noModel }
    return .models(models.metered(by: meter))
  }

  /// The conversation that the request names, or that the same request created; nil if it begins one.
  ///
  /// - Throws: ``Problem`` if it names one that is not there.
  func conversation(of request: ChatRequest) async throws -> SessionID? {
    guard let id = try await id(of: request) else { return nil }
    if try await store.contains(id) { return id }
    if request.conversation != nil, !request.beginsIfMissing { throw Problem.notFound }
    return nil
  }

  /// Creates a conversation.
  ///
  /// - Parameter permit: Refuses the request where nothing else does, before anything is stored.
  /// - Throws: ``Problem``: no model is set up, or the free discovery is used up.
  func begin(
    _ request: ChatRequest, permit: () async throws -> Void = {}
  ) async throws -> SessionID {
    let isRehearsal = request.isRehearsal || isRehearsing
    if models == nil, !isRehearsal { throw Problem.noModel }
    if !isRehearsal { try await requireFreeDiscovery(besides: nil) }
    try await permit()
    return try await store.beginSession(try await id(of: request), at: now())
  }

  private func id(of request: ChatRequest) async throws -> SessionID? {
    if let conversation = request.conversation { return conversation }
    guard let name = request.clientMessageID else { return nil }
    let id = try await store.session(begunBy: name)
    guard let text = request.text, try await store.contains(id) else { return id }
    // A client that counts its messages has the same names again in its next conversation.
    let first = StoredHistory(try await store.events(of: id)).userTexts.first
    let isSame = first.map { $0 == text.withoutOuterBlanks } ?? true
    return isSame ? id : try await store.session(begunBy: "\(name)/\(text)")
  }

  /// Without a subscription, there is one discovery.
  ///
  /// - Parameter id: The conversation to continue; nil for a new one.
  func requireFreeDiscovery(besides id: SessionID?) async throws {
    guard try await store.entitlement() == nil, try await store.hasFinishedDiscovery()
    else { return }
    let finished = try await store.finishedDiscovery()
    if id != nil, finished == nil || finished == id { return }
    var problem = Problem(
      .init(code: 402), "discovery-used",
      "The free first conversation is used up. Continue it, or subscribe.")
    if let finished { problem = problem.with("conversation_id", .string(finished.rawValue)) }
    throw problem
  }
}

extension [RecordedEvent] {
  /// How the conversation started; nil if it has not.
  var start: SessionStart? {
    lazy.compactMap { recorded -> SessionStart? in
      if case .started(let start) = recorded.event { start } else { nil }
    }.first
  }
}
