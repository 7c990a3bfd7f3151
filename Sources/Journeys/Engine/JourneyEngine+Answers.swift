import ContextQuality
import FoundationEssentials
import IncrementalJSON
import Intake
import Plans
import Signals

// Answers.
extension JourneyEngine {
  func take(_ typed: JSONValue) async throws {
    let value = typed.visible
    if try await isCaredFor(value) { return }
    if let care = state.care {
      if let step = currentStep, let age = corrected(value, care, step) {
        try await store(.careSeen)
        return try await answer(age, at: step)
      }
      guard isPressed(value) else {
        problem = JourneyProblems.atCare(baseScreen.button?.label ?? JourneyWords.goOn)
        return
      }
      try await store(.careSeen)
      // Only beside a note were the words an answer. What was refused is asked again.
      if pending == nil, reader.isNote(care), let step = currentStep, step.id == care.step,
        step.kind == .open, let field = step.field, state.answers[field.name] != nil
      {
        try await goOn(from: step)
      }
      return
    }
    if let pending { return try await take(value, pending) }
    guard let step = currentStep else { return }
    switch step.content {
    case .intro, .explainer, .reveal, .success, .tour:
      guard isPressed(value) else { return }
      try await goOn(from: step)
    case .text, .stepper, .select, .number, .timeRange, .open: try await answer(value, at: step)
    case .choice(let options): try await choose(value, options, at: step)
    case .conversation:
      guard state.talked.contains(step.id) else {
        problem = JourneyProblems.talking
        return
      }
      guard isPressed(value) else { return }
      try await goOn(from: step)
    case .signIn(let input): try await signIn(value, input, at: step)
    case .verifyCode(let input): try await verify(value, input, at: step)
    case .permission(let input): try await decide(value, input, at: step)
    case .draft(let kind, _): try await leaveDraft(value, kind, step)
    case .review(let kind, _, _): try await review(value, kind, at: step)
    }
  }

  /// The age of an adult, where somebody was taken for a minor: "38", "I'm 38, sorry".
  private func corrected(
    _ value: JSONValue, _ care: JourneyEvent.Care, _ step: Step
  ) -> JSONValue? {
    guard care.holds, care.kind == CareKind.minor.rawValue, isAge(step),
      !baseScreen.isPress(value)
    else { return nil }
    if case .answer(let answer) = reader.read(value, at: step), let age = answer.value.number,
      answer.value != state.answers[answer.field ?? answer.step]?.value,
      age >= Double(CareNet.ageOfMajority)
    {
      return value
    }
    let stated = value.stringValue.flatMap { pack.careNet.statedAge(in: PlainText.visible($0)) }
    return stated.flatMap { $0 >= CareNet.ageOfMajority ? JSONValue($0) : nil }
  }

  /// Whether the one button was pressed, or a tour was skipped. Other words are no answer here, which the
  /// problem says.
  func isPressed(_ value: JSONValue) -> Bool {
    let screen = baseScreen
    if screen.isPress(value) || ScreenOptions.id(value, screen.options) != nil
      || value.stringValue.flatMap({ pack.consent.isYes($0) }) == true
    {
      return true
    }
    problem = JourneyProblems.onlyButton(screen.button?.label ?? JourneyWords.goOn)
    return false
  }

  func answer(_ value: JSONValue, at step: Step) async throws {
    if failedDraft != nil { failedDraft = nil }
    if [.stepper, .open].contains(step.kind), let units = value.stringValue.flatMap(units(in:)) {
      try await choose(units)
    }
    let reading = reader.read(value, at: step)
    if let care = refusal(of: value, reading, at: step) { return try await store(care, at: step) }
    switch reading {
    case .problem(let words): problem = words
    case .nothing: try await goOn(from: step)
    case .cleared:
      try await store(
        .moved(.init(to: step.id, way: .back, drops: [step.id])),
        answers: [FormAnswer(step: step.id, evidence: [])])
      try await goOn(from: step)
    case .answer(let answer):
      let care = careDue(answer, step)
      if answer != state.answers[answer.field ?? answer.step] {
        let age = isAge(step) ? answer.value.number.map { Int($0) } : nil
        let told = FormAnswer(
          step: step.id, evidence: reader.evidence(of: answer, at: step),
          words: reader.words(of: answer, at: step), age: age, care: care?.careKind)
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

  /// Care for words that answer nothing: what cannot be read, stands where a name should, or needs
  /// more than a note.
  private func refusal(
    of value: JSONValue, _ reading: AnswerReader.Reading, at step: Step
  ) -> JourneyEvent.Care? {
    guard case .answer(let answer) = reading, step.kind != .text else {
      return reader.care(for: value, at: step)
    }
    guard step.kind == .open, let care = careDue(answer, step), !reader.isNote(care)
    else { return nil }
    return care
  }

  /// Care for what is typed where nobody asked for words: at a button, options, an address, a
  /// difference or a care text. What was shown stays behind it.
  private func isCaredFor(_ value: JSONValue) async throws -> Bool {
    var step = currentStep
    if case .reminder(let reminded, _) = pending { step = reminded }
    guard let step else { return false }
    let isAtField = pending == nil && step.asksForValue
    // A conversation has care of its own.
    guard !isAtField || state.care != nil, conversation == nil,
      ScreenOptions.id(value, baseScreen.options) == nil,
      var care = reader.care(for: value, at: step)
    else { return false }
    // Elsewhere there's no answer to change.
    if !isAtField { care.holds = false }
    try await store(care, at: step)
    return true
  }

  /// Words that are no answer leave an earlier one as it was.
  private func store(_ care: JourneyEvent.Care, at step: Step) async throws {
    let earlier = state.answers[step.field?.name ?? step.id].flatMap {
      $0.step == step.id ? $0 : nil
    }
    let told = FormAnswer(
      step: step.id, evidence: earlier.map { reader.evidence(of: $0, at: step) } ?? [],
      words: earlier.flatMap { reader.words(of: $0, at: step) }, care: care.careKind)
    try await store(.cared(care), answers: [told])
  }

  func isAge(_ step: Step) -> Bool {
    if case .stepper(let stepper) = step.content { stepper.quantity == .age } else { false }
  }

  func careDue(_ answer: JourneyEvent.Answer, _ step: Step) -> JourneyEvent.Care? {
    switch answer.value {
    case .text(let text) where step.kind == .open: reader.care(in: text, at: step)
    case .number(let age) where isAge(step): reader.care(age: age, at: step)
    default: nil
    }
  }

  func choose(
    _ value: JSONValue, _ options: [Step.ChoiceOption], at step: Step
  ) async throws {
    guard let id = ScreenOptions.id(value, options.map { .init(id: $0.id, label: $0.label) }),
      let option = options.first(where: { $0.id == id })
    else {
      problem = JourneyProblems.choose
      return
    }
    if option.clears, case .step(let target) = option.next {
      return try await store(.asked(.startOver(from: target)))
    }
    try await store(
      .answered(
        JourneyEvent.Answer(
          step: step.id, field: step.field?.name, value: .text(id),
          wording: flow.filled(step.title), label: flow.filled(option.label), isOwn: true)))
    if let reminder = option.reminder { try await remind(of: step, inDays: reminder.afterDays) }
    try await goOn(from: step, jump: option.next)
  }

  func restart(at target: String) async throws {
    guard let place = journey.position(of: target) else { return }
    let dropped = journey.steps[place...].map(\.id)
    let told = dropped.filter { id in state.answers.values.contains { $0.step == id } }
    try await store(
      .moved(.init(to: target, way: .restart, drops: dropped)),
      answers: told.map { FormAnswer(step: $0, evidence: []) })
  }

  func decide(
    _ value: JSONValue, _ input: Step.PermissionInput, at step: Step
  ) async throws {
    let options = ScreenOptions.permission(
      input, isAvailable: providers.permissions.isAvailable(input.permission))
    // What isn't there is only said, and the button goes on.
    let button = options.count == 1 && baseScreen.isPress(value) ? options.first?.id : nil
    guard let choice = ScreenOptions.id(value, options) ?? button else {
      problem = JourneyProblems.choose
      return
    }
    let isAllowed = choice == PermissionChoice.allow.rawValue
    let isGranted = isAllowed ? await providers.permissions.request(input.permission) : false
    try await store(.permission(input.permission, granted: isGranted))
    if isGranted {
      try await store(.reminder(.init(step: step.id, change: .done)))
    } else if let reminder = input.reminder,
      providers.permissions.isAvailable(input.permission)
    {
      try await remind(of: step, inDays: reminder.afterDays)
    }
    try await goOn(from: step)
  }
}

extension JourneyScreen {
  /// Enter, `true`, or what the button says.
  func isPress(_ value: JSONValue) -> Bool {
    guard let typed = value.stringValue?.trimmed.lowercased() else { return value == .bool(true) }
    return PlainText.isBlank(typed) || typed == button?.label.lowercased()
  }
}

extension Step {
  /// Whether it has a field that a text, a number, an option or hours fill.
  fileprivate var asksForValue: Bool {
    switch content {
    case .text, .stepper, .select, .number, .timeRange, .open: true
    default: false
    }
  }
}
