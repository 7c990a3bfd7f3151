import ContextQuality
import FoundationEssentials
import Signals

// Taking steps.
extension IntakeEngine {
  enum Outcome {
    /// The step is stored; run the next one.
    case goOn
    /// The model did not answer. The pass ends, and the next pass repeats the step.
    case stopped
  }

  @inline(never)
  func run(_ show: @escaping Show) async throws {
    // Subscribers see no paywall, so their first reply announces the end.
    var announces = state.owesAnnouncement
    for _ in 0..<Self.mostSteps {
      try await adoptHealth(show)
      let step = state.nextStep(settings)
      switch step {
      case .awaitUser, .end: return finish(show, discoveryComplete: announces)
      case .paywall where !settings.hasPaywall: return finish(show, discoveryComplete: announces)
      case .paywall: return try await showPaywall(show)
      default: break
      }
      if try await take(step, show) == .stopped { return finish(show, failed: true) }
      announces = announces || state.owesAnnouncement
    }
    throw IntakeDefect(reason: "no end after \(Self.mostSteps) steps: \(state.nextStep(settings))")
  }

  @inline(never)
  private func take(_ step: IntakeStep, _ show: @escaping Show) async throws -> Outcome {
    switch step {
    case .awaitUser, .paywall, .end: return .stopped
    case .greet: return try await greet(show)
    case .score(let turns):
      if let ahead = questionAhead() { return try await askAhead(ahead, show) }
      return try await score(turns, show)
    case .care(let care): try await answerWithCare(care, show)
    case .ask(let plan): return try await ask(plan, show)
    case .offer(let kind, let reason): return try await offer(kind, reason, show)
    case .askBody(let asking): try await askBody(asking, show)
    case .checkIn: return try await checkIn(show)
    case .askCorrection: try await askAboutSummary(.correctionQuestion, show)
    case .letWait: try await askAboutSummary(.confirmationWaits, show)
    case .noteBody(let turn): try await noteBody(turn)
    case .synthesise(let minimal): return try await synthesise(minimal, show)
    case .confirm: return try await confirm(show)
    case .complete:
      try await store(.discoveryCompleted)
      try await adoptEntitlement()
    case .reply(let plan): return try await reply(plan, show)
    case .askPlainly: try await askPlainly(show)
    case .subscribe: try await subscribe(show)
    case .declinePaywall: try await decline(show)
    case .hold(let turn): try await hold(turn, show)
    case .releaseHeld: try await releaseHeld(show)
    case .coach: return try await continueCoaching(show)
    }
    return .goOn
  }

  @inline(never)
  private func greet(_ show: @escaping Show) async throws -> Outcome {
    try await speak(.greeting, show) { .greeted($0) }
  }

  @inline(never)
  private func ask(_ plan: QuestionPlan, _ show: @escaping Show) async throws -> Outcome {
    try await speak(.question(plan), show) { .asked(Question(plan, reply: $0)) }
  }

  @inline(never)
  private func checkIn(_ show: @escaping Show) async throws -> Outcome {
    try await speak(.checkIn, show) { reply in
      .asked(Question(components: [], facets: [], explicit: false, reply: reply))
    }
  }

  private func confirm(_ show: @escaping Show) async throws -> Outcome {
    guard let synthesis = state.synthesis else { return .stopped }
    show(.profile(synthesis.system, isMinimal: synthesis.isMinimal))
    let outcome = try await speak(.summary(synthesis), show) { .summarised($0) }
    if outcome == .goOn { try askToConfirm(show) }
    return outcome
  }

  func askToConfirm(_ show: Show) throws {
    let missing = pack.openTopics(
      state, without: coach.perhapsTold(state), wholly: true, translation)
    tell(try fixed(.confirmationQuestion, show, ["missing": missing]), .confirmation, show)
    show(.choices(pack.confirmationChoices(translation)))
  }

  private func continueCoaching(_ show: @escaping Show) async throws -> Outcome {
    if !state.held.isEmpty { tellHeld(show) }
    // One question at a time, and what the log shows before what is supposed.
    let companion = surroundings.companion
    let wantsQuiet = [.stops, .postpones, .confides].contains { state.lastTurnDoes($0) }
    let isSilent =
      !wantsQuiet
      && companion.map { !$0.awaitsAnswer && $0.following(at: now()) == nil } ?? true
    let due =
      isSilent ? try pack.dueHypothesis(state, state.signals(surroundings.secondsFromGMT)) : nil
    let outcome = try await speak(.coaching, show, asking: due) { .coached($0) }
    if outcome == .goOn, due == nil, !wantsQuiet, let words = companion?.following(at: now()) {
      try await tell(words, show)
    }
    return outcome
  }

  /// Says what the companion has to say, as the coach.
  func tell(_ words: CompanionWords, _ show: Show) async throws {
    let reply = IntakeEvent.coached(CoachReply(text: words.text))
    try await store(envelopes: words.events + [EventEnvelope(reply)])
    tell(words.text, .coaching, show)
    offerAnswers(show)
  }

  /// Shows the answers to the companion's question, if it just asked one.
  func offerAnswers(_ show: Show) {
    guard state.isCoaching, let choices = surroundings.companion?.choices, !choices.isEmpty else {
      return
    }
    show(.choices(choices))
  }

  /// Receives a reply and stores it, complete or cut.
  ///
  /// - Parameters:
  ///   - hypothesis: What to ask about at the end of a complete reply.
  ///   - closing: A line of ours at the end of a complete reply; empty for none.
  @inline(never)
  private func speak(
    _ occasion: Occasion, _ show: @escaping Show, asking hypothesis: Hypothesis? = nil,
    closing: String = "", event: (CoachReply) -> IntakeEvent
  ) async throws -> Outcome {
    let spoken = await coach.say(occasion, state, scene(asking: hypothesis?.text), show)
    return try await store(
      spoken, occasion, show, asking: hypothesis, closing: closing, event: event)
  }

  func store(
    _ spoken: Spoken, _ occasion: Occasion, _ show: Show, asking hypothesis: Hypothesis? = nil,
    closing: String = "", event: (CoachReply) -> IntakeEvent
  ) async throws -> Outcome {
    var reply = spoken.reply
    if !PlainText.isBlank(reply.text) {
      if settlesForWhatCame, reply.cut == .cancelled, spoken.failure != nil { reply.stays = true }
      var events: [IntakeEvent] = []
      let closing = hypothesis?.text ?? closing
      if !closing.isEmpty, reply.cut == nil, spoken.failure == nil {
        if spoken.wasStreamed { show(.delta("\n\n" + closing, occasion.purpose)) }
        reply.text += "\n\n" + closing
        if let hypothesis { events.append(.supposed(hypothesis)) }
      }
      events.insert(event(reply), at: 0)
      try await store(envelopes: events.map { EventEnvelope($0) })
      show(
        .message(
          SessionOutput.CoachMessage(
            purpose: occasion.purpose, text: reply.text, wasStreamed: spoken.wasStreamed,
            cut: reply.cut)))
    }
    guard let failure = spoken.failure else { return .goOn }
    show(.notice(failure))
    return .stopped
  }

  func tell(_ text: String, _ purpose: SessionOutput.Purpose, _ show: Show) {
    show(
      .message(
        SessionOutput.CoachMessage(purpose: purpose, text: text, wasStreamed: false, cut: nil)))
  }

  private func answerWithCare(_ care: CareStep, _ show: Show) async throws {
    let text = careText(care, show)
    try await store(
      .cared(CareAnswer(turn: care.turn, kind: care.kind, name: care.name, text: text)))
    tell(text, .care, show)
  }

  /// The choice in words of ours, after what the coach says to the last message.
  private func offer(
    _ kind: Offer.Kind, _ reason: Offer.Reason, _ show: @escaping Show
  ) async throws -> Outcome {
    let text = try pack.offerText(
      kind, state, known: state.ledger.known.filter { coach.isSure(of: $0, state) },
      perhaps: coach.perhapsTold(state), translation)
    if translation?.template(kind.template) == nil { sayFallback(show) }
    var spoken = await coach.say(.offer(closing: text), state, scene(), show)
    if PlainText.isBlank(spoken.reply.text) || spoken.failure != nil, !Task.isCancelled {
      // The choice doesn't wait for words before it.
      spoken.reply.text = spoken.reply.text.trimmed
      (spoken.reply.cut, spoken.failure) = (nil, nil)
    }
    if PlainText.isBlank(spoken.reply.text), spoken.failure == nil {
      spoken.reply.text = text
      try await store(.offered(Offer(kind: kind, reason: reason, text: text)))
      tell(text, .offer, show)
    } else {
      let outcome = try await store(spoken, .offer(closing: text), show, closing: text) {
        .offered(Offer(kind: kind, reason: reason, text: $0.text))
      }
      if outcome == .stopped { return .stopped }
    }
    show(.choices(pack.offerChoices(kind, translation)))
    return .goOn
  }

  private func askBody(_ asking: BodyAsking, _ show: Show) async throws {
    var question = BodyQuestion(text: "")
    let asksHealth = ["asksHealth": state.halfTold != nil]
    switch asking {
    case .first: question.text = try fixed(.bodyQuestion, show, asksHealth)
    case .height: question.text = try fixed(.bodyHeight, show, asksHealth)
    case .again(let implausible):
      question.text = try fixed(.bodyImplausible, show, ["implausible": implausible])
      question.implausible = implausible
    case .withReason: question.text = try fixed(.bodyReason, show)
    }
    try await store(.bodyAsked(question))
    tell(question.text, .body, show)
  }

  private func askAboutSummary(_ template: TemplateName, _ show: Show) async throws {
    let text = try fixed(template, show)
    try await store(.asked(.menu(text)))
    tell(text, .question, show)
    show(.choices(pack.confirmationChoices(translation)))
  }

  private func noteBody(_ turn: Int) async throws {
    let text = state.transcript.userTurn(turn) ?? ""
    try await store(.bodyNoted(BodyNote(answer: text, turn: turn, pack)))
  }

  /// Answers what the user asked or told before the conversation's next step.
  private func reply(_ plan: AsidePlan, _ show: @escaping Show) async throws -> Outcome {
    let closing = plan.waits && plan.cause != .lowMoment ? try closingLine(show) : ""
    func event(_ reply: CoachReply) -> IntakeEvent {
      .replied(Aside(turn: plan.turn, waits: plan.waits, reply: reply))
    }
    if isPaywallOpen, plan.cause != .lowMoment, state.asidesToday >= Self.mostAsidesAtPaywall {
      let text = try fixed(.paywallAnswered, show) + (closing.isEmpty ? "" : "\n\n" + closing)
      try await store(event(CoachReply(text: text)))
      tell(text, .answer, show)
    } else {
      let outcome = try await speak(
        .aside(plan, closing: closing), show, closing: closing, event: event)
      if outcome == .stopped { return .stopped }
    }
    let choices = choices
    if !closing.isEmpty, !choices.isEmpty { show(.choices(choices)) }
    return .goOn
  }

  /// Questions that the coach answers at the paywall in a day.
  private static let mostAsidesAtPaywall = 5

  /// What is still open, in a line; empty if nothing is.
  private func closingLine(_ show: Show) throws -> String {
    if state.pending == .confirmation { return try fixed(.confirmationQuestion, show) }
    let labels = choices.map(\.label)
    guard !state.isCoaching, let first = labels.first, let last = labels.last else { return "" }
    return try fixed(.choicesLine, show, ["first": first, "second": last])
  }

  /// Asks for one of the labels, since the words did not tell what is wanted.
  private func askPlainly(_ show: Show) async throws {
    let choices = choices
    var text = try fixed(
      .choose, show,
      [
        "isSummary": state.pending == .confirmation, "first": choices.first?.label ?? "",
        "second": choices.last?.label ?? "",
      ])
    // The same words twice would sound like a machine.
    if text == state.transcript.coachMessage(before: state.turns.count) {
      text = try closingLine(show)
    }
    try await store(.asked(.menu(text)))
    tell(text, .question, show)
    show(.choices(choices))
  }

  private func hold(_ turn: Int, _ show: Show) async throws {
    let text = state.transcript.userTurn(turn) ?? ""
    try await store(.messageHeld(HeldMessage(text: text, turn: turn)))
    // Otherwise the paywall says so.
    guard case .clarity = state.record.owed else { return }
    let count = state.held.count
    let kept = try fixed(.paywallHeld, show, ["count": "\(count)", "isOne": count == 1])
    show(.notice(.init(code: "message-held", level: .info, text: kept)))
  }

  private func releaseHeld(_ show: Show) async throws {
    let text = state.held.joined(separator: "\n\n")
    tellHeld(show)
    try await store(.userSaid(reading(text, releasesHeld: true)))
  }

  func tellHeld(_ show: Show) {
    let text = state.held.joined(separator: "\n\n")
    show(
      .notice(
        .init(
          code: "held-sent", level: .info, text: "You wrote: \(text)", values: ["said": text])))
  }
}

extension Question {
  /// Asks for one of the answers that are offered.
  static func menu(_ text: String) -> Question {
    Question(components: [], facets: [], explicit: true, reply: CoachReply(text: text))
  }

  init(_ plan: QuestionPlan, reply: CoachReply) {
    self.init(
      components: plan.components, facets: plan.missing + plan.companionMissing, also: plan.also,
      explicit: plan.explicit, reply: reply)
  }
}
