import ContextQuality
public import FoundationEssentials

/// Takes a session's steps: decides by the state, acts through the model, the log and the output.
///
/// Every pass stores what happened before it says so, and ends with exactly one `done` output.
public actor IntakeEngine {
  /// Shows an output. Called in order; must not block for long.
  public typealias Show = @Sendable (SessionOutput) -> Void

  public private(set) var state: IntakeState
  public nonisolated let settings: IntakeSettings

  let pack: PromptPack
  let coach: any Coach
  /// Kinds of events in the log that only a newer build can read.
  private let newerKinds: [String]
  /// What was read of a draft, and where the session stood when one could not be read.
  var preparation: Preparation?
  var failedPreview: Int?
  private let log: any SessionLog
  private let entitlements: any EntitlementProvider
  let now: @Sendable () -> Date
  /// What enters the session before the next step.
  var pendingHealth: PendingHealth?

  /// Steps that one pass can take; more would mean that the fold goes in circles.
  private static let mostSteps = 16

  /// Opens a session with models on what its log holds.
  ///
  /// - Throws: What the log throws when it cannot be read; `PackMismatch` where the session was
  ///   begun with another pack, `CoachMismatch` where it was begun as a rehearsal.
  public init(
    log: any SessionLog, models: ModelRoles, pack: PromptPack,
    settings: IntakeSettings = IntakeSettings(), entitlements: any EntitlementProvider,
    now: @escaping @Sendable () -> Date
  ) async throws {
    try await self.init(
      log: log, coach: .models(models), pack: pack, settings: settings,
      entitlements: entitlements, now: now)
  }

  /// Opens a session on what its log holds.
  ///
  /// - Throws: What the log throws when it cannot be read; `PackMismatch` where the session was
  ///   begun with another pack, `CoachMismatch` where it was begun with the other kind of coach;
  ///   `PackError` where the pack cannot rehearse.
  public init(
    log: any SessionLog, coach choice: CoachChoice, pack: PromptPack,
    settings: IntakeSettings = IntakeSettings(), entitlements: any EntitlementProvider,
    now: @escaping @Sendable () -> Date
  ) async throws {
    self.log = log
    self.pack = pack
    self.settings = settings
    self.entitlements = entitlements
    self.now = now
    coach = try choice.makeCoach(pack)
    let events = try await log.events()
    state = pack.state(after: events)
    newerKinds = Set(events.filter(\.isFromNewerBuild).map(\.envelope.kind)).sorted()
    guard let start = state.start else { return }
    if start.pack != pack.name { throw PackMismatch(begun: start.pack, now: pack.name) }
    if start.source != coach.source { throw CoachMismatch(begun: start.source) }
  }

  /// Starts the session, or goes on where it stopped.
  public func open(show: @escaping Show) async throws {
    if isReadOnly { return refuseToWrite(show) }
    disclose(show)
    if !state.unexpected.isEmpty { show(.notice(.unexpected(state.unexpected))) }
    try await start()
    try await adoptEntitlement()
    if state.nextStep(settings) == .awaitUser { try resume(show) }
    try await run(show)
  }

  /// Takes what the user says: a turn, an answer to an offer, or a message to keep at the paywall.
  /// A text that is no turn (see `refusal(of:)`) is not stored, and a notice says so.
  public func say(_ text: String, show: @escaping Show) async throws {
    if let refusal = refusal(of: text) {
      show(.notice(.init(refusal)))
      return finish(show, failed: true)
    }
    if isReadOnly { return refuseToWrite(show) }
    if state.start == nil { disclose(show) }
    try await start()
    hearWithdrawal(in: text)
    if case .atPaywall(let paywall) = state.phase {
      try await say(text, at: paywall, show)
    } else {
      try await store(.userSaid(reading(text)))
      try await run(show)
    }
  }

  /// Asks again for a reply that failed or was cut.
  public func again(show: @escaping Show) async throws {
    if isReadOnly { return refuseToWrite(show) }
    try await run(show)
  }

  /// Grants the entitlement of the local stub and goes on in the same session.
  public func continueAfterPaywall(show: @escaping Show) async throws {
    guard isPaywallOpen else { return }
    _ = try await entitlements.subscribe(at: now())
    try await adoptEntitlement()
    try await run(show)
  }

  /// Respects a "not now": the paywall stays, quietly.
  public func declinePaywall(show: @escaping Show) async throws {
    guard isPaywallOpen else { return }
    try await store(.paywallDeclined)
    show(
      .notice(
        .init(code: "paywall-declined", level: .info, text: try pack.render(.paywallDeclined, [:])))
    )
    finish(show)
  }

  /// Why a text is no turn; nil if it is one.
  public nonisolated func refusal(of text: String) -> TurnRefusal? {
    if PlainText.isBlank(text) { return .empty }
    let limit = settings.longestTurn
    return text.utf8.count > limit ? .tooLong(bytes: text.utf8.count, limit: limit) : nil
  }

  /// What was said last, and what can be answered.
  private func resume(_ show: Show) throws {
    if let last = state.transcript.messages.last(where: { $0.speaker == .coach }) {
      show(.resumed(SessionOutput.Resumed(turn: state.turns.count, lastMessage: last.text)))
    }
    if state.isCompleted {
      if isPaywallOpen { show(.paywall(try paywall)) }
      return
    }
    switch state.pending {
    case .offer(let offer): show(.choices(pack.offerChoices(offer.kind)))
    case .confirmation: try askToConfirm(show)
    case .nothing, .question, .body: break
    }
  }

  private func disclose(_ show: Show) {
    if let disclosure = coach.disclosure { show(.notice(disclosure)) }
  }

  /// What a newer version wrote can't be folded here, so whatever is written behind it wouldn't fit.
  private var isReadOnly: Bool { !newerKinds.isEmpty }

  private func refuseToWrite(_ show: Show) {
    show(.notice(.newerEvents(newerKinds)))
    finish(show, failed: true)
  }

  private func start() async throws {
    guard state.start == nil else { return }
    try await store(
      .started(
        SessionStart(
          pack: pack.name, packVersion: pack.version, rubricVersion: pack.rubric.version,
          source: coach.source)))
  }

  private func say(_ text: String, at paywall: Paywall, _ show: @escaping Show) async throws {
    try await adoptEntitlement()
    let turn = reading(text)
    if state.entitlement == nil, paywall.holds(turn, state.safety) {
      try await store(.messageHeld(HeldMessage(text: text)))
    } else {
      try await store(.userSaid(turn))
      // A corrected age can have lifted what stood in the way.
      try await adoptEntitlement()
    }
    try await run(show)
  }

  func adoptEntitlement() async throws {
    guard isPaywallOpen, let granted = try await entitlements.current() else { return }
    try await store(.entitled(granted))
  }

  /// Stores events, then folds them. A cancelled task still stores: what was said is kept.
  func store(_ events: IntakeEvent...) async throws {
    let (log, date) = (log, now())
    let recorded = try await Task { try await log.append(events, at: date) }.value
    for event in recorded { state.apply(event) }
  }

  var today: String { CalendarDay.text(of: now()) }
}

/// Why something typed is not a turn. Nothing of it was stored.
public enum TurnRefusal: Hashable, Sendable {
  case empty
  case tooLong(bytes: Int, limit: Int)
}

// Taking steps.
extension IntakeEngine {
  enum Outcome {
    /// The step is stored; the next one follows.
    case goOn
    /// The model did not answer: the pass ends, and the same step comes next time.
    case stopped
  }

  private func run(_ show: @escaping Show) async throws {
    // Somebody who has subscribed already meets no paywall: their first reply announces the end.
    var announces = state.owesAnnouncement
    for _ in 0..<Self.mostSteps {
      try await adoptHealth(show)
      keepPreparationIfNext()
      let step = state.nextStep(settings)
      switch step {
      case .awaitUser: return finish(show, discoveryComplete: announces)
      case .paywall: return try await showPaywall(show)
      default: break
      }
      if try await take(step, show) == .stopped { return finish(show, failed: true) }
      announces = announces || state.owesAnnouncement
    }
    throw IntakeDefect(reason: "no end after \(Self.mostSteps) steps: \(state.nextStep(settings))")
  }

  private func take(_ step: IntakeStep, _ show: @escaping Show) async throws -> Outcome {
    switch step {
    case .awaitUser, .paywall: return .stopped
    case .greet: return try await greet(show)
    case .score(let turns): return try await score(turns, show)
    case .care(let care): try await answerWithCare(care, show)
    case .ask(let plan): return try await ask(plan, show)
    case .offer(let kind, let reason): try await offer(kind, reason, show)
    case .askBody(let implausible): try await askBody(implausible, show)
    case .checkIn: return try await checkIn(show)
    case .askCorrection: try await askAboutSummary(.correctionQuestion, show)
    case .letWait: try await askAboutSummary(.confirmationWaits, show)
    case .noteBody(let turn): try await noteBody(turn)
    case .synthesise(let minimal): return try await synthesise(minimal, show)
    case .confirm: return try await confirm(show)
    case .complete:
      try await store(.discoveryCompleted)
      try await adoptEntitlement()
    case .releaseHeld: try await releaseHeld(show)
    case .coach: return try await continueCoaching(show)
    }
    return .goOn
  }

  private func greet(_ show: @escaping Show) async throws -> Outcome {
    try await speak(.greeting, show) { .greeted($0) }
  }

  private func ask(_ plan: QuestionPlan, _ show: @escaping Show) async throws -> Outcome {
    try await speak(.question(plan), show) { reply in
      .asked(
        Question(
          components: plan.components, facets: plan.missing + plan.companionMissing,
          explicit: plan.explicit, reply: reply))
    }
  }

  private func checkIn(_ show: @escaping Show) async throws -> Outcome {
    try await speak(.checkIn, show) { reply in
      .asked(Question(components: [], facets: [], explicit: false, reply: reply))
    }
  }

  private func confirm(_ show: @escaping Show) async throws -> Outcome {
    guard let synthesis = state.synthesis else { return .stopped }
    show(.profile(synthesis.system, isMinimal: synthesis.isMinimal))
    let outcome = try await speak(.summary(synthesis), show) { .summarised($0) }
    if outcome == .goOn { try askToConfirm(show) }
    return outcome
  }

  private func askToConfirm(_ show: Show) throws {
    tell(try pack.render(.confirmationQuestion, [:]), .confirmation, show)
    show(.choices(pack.confirmationChoices))
  }

  private func continueCoaching(_ show: @escaping Show) async throws -> Outcome {
    try await speak(.coaching, show) { .coached($0) }
  }

  /// Hears a reply to its end and stores it, whole or cut.
  private func speak(
    _ occasion: Occasion, _ show: @escaping Show, event: (CoachReply) -> IntakeEvent
  ) async throws -> Outcome {
    let spoken = await coach.say(occasion, state, today: today, show)
    let reply = spoken.reply
    if !PlainText.isBlank(reply.text) {
      try await store(event(reply))
      show(
        .message(
          SessionOutput.CoachMessage(
            purpose: occasion.purpose, text: reply.text, wasStreamed: spoken.wasStreamed,
            cut: reply.cut)))
    }
    guard let failure = spoken.failure else { return .goOn }
    show(.notice(failure))
    return .stopped
  }

  private func tell(_ text: String, _ purpose: SessionOutput.Purpose, _ show: Show) {
    show(
      .message(
        SessionOutput.CoachMessage(purpose: purpose, text: text, wasStreamed: false, cut: nil)))
  }

  private func answerWithCare(_ care: CareStep, _ show: Show) async throws {
    let text = careText(care)
    try await store(
      .cared(CareAnswer(turn: care.turn, kind: care.kind, name: care.name, text: text)))
    tell(text, .care, show)
  }

  private func offer(_ kind: Offer.Kind, _ reason: Offer.Reason, _ show: Show) async throws {
    let text = try pack.offerText(
      kind, reason, state, known: state.ledger.known.filter { coach.isSure(of: $0, state) })
    try await store(.offered(Offer(kind: kind, reason: reason, text: text)))
    tell(text, .offer, show)
    show(.choices(pack.offerChoices(kind)))
  }

  private func askBody(_ implausible: String?, _ show: Show) async throws {
    let text =
      try implausible.map { try pack.render(.bodyImplausible, ["implausible": $0]) }
      ?? pack.render(.bodyQuestion, [:])
    try await store(.bodyAsked(BodyQuestion(implausible: implausible, text: text)))
    tell(text, .body, show)
  }

  private func askAboutSummary(_ template: TemplateName, _ show: Show) async throws {
    let text = try pack.render(template, [:])
    try await store(
      .asked(Question(components: [], facets: [], explicit: true, reply: CoachReply(text: text))))
    tell(text, .question, show)
    show(.choices(pack.confirmationChoices))
  }

  private func noteBody(_ turn: Int) async throws {
    let text = state.transcript.userTurn(turn) ?? ""
    try await store(.bodyNoted(BodyNote(answer: text, turn: turn, pack)))
  }

  private func releaseHeld(_ show: Show) async throws {
    let text = state.held.joined(separator: "\n\n")
    try await store(.userSaid(reading(text, releasesHeld: true)))
    show(.notice(.init(code: "held-sent", level: .info, text: "You wrote: \(text)")))
  }
}

// The paywall and the end of a pass.
extension IntakeEngine {
  /// `done` comes before `paywallShown` is stored: a crash in between, or an output that could not
  /// be shown and cancelled the pass, says it again rather than never.
  private func showPaywall(_ show: Show) async throws {
    guard case .atPaywall(let phase) = state.phase else { return finish(show) }
    show(.paywall(try paywall))
    finish(show, discoveryComplete: !phase.wasShown)
    if !Task.isCancelled { try await store(.paywallShown) }
  }

  /// Minors meet no paywall.
  private var isPaywallOpen: Bool { state.shownPhase == .paywall }

  private var paywall: SessionOutput.Paywall {
    get throws(PackError) { try pack.paywall(insight: insight, held: state.held.count) }
  }

  /// What was understood, in the coach's words; from the profile if there are none.
  ///
  /// - Throws: ``PackError`` if the pack's text for it can't be rendered.
  public var insight: String {
    get throws(PackError) {
      if let summary = state.lastSummary { return summary }
      guard let synthesis = state.synthesis else { return "" }
      return try pack.fallbackSummary(synthesis)
    }
  }

  private func finish(_ show: Show, discoveryComplete: Bool = false, failed: Bool = false) {
    show(
      .done(
        SessionOutput.Done(
          turn: state.turns.count, phase: state.shownPhase, discoveryComplete: discoveryComplete,
          failed: failed)))
  }
}

extension SessionOutput.Notice {
  fileprivate static func newerEvents(_ kinds: [String]) -> Self {
    Self(
      code: "newer-events", level: .error,
      text: "A newer version of rapport wrote part of this conversation, so I can't add to it. "
        + "Nothing is lost; please update rapport.",
      detail: "newer versions of: " + kinds.joined(separator: ", "))
  }
}

/// A broken promise of the engine itself, never of its input.
public struct IntakeDefect: Error, Hashable, Sendable, CustomStringConvertible {
  public let reason: String
  public var description: String { reason }
}

extension SessionOutput.Notice {
  /// A part of the log can't have happened as it stands.
  fileprivate static func unexpected(_ events: [UnexpectedEvent]) -> Self {
    Self(
      code: "unexpected-events", level: .warning,
      text: "Part of this conversation's log doesn't fit together, so I left that part out.",
      detail: events.map(\.description).joined(separator: "; "))
  }
}
