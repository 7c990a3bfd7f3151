import ContextQuality
import Plans

extension JourneyCheck {
  /// Whether the tags in a step's texts name something, and stand where they are filled in.
  func checkTexts(of step: Step) throws(PackError) {
    for text in filledTexts(of: step) {
      for tag in TextTemplate.tags(in: text) { try check(tag, of: step) }
    }
    for text in plainTexts(of: step) {
      guard let tag = TextTemplate.tags(in: text).first else { continue }
      throw fail(step, "{{\(tag.name)}}: fields aren't filled in here, only in titles and texts")
    }
  }

  private func check(_ tag: TextTemplate.Tag, of step: Step) throws(PackError) {
    let parts = tag.name.split(separator: ".", maxSplits: 1).map(String.init)
    guard let root = parts.first else { throw fail(step, "{{}} names no field") }
    if parts.count == 2, let kind = DocumentKind(rawValue: root) {
      return try check(parts[1], of: kind, step)
    }
    if parts.count == 1, root == "email" { return }
    guard let filling = journey.step(filling: root) else {
      throw fail(step, "{{\(tag.name)}}: no step fills the field \(root)")
    }
    guard parts.count == 2 else { return }
    if filling.kind != .timeRange || !["start", "end", "length"].contains(parts[1]) {
      throw fail(step, "{{\(tag.name)}}: only a time range has .start, .end and .length")
    }
  }

  private func check(_ value: String, of kind: DocumentKind, _ step: Step) throws(PackError) {
    let name = "{{\(kind.rawValue).\(value)}}"
    guard kind.valueNames.contains(value) else {
      let names = kind.valueNames.map { ".\($0)" }.joined(separator: ", ")
      throw fail(step, "\(name): a \(kind.rawValue) has \(names)")
    }
    guard journey.steps[...index(step)].contains(where: { $0.drafts == kind }) else {
      throw fail(step, "\(name): no step before it drafts the \(kind.rawValue)")
    }
  }

  private func filledTexts(of step: Step) -> [String] {
    var texts = [step.title] + step.body.map(\.text)
    if let info = step.info { texts.append(info) }
    if case .asks(let ask, _) = step.back { texts.append(ask) }
    if let meanwhile = step.field?.meanwhile { texts += [meanwhile.text, meanwhile.waiting] }
    texts += step.reminders.map(\.text)
    switch step.content {
    case .select(let options): texts += options.flatMap { [$0.label, $0.detail ?? ""] }
    case .number(let input): texts += [input.tooSmall, input.tooLarge].compactMap(\.self)
    case .explainer(let bullets, let cycle):
      texts += bullets + cycle.flatMap(\.rows).flatMap { [$0.label, $0.value] }
    case .open(let input): texts += input.prompts
    case .choice(let options): texts += options.flatMap { [$0.label, $0.detail ?? ""] }
    case .permission(let input): texts += [input.preview, input.unavailable].compactMap(\.self)
    case .draft(_, let waiting): texts += [waiting].compactMap(\.self)
    case .review(_, let approve, _): texts.append(approve)
    case .reveal(let rows, _), .success(let rows, _):
      texts += rows.flatMap { [$0.label, $0.value] }
    case .tour(let tips, _): texts += tips.map(\.text)
    default: break
    }
    return texts
  }

  private func plainTexts(of step: Step) -> [String] {
    var texts = [step.button].compactMap(\.self)
    texts += step.reminders.flatMap { [$0.now, $0.later, $0.never] }
    switch step.content {
    case .text(let placeholder, _): texts += [placeholder].compactMap(\.self)
    case .number(let input): texts += [input.notANumber].compactMap(\.self)
    case .explainer(_, let cycle): texts += cycle.map(\.label)
    case .open(let input): texts += input.pills + [input.placeholder].compactMap(\.self)
    case .conversation(let input): texts += input.topics.map(\.title)
    case .signIn(let input):
      texts += input.consents.map(\.label) + [input.local]
      texts += [input.placeholder, input.invalid, input.localNote].compactMap(\.self)
    case .verifyCode(let input): texts += [input.resend, input.different]
    case .permission(let input): texts += [input.allow, input.decline]
    case .review(_, _, let placeholder): texts += [placeholder].compactMap(\.self)
    case .tour(_, let skip): texts += [skip].compactMap(\.self)
    default: break
    }
    return texts
  }
}

extension DocumentKind {
  /// What texts can name of it, as in `{{program.first}}`.
  fileprivate var valueNames: [String] {
    switch self {
    case .goal: ["primary"]
    case .program: ["title", "weeks", "first"]
    }
  }
}
