package import FoundationEssentials
import IncrementalJSON
package import Intake

// Reminders.
extension JourneyEngine {
  var dueReminder: (step: Step, reminder: Step.Reminder)? {
    guard state.detour == nil else { return nil }
    let now = providers.now()
    for step in journey.steps where isOfferedHere(step) {
      if let due = state.reminders[step.id], due <= now, let reminder = step.reminder(for: state) {
        return (step, reminder)
      }
    }
    return nil
  }

  /// A reminder of what cannot be granted here waits for a place where it can.
  func isOfferedHere(_ step: Step) -> Bool {
    guard case .permission(let input) = step.content else { return true }
    return providers.permissions.isAvailable(input.permission)
  }

  /// At the same time of day, so many days later in the person's time zone.
  func remind(
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

  func take(
    _ value: JSONValue, _ reminder: Step.Reminder, of step: Step
  ) async throws {
    let options = ScreenOptions.reminder(reminder)
    guard let choice = ScreenOptions.id(value, options).flatMap(ReminderChoice.init(rawValue:))
    else {
      problem = JourneyProblems.choose
      return
    }
    switch choice {
    case .now:
      try await noteFacts()
      try await store(.moved(.init(to: reminder.from, way: .detour, last: reminder.to)))
    case .later: try await remind(of: step, inDays: reminder.laterDays, change: .postponed)
    case .never: try await store(.reminder(.init(step: step.id, change: .never)))
    }
  }
}

extension Journey {
  /// Whether a step that was skipped is due again. What needs a permission waits for a place that can give it.
  package func hasReminder(for state: JourneyState, at now: Date) -> Bool {
    reminder(for: state, at: now) != nil
  }

  fileprivate func reminder(for state: JourneyState, at now: Date) -> Step.Reminder? {
    guard state.isCompleted else { return nil }
    return steps.lazy.compactMap { step in
      guard step.kind != .permission, let due = state.reminders[step.id], due <= now else {
        return nil
      }
      return step.reminder(for: state)
    }.first
  }
}

extension JourneyState {
  /// The words that offer again what was skipped in the finished journey, and that journey's name; nil if
  /// nothing is due.
  package func reminder(of pack: PromptPack, at now: Date) -> (journey: String, text: String)? {
    guard let flow = JourneyFlow(after: self, of: pack),
      let reminder = flow.journey.reminder(for: self, at: now)
    else { return nil }
    return (flow.journey.name, flow.filled(reminder.text))
  }
}

extension Step {
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
