import ContextQuality
public import FoundationEssentials
import Signals

/// Runs a session's steps. The state decides; the model, the log and the output act.
///
/// What a pass reports is stored by then, except for pieces of a reply in progress and the paywall.
/// A pass that does not throw ends with exactly one `done` output.
// What is marked `@inline(never)`, here and where models are asked, runs beside a wait for a model: inlined, its
// variables would take room for as long as the wait. `run` would take 10 KB instead of 3, a question ahead of its
// reading 12 instead of 5, and a reply 8 instead of 7 (docs/DECISIONS.md, 29).
public actor IntakeEngine {
  /// Shows an output. Called in order; must not block for long.
  public typealias Show = @Sendable (SessionOutput) -> Void

  public private(set) var state: IntakeState
  public nonisolated let settings: IntakeSettings

  package nonisolated let pack: PromptPack
  let coach: any Coach
  /// Kinds of events in the log that only a newer build can read.
  private let newerKinds: [String]
  private let log: any SessionLog
  let entitlements: any EntitlementProvider
  let now: @Sendable () -> Date
  /// Whether the user knows that some texts come in English.
  var saidFallback = false
  /// The world around the conversation. Its companion has folded every event so far.
  var surroundings: Surroundings
  /// Whether a canceled reply stays as it is.
  private(set) var settlesForWhatCame = false
  /// How the person is in this conversation; nil before it matters.
  var currentState: CurrentState?
  /// Health input to add before the next step.
  var pendingHealth: PendingHealth?

  /// The most steps one pass can take. More would mean that the fold loops.
  static let mostSteps = 16

  /// Opens a session from its log, with models.
  ///
  /// - Throws: The log's error if it cannot be read; `PackMismatch` if the session started with
  ///   another pack; `CoachMismatch` if it started as a rehearsal.
  public init(
    log: any SessionLog, models: ModelRoles, pack: PromptPack,
    settings: IntakeSettings = IntakeSettings(), entitlements: any EntitlementProvider,
    surroundings: Surroundings = Surroundings(), now: @escaping @Sendable () -> Date
  ) async throws {
    try await self.init(
      log: log, coach: .models(models), pack: pack, settings: settings,
      entitlements: entitlements, surroundings: surroundings, now: now)
  }

  /// Opens a session from its log.
  ///
  /// - Throws: The log's error if it cannot be read; `PackMismatch` if the session started with
  ///   another pack; `CoachMismatch` if it started with the other kind of coach; `PackError` if
  ///   the pack cannot rehearse.
  public init(
    log: any SessionLog, coach choice: CoachChoice, pack: PromptPack,
    settings: IntakeSettings = IntakeSettings(), entitlements: any EntitlementProvider,
    surroundings: Surroundings = Surroundings(), now: @escaping @Sendable () -> Date
  ) async throws {
    self.log = log
    self.surroundings = surroundings
    self.pack = pack
    self.settings = settings
    self.entitlements = entitlements
    self.now = now
    coach = try choice.makeCoach(pack)
    let events = try await log.events()
    state = pack.state(after: events)
    for event in events { self.surroundings.companion?.apply(event) }
    newerKinds = Set(events.filter(\.isFromNewerBuild).map(\.envelope.kind)).sorted()
    guard let start = state.start else { return }
    if start.pack != pack.name { throw PackMismatch(begun: start.pack, now: pack.name) }
    if start.source != coach.source { throw CoachMismatch(begun: start.source) }
  }

  /// Starts the session, or resumes it.
  public func open(show: @escaping Show) async throws {
    let show = translating(show)
    if isReadOnly { return refuseToWrite(show) }
    disclose(show)
    if !state.unexpected.isEmpty { show(.notice(.unexpected(state.unexpected))) }
    try await start()
    try await adoptEntitlement()
    let next = state.nextStep(settings)
    let isOpen = next == .coach && state.owesFirstReplyAlone
    if next == .awaitUser || isOpen {
      // Somebody who was told to get help is asked how they are before anything else.
      let isFree = state.isCoaching && state.safety.helpTurn == nil
      let words = isFree ? surroundings.companion?.opening(at: now()) : nil
      if let words {
        try await tell(words, show)
      } else if !isOpen {
        try resume(show)
      }
    }
    try await run(show)
  }

  /// What waits for somebody who comes back to send one message only; nil for nothing.
  public func due() -> SessionOutput.Notice? {
    guard state.isCoaching, state.safety.helpTurn == nil else { return nil }
    return surroundings.companion?.due(at: now())
  }

  /// Takes the user's message, whatever the phase. A printed label decides at once; what any other
  /// message does is read.
  /// If it is not a valid turn (see `refusal(of:)`), it is not stored and a notice says so.
  /// ``endCommand`` ends the questions: the user gets a summary of what is known.
  ///
  /// - Parameter rewrites: How often the draft was changed before it was sent.
  public func say(
    _ text: String, rewrites: Int? = nil, show: @escaping Show
  ) async throws {
    let show = translating(show, hearing: text)
    if let refusal = refusal(of: text) {
      show(.notice(.init(refusal)))
      return finish(show, failed: true)
    }
    if isReadOnly { return refuseToWrite(show) }
    if Self.isEndCommand(text), state.isCompleted {
      show(.notice(.nothingToEnd))
      return finish(show)
    }
    if state.start == nil { disclose(show) }
    try await start()
    hearWithdrawal(in: text)
    if isPaywallOpen {
      switch chosen(text)?.id {
      case SessionOutput.Choice.continueID: return try await continueAfterPaywall(show: show)
      case SessionOutput.Choice.notNowID: return try await declinePaywall(show: show)
      default: try await adoptEntitlement()
      }
    }
    let before = state.turns.map(\.text)
    var turn = reading(text)
    turn.rewrites = rewrites == 0 ? nil : rewrites
    try await store(.userSaid(turn))
    // A corrected age may have unblocked the entitlement.
    try await adoptEntitlement()
    sayIfUnread(before: before, show)
    try await run(show)
  }

  /// Stores events of other modules, and folds them. An error means that none was stored.
  public func note(_ events: [EventEnvelope]) async throws {
    if !isReadOnly { try await store(envelopes: events) }
  }

  /// Retries a reply that failed or was cut.
  public func again(show: @escaping Show) async throws {
    let show = translating(show)
    if isReadOnly { return refuseToWrite(show) }
    try await run(show)
  }

  /// From now on, what came of a reply whose task is canceled counts as sent, and is not retried.
  public func settleForWhatCame() { settlesForWhatCame = true }

  /// Continues without a reading of the new messages, which are read with the next one.
  public func answerUnread(show: @escaping Show) async throws {
    let show = translating(show)
    if isReadOnly { return refuseToWrite(show) }
    if case .score(let turns) = state.nextStep(settings) { try await leaveUnread(turns, show) }
    try await run(show)
  }

  /// Gets an entitlement from the provider and continues the session, if the paywall is open. If only a
  /// purchase grants it, a notice says so.
  public func continueAfterPaywall(show: @escaping Show) async throws {
    guard isPaywallOpen else { return }
    let show = translating(show)
    try await subscribe(show)
    try await run(show)
  }

  /// Handles a "not now". The paywall stays, quietly. Does nothing unless it is open.
  public func declinePaywall(show: @escaping Show) async throws {
    guard isPaywallOpen else { return }
    try await decline(show)
    finish(show)
  }

  func decline(_ show: Show) async throws {
    try await store(.paywallDeclined)
    show(
      .notice(
        .init(code: "paywall-declined", level: .info, text: try fixed(.paywallDeclined, show)))
    )
  }

  func subscribe(_ show: Show) async throws {
    do {
      _ = try await entitlements.subscribe(at: now())
    } catch {
      // A yes counts once: it isn't taken up later, unasked.
      try await store(.paywallShown)
      guard let purchase = error as? PurchaseRequired else { throw error }
      // Wanting to continue opens the checkout, and no more.
      return show(.notice(purchase.notice))
    }
    try await adoptEntitlement()
  }

  /// The answers that the user can choose from now; empty if the coach waits for words.
  public var choices: [SessionOutput.Choice] {
    state.isCoaching
      ? surroundings.companion?.choices ?? [] : pack.choices(state, translation)
  }

  /// Whether the next pass asks a model, although the user says nothing new.
  public var owesReply: Bool { state.nextStep(settings).asksModel }

  /// Why a text is not a turn; nil if it is.
  public nonisolated func refusal(of text: String) -> TurnRefusal? { settings.refusal(of: text) }

  /// Shows the last message and what the user can answer.
  func resume(_ show: Show) throws {
    if let last = state.transcript.messages.last(where: { $0.speaker == .coach }) {
      show(.resumed(SessionOutput.Resumed(turn: state.turns.count, lastMessage: last.text)))
    }
    if state.isCompleted {
      if isPaywallOpen, settings.hasPaywall { show(.paywall(try paywall())) }
      return offerAnswers(show)
    }
    switch state.pending {
    case .offer(let offer): show(.choices(pack.offerChoices(offer.kind, translation)))
    case .confirmation: try askToConfirm(show)
    case .nothing, .question, .body: break
    }
  }

  @inline(never)
  func disclose(_ show: Show) {
    if let disclosure = coach.disclosure { show(.notice(disclosure)) }
  }

  /// This build cannot fold a newer version's events, so it must not append to them.
  private var isReadOnly: Bool { !newerKinds.isEmpty }

  @inline(never)
  func refuseToWrite(_ show: Show) {
    show(.notice(.newerEvents(newerKinds)))
    finish(show, failed: true)
  }

  @inline(never)
  func start() async throws {
    guard state.start == nil else { return }
    try await store(
      .started(
        SessionStart(
          pack: pack.name, packVersion: pack.version, rubricVersion: pack.rubric.version,
          source: coach.source, language: deviceLanguage)))
  }

  @inline(never)
  func adoptEntitlement() async throws {
    guard isPaywallOpen, let granted = try await entitlements.current() else { return }
    try await store(.entitled(granted))
  }

  /// Stores events, then folds them. A canceled task still stores them.
  func store(_ events: IntakeEvent...) async throws {
    try await store(envelopes: events.map { EventEnvelope($0) })
  }

  /// The same, with other modules' events among them.
  func store(envelopes: [EventEnvelope]) async throws {
    let (log, date) = (log, now())
    let recorded = try await Task { try await log.append(envelopes, at: date) }.value
    for event in recorded {
      state.apply(event)
      surroundings.companion?.apply(event)
    }
  }

  var today: String { CalendarDay.text(of: now()) }
}

/// Why typed text is not a valid turn. None of it was stored.
public enum TurnRefusal: Hashable, Sendable {
  case empty
  case tooLong(bytes: Int, limit: Int)
}

extension SessionOutput.Notice {
  fileprivate static func newerEvents(_ kinds: [String]) -> Self {
    Self(
      code: "newer-events", level: .error,
      text: "A newer version of rapport wrote part of this conversation, so I can't add to it. "
        + "Nothing is lost; please update rapport.",
      detail: "newer versions of: " + kinds.joined(separator: ", "))
  }

  /// The log has events that cannot have happened.
  fileprivate static func unexpected(_ events: [UnexpectedEvent]) -> Self {
    Self(
      code: "unexpected-events", level: .warning,
      text: "Part of this conversation's log doesn't fit together, so I left that part out.",
      detail: events.map(\.description).joined(separator: "; "))
  }
}

/// A bug in the engine, never in its input.
public struct IntakeDefect: Error, Hashable, Sendable, CustomStringConvertible {
  public let reason: String
  public var description: String { reason }
}
