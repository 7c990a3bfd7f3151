import ContextQuality
import LanguageModels

/// The coach whose every word comes from a model.
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
    let (role, request) = asked(occasion, state, today)
    let purpose = occasion.purpose
    show(.waiting(.writing))
    var answer = await Answer.collect(from: models[role], request, show) { text in
      show(.delta(text, purpose))
    }
    if answer.ranOutBeforeAWord {
      var roomier = request
      roomier.maxOutputTokens *= 4
      answer = await Answer.collect(from: models[role], roomier, show) { text in
        show(.delta(text, purpose))
      }
    }
    let reply = answer.reply(from: models[role].identity)
    let isBlank = PlainText.isBlank(reply.text)
    let saved = !isBlank || !state.turns.isEmpty
    return Spoken(
      reply: reply, wasStreamed: true,
      failure: isBlank || reply.cut != nil ? answer.notice(saved: saved) : nil)
  }

  private func asked(
    _ occasion: Occasion, _ state: IntakeState, _ today: String
  ) -> (ModelRole, ModelRequest) {
    switch occasion {
    case .greeting: (.coach, interviewer.greeting(state, today: today))
    case .question(let plan): (.coach, interviewer.question(plan, state, today: today))
    case .checkIn: (.coach, interviewer.checkIn(state))
    case .summary(let synthesis): (.coach, interviewer.summary(synthesis, state))
    case .coaching: (.deep, interviewer.coaching(state, today: today))
    }
  }
}
