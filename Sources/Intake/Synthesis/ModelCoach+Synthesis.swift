import ContextQuality
import LanguageModels

extension ModelCoach {
  /// Asks once more if fields are wrong, naming the errors. The valid fields of the better answer
  /// are kept.
  func synthesise(
    _ state: IntakeState, minimal: Bool, today: String, _ show: IntakeEngine.Show
  ) async -> Result<Synthesis, SynthesisFailure> {
    show(.waiting(.puttingTogether))
    let synthesiser = Synthesiser(pack: pack, interviewer: interviewer, today: today)
    let best: Draft
    do throws(PackError) {
      best = try await bestDraft(synthesiser, state, minimal, show)
    } catch {
      return .failure(SynthesisFailure(notice: .noPrompt(error.description)))
    }
    guard let reading = best.reading else {
      var unseen = best.answer
      unseen.text = ""
      return .failure(SynthesisFailure(notice: unseen.notice(saved: true)))
    }
    guard reading.isUsable else {
      return .failure(SynthesisFailure(notice: Self.nothingUnderstood(reading.problems)))
    }
    return .success(
      Synthesis(
        system: reading.system, throughTurn: state.turns.count,
        isMinimal: minimal || !reading.system.holdsSomething || !reading.system.holdsPlan,
        model: models.deep.identity.model, usage: best.answer.completion?.usage))
  }

  private struct Draft {
    var answer: Answer
    /// Nil if no answer came.
    var reading: Synthesiser.CheckedSystem?

    var isCut: Bool {
      answer.completion?.finish == .length || answer.completion?.finish == .refusal
        || answer.error != nil
    }

    func isBetter(than other: Draft) -> Bool {
      guard let mine = reading else { return false }
      guard let others = other.reading else { return true }
      if mine.isUsable != others.isUsable { return mine.isUsable }
      return mine.system.missing.count <= others.system.missing.count
    }
  }

  private func bestDraft(
    _ synthesiser: Synthesiser, _ state: IntakeState, _ minimal: Bool, _ show: IntakeEngine.Show
  ) async throws(PackError) -> Draft {
    let first = try await draft(synthesiser, state, minimal, problems: [], show)
    guard let problems = first.reading?.problems, !problems.isEmpty, !first.isCut else {
      return first
    }
    let second = try await draft(synthesiser, state, minimal, problems: problems, show)
    return second.isBetter(than: first) ? second : first
  }

  private func draft(
    _ synthesiser: Synthesiser, _ state: IntakeState, _ minimal: Bool, problems: [String],
    _ show: IntakeEngine.Show
  ) async throws(PackError) -> Draft {
    let request = try synthesiser.request(state, minimal: minimal, problems: problems)
    let answer = await Answer.collect(from: models.deep, request, show)
    guard answer.error == nil else { return Draft(answer: answer, reading: nil) }
    return Draft(answer: answer, reading: synthesiser.read(answer.text, state))
  }

  private static func nothingUnderstood(_ problems: [String]) -> SessionOutput.Notice {
    .init(
      code: "profile-failed", level: .error,
      text:
        "I couldn't put together what I understood just now. Your words are saved.",
      canBeAskedAgain: true,
      detail: problems.joined(separator: "; "))
  }
}

extension CoachingSystem {
  /// Whether it says the same few words everywhere.
  var isMonotonous: Bool {
    let texts = ProfileField.all.flatMap { field -> [String] in
      if case .text = field.content, field.name != "checkInFrequency" {
        self.texts(of: field)
      } else {
        []
      }
    }
    return texts.count >= 4 && Set(texts).count * 2 <= texts.count
  }

  /// Leaves out what says the same in three places or more: a weak model's filler.
  mutating func dropRepeatedTexts() {
    let fields = ProfileField.all.filter { !["primary", "timeline"].contains($0.name) }
    let counts = Dictionary(grouping: fields.flatMap { Set(texts(of: $0)) }) { $0 }
      .mapValues(\.count)
    for field in fields { filter(field) { counts[$0, default: 0] < 3 } }
  }

  var holdsPlan: Bool { coachingPlan.approach != nil || coachingPlan.firstAction != nil }

  /// False if there is nothing to summarize.
  var holdsSomething: Bool {
    let lists = Constraints.lists.map { constraints[keyPath: $0.path].isEmpty }
    return userGoals.primary != nil || userGoals.deeper != nil || coachingPlan.approach != nil
      || coachingPlan.firstAction != nil || personaProfile.role != nil || lists.contains(false)
  }
}
