import ContextQuality
public import FoundationEssentials
import Signals

/// Runs a session's steps. The state decides; the model, the log and the output act.
///
/// What a pass reports is stored by then, except for pieces of a reply in progress and the paywall.
/// A pass that doesn't throw ends with exactly one `done` output.
// What is marked `@inline(never)`, here and where models are asked, runs beside a wait for a model: inlined, its
// variables would take room for as long as the wait (docs/DECISIONS.md, 29).
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
  private let entitlements: any EntitlementProvider
  let now: @Sendable () -> Date
  /// Whether the user knows that some texts come in English.
  var saidFallback = false
  var listening = Listening()
  /// The world around the conversation. Its companion has folded every event so far.
  var surroundings: Surroundings
  /// How the person is in this conversation; nil before it matters.
  var currentState: CurrentState?
  /// Health input to add before the next step.
  var pendingHealth: PendingHealth?

  /// The most steps one pass can take. More would mean that the fold loops.
  private static let mostSteps = 16

  /// Opens a session from its log, with models.
  ///
  /// - Throws: The log's error if it can't be read; `PackMismatch` if the session started with
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
  /// - Throws: The log's error if it can't be read; `PackMismatch` if the session started with
  ///   another pack; `CoachMismatch` if it started with the other kind of coach; `PackError` if
  ///   the pack can't rehearse.
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
  /// If it isn't a valid turn (see `refusal(of:)`), it isn't stored and a notice says so.
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

  /// Goes on without a reading of the new messages, which are read with the next one.
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

  /// Handles a "not now". The paywall stays, quietly. Does nothing unless it's open.
  public func declinePaywall(show: @escaping Show) async throws {
    guard isPaywallOpen else { return }
    try await decline(show)
    finish(show)
  }

  private func decline(_ show: Show) async throws {
    try await store(.paywallDeclined)
    show(
      .notice(
        .init(code: "paywall-declined", level: .info, text: try fixed(.paywallDeclined, show)))
    )
  }

  private func subscribe(_ show: Show) async throws {
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

  /// Why a text isn't a turn; nil if it is.
  public nonisolated func refusal(of text: String) -> TurnRefusal? { settings.refusal(of: text) }

  /// Shows the last message and what the user can answer.
  private func resume(_ show: Show) throws {
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
  private func disclose(_ show: Show) {
    if let disclosure = coach.disclosure { show(.notice(disclosure)) }
  }

  /// This build can't fold a newer version's events, so it must not append to them.
  private var isReadOnly: Bool { !newerKinds.isEmpty }

  @inline(never)
  private func refuseToWrite(_ show: Show) {
    show(.notice(.newerEvents(newerKinds)))
    finish(show, failed: true)
  }

  @inline(never)
  private func start() async throws {
    guard state.start == nil else { return }
    try await store(
      .started(
        SessionStart(
          pack: pack.name, packVersion: pack.version, rubricVersion: pack.rubric.version,
          source: coach.source)))
  }

  @inline(never)
  func adoptEntitlement() async throws {
    guard isPaywallOpen, let granted = try await entitlements.current() else { return }
    try await store(.entitled(granted))
  }

  /// Stores events, then folds them. A cancelled task still stores them.
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

/// Why typed text isn't a valid turn. None of it was stored.
public enum TurnRefusal: Hashable, Sendable {
  case empty
  case tooLong(bytes: Int, limit: Int)
}

// Taking steps.
extension IntakeEngine {
  enum Outcome {
    /// The step is stored; run the next one.
    case goOn
    /// The model didn't answer. The pass ends, and the next pass repeats the step.
    case stopped
  }

  @inline(never)
  private func run(_ show: @escaping Show) async throws {
    // Subscribers see no paywall, so their first reply announces the end.
    var announces = state.owesAnnouncement
    for _ in 0..<Self.mostSteps {
      try await adoptHealth(show)
      let step = state.nextStep(settings)
      switch step {
      case .awaitUser, .end: return finish(show, discoveryComplete: announces)
      case .paywall where !settings.hasPaywall: return finish(show, discoveryComplete: announces)
      case .paywall: return try await showPaywall(show)
      default: break
      }
      if try await take(step, show) == .stopped { return finish(show, failed: true) }
      announces = announces || state.owesAnnouncement
    }
    throw IntakeDefect(reason: "no end after \(Self.mostSteps) steps: \(state.nextStep(settings))")
  }

  @inline(never)
  private func take(_ step: IntakeStep, _ show: @escaping Show) async throws -> Outcome {
    switch step {
    case .awaitUser, .paywall, .end: return .stopped
    case .greet: return try await greet(show)
    case .score(let turns):
      if let ahead = questionAhead() { return try await askAhead(ahead, show) }
      return try await score(turns, show)
    case .care(let care): try await answerWithCare(care, show)
    case .ask(let plan): return try await ask(plan, show)
    case .offer(let kind, let reason): return try await offer(kind, reason, show)
    case .askBody(let asking): try await askBody(asking, show)
    case .checkIn: return try await checkIn(show)
    case .askCorrection: try await askAboutSummary(.correctionQuestion, show)
    case .letWait: try await askAboutSummary(.confirmationWaits, show)
    case .noteBody(let turn): try await noteBody(turn)
    case .synthesise(let minimal): return try await synthesise(minimal, show)
    case .confirm: return try await confirm(show)
    case .complete:
      try await store(.discoveryCompleted)
      try await adoptEntitlement()
    case .reply(let plan): return try await reply(plan, show)
    case .askPlainly: try await askPlainly(show)
    case .subscribe: try await subscribe(show)
    case .declinePaywall: try await decline(show)
    case .hold(let turn): try await hold(turn, show)
    case .releaseHeld: try await releaseHeld(show)
    case .coach: return try await continueCoaching(show)
    }
    return .goOn
  }

  @inline(never)
  private func greet(_ show: @escaping Show) async throws -> Outcome {
    try await speak(.greeting, show) { .greeted($0) }
  }

  @inline(never)
  private func ask(_ plan: QuestionPlan, _ show: @escaping Show) async throws -> Outcome {
    try await speak(.question(plan), show) { .asked(Question(plan, reply: $0)) }
  }

  @inline(never)
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
    let missing = pack.openTopics(state, without: coach.perhapsTold(state), translation)
    tell(try fixed(.confirmationQuestion, show, ["missing": missing]), .confirmation, show)
    show(.choices(pack.confirmationChoices(translation)))
  }

  private func continueCoaching(_ show: @escaping Show) async throws -> Outcome {
    if !state.held.isEmpty { tellHeld(show) }
    // One question at a time, and what the log shows before what is supposed.
    let companion = surroundings.companion
    let wantsQuiet = [.stops, .postpones, .confides].contains { state.lastTurnDoes($0) }
    let isSilent =
      !wantsQuiet
      && companion.map { !$0.awaitsAnswer && $0.following(at: now()) == nil } ?? true
    let due =
      isSilent ? try pack.dueHypothesis(state, state.signals(surroundings.secondsFromGMT)) : nil
    let outcome = try await speak(.coaching, show, asking: due) { .coached($0) }
    if outcome == .goOn, due == nil, !wantsQuiet, let words = companion?.following(at: now()) {
      try await tell(words, show)
    }
    return outcome
  }

  /// Says what the companion has to say, as the coach.
  private func tell(_ words: CompanionWords, _ show: Show) async throws {
    let reply = IntakeEvent.coached(CoachReply(text: words.text))
    try await store(envelopes: words.events + [EventEnvelope(reply)])
    tell(words.text, .coaching, show)
    offerAnswers(show)
  }

  /// Shows the answers to the companion's question, if it just asked one.
  private func offerAnswers(_ show: Show) {
    guard state.isCoaching, let choices = surroundings.companion?.choices, !choices.isEmpty else {
      return
    }
    show(.choices(choices))
  }

  /// Receives a reply and stores it, complete or cut.
  ///
  /// - Parameters:
  ///   - hypothesis: What to ask about at the end of a complete reply.
  ///   - closing: A line of ours at the end of a complete reply; empty for none.
  @inline(never)
  private func speak(
    _ occasion: Occasion, _ show: @escaping Show, asking hypothesis: Hypothesis? = nil,
    closing: String = "", event: (CoachReply) -> IntakeEvent
  ) async throws -> Outcome {
    let spoken = await coach.say(occasion, state, scene(asking: hypothesis?.text), show)
    return try await store(
      spoken, occasion, show, asking: hypothesis, closing: closing, event: event)
  }

  func store(
    _ spoken: Spoken, _ occasion: Occasion, _ show: Show, asking hypothesis: Hypothesis? = nil,
    closing: String = "", event: (CoachReply) -> IntakeEvent
  ) async throws -> Outcome {
    var reply = spoken.reply
    if !PlainText.isBlank(reply.text) {
      var events: [IntakeEvent] = []
      let closing = hypothesis?.text ?? closing
      if !closing.isEmpty, reply.cut == nil, spoken.failure == nil {
        if spoken.wasStreamed { show(.delta("\n\n" + closing, occasion.purpose)) }
        reply.text += "\n\n" + closing
        if let hypothesis { events.append(.supposed(hypothesis)) }
      }
      events.insert(event(reply), at: 0)
      try await store(envelopes: events.map { EventEnvelope($0) })
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

  @inline(never)
  private func answerWithCare(_ care: CareStep, _ show: Show) async throws {
    let text = careText(care, show)
    try await store(
      .cared(CareAnswer(turn: care.turn, kind: care.kind, name: care.name, text: text)))
    tell(text, .care, show)
  }

  /// The choice in words of ours, after what the coach says to the last message.
  private func offer(
    _ kind: Offer.Kind, _ reason: Offer.Reason, _ show: @escaping Show
  ) async throws -> Outcome {
    let text = try pack.offerText(
      kind, state, known: state.ledger.known.filter { coach.isSure(of: $0, state) },
      perhaps: coach.perhapsTold(state), translation)
    if translation?.template(kind.template) == nil { sayFallback(show) }
    var spoken = await coach.say(.offer(closing: text), state, scene(), show)
    if PlainText.isBlank(spoken.reply.text) || spoken.failure != nil, !Task.isCancelled {
      // The choice doesn't wait for words before it.
      spoken.reply.text = spoken.reply.text.trimmed
      (spoken.reply.cut, spoken.failure) = (nil, nil)
    }
    if PlainText.isBlank(spoken.reply.text), spoken.failure == nil {
      spoken.reply.text = text
      try await store(.offered(Offer(kind: kind, reason: reason, text: text)))
      tell(text, .offer, show)
    } else {
      let outcome = try await store(spoken, .offer(closing: text), show, closing: text) {
        .offered(Offer(kind: kind, reason: reason, text: $0.text))
      }
      if outcome == .stopped { return .stopped }
    }
    show(.choices(pack.offerChoices(kind, translation)))
    return .goOn
  }

  private func askBody(_ asking: BodyAsking, _ show: Show) async throws {
    var question = BodyQuestion(text: "")
    switch asking {
    case .first: question.text = try fixed(.bodyQuestion, show)
    case .again(let implausible):
      question.text = try fixed(.bodyImplausible, show, ["implausible": implausible])
      question.implausible = implausible
    case .withReason: question.text = try fixed(.bodyReason, show)
    }
    try await store(.bodyAsked(question))
    tell(question.text, .body, show)
  }

  private func askAboutSummary(_ template: TemplateName, _ show: Show) async throws {
    let text = try fixed(template, show)
    try await store(.asked(.menu(text)))
    tell(text, .question, show)
    show(.choices(pack.confirmationChoices(translation)))
  }

  @inline(never)
  private func noteBody(_ turn: Int) async throws {
    let text = state.transcript.userTurn(turn) ?? ""
    try await store(.bodyNoted(BodyNote(answer: text, turn: turn, pack)))
  }

  /// Answers what the user asked or told before the conversation's next step.
  private func reply(_ plan: AsidePlan, _ show: @escaping Show) async throws -> Outcome {
    let closing = plan.waits && plan.cause != .lowMoment ? try closingLine(show) : ""
    func event(_ reply: CoachReply) -> IntakeEvent {
      .replied(Aside(turn: plan.turn, waits: plan.waits, reply: reply))
    }
    if isPaywallOpen, plan.cause != .lowMoment, state.asidesToday >= Self.mostAsidesAtPaywall {
      let text = try fixed(.paywallAnswered, show) + (closing.isEmpty ? "" : "\n\n" + closing)
      try await store(event(CoachReply(text: text)))
      tell(text, .answer, show)
    } else {
      let outcome = try await speak(
        .aside(plan, closing: closing), show, closing: closing, event: event)
      if outcome == .stopped { return .stopped }
    }
    let choices = choices
    if !closing.isEmpty, !choices.isEmpty { show(.choices(choices)) }
    return .goOn
  }

  /// Questions that the coach answers at the paywall in a day.
  private static let mostAsidesAtPaywall = 5

  /// What is still open, in a line; empty if nothing is.
  private func closingLine(_ show: Show) throws -> String {
    if state.pending == .confirmation { return try fixed(.confirmationQuestion, show) }
    let labels = choices.map(\.label)
    guard !state.isCoaching, let first = labels.first, let last = labels.last else { return "" }
    return try fixed(.choicesLine, show, ["first": first, "second": last])
  }

  /// Asks for one of the labels, since the words didn't tell what is wanted.
  private func askPlainly(_ show: Show) async throws {
    let choices = choices
    var text = try fixed(
      .choose, show,
      [
        "isSummary": state.pending == .confirmation, "first": choices.first?.label ?? "",
        "second": choices.last?.label ?? "",
      ])
    // The same words twice would sound like a machine.
    if text == state.transcript.coachMessage(before: state.turns.count) {
      text = try closingLine(show)
    }
    try await store(.asked(.menu(text)))
    tell(text, .question, show)
    show(.choices(choices))
  }

  private func hold(_ turn: Int, _ show: Show) async throws {
    let text = state.transcript.userTurn(turn) ?? ""
    try await store(.messageHeld(HeldMessage(text: text, turn: turn)))
    // Otherwise the paywall says so.
    guard case .clarity = state.record.owed else { return }
    let count = state.held.count
    let kept = try fixed(.paywallHeld, show, ["count": "\(count)", "isOne": count == 1])
    show(.notice(.init(code: "message-held", level: .info, text: kept)))
  }

  private func releaseHeld(_ show: Show) async throws {
    let text = state.held.joined(separator: "\n\n")
    tellHeld(show)
    try await store(.userSaid(reading(text, releasesHeld: true)))
  }

  private func tellHeld(_ show: Show) {
    let text = state.held.joined(separator: "\n\n")
    var notice = SessionOutput.Notice(code: "held-sent", level: .info, text: "You wrote: \(text)")
    notice.values = ["said": text]
    show(.notice(notice))
  }
}

// The paywall and the end of a pass.
extension IntakeEngine {
  /// Sends `done` before storing `paywallShown`. After a crash in between, or an output failure
  /// that cancelled the pass, it's sent again rather than never.
  private func showPaywall(_ show: Show) async throws {
    guard case .atPaywall(let phase) = state.phase else { return finish(show) }
    show(.paywall(try paywall(isRepeated: phase.wasShown)))
    finish(show, discoveryComplete: !phase.wasShown)
    if !Task.isCancelled { try await store(.paywallShown) }
  }

  /// Minors see no paywall.
  private var isPaywallOpen: Bool { state.shownPhase == .paywall }

  /// - Parameter isRepeated: Whether the user has just read what the coach understood.
  private func paywall(isRepeated: Bool = false) throws(PackError) -> SessionOutput.Paywall {
    try pack.paywall(
      insight: isRepeated ? "" : insight, held: state.held.count,
      isLittle: state.components(settings).isMinimal, translation)
  }

  /// The summary in the coach's words; built from the profile if there are none.
  ///
  /// - Throws: `PackError` if the pack's text can't be rendered.
  public var insight: String {
    get throws(PackError) {
      // What was changed since isn't in the coach's words.
      if state.amendments.isEmpty, let summary = state.lastSummary {
        return Self.withoutPreamble(summary)
      }
      guard let synthesis = state.synthesis else { return "" }
      return try pack.fallbackSummary(synthesis, translation)
    }
  }

  /// A summary has two paragraphs. What comes before them answered a correction.
  private static func withoutPreamble(_ summary: String) -> String {
    summary.split(separator: "\n\n").suffix(2).joined(separator: "\n\n")
  }

  @inline(never)
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

extension Question {
  /// Asks for one of the answers that are offered.
  static func menu(_ text: String) -> Question {
    Question(components: [], facets: [], explicit: true, reply: CoachReply(text: text))
  }

  init(_ plan: QuestionPlan, reply: CoachReply) {
    self.init(
      components: plan.components, facets: plan.missing + plan.companionMissing,
      explicit: plan.explicit, reply: reply)
  }
}

/// A bug in the engine, never in its input.
public struct IntakeDefect: Error, Hashable, Sendable, CustomStringConvertible {
  public let reason: String
  public var description: String { reason }
}

extension SessionOutput.Notice {
  /// The log has events that can't have happened.
  fileprivate static func unexpected(_ events: [UnexpectedEvent]) -> Self {
    Self(
      code: "unexpected-events", level: .warning,
      text: "Part of this conversation's log doesn't fit together, so I left that part out.",
      detail: events.map(\.description).joined(separator: "; "))
  }
}
