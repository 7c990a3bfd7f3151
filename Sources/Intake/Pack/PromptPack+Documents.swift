package import ContextQuality
package import IncrementalJSON

/// The prompts for documents that a model drafts.
package enum DocumentPrompt: Sendable {
  case goal, program, edit
}

extension PromptPack {
  /// The instructions for drafting or changing a document. What the person said goes into the message,
  /// as data.
  ///
  /// - Parameter problems: What was wrong with the last answer; empty for a first one.
  package func render(
    _ prompt: DocumentPrompt, _ state: IntakeState, today: String, isProgram: Bool,
    problems: [String] = []
  ) throws(PackError) -> String {
    let template: TemplateName =
      switch prompt {
      case .goal: .draftGoal
      case .program: .draftProgram
      case .edit: .editDocument
      }
    let values: [String: Any] = [
      "today": CalendarDay.withWeekday(today), "careNotes": Interviewer.careNotes(state),
      "isProgram": isProgram,
    ]
    let text = try render(template, values.filter { template.variables.contains($0.key) })
    guard !problems.isEmpty else { return text }
    return text + "\n\n" + (try render(.synthesiseRepair, ["problems": problems]))
  }
}

extension JSONValue {
  /// JSON for a message to a model: no tag or template token survives in a string.
  package var promptText: String { ModelScorer.escaped(self) }
}
