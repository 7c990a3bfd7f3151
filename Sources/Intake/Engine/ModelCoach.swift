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

  var readsFirst: Bool {
    let (reader, speaker) = (models.fast, models.coach)
    return reader.room.slots == 1 && reader.identity.endpoint == speaker.identity.endpoint
  }

  func say(
    _ occasion: Occasion, _ state: IntakeState, _ scene: Scene, _ show: IntakeEngine.Show
  ) async -> Spoken {
    do throws(PackError) {
      return try await spoken(occasion, state, scene, show)
    } catch {
      return Spoken(
        reply: CoachReply(text: ""), wasStreamed: false, failure: .noPrompt(error.description))
    }
  }

  private func spoken(
    _ occasion: Occasion, _ state: IntakeState, _ scene: Scene, _ show: IntakeEngine.Show
  ) async throws(PackError) -> Spoken {
    let (role, request) = try asked(occasion, state, scene)
    show(.waiting(.writing))
    let purpose = occasion.purpose
    let say: (String) -> Void = { show(.delta($0, purpose)) }
    let hearing = Hearing(
      role: role, asked: interviewer.askedWords(occasion, state))
    let heard = await hear(request, hearing, show, say)
    return try await settle(heard, request, occasion, state, hearing, show, say)
  }

  /// Asks again if what was heard cannot be a reply.
  @inline(never)
  private func settle(
    _ first: Heard, _ request: ModelRequest, _ occasion: Occasion, _ state: IntakeState,
    _ hearing: Hearing, _ show: IntakeEngine.Show, _ say: (String) -> Void
  ) async throws(PackError) -> Spoken {
    var heard = first
    if heard.answer.isOnlyReasoning {
      var roomier = request
      roomier.maxOutputTokens *= 4
      heard = await hear(roomier, hearing, show, say)
      if heard.answer.isOnlyReasoning, heard.answer.completion?.finish != .length {
        let fallback = try fallback(occasion, state)
        return Spoken(reply: CoachReply(text: fallback), wasStreamed: false)
      }
    }
    if heard.isJSON, heard.answer.error == nil {
      let (plainer, fallback) = (try inPlainWords(request), try fallback(occasion, state))
      if PlainText.isBlank(heard.answer.text) {
        heard = await hear(plainer, hearing, show, say)
        if heard.isJSON, heard.answer.error == nil {
          return Spoken(reply: CoachReply(text: fallback), wasStreamed: false)
        }
      } else {
        heard = await hearTheRest(of: heard, plainer, fallback: fallback, hearing, show, say)
      }
    }
    let answer = heard.answer
    let reply = answer.reply(from: models[hearing.role].identity)
    let isBlank = PlainText.isBlank(reply.text)
    let saved = !state.turns.isEmpty
    return Spoken(
      reply: reply, wasStreamed: heard.wasStreamed,
      failure: isBlank || reply.cut != nil ? answer.notice(saved: saved) : nil)
  }

  /// An answer whose text ends where JSON begins.
  private struct Heard {
    var answer: Answer
    var isJSON: Bool
    /// Whether the text is what was shown; false if that was a draft.
    var wasStreamed = true
  }

  /// How a reply is listened to.
  private struct Hearing {
    var role: ModelRole
    /// The words that the prompt asks for.
    var asked: Int
  }

  @inline(never)
  private func hear(
    _ request: ModelRequest, _ hearing: Hearing, _ show: IntakeEngine.Show, _ say: (String) -> Void
  ) async -> Heard {
    var words = ReplyWords(asked: hearing.asked)
    var answer = await Answer.collect(from: models[hearing.role], request, show) { piece in
      let shown = words.pass(piece)
      if !shown.isEmpty { say(shown) }
    } isEnough: {
      words.isOver
    }
    if answer.completion?.replacement != nil {
      words = ReplyWords(asked: hearing.asked)
      _ = words.pass(answer.text)
      _ = words.finish()
      answer.text = words.passed
      return Heard(answer: answer, isJSON: words.isJSON, wasStreamed: false)
    }
    let rest = words.finish()
    if !rest.isEmpty { say(rest) }
    answer.text = words.passed
    if words.isEndless {
      answer.error = ModelError(.tooLarge, detail: "the reply went on without an end")
    }
    return Heard(answer: answer, isJSON: words.isJSON)
  }

  /// Asks again after words that were shown before the JSON.
  ///
  /// They stay, since they were read. The new answer follows as a paragraph once it is complete, so
  /// that the words before another JSON are not shown twice.
  @inline(never)
  private func hearTheRest(
    of heard: Heard, _ request: ModelRequest, fallback: String, _ hearing: Hearing,
    _ show: IntakeEngine.Show, _ say: (String) -> Void
  ) async -> Heard {
    let shown = heard.answer.text
    show(.waiting(.writing))
    var next = await hear(request, hearing, show) { _ in }
    if next.isJSON { next.answer.text = next.answer.error == nil ? fallback : "" }
    let breaks = shown.hasSuffix("\n\n") ? "" : shown.hasSuffix("\n") ? "\n" : "\n\n"
    let rest = next.answer.text.isEmpty ? "" : breaks + next.answer.text
    if !rest.isEmpty, heard.wasStreamed { say(rest) }
    next.answer.text = shown + rest
    next.wasStreamed = heard.wasStreamed
    return next
  }

  @inline(never)
  private func inPlainWords(_ request: ModelRequest) throws(PackError) -> ModelRequest {
    var request = request
    request.system += "\n\n" + (try pack.render(.plainWords, [:]))
    return request
  }

  /// The text if no words arrive.
  @inline(never)
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
    case .offer: return ""
    case .aside(let plan, _): return try pack.asideFallback(plan, for: state)
    case .coaching: return try pack.render(.coachingFallback, [:], in: language)
    }
  }

  /// With a budget that leaves room for an answer.
  private func fitting(_ scene: Scene) -> Scene {
    guard let window = models.deep.room.window else { return scene }
    var scene = scene
    scene.budget = min(scene.budget, window * 3 / 4)
    return scene
  }

  @inline(never)
  private func asked(
    _ occasion: Occasion, _ state: IntakeState, _ scene: Scene
  ) throws(PackError) -> (ModelRole, ModelRequest) {
    switch occasion {
    case .greeting: (.coach, try interviewer.greeting(state, today: scene.today))
    case .question(let plan): (.coach, try interviewer.question(plan, state, scene))
    case .checkIn: (.coach, try interviewer.checkIn(state))
    case .summary(let synthesis): (.coach, try interviewer.summary(synthesis, state, scene))
    case .offer(let closing): (.coach, try interviewer.aside(nil, closing, state, scene))
    case .aside(let plan, let closing): (.coach, try interviewer.aside(plan, closing, state, scene))
    case .coaching: (.deep, try interviewer.coaching(state, fitting(scene)))
    }
  }
}
