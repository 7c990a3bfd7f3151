import ContextQuality

/// Maps the state of an older version of a journey to this one. Nothing that was answered is dropped:
/// the answers of fields that are gone keep their old names.
struct JourneyMigrator {
  let journey: Journey

  /// - Returns: nil if the state is current.
  func migrated(_ state: JourneyState) -> JourneyEvent.Migrated? {
    guard state.start != nil, state.version < journey.version else { return nil }
    var (step, trail, answers) = (state.step, state.trail, state.answers)
    for migration in journey.migrations.sorted(by: { $0.from < $1.from })
    where migration.from >= state.version {
      step = step.map { migration.steps[$0] ?? $0 }
      trail = trail.map { migration.steps[$0] ?? $0 }
      answers = mapped(answers, migration)
    }
    let first = journey.steps[0].id
    let place = step.flatMap { journey[step: $0] == nil ? nil : $0 }
    return JourneyEvent.Migrated(
      from: state.version, to: journey.version,
      step: state.isCompleted && state.step == nil ? nil : place ?? first,
      answers: answers.mapValues { fitted($0) },
      trail: place == nil ? [] : trail.filter { journey[step: $0] != nil && $0 != place })
  }

  private func mapped(
    _ answers: [String: JourneyEvent.Answer], _ migration: Migration
  ) -> [String: JourneyEvent.Answer] {
    var result: [String: JourneyEvent.Answer] = [:]
    for (name, answer) in answers {
      var answer = answer
      answer.step = migration.steps[answer.step] ?? answer.step
      guard let field = migration.fields[name] else {
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
    case (.number(let number), .pounds): .number(rounded(number * Measure.kilogramsPerPound))
    case (.number(let number), .inches): .number(rounded(number * Measure.centimetersPerInch))
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
