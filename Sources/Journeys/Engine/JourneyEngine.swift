import FoundationEssentials
public import IncrementalJSON
public import Intake
public import Plans

/// What somebody does at a screen.
public enum JourneyInput: Hashable, Sendable {
  /// A text or number as typed, an option's id, an object for a time range or a sign-in, or `true` for the
  /// one button.
  case answer(JSONValue)
  case back
  case info
  case units(Units)
}

/// Runs a journey: shows screens, takes answers, and stores everything in the session's log first.
///
/// The state decides what is shown; the providers act.
public actor JourneyEngine {
  public nonisolated let journey: Journey
  public nonisolated let pack: PromptPack
  public private(set) var state = JourneyState()
  private(set) var intake: IntakeState
  let providers: JourneyProviders
  let log: any SessionLog
  let baseSettings: IntakeSettings

  var showsInfo = false
  var problem: String?
  /// What could not be queued is tried again at the next start, so this is not kept.
  var queueProblem: String?
  var drafts: [DocumentKind: Drafting] = [:]
  var failedDraft: DraftError?
  /// A refused address, for the person to fix.
  var typedEmail: String?
  var profileTask: Task<Synthesis?, Never>?
  var unqueued: Set<SyncItem.Kind> = []
  /// What was last queued for the person's other devices.
  var shared: Shared?
  /// Whether the account may hold something newer of this session, which must not be replaced.
  var isBehind = false
  var hasLooked = true
  private(set) var lastEventAt: Date?
  /// What documents rest on, as the pack's rules say.
  let topics: [DocumentRules.Topic]

  /// Opens a session's journey from its log.
  ///
  /// - Throws: The log's error if it cannot be read; `UnreadableEvent`; ``JourneyMismatch`` if the session
  ///   began with another journey, or a newer version of this one.
  public init(
    _ journey: Journey, pack: PromptPack, log: any SessionLog,
    settings: IntakeSettings = IntakeSettings(), providers: JourneyProviders
  ) async throws {
    (self.journey, self.pack, self.log) = (journey, pack, log)
    (self.providers, baseSettings) = (providers, settings)
    intake = pack.state()
    topics = DocumentRules.topics(of: pack)
    try await reload()
    recallRemark()
    guard let start = state.start else { return }
    if start.journey != journey.name || state.version > journey.version {
      throw JourneyMismatch(journey: start.journey, version: state.version, known: journey)
    }
  }

  /// Starts the journey, or resumes it at its last step.
  ///
  /// - Parameter looksElsewhere: Whether the person may have continued it on another device. Somebody
  ///   who is signed in then waits for their account, for a few seconds at most.
  public func open(looksElsewhere: Bool = false) async throws -> JourneyScreen {
    if state.start == nil { try await begin() }
    try await migrate()
    let wasSignedIn = state.account.email != nil
    try await adoptAccount()
    if try await hasLostAccount() { problem = JourneyProblems.signedOut }
    if looksElsewhere { _ = try await bringOver() }
    isBehind = isBehind || wasSignedIn && !hasLooked
    shared = Shared(self)
    await queue(journey.steps.filter { isPassed($0.id) }.flatMap(\.syncs))
    if let due = dueReminder, state.question != .reminder(step: due.step.id) {
      try await store(.asked(.reminder(step: due.step.id)))
    }
    try await startDrafts()
    return await screen
  }

  /// What is shown now.
  public var screen: JourneyScreen {
    get async {
      var screen = baseScreen
      screen.problem = problem ?? queueProblem ?? screen.problem
      if showsInfo, screen.hasInfo { screen.info = tip }
      return screen
    }
  }

  /// What there is to know about the step; nil if there is nothing.
  package var tip: String? { currentStep?.info.map(flow.filled) }

  /// Takes an answer, or goes back.
  ///
  /// - Throws: What the log throws; nothing has changed then.
  public func take(_ input: JourneyInput) async throws -> JourneyScreen {
    (problem, queueProblem, showsInfo) = (nil, nil, false)
    switch input {
    case .info: showsInfo = true
    case .back: try await back()
    case .units(let units): try await choose(units)
    case .answer(let value): try await take(value)
    }
    if try await hasLostAccount(), problem == nil { problem = JourneyProblems.signedOut }
    await share()
    try await startDrafts()
    await noteRemark()
    return await screen
  }
}

/// The session began with another journey, or with a version that this build does not know.
public struct JourneyMismatch: Error, Hashable, Sendable, CustomStringConvertible {
  public let journey: String
  public let version: Int
  let known: Journey

  public var description: String {
    journey == known.name
      ? "This journey was begun in version \(version) of \(journey); this build knows version "
        + "\(known.version). Nothing is lost; please update."
      : "This session belongs to the journey \(journey), not to \(known.name)."
  }
}

// Showing.
extension JourneyEngine {
  var flow: JourneyFlow {
    JourneyFlow(
      journey: journey, state: state, intake: intake, settings: baseSettings,
      hasAccounts: providers.account.isAvailable)
  }

  var reader: AnswerReader { AnswerReader(flow: flow, pack: pack) }

  var currentStep: Step? { state.step.flatMap { journey[step: $0] } }

  var baseScreen: JourneyScreen {
    let maker = ScreenMaker(
      flow: flow, now: providers.now(), account: providers.account,
      permissions: providers.permissions)
    if state.care != nil { return maker.screen() }
    switch pending {
    case .reminder(let step, let reminder): return maker.reminder(step, reminder)
    case .back(let question, _, _): return maker.confirmation(question)
    case .startOver: return maker.confirmation(JourneyWords.startOver)
    case .renewal(let known):
      return maker.renewal(
        of: known, changed: changes(since: known),
        against: draftFacts.contradictions(of: known.document))
    case nil: break
    }
    var screen = maker.screen()
    guard let step = currentStep else { return screen }
    if let typedEmail, case .email(let placeholder, _) = screen.input {
      screen.input = .email(placeholder: placeholder, value: typedEmail)
      screen.button?.isEnabled =
        Self.isEmail(typedEmail) && screen.consents.allSatisfy(\.isGiven)
    }
    if let meanwhile = step.field?.meanwhile, state.documents[meanwhile.document] == nil {
      let isAnswered = step.field.map { state.answers[$0.name] != nil } ?? false
      screen.waiting = flow.filled(isAnswered ? meanwhile.waiting : meanwhile.text)
      screen.isBusy = isAnswered
    }
    if let kind = step.document, state.documents[kind] == nil, let part = drafts[kind]?.latest {
      maker.show(part, .writing, &screen)
    }
    if let failedDraft, screen.waiting != nil {
      (screen.waiting, screen.isBusy) = (nil, false)
      screen.problem = failedDraft.words
      screen.button = .init(label: Self.tryAgain, isEnabled: true)
    }
    return screen
  }

  private static let tryAgain = "Try again"
}

// Storing.
extension JourneyEngine {
  func reload() async throws {
    let events = try await log.events()
    lastEventAt = events.last?.at
    state = try JourneyState(events: events)
    intake = pack.state(after: events)
  }

  func store(_ events: JourneyEvent..., answers: [FormAnswer] = []) async throws {
    try await store(
      events.map { EventEnvelope($0) } + answers.map { EventEnvelope(IntakeEvent.answered($0)) })
  }

  func store(_ event: PlanEvent) async throws { try await store([EventEnvelope(event)]) }

  func store(intake events: [IntakeEvent]) async throws {
    try await store(events.map { EventEnvelope($0) })
  }

  func store(_ envelopes: [EventEnvelope]) async throws {
    let (log, date) = (log, providers.now())
    // A cancelled task still stores what was answered.
    let recorded = try await Task { try await log.append(envelopes, at: date) }.value
    for event in recorded {
      try state.apply(event)
      intake.apply(event)
      lastEventAt = event.at
    }
  }

  func migrate() async throws {
    if let migrated = JourneyMigrator(journey: journey).migrated(state) {
      try await store(.migrated(migrated))
    }
  }

  func begin() async throws {
    try await store(
      .started(
        PlanEvent.Start(
          journey: journey.name, version: journey.version, pack: pack.name, units: journey.units,
          timeZone: providers.timeZone.identifier, isLocal: providers.staysLocal ? true : nil,
          startsOver: providers.startsOver ? true : nil)))
    try await move(to: flow.first)
  }
}
