import ContextQuality
import FoundationEssentials
import Intake
import Plans

/// A journey with where somebody is in it: what comes next, what came before, and how far they are.
struct JourneyFlow {
  let journey: Journey
  var state: JourneyState
  var intake: IntakeState
  var settings = IntakeSettings()
  /// Whether an account service is set up.
  var hasAccounts = false

  private var conditions: ConditionContext {
    ConditionContext(
      state: state, ledger: intake.ledger, points: intake.components(settings).points,
      hasAccounts: hasAccounts)
  }

  /// The lines below a step's title that are true here.
  func body(of step: Step) -> [String] {
    step.body.filter { conditions.holds($0.when, for: step.id) }.map { filled($0.text) }
  }

  /// The lines of its body that are there only now and then, and now.
  func asides(of step: Step) -> [String] {
    step.body.filter { $0.when != nil && conditions.holds($0.when, for: step.id) }
      .map { filled($0.text) }
  }

  /// The first step to show; `end` if none is.
  var first: Target { shown(.step(journey.steps[0].id)) }

  /// What follows a step.
  func next(after step: Step, jump: Target? = nil) -> Target {
    shown(jump ?? journey.following(step))
  }

  /// The target itself, or the next one after it that is shown.
  ///
  /// Jumps lead to later steps, so this ends; the limit is for a state that lies.
  func shown(_ target: Target) -> Target {
    var target = target
    for _ in 0...journey.steps.count {
      guard case .step(let id) = target, let step = journey[step: id] else { return .end }
      if isShown(step) { return target }
      target = journey.following(step)
    }
    return .end
  }

  func isShown(_ step: Step) -> Bool {
    switch step.content {
    case .verifyCode:
      guard state.account.pending != nil, state.account.email == nil else { return false }
    case .signIn(let input):
      guard state.account.email == nil || !missingConsents(input).isEmpty else { return false }
    default: break
    }
    return conditions.holds(step.when, for: step.id)
  }

  /// What a sign-in asks for that is not agreed to; nothing where no service is set up to ask for it.
  func missingConsents(_ input: Step.SignIn) -> [Step.SignIn.Consent] {
    hasAccounts ? input.consents.filter { state.account.consents[$0.id] == nil } : []
  }

  /// Seconds until a new code can be sent; 0 for now.
  func resendIn(_ input: Step.VerifyCode, at now: Date) -> Int {
    guard let sent = state.account.codeSentAt else { return 0 }
    let left = Double(input.resendAfter) - now.timeIntervalSince(sent)
    return max(0, min(input.resendAfter, Int(left.rounded(.up))))
  }

  func initial(of input: Step.NumberInput, _ step: Step) -> Double? {
    input.defaults.first { conditions.holds($0.when, for: step.id) }?.value
  }

  /// The last shown step that back leads to.
  var previous: String? {
    state.trail.last { id in
      guard let step = journey[step: id] else { return false }
      if case .verifyCode = step.content { return false }
      return true
    }
  }

  func back(from step: Step) -> JourneyScreen.Back {
    guard previous != nil else { return .none }
    switch step.back {
    case .none: return .none
    case .asks(_, nil) where isSettled(step) || state.talked.contains(step.id): return .free
    case .asks: return .asks
    case .free: return .free
    }
  }

  /// Whether the step's document is approved as it stands, so that nothing of it is left to lose.
  private func isSettled(_ step: Step) -> Bool {
    guard let known = step.document.flatMap({ state.documents[$0] }) else { return false }
    return known.isApproved && known.proposed == nil
  }

  func place(of step: Step) -> JourneyScreen.Place? {
    let shown = journey.steps.filter { isShown($0) || $0.id == step.id }
    guard let index = shown.firstIndex(where: { $0.id == step.id }) else { return nil }
    return .init(number: index + 1, total: shown.count)
  }

  /// One segment per section, filled by how many of its steps were passed.
  func segments(at step: Step) -> [JourneyScreen.Segment] {
    guard step.section != nil else { return [] }
    let passed = Set(state.trail)
    let present = journey.sections.firstIndex { $0.id == step.section } ?? 0
    return journey.sections.enumerated().map { index, section in
      let steps = journey.steps.filter { $0.section == section.id }
      let counted = steps.filter { passed.contains($0.id) || $0.id == step.id || isShown($0) }
      let done = counted.filter { passed.contains($0.id) }.count
      return JourneyScreen.Segment(
        id: section.id, title: section.title,
        // Where everything was known already, nothing is left to do.
        fill: counted.isEmpty ? (index < present ? 1 : 0) : Double(done) / Double(counted.count),
        isCurrent: step.section == section.id)
    }
  }

  /// A conversation's topics, filled by what the ledger knows. What was declined counts as done.
  func topics(of input: Step.ConversationInput) -> [JourneyScreen.Segment] {
    input.topics.map { topic in
      let open = IntakeSettings.Topic(facets: topic.facets).open(intake).count
      return JourneyScreen.Segment(
        id: topic.id, title: topic.title,
        fill: Double(topic.facets.count - open) / Double(topic.facets.count), isCurrent: open > 0)
    }
  }

  func filled(_ text: String) -> String { TextTemplate.filled(text) { value(of: $0.name) } }

  private func value(of name: String) -> String? {
    let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
    guard let root = parts.first else { return nil }
    if name == "program.first", let first = firstSession { return first }
    if parts.count == 2, let kind = DocumentKind(rawValue: root) {
      return state.documents[kind]?.document.values[parts[1]]
    }
    guard let answer = state.answers[root] else {
      return root == "email" ? state.account.email ?? state.account.pending : nil
    }
    guard parts.count == 2 else { return label(of: answer) }
    guard case .range(let range) = answer.value else { return nil }
    return switch parts[1] {
    case "start": ClockRange.text(range.start)
    case "end": ClockRange.text(range.end)
    default: range.lengthInWords
    }
  }

  /// With its date, once the program is active.
  private var firstSession: String? {
    guard let known = state.documents[.program], let date = known.approvedAt,
      let program = known.document.program, let start = state.start
    else { return nil }
    let zone = TimeZone(identifier: start.timeZone) ?? .gmt
    let schedule = ProgramSchedule(program, activatedAt: date, timeZone: zone)
    return schedule.sessions.first.map {
      "\($0.session.title), \(DocumentWords.time(of: $0, in: zone))"
    }
  }

  /// An answer as it is shown now: a measurement in the units that hold now.
  func label(of answer: JourneyEvent.Answer) -> String {
    if let number = answer.value.number,
      case .stepper(let stepper) = journey[step: answer.step]?.content
    {
      return stepper.text(number, in: state.units)
    }
    return answer.label.isEmpty ? answer.value.text ?? "" : answer.label
  }

  /// The questions and answers so far, in the file's order.
  var rows: [JourneyScreen.Row] {
    journey.steps.compactMap { step in
      guard let field = step.field, let answer = state.answers[field.name], answer.step == step.id
      else { return nil }
      let label = label(of: answer)
      return label.isEmpty ? nil : JourneyScreen.Row(label: answer.wording, value: label)
    }
  }

  /// The person's answers, with what their questions were about. A suggestion that was picked is no
  /// evidence for a score, but "My knee" is a limit all the same.
  var told: [DraftFacts.Told] {
    journey.steps.compactMap { step in
      guard let field = step.field, let answer = state.answers[field.name], answer.step == step.id,
        answer.isOwn || answer.value.text != nil
      else { return nil }
      let text = label(of: answer)
      return text.isEmpty ? nil : DraftFacts.Told(facets: field.facets, text: text)
    }
  }
}
