import ContextQuality

extension JourneyCheck {
  /// Whether a condition names what exists, and can hold by the time its step comes.
  func check(_ condition: Condition?, of step: Step) throws(PackError) {
    guard let condition else { return }
    for facet in condition.facets where rubric[facet] == nil {
      throw fail(
        step, "when: \(facet) isn't a facet of the rubric\(rubric.hint(for: facet.description))")
    }
    try check(condition, step)
  }

  private func check(_ condition: Condition, _ step: Step) throws(PackError) {
    switch condition {
    case .all(let parts):
      for part in parts { try check(part, step) }
      for (place, part) in parts.enumerated() {
        for other in parts[..<place] where areApart(part, other) {
          throw fail(step, "when: two of its conditions can't both hold")
        }
      }
    case .any(let parts): for part in parts { try check(part, step) }
    case .not(let part): try check(part, step)
    case .field(let name, let test): try check(test, of: name, step)
    case .known, .missing, .scoreBelow, .signedIn, .accounts, .permission: break
    }
  }

  private func check(
    _ test: Condition.Test, of name: String, _ step: Step
  ) throws(PackError) {
    let filling = journey.steps.filter { $0.field?.name == name }
    guard let first = filling.first else {
      throw fail(step, "when: no step fills the field \(name)")
    }
    guard index(first) < index(step) else {
      throw fail(step, "when: the field \(name) is filled only at step \(first.id), not before")
    }
    switch test {
    case .answered: break
    case .isOneOf(let values):
      let options = filling.compactMap(\.optionIDs)
      guard options.count == filling.count else { return }
      let known = options.flatMap(\.self)
      for value in values where !known.contains(value) {
        let names = known.joined(separator: ", ")
        throw fail(step, "when: \(name) has no option \(value); it has \(names)")
      }
    case .atLeast, .atMost:
      guard filling.contains(where: { [.number, .stepper].contains($0.kind) }) else {
        throw fail(step, "when: \(name) isn't a number")
      }
    }
  }
}

extension Step {
  /// What the step's answer can be; nil if the person's words or figures decide.
  fileprivate var optionIDs: [String]? {
    switch content {
    case .select(let options): options.map(\.id)
    case .choice(let options): options.map(\.id)
    default: nil
    }
  }
}
