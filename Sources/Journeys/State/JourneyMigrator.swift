import Plans

/// Maps the state of an older version of a journey to this one. Nothing that was answered is dropped:
/// the answers of fields that are gone keep their old names.
struct JourneyMigrator {
  let journey: Journey

  /// - Returns: nil if the state is current.
  func migrated(_ state: JourneyState) -> JourneyEvent.Migrated? {
    guard state.start != nil, state.version < journey.version else { return nil }
    let migrations = journey.migrations.sorted { $0.from < $1.from }
      .filter { $0.from >= state.version }
    func now(_ step: String) -> String { migrations.reduce(step) { $1.steps[$0] ?? $0 } }
    func exists(_ step: String) -> Bool { journey[step: step] != nil }

    var (step, trail) = (state.step.map(now), state.trail.map(now))
    var detour = state.detour.map {
      JourneyState.Detour(
        last: now($0.last), origin: $0.origin.map(now), trail: $0.trail.map(now))
    }
    if let left = detour, !exists(left.last) || !exists(step ?? "") {
      // Its steps are gone, so the person is back where the reminder found them.
      (step, trail, detour) = (left.origin, left.trail, nil)
    }
    let isOver = state.isCompleted && step == nil
    let place = step.flatMap { exists($0) ? $0 : nil }
    return JourneyEvent.Migrated(
      from: state.version, to: journey.version, step: isOver ? nil : place ?? journey.steps[0].id,
      answers: migrations.reduce(state.answers, mapped).mapValues { fitted($0) },
      trail: place == nil ? [] : trail.filter { exists($0) && $0 != place },
      talked: Set(state.talked.map(now)),
      reminders: Dictionary(state.reminders.map { (now($0), $1) }) { min($0, $1) },
      detour: detour.map { left in
        JourneyState.Detour(
          last: left.last, origin: left.origin.map { exists($0) ? $0 : journey.steps[0].id },
          trail: left.trail.filter(exists))
      })
  }

  private func mapped(
    _ answers: [String: JourneyEvent.Answer], _ migration: Migration
  ) -> [String: JourneyEvent.Answer] {
    var result: [String: JourneyEvent.Answer] = [:]
    for (name, answer) in answers {
      var answer = answer
      answer.step = migration.steps[answer.step] ?? answer.step
      guard let field = migration.fields[name] else {
        let name = answer.field == nil ? answer.step : name
        if result[name] == nil { result[name] = answer }
        continue
      }
      answer.field = field.name
      answer.value = converted(answer.value, field)
      result[field.name] = answer
    }
    return result
  }

  private func converted(_ value: AnswerValue, _ field: Migration.Field) -> AnswerValue {
    switch (value, field.from) {
    case (.number(let number), .pounds): .number(rounded(number * Units.kilogramsPerPound))
    case (.number(let number), .inches): .number(rounded(number * Units.centimetersPerInch))
    case (.text(let text), _): .text(field.values[text] ?? text)
    default: value
    }
  }

  /// To tenths, as a scale or a tape measures.
  private func rounded(_ number: Double) -> Double { (number * 10).rounded() / 10 }

  /// The answer at the step that fills its field now.
  private func fitted(_ answer: JourneyEvent.Answer) -> JourneyEvent.Answer {
    guard let name = answer.field, let step = journey.step(filling: name) else { return answer }
    var answer = answer
    answer.step = step.id
    if case .select(let options) = step.content, let id = answer.value.text,
      let option = options.first(where: { $0.id == id })
    {
      answer.label = option.label
    }
    return answer
  }
}
