import FoundationEssentials
import Intake
import Plans

/// Draws the state as a screen.
struct ScreenMaker {
  let flow: JourneyFlow
  let now: Date
  let account: any AccountService
  let permissions: any PermissionService

  private var journey: Journey { flow.journey }
  private var state: JourneyState { flow.state }

  func screen() -> JourneyScreen {
    if let care = state.care { return careScreen(care) }
    guard let id = state.step, let step = journey[step: id] else { return end }
    return screen(of: step)
  }

  private func blank(_ kind: JourneyScreen.Kind, _ title: String) -> JourneyScreen {
    JourneyScreen(
      journey: journey.name, step: state.step ?? "", kind: kind, title: title, units: state.units)
  }

  /// Coaching continues where a journey ends. Days that take turns are shown from there on.
  private var end: JourneyScreen {
    guard !flow.intake.leavesOutSensitive, let cycle = flow.cycle else {
      return blank(
        .end, flow.intake.isCoaching ? JourneyWords.coachingGoesOn : JourneyWords.finished)
    }
    let (today, next) = (cycle.day(at: now), cycle.next(after: now))
    let day = ProgramSchedule.dayInWords(next.start, in: cycle.timeZone)
    var screen = blank(.end, JourneyWords.today(today))
    screen.rows = today.rows + [.init(label: next.kind, value: JourneyWords.from(day))]
    return screen
  }

  private func careScreen(_ care: JourneyEvent.Care) -> JourneyScreen {
    var screen = blank(.care, JourneyWords.care)
    screen.body = care.text.split(separator: "\n\n").map(String.init)
    screen.button = .init(
      label: care.holds ? JourneyWords.change : JourneyWords.goOn, isEnabled: true)
    return screen
  }

  func reminder(_ step: Step, _ reminder: Step.Reminder) -> JourneyScreen {
    var screen = blank(.reminder, flow.filled(reminder.text))
    screen.step = step.id
    screen.options = ScreenOptions.reminder(reminder)
    return screen
  }

  func confirmation(_ question: String) -> JourneyScreen {
    var screen = blank(.confirmation, flow.filled(question))
    screen.options = ScreenOptions.confirmation
    return screen
  }

  /// Asks whether a document is drafted again.
  ///
  /// - Parameters:
  ///   - changes: What has changed since then, such as "your training days".
  ///   - reasons: What it contradicts by now.
  func renewal(
    of known: DocumentState, changed changes: [String], against reasons: [String]
  ) -> JourneyScreen {
    let kind = known.document.kind
    var screen = blank(
      .confirmation, JourneyWords.renewal(of: kind, isEdited: known.isEdited, changes))
    if !reasons.isEmpty { screen.body = [DocumentWords.outdated(reasons)] }
    screen.rows = known.document.rows
    screen.options = ScreenOptions.renewal
    screen.back = state.step.flatMap { journey[step: $0] }.map(flow.back) ?? .none
    return screen
  }

  private func screen(of step: Step) -> JourneyScreen {
    var screen = blank(JourneyScreen.Kind(step.kind), flow.filled(step.title))
    screen.body = flow.body(of: step)
    screen.hasInfo = step.info != nil
    screen.orb = step.orb
    screen.section = step.section.flatMap { id in
      journey.sections.first { $0.id == id }?.title
    }
    switch journey.progress {
    case .none: break
    case .steps: screen.place = flow.place(of: step)
    case .segments: screen.segments = flow.segments(at: step)
    }
    screen.back = flow.back(from: step)
    screen.button = .init(label: step.button ?? JourneyWords.goOn, isEnabled: true)
    fill(&screen, step)
    return screen
  }

  private func fill(_ screen: inout JourneyScreen, _ step: Step) {
    let answer = state.answers[step.field?.name ?? step.id]
    switch step.content {
    case .text, .stepper, .select, .number, .timeRange, .open:
      fillInput(&screen, step, answer)
    case .intro(let isTap, let wordByWord):
      (screen.isTap, screen.isWordByWord) = (isTap, wordByWord)
    case .explainer(let bullets, let cycle):
      screen.bullets = bullets.map(flow.filled)
      screen.diagram = cycle.map { .init(label: $0.label, days: $0.days, color: $0.color) }
    case .choice(let options):
      screen.button = nil
      screen.options = options.map {
        .init(id: $0.id, label: flow.filled($0.label), detail: $0.detail.map(flow.filled))
      }
    case .conversation(let input):
      screen.segments = flow.topics(of: input)
      if state.talked.contains(step.id) { return }
      screen.button = nil
      screen.input = .message
    case .signIn(let input): fill(&screen, input)
    case .verifyCode(let input):
      screen.button = nil
      screen.input = .code(digits: input.digits, resendIn: flow.resendIn(input, at: now))
      screen.options = ScreenOptions.code(input)
    case .permission(let input): fill(&screen, input, asides: flow.asides(of: step))
    case .draft(let kind, let waiting):
      fill(&screen, kind, waiting: waiting)
      if state.documents[kind] != nil { screen.button?.isEnabled = true }
    case .review(let kind, let approve, let placeholder):
      fill(&screen, kind, waiting: nil)
      review(&screen, kind, approve, placeholder)
    case .reveal(let rows, let figure):
      (screen.rows, screen.figure) = (filled(rows), figure)
    case .success(let rows, let hasConfetti):
      (screen.rows, screen.hasConfetti) = (filled(rows), hasConfetti)
    case .tour(let tips, let skip):
      screen.tips = tips.map { .init(label: $0.target ?? $0.id, value: flow.filled($0.text)) }
      screen.options = [.init(id: JourneyWords.skipID, label: skip ?? JourneyWords.skip)]
    }
  }

  /// What a question shows and takes.
  private func fillInput(
    _ screen: inout JourneyScreen, _ step: Step, _ answer: JourneyEvent.Answer?
  ) {
    switch step.content {
    case .text(let placeholder, let maxLength):
      screen.input = .text(
        placeholder: placeholder, maxLength: maxLength, value: answer?.value.text)
      require(&screen, step, answer)
    case .stepper(let stepper):
      screen.input = .stepper(
        JourneyScreen.StepperInput(
          stepper: stepper, units: state.units, value: answer?.value.number ?? stepper.initial))
    case .select(let options):
      screen.input = .select(answer?.value.text)
      screen.options = options.map {
        .init(
          id: $0.id, label: flow.filled($0.label), detail: $0.detail.map(flow.filled),
          icon: $0.icon)
      }
      require(&screen, step, answer)
    case .number(let input):
      let own = answer?.isOwn == true ? answer?.value.number : nil
      let value = own ?? flow.initial(of: input, step)
      screen.input = .number(
        min: input.min, max: input.max, isWhole: input.isWhole, unit: input.unit, value: value)
      if value == nil { require(&screen, step, answer) }
    case .timeRange(let input):
      let range = answer?.value.range ?? input.initial
      screen.input = .timeRange(range, lengthInWords: range.lengthInWords)
    case .open(let input):
      screen.bullets = input.prompts.map(flow.filled)
      screen.input = .open(
        placeholder: input.placeholder, pills: input.pills,
        hasVoice: input.hasVoice && permissions.isAvailable(.microphone),
        value: answer?.value.text)
      require(&screen, step, answer)
    default: break
    }
  }

  /// Without an answer the button leads nowhere.
  private func require(
    _ screen: inout JourneyScreen, _ step: Step, _ answer: JourneyEvent.Answer?
  ) {
    screen.button?.isEnabled = step.field?.isOptional == true || answer != nil
  }

  private func filled(_ rows: [Step.Row]) -> [JourneyScreen.Row] { Self.filled(rows, flow) }

  static func filled(_ rows: [Step.Row], _ flow: JourneyFlow) -> [JourneyScreen.Row] {
    rows.map { .init(label: flow.filled($0.label), value: flow.filled($0.value)) }
      .filter { !$0.value.isEmpty }
  }

  private func fill(_ screen: inout JourneyScreen, _ input: Step.SignIn) {
    screen.options = ScreenOptions.signIn(input)
    guard account.isAvailable else {
      screen.button = nil
      // It speaks of the code, and nobody sends one.
      screen.hasInfo = false
      screen.body += [account.reason ?? input.localNote ?? JourneyWords.noService]
      return
    }
    let known = state.account.pending ?? state.account.email
    screen.button?.isEnabled = known != nil && flow.missingConsents(input).isEmpty
    screen.input = .email(placeholder: input.placeholder, value: known)
    screen.consents = input.consents.map {
      .init(
        id: $0.id, label: $0.label, url: $0.url,
        note: $0.url == nil ? JourneyWords.noLink : nil,
        isGiven: state.account.consents[$0.id] != nil)
    }
  }

  private func fill(
    _ screen: inout JourneyScreen, _ input: Step.PermissionInput, asides: [String]
  ) {
    screen.button = nil
    let isAvailable = permissions.isAvailable(input.permission)
    let options = ScreenOptions.permission(input, isAvailable: isAvailable)
    if !isAvailable {
      // Nothing is asked, and the rest speaks of what isn't there.
      screen.hasInfo = false
      screen.title = input.unavailable.map(flow.filled) ?? JourneyWords.unavailable
      screen.body = asides + [permissions.instead(of: input.permission)].compactMap(\.self)
      screen.button = options.first.map { .init(label: $0.label, isEnabled: true) }
      return
    }
    screen.options = options
    if let preview = input.preview {
      screen.rows = [.init(label: JourneyWords.preview, value: flow.filled(preview))]
    }
  }

  private func fill(_ screen: inout JourneyScreen, _ kind: DocumentKind, waiting: String?) {
    guard let document = state.documents[kind]?.document else {
      screen.waiting = waiting.map(flow.filled) ?? JourneyWords.drafting
      screen.isBusy = true
      screen.button?.isEnabled = false
      return
    }
    show(document, .draft, &screen)
    if state.documents[kind]?.isApproved == true { screen.document?.state = .approved }
  }

  /// What there is of a document so far, or all of it.
  func show(
    _ document: DraftedDocument, _ state: JourneyScreen.Document.State,
    _ screen: inout JourneyScreen
  ) {
    screen.rows = document.rows
    screen.document = .init(
      kind: document.kind, state: state, source: document.source, note: document.note,
      json: document.json)
    if let note = document.note { screen.body.append(note) }
  }

  private func review(
    _ screen: inout JourneyScreen, _ kind: DocumentKind, _ approve: String, _ placeholder: String?
  ) {
    screen.button = nil
    guard let document = state.documents[kind] else { return }
    guard let proposed = document.proposed else {
      screen.input = .edit(placeholder: placeholder)
      screen.options = [.init(id: ReviewChoice.approve.rawValue, label: flow.filled(approve))]
      if !document.earlier.isEmpty {
        screen.options.append(.init(id: ReviewChoice.undo.rawValue, label: JourneyWords.undo))
      }
      return
    }
    screen.rows = []
    screen.input = .edit(placeholder: nil)
    screen.diff = proposed.diff
    screen.document?.state = .changing
    screen.document?.request = proposed.words
    screen.refusal = proposed.contradiction
    let discard = JourneyScreen.Option(
      id: ReviewChoice.discard.rawValue, label: JourneyWords.discard)
    let apply = JourneyScreen.Option(
      id: ReviewChoice.apply.rawValue,
      label: proposed.contradiction == nil ? JourneyWords.apply : JourneyWords.applyAnyway)
    // The first option is what Enter takes.
    screen.options = proposed.contradiction == nil ? [apply, discard] : [discard, apply]
  }
}

extension JourneyScreen.Kind {
  /// Every kind of step has a screen of its name.
  fileprivate init(_ kind: Step.Kind) { self = Self(rawValue: kind.rawValue) ?? .intro }
}

/// The engine's own words, for what a file does not say.
enum JourneyWords {
  static let goOn = "Continue"
  static let coachingGoesOn =
    "That was the introduction. From here on I'm your coach, so write to me whenever you like."
  static let finished = "That's everything. You're done here."
  static func today(_ day: DayCycle.Day) -> String {
    "Today: \(day.kind), day \(day.number) of \(day.count)"
  }
  static func from(_ date: String) -> String { "from \(date)" }
  static let care = "One thing first"
  static let change = "Go back to my answer"
  static let yes = "Yes"
  static let no = "No, stay here"
  static let noService =
    "Signing in would keep your answers in an account, so that you could pick them up elsewhere. There "
    + "are no accounts to sign in to, so everything is kept here."
  static let noLink =
    "There's no text to read yet. Whoever offers this coach to people adds a link to it first."
  static let preview = "For example"
  static let unavailable = "That isn't available here."
  static let drafting = "Putting it together…"
  static let undo = "Undo my last change"
  static let apply = "Apply the change"
  static let applyAnyway = "Apply it anyway"
  static let discard = "Leave it as it was"
  static let skipID = "skip"
  static let skip = "Skip"
  /// Stands for the question where somebody said something on another device.
  static let elsewhere = "What you told me on another device"
  static let startOver = "This drops your answers from there on. Start over?"

  static let renew = "Write it again"
  static let keep = "Keep it as it is"

  static let yourGoal = "your goal"

  static func renewal(
    of kind: DocumentKind, isEdited: Bool, _ changes: [String]
  ) -> String {
    let facts =
      switch changes.count {
      case 0: "some of what you told me"
      case 1: changes[0]
      case 2, 3: changes.dropLast().joined(separator: ", ") + " and " + (changes.last ?? "")
      default: "several things"
      }
    let did = isEdited ? "changed" : "approved"
    return "You've changed \(facts) since you \(did) this \(kind.rawValue). "
      + "Shall I write it again from what you told me?"
      + (isEdited ? " What you changed in it would be lost." : "")
  }
}

enum ReminderChoice: String { case now, later, never }
enum Confirmation: String { case yes, no }
enum SignInChoice: String { case local }
enum CodeChoice: String { case resend, different }
enum PermissionChoice: String { case allow, decline }
enum ReviewChoice: String { case approve, undo, apply, discard }
