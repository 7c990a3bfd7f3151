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
  private let baseSettings: IntakeSettings

  /// What lies over the step until it's answered; a restart drops it.
  private var overlay: Overlay?
  private var showsInfo = false
  var problem: String?
  private var drafts: [DocumentKind: Task<Result<DraftedDocument, DraftError>, Never>] = [:]
  private var failedDraft: DraftError?
  private var unqueued: Set<SyncItem.Kind> = []

  private enum Overlay {
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
      if showsInfo, let id = state.step, let info = journey[step: id]?.info {
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
    startDrafts()
    return await screen
  }

  /// Waits for what the screen says is being done, then shows what follows.
  ///
  /// - Parameter show: Called with the screen whenever more of a document is there.
  public func settle(
    show: @escaping @Sendable (JourneyScreen) -> Void = { _ in }
  ) async throws -> JourneyScreen {
    guard let step = currentStep, let kind = step.drafts, state.documents[kind] == nil,
      let draft = drafts[kind]
    else { return await screen }
    let result = await draft.value
    drafts[kind] = nil
    switch result {
    case .success(let document):
      failedDraft = nil
      try await store(.drafted(document))
      // The answer was there first, so nobody has to press a button twice.
      if let name = step.field?.name, state.answers[name] != nil { try await goOn(from: step) }
      startDrafts()
    case .failure(let error):
      failedDraft = error
      problem = error.words
    }
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
    JourneyFlow(journey: journey, state: state, intake: intake, settings: baseSettings)
  }

  private var reader: AnswerReader { AnswerReader(flow: flow, pack: pack) }

  var currentStep: Step? { state.step.flatMap { journey[step: $0] } }

  private var baseScreen: JourneyScreen {
    let maker = ScreenMaker(
      flow: flow, now: providers.now(), account: providers.account,
      permissions: providers.permissions)
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
    guard state.care == nil, let step = currentStep else { return screen }
    if let meanwhile = step.field?.meanwhile, state.documents[meanwhile.document] == nil {
      let isAnswered = step.field.map { state.answers[$0.name] != nil } ?? false
      screen.waiting = flow.filled(isAnswered ? meanwhile.waiting : meanwhile.text)
      screen.isBusy = isAnswered
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
  private func reload() async throws {
    let events = try await log.events()
    state = try JourneyState(events: events)
    intake = pack.state(after: events)
  }

  func store(_ events: JourneyEvent..., answers: [FormAnswer] = []) async throws {
    let envelopes =
      events.map { EventEnvelope($0) } + answers.map { EventEnvelope(IntakeEvent.answered($0)) }
    let (log, date) = (log, providers.now())
    // A cancelled task still stores what was answered.
    let recorded = try await Task { try await log.append(envelopes, at: date) }.value
    for event in recorded {
      try state.apply(event)
      intake.apply(event)
    }
  }

  private func begin() async throws {
    try await store(
      .started(
        JourneyEvent.Start(
          journey: journey.name, version: journey.version, pack: pack.name, units: journey.units,
          timeZone: providers.timeZone.identifier)))
    try await move(to: flow.first)
  }

  /// Somebody who is signed in already isn't asked to.
  private func adoptAccount() async throws {
    guard let account = await providers.account.current(), state.account.email != account.email
    else { return }
    try await store(.signedIn(email: account.email))
    if let step = currentStep, step.isSignIn || step.kind == .verifyCode {
      try await goOn(from: step)
    }
  }
}

// Moving.
extension JourneyEngine {
  private func move(to target: Target) async throws {
    switch target {
    case .step(let id): try await store(.moved(.init(to: id, way: .forward)))
    case .end: try await finish()
    }
  }

  private func finish() async throws {
    guard await saveProfile(isComplete: true) else { return }
    try await store(.moved(.init(to: nil, way: .forward)), .completed)
  }

  /// - Returns: False if it couldn't be written, which the problem says.
  private func saveProfile(isComplete: Bool) async -> Bool {
    guard let row = flow.profile(isComplete: isComplete) else { return true }
    do {
      try await providers.profiles.write(row)
      return true
    } catch {
      problem = JourneyProblems.notSaved
      return false
    }
  }

  /// Leaves a step for the next one.
  func goOn(from step: Step, jump: Target? = nil) async throws {
    await queue(step.syncs)
    if let detour = state.detour, step.id == detour.last || isBeyond(detour.last, step, jump) {
      return try await rejoin(detour, isDone: true)
    }
    try await move(to: flow.next(after: step, jump: jump))
  }

  private func isBeyond(_ last: String, _ step: Step, _ jump: Target?) -> Bool {
    guard case .step(let id) = flow.next(after: step, jump: jump),
      let place = journey.position(of: id), let end = journey.position(of: last)
    else { return true }
    return place > end
  }

  private func rejoin(_ detour: JourneyState.Detour, isDone: Bool) async throws {
    let reminded = journey.steps.first { $0.reminders.contains { $0.to == detour.last } }
    try await store(.moved(.init(to: detour.origin, way: .rejoin)))
    // A permission that is declined again has just set its next reminder.
    if isDone, let reminded, reminded.id != detour.last {
      try await store(.reminder(.init(step: reminded.id, change: .done)))
    }
  }

  /// What can't be queued is queued with the next step, or at the next start.
  private func queue(_ kinds: [SyncItem.Kind]) async {
    guard !state.account.isLocal else { return }
    unqueued.formUnion(kinds)
    for kind in unqueued.sorted(by: { $0.rawValue < $1.rawValue }) {
      guard let item = flow.syncItem(kind) else { continue }
      do {
        try await providers.sync.enqueue(item)
        unqueued.remove(kind)
      } catch {
        problem = "I couldn't queue your \(item.kind.rawValue) for sync: \(error). It stays here."
      }
    }
  }

  private func isPassed(_ step: String) -> Bool {
    state.trail.contains(step) || state.detour?.trail.contains(step) == true
  }

  private func back() async throws {
    if overlay != nil {
      if case .reminder = overlay { return }
      overlay = nil
      return
    }
    guard state.care == nil else { return try await store(.careSeen) }
    guard let step = currentStep, let previous = flow.previous else { return }
    switch step.back {
    case .none: break
    case .free: try await goBack(to: previous, drops: [])
    case .asks(let question, let to):
      let target = to ?? previous
      let between = state.trail.lastIndex(of: target).map { Array(state.trail[($0 + 1)...]) } ?? []
      overlay = .confirmBack(
        question: question, to: target, drops: to == nil ? [] : between + [step.id])
    }
  }

  private func goBack(to target: String, drops: [String]) async throws {
    if let detour = state.detour, !state.trail.contains(target) {
      return try await rejoin(detour, isDone: false)
    }
    if let kind = currentStep?.drafts, state.documents[kind]?.proposed != nil {
      try await store(.editDropped(kind))
    }
    if state.account.pending != nil, journey[step: target]?.isSignIn == true {
      try await store(.codeDropped)
    }
    try await store(
      .moved(.init(to: target, way: .back, drops: drops.isEmpty ? nil : drops)),
      answers: drops.map { FormAnswer(step: $0, evidence: []) })
  }
}

// Answers.
extension JourneyEngine {
  private func take(_ value: JSONValue) async throws {
    if let overlay { return try await take(value, overlay) }
    if let care = state.care {
      try await store(.careSeen)
      if !care.holds, let step = currentStep, step.field != nil { try await goOn(from: step) }
      return
    }
    guard let step = currentStep else { return }
    switch step.content {
    case .intro, .explainer, .reveal, .success, .tour: try await goOn(from: step)
    case .text, .stepper, .select, .number, .timeRange, .open: try await answer(value, at: step)
    case .choice(let options): try await choose(value, options, at: step)
    case .conversation:
      if state.talked.contains(step.id) { try await goOn(from: step) }
    case .signIn(let input): try await signIn(value, input, at: step)
    case .verifyCode(let input): try await verify(value, input, at: step)
    case .permission(let input): try await decide(value, input, at: step)
    case .draft(let kind, _): try await leaveDraft(kind, step)
    case .review(let kind, _, _): try await review(value, kind, at: step)
    }
  }

  private func take(_ value: JSONValue, _ overlay: Overlay) async throws {
    switch overlay {
    case .reminder(let id):
      guard let step = journey[step: id], let reminder = step.reminder(for: state) else {
        self.overlay = nil
        return
      }
      try await take(value, reminder, of: step)
    case .confirmBack(_, let to, let drops):
      guard let isSure = confirmed(value) else { return }
      self.overlay = nil
      if isSure { try await goBack(to: to, drops: drops) }
    case .confirmRestart(let to):
      guard let isSure = confirmed(value) else { return }
      self.overlay = nil
      if isSure { try await restart(at: to) }
    }
  }

  /// Nil if it's neither yes nor no.
  private func confirmed(_ value: JSONValue) -> Bool? {
    let options = [
      (id: Confirmation.yes.rawValue, label: JourneyWords.yes),
      (id: Confirmation.no.rawValue, label: JourneyWords.no),
    ]
    guard let id = AnswerReader.option(value, options) else {
      problem = JourneyProblems.choose
      return nil
    }
    return id == Confirmation.yes.rawValue
  }

  private func answer(_ value: JSONValue, at step: Step) async throws {
    if failedDraft != nil { failedDraft = nil }
    switch reader.read(value, at: step) {
    case .problem(let words): problem = words
    case .nothing: try await goOn(from: step)
    case .answer(let answer):
      let care = careDue(answer, step)
      if answer != state.answers[answer.field ?? answer.step] {
        let age = isAge(step) ? answer.value.number.map { Int($0) } : nil
        let told = FormAnswer(
          step: step.id, evidence: reader.evidence(of: answer, at: step), age: age)
        try await store(.answered(answer), answers: [told])
      }
      if let care { return try await store(.cared(care)) }
      guard await saveProfile(isComplete: state.isCompleted) else { return }
      if let meanwhile = step.field?.meanwhile, state.documents[meanwhile.document] == nil {
        return
      }
      try await goOn(from: step)
    }
  }

  private func isAge(_ step: Step) -> Bool {
    if case .stepper(let stepper) = step.content { stepper.quantity == .age } else { false }
  }

  private func careDue(_ answer: JourneyEvent.Answer, _ step: Step) -> JourneyEvent.Care? {
    switch answer.value {
    case .text(let text) where step.kind != .select: reader.care(in: text, at: step)
    case .number(let age) where isAge(step): reader.care(age: age, at: step)
    default: nil
    }
  }

  private func choose(
    _ value: JSONValue, _ options: [Step.ChoiceOption], at step: Step
  ) async throws {
    guard let id = AnswerReader.option(value, options.map { ($0.id, $0.label) }),
      let option = options.first(where: { $0.id == id })
    else {
      problem = JourneyProblems.choose
      return
    }
    if option.clears, case .step(let target) = option.next {
      overlay = .confirmRestart(to: target)
      return
    }
    try await store(
      .answered(
        JourneyEvent.Answer(
          step: step.id, field: step.field?.name, value: .text(id),
          wording: flow.filled(step.title), label: flow.filled(option.label), isOwn: true)))
    if let reminder = option.reminder { try await remind(of: step, inDays: reminder.afterDays) }
    try await goOn(from: step, jump: option.next)
  }

  private func restart(at target: String) async throws {
    guard let place = journey.position(of: target) else { return }
    let dropped = journey.steps[place...].map(\.id)
    let told = dropped.filter { id in state.answers.values.contains { $0.step == id } }
    try await store(
      .moved(.init(to: target, way: .restart, drops: dropped)),
      answers: told.map { FormAnswer(step: $0, evidence: []) })
  }

  private func decide(
    _ value: JSONValue, _ input: Step.PermissionInput, at step: Step
  ) async throws {
    let options = [
      (id: PermissionChoice.allow.rawValue, label: input.allow),
      (id: PermissionChoice.decline.rawValue, label: input.decline),
    ].filter {
      $0.id == PermissionChoice.decline.rawValue
        || providers.permissions.isAvailable(input.permission)
    }
    guard let choice = AnswerReader.option(value, options) else {
      problem = JourneyProblems.choose
      return
    }
    let isAllowed = choice == PermissionChoice.allow.rawValue
    let isGranted = isAllowed ? await providers.permissions.request(input.permission) : false
    try await store(.permission(input.permission, granted: isGranted))
    if isGranted {
      try await store(.reminder(.init(step: step.id, change: .done)))
    } else if let reminder = input.reminder {
      try await remind(of: step, inDays: reminder.afterDays)
    }
    try await goOn(from: step)
  }
}

// Reminders.
extension JourneyEngine {
  private var dueReminder: (step: Step, reminder: Step.Reminder)? {
    guard state.detour == nil else { return nil }
    let now = providers.now()
    for step in journey.steps {
      if let due = state.reminders[step.id], due <= now, let reminder = step.reminder(for: state) {
        return (step, reminder)
      }
    }
    return nil
  }

  /// At the same time of day, so many days later in the person's time zone.
  private func remind(
    of step: Step, inDays days: Int, change: JourneyEvent.Reminder.Change = .set
  ) async throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = providers.timeZone
    let now = providers.now()
    let due = calendar.date(byAdding: .day, value: days, to: now)
    try await store(
      .reminder(
        .init(
          step: step.id, change: change, due: due ?? now.addingTimeInterval(Double(days) * 86_400)))
    )
  }

  private func take(
    _ value: JSONValue, _ reminder: Step.Reminder, of step: Step
  ) async throws {
    let options = [
      (id: ReminderChoice.now.rawValue, label: reminder.now),
      (id: ReminderChoice.later.rawValue, label: reminder.later),
      (id: ReminderChoice.never.rawValue, label: reminder.never),
    ]
    guard let choice = AnswerReader.option(value, options).flatMap(ReminderChoice.init(rawValue:))
    else {
      problem = JourneyProblems.choose
      return
    }
    overlay = nil
    switch choice {
    case .now:
      try await store(.moved(.init(to: reminder.from, way: .detour, last: reminder.to)))
    case .later: try await remind(of: step, inDays: reminder.laterDays, change: .postponed)
    case .never: try await store(.reminder(.init(step: step.id, change: .never)))
    }
  }
}

// Signing in.
extension JourneyEngine {
  private func signIn(_ value: JSONValue, _ input: Step.SignIn, at step: Step) async throws {
    let local = [(id: SignInChoice.local.rawValue, label: input.local)]
    let typed = value.stringValue ?? value["email"]?.stringValue
    if value.objectValue == nil, typed?.contains("@") != true,
      AnswerReader.option(value, local) != nil || !providers.account.isAvailable
    {
      try await store(.keptLocal)
      return try await goOn(from: step)
    }
    let given = value["consents"]?.arrayValue?.compactMap(\.stringValue) ?? []
    let agreed = input.consents.filter {
      given.contains($0.id) && state.account.consents[$0.id] == nil
    }
    if !agreed.isEmpty {
      let items = Dictionary(agreed.map { ($0.id, $0.label) }, uniquingKeysWith: { one, _ in one })
      try await store(.consented(.init(step: step.id, items: items)))
    }
    guard let email = typed?.trimmed, Self.isEmail(email) else {
      if typed != nil || agreed.isEmpty { problem = input.invalid ?? JourneyProblems.email }
      return
    }
    let missing = input.consents.filter { state.account.consents[$0.id] == nil }
    guard missing.isEmpty else {
      problem = JourneyProblems.consents(missing.map(\.label))
      return
    }
    if try await sendCode(to: email) { try await goOn(from: step) }
  }

  private func sendCode(to email: String) async throws -> Bool {
    do throws(AccountError) {
      try await providers.account.sendCode(to: email)
    } catch {
      problem = error.words
      return false
    }
    try await store(.codeSent(email: email))
    return true
  }

  private static func isEmail(_ text: String) -> Bool {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, text.utf8.count <= 254 else { return false }
    let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
    return labels.count > 1 && labels.allSatisfy { !$0.isEmpty }
      && !text.contains { $0.isWhitespace || $0 == "," || $0 == "<" || $0 == ">" }
  }

  private func verify(
    _ value: JSONValue, _ input: Step.VerifyCode, at step: Step
  ) async throws {
    guard let email = state.account.pending else { return try await goOn(from: step) }
    // A code is digits, so an option is chosen by its id or label only.
    let typed = value.stringValue ?? value.intValue.map(String.init) ?? ""
    let digits = typed.filter { !$0.isWhitespace && $0 != "-" }
    if digits.isEmpty || !digits.allSatisfy(\.isWholeNumber) {
      let options = [
        (id: CodeChoice.resend.rawValue, label: input.resend),
        (id: CodeChoice.different.rawValue, label: input.different),
      ]
      switch AnswerReader.option(value, options).flatMap(CodeChoice.init(rawValue:)) {
      case .resend: return try await resend(to: email, input)
      case .different: return try await useDifferentEmail()
      case nil: problem = JourneyProblems.digits(input.digits)
      }
      return
    }
    guard digits.count == input.digits else {
      problem = JourneyProblems.digits(input.digits)
      return
    }
    do throws(AccountError) {
      let account = try await providers.account.verify(digits, for: email)
      await signedIn(account)
    } catch {
      problem = error.words
      return
    }
    if problem == nil { try await goOn(from: step) }
  }

  private func signedIn(_ account: Account) async {
    do {
      try await store(.signedIn(email: account.email))
    } catch {
      problem = "You're signed in, but I couldn't save that: \(error)"
    }
  }

  private func resend(to email: String, _ input: Step.VerifyCode) async throws {
    let sent = state.account.codeSentAt ?? .distantPast
    let left = Double(input.resendAfter) - providers.now().timeIntervalSince(sent)
    guard left <= 0 else {
      problem = JourneyProblems.wait(Int(left.rounded(.up)))
      return
    }
    _ = try await sendCode(to: email)
  }

  private func useDifferentEmail() async throws {
    try await store(.codeDropped)
    if let signIn = state.trail.last(where: { journey[step: $0]?.isSignIn == true }) {
      try await store(.moved(.init(to: signIn, way: .back)))
    }
  }
}

// Documents.
extension JourneyEngine {
  private func startDrafts() {
    guard let kind = currentStep?.drafts, state.documents[kind] == nil, drafts[kind] == nil,
      failedDraft == nil
    else { return }
    let (drafter, facts) = (providers.drafter, facts)
    drafts[kind] = Task {
      do throws(DraftError) {
        return .success(try await drafter.draft(kind, from: facts, show: { _ in }))
      } catch {
        return .failure(error)
      }
    }
  }

  private var facts: DraftFacts {
    DraftFacts(
      pack: pack, intake: intake, answers: flow.rows, values: state.answers.mapValues(\.value),
      goal: state.documents[.goal]?.document, units: state.units,
      timeZone: state.start?.timeZone ?? providers.timeZone.identifier, now: providers.now())
  }

  private func leaveDraft(_ kind: DocumentKind, _ step: Step) async throws {
    failedDraft = nil
    if state.documents[kind] != nil { try await goOn(from: step) }
  }

  private func review(_ value: JSONValue, _ kind: DocumentKind, at step: Step) async throws {
    guard let document = state.documents[kind] else {
      failedDraft = nil
      return
    }
    let screen = baseScreen
    let choice = AnswerReader.option(value, screen.options.map { ($0.id, $0.label) })
    switch choice.flatMap(ReviewChoice.init(rawValue:)) {
    case .approve:
      try await store(.approved(kind))
      try await goOn(from: step)
    case .undo: try await store(.editUndone(kind))
    case .apply: try await store(.edited(kind))
    case .discard: try await store(.editDropped(kind))
    case nil:
      guard document.proposed == nil, let words = value.stringValue ?? value["edit"]?.stringValue,
        !PlainText.isBlank(words)
      else {
        problem = JourneyProblems.choose
        return
      }
      try await edit(document.document, saying: words, at: step)
    }
  }

  private func edit(
    _ document: DraftedDocument, saying words: String, at step: Step
  ) async throws {
    if let care = reader.care(in: words, at: step) { return try await store(.cared(care)) }
    do throws(DraftError) {
      let edit = try await providers.drafter.edit(document, saying: words, facts: facts)
      await propose(edit)
    } catch {
      problem = error.words
    }
  }

  private func propose(_ edit: DocumentEdit) async {
    do {
      try await store(.editProposed(edit))
    } catch {
      problem = "I couldn't save that change, so nothing was changed: \(error)"
    }
  }
}

// The conversation.
extension JourneyEngine {
  /// The conversation on screen; nil for any other step, and once it's over.
  public var conversation: Step.ConversationInput? {
    guard state.care == nil, overlay == nil, let step = currentStep,
      case .conversation(let input) = step.content, !state.talked.contains(step.id)
    else { return nil }
    return input
  }

  /// The settings that the conversation's intake engine needs. It runs on the same log.
  public func intakeSettings(for input: Step.ConversationInput) -> IntakeSettings {
    var settings = baseSettings
    settings.hasPaywall = input.hasPaywall
    if let turns = input.turns { settings.maxTurns = turns }
    // Topics take as long as they take.
    if input.ends == .topics {
      settings.timeLimit = .seconds(24 * 3_600)
      settings.maxTurns = input.turns ?? Self.mostTurns
    }
    settings.ending =
      switch input.ends {
      case .summary: .summary
      case .ready: .ready
      case .topics: .topics(input.topics.map { .init(facets: $0.facets) })
      }
    return settings
  }

  private static let mostTurns = 40

  /// Takes note of what the conversation added to the log, and goes on if it's over.
  public func conversationAdvanced() async throws -> JourneyScreen {
    try await reload()
    if let input = conversation, let step = currentStep, isOver(input) {
      try await store(.talked(step: step.id))
      try await goOn(from: step)
    }
    startDrafts()
    return await screen
  }

  private func isOver(_ input: Step.ConversationInput) -> Bool {
    switch input.ends {
    case .summary: input.hasPaywall ? intake.entitlement != nil : intake.isCompleted
    case .ready, .topics: intake.nextStep(intakeSettings(for: input)) == .end
    }
  }
}

extension Step {
  /// The document that the step needs.
  var drafts: DocumentKind? {
    switch content {
    case .draft(let kind, _), .review(let kind, _, _): kind
    default: field?.meanwhile?.document
    }
  }

  /// The reminder that was set at this step.
  func reminder(for state: JourneyState) -> Reminder? {
    switch content {
    case .choice(let options):
      options.first { $0.id == state.answers[field?.name ?? id]?.value.text }?.reminder
    case .permission(let input): input.reminder
    default: nil
    }
  }
}
