import ContextQuality
import FoundationEssentials
public import IncrementalJSON
public import Intake

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
  private let log: any SessionLog
  let baseSettings: IntakeSettings

  /// What lies over the step until it's answered; care comes first, and a restart drops it.
  var overlay: Overlay?
  private var showsInfo = false
  var problem: String?
  var drafts: [DocumentKind: Drafting] = [:]
  var failedDraft: DraftError?
  /// An address that was refused, to be mended.
  var typedEmail: String?
  var profileTask: Task<Synthesis?, Never>?
  var unqueued: Set<SyncItem.Kind> = []

  enum Overlay {
    case reminder(step: String)
    case confirmBack(question: String, to: String, drops: [String])
    case confirmRestart(to: String)
  }

  /// Opens a session's journey from its log.
  ///
  /// - Throws: The log's error if it can't be read; `UnreadableEvent`; ``JourneyMismatch`` if the session
  ///   began with another journey, or a newer version of this one.
  public init(
    _ journey: Journey, pack: PromptPack, log: any SessionLog,
    settings: IntakeSettings = IntakeSettings(), providers: JourneyProviders
  ) async throws {
    (self.journey, self.pack, self.log) = (journey, pack, log)
    (self.providers, baseSettings) = (providers, settings)
    intake = pack.state()
    try await reload()
    guard let start = state.start else { return }
    if start.journey != journey.name || state.version > journey.version {
      throw JourneyMismatch(journey: start.journey, version: state.version, known: journey)
    }
  }

  /// Starts the journey, or resumes it at its last step.
  public func open() async throws -> JourneyScreen {
    if state.start == nil { try await begin() }
    if let migrated = JourneyMigrator(journey: journey).migrated(state) {
      try await store(.migrated(migrated))
    }
    try await adoptAccount()
    if try await hasLostAccount() { problem = JourneyProblems.signedOut }
    await queue(journey.steps.filter { isPassed($0.id) }.flatMap(\.syncs))
    if let due = dueReminder { overlay = .reminder(step: due.step.id) }
    startDrafts()
    return await screen
  }

  /// What is shown now.
  public var screen: JourneyScreen {
    get async {
      var screen = baseScreen
      screen.problem = problem ?? screen.problem
      if showsInfo, screen.hasInfo, let id = state.step, let info = journey[step: id]?.info {
        screen.info = flow.filled(info)
      }
      return screen
    }
  }

  /// Takes an answer, or goes back.
  ///
  /// - Throws: What the log throws; nothing has changed then.
  public func take(_ input: JourneyInput) async throws -> JourneyScreen {
    (problem, showsInfo) = (nil, false)
    switch input {
    case .info: showsInfo = true
    case .back: try await back()
    case .units(let units):
      if units != state.units { try await store(.unitsChosen(units)) }
    case .answer(let value): try await take(value)
    }
    if try await hasLostAccount(), problem == nil { problem = JourneyProblems.signedOut }
    startDrafts()
    return await screen
  }
}

/// The session began with another journey, or with a version that this build doesn't know.
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
    switch overlay {
    case .reminder(let id):
      if let step = journey[step: id], let reminder = step.reminder(for: state) {
        return maker.reminder(step, reminder)
      }
    case .confirmBack(let question, _, _): return maker.confirmation(question)
    case .confirmRestart: return maker.confirmation(JourneyWords.startOver)
    case nil: break
    }
    var screen = maker.screen()
    guard let step = currentStep else { return screen }
    if let typedEmail, case .email(let placeholder, _) = screen.input {
      screen.input = .email(placeholder: placeholder, value: typedEmail)
      screen.button?.isEnabled = screen.consents.allSatisfy(\.isGiven)
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
    state = try JourneyState(events: events)
    intake = pack.state(after: events)
  }

  func store(_ events: JourneyEvent..., answers: [FormAnswer] = []) async throws {
    try await store(
      events.map { EventEnvelope($0) } + answers.map { EventEnvelope(IntakeEvent.answered($0)) })
  }

  func store(intake events: [IntakeEvent]) async throws {
    try await store(events.map { EventEnvelope($0) })
  }

  private func store(_ envelopes: [EventEnvelope]) async throws {
    let (log, date) = (log, providers.now())
    // A cancelled task still stores what was answered.
    let recorded = try await Task { try await log.append(envelopes, at: date) }.value
    for event in recorded {
      try state.apply(event)
      intake.apply(event)
    }
  }

  func begin() async throws {
    try await store(
      .started(
        JourneyEvent.Start(
          journey: journey.name, version: journey.version, pack: pack.name, units: journey.units,
          timeZone: providers.timeZone.identifier, isLocal: providers.staysLocal ? true : nil)))
    try await move(to: flow.first)
  }

  /// Whether the person was signed in until now, and signed out elsewhere.
  private func hasLostAccount() async throws -> Bool {
    guard state.account.email != nil, providers.account.isAvailable,
      await providers.account.current() == nil
    else { return false }
    try await store(.signedOut)
    return true
  }

  /// Somebody who is signed in already is asked only for consents that are missing. A journey that is
  /// kept on this machine stays there.
  func adoptAccount() async throws {
    guard !state.account.isLocal, let account = await providers.account.current(),
      state.account.email != account.email
    else { return }
    try await store(.signedIn(email: account.email))
    if let step = currentStep, step.isSignIn || step.kind == .verifyCode, !flow.isShown(step) {
      try await goOn(from: step)
    }
  }
}
