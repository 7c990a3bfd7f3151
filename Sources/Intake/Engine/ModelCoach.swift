import ContextQuality
import LanguageModels

/// A coach whose words all come from a model.
struct ModelCoach: Coach {
  let pack: PromptPack
  let models: ModelRoles
  let interviewer: Interviewer

  init(pack: PromptPack, models: ModelRoles) {
    self.pack = pack
    self.models = models
    interviewer = Interviewer(pack: pack)
  }

  var source: ProfileSource? { nil }
  var disclosure: SessionOutput.Notice? { nil }

  func say(
    _ occasion: Occasion, _ state: IntakeState, today: String, _ show: IntakeEngine.Show
  ) async -> Spoken {
    do throws(PackError) {
      return try await spoken(occasion, state, today, show)
    } catch {
      return Spoken(
        reply: CoachReply(text: ""), wasStreamed: false, failure: .noPrompt(error.description))
    }
  }

  private func spoken(
    _ occasion: Occasion, _ state: IntakeState, _ today: String, _ show: IntakeEngine.Show
  ) async throws(PackError) -> Spoken {
    let (role, request) = try asked(occasion, state, today)
    show(.waiting(.writing))
    var (answer, isJSON) = await answer(role, request, occasion.purpose, show)
    if answer.ranOutBeforeAWord {
      var roomier = request
      roomier.maxOutputTokens *= 4
      (answer, isJSON) = await self.answer(role, roomier, occasion.purpose, show)
    } else if isJSON, answer.error == nil {
      let plainer = try inPlainWords(request)
      (answer, isJSON) = await self.answer(role, plainer, occasion.purpose, show)
    }
    if isJSON, answer.error == nil {
      return Spoken(reply: CoachReply(text: try fallback(occasion, state)), wasStreamed: false)
    }
    if isJSON { answer.text = "" }
    let reply = answer.reply(from: models[role].identity)
    let isBlank = PlainText.isBlank(reply.text)
    let saved = !isBlank || !state.turns.isEmpty
    return Spoken(
      reply: reply, wasStreamed: true,
      failure: isBlank || reply.cut != nil ? answer.notice(saved: saved) : nil)
  }

  /// - Returns: The answer, and whether it's JSON, of which nothing was shown.
  private func answer(
    _ role: ModelRole, _ request: ModelRequest, _ purpose: SessionOutput.Purpose,
    _ show: IntakeEngine.Show
  ) async -> (Answer, isJSON: Bool) {
    var gate = ReplyGate()
    let answer = await Answer.collect(from: models[role], request, show) { piece in
      let shown = gate.pass(piece)
      if !shown.isEmpty { show(.delta(shown, purpose)) }
    }
    return (answer, gate.isJSON)
  }

  private func inPlainWords(_ request: ModelRequest) throws(PackError) -> ModelRequest {
    var request = request
    request.system += "\n\n" + (try pack.render(.plainWords, [:]))
    return request
  }

  /// The text if no words arrive.
  private func fallback(
    _ occasion: Occasion, _ state: IntakeState
  ) throws(PackError) -> String {
    let language = pack.translation(for: state)
    switch occasion {
    case .greeting: return try pack.render(.greetingFallback, [:], in: language)
    case .question(let plan):
      let title = pack.title(ofComponent: plan.component, in: language)
      return try pack.render(.questionFallback, ["component": title], in: language)
    case .checkIn: return try pack.render(.checkInFallback, [:], in: language)
    case .summary(let synthesis): return try pack.fallbackSummary(synthesis, language)
    case .coaching: return try pack.render(.coachingFallback, [:], in: language)
    }
  }

  private func asked(
    _ occasion: Occasion, _ state: IntakeState, _ today: String
  ) throws(PackError) -> (ModelRole, ModelRequest) {
    switch occasion {
    case .greeting: (.coach, try interviewer.greeting(state, today: today))
    case .question(let plan): (.coach, try interviewer.question(plan, state, today: today))
    case .checkIn: (.coach, try interviewer.checkIn(state))
    case .summary(let synthesis): (.coach, try interviewer.summary(synthesis, state))
    case .coaching: (.deep, try interviewer.coaching(state, today: today))
    }
  }
}
