package import ContextQuality
import IncrementalJSON
import LanguageModels
import Signals

/// Builds the coach model's requests from the session state.
package struct Interviewer {
  let pack: PromptPack

  /// Thinking uses the same token limit, so this leaves room for it.
  private static let shortReply = 2_000
  static let longReply = 4_000

  /// The first request has no user text yet.
  func greeting(_ state: IntakeState, today: String) throws(PackError) -> ModelRequest {
    let findings = Self.findings(state).map(PlainText.quoted)
    let values: [String: Any] = [
      "hasHealth": !findings.isEmpty, "findings": findings,
      "oldHealth": Self.ageOfOldData(state, today), "language": state.start?.language ?? "",
    ]
    return ModelRequest(
      purpose: .greet, system: try pack.render(.greet, values), messages: [],
      maxOutputTokens: Self.shortReply)
  }

  func question(_ plan: QuestionPlan, _ state: IntakeState, _ scene: Scene) throws(PackError)
    -> ModelRequest
  {
    let words = Self.usualLength(state)
    let (readings, findings) = (readings(state), Self.findings(state))
    let figures = Self.asksSomething(state, pack.signals) ? Self.figures(state) : []
    let missing = Self.settled(plan.missing, state)
    let companion = Self.settled(plan.companionMissing, state)
    let values: [String: Any] = [
      "component": label(of: plan.component),
      "figures": figures, "hasFigures": !figures.isEmpty,
      "oldHealth": Self.ageOfOldData(state, scene.today),
      "today": CalendarDay.withWeekday(scene.today),
      "known": try known(state), "isBroad": isBroad(plan, state),
      "readings": readings, "hasReadings": !readings.isEmpty,
      "findings": findings.map(PlainText.quoted),
      "isNewHealth": state.healthContext.isNew && !findings.isEmpty,
      "missing": values(missing.isEmpty ? plan.missing : missing),
      "companion": values(companion), "hasCompanion": !companion.isEmpty,
      "alsoAsk": plan.also.flatMap { pack.rubric[$0]?.alsoAsk } ?? "",
      "explicit": plan.explicit,
      "isFirst": state.turns.isEmpty, "isUnread": state.missedLastTurn,
      "setAside": state.setAside.subtracting(plan.components).sorted()
        .map { ["title": label(of: $0)] },
      "service": state.lastTurnDoes(.asks) ? try pack.render(.service, [:]) : "",
      "isTerse": words <= 12,
      "wordLimit": "\(Self.questionWords(state))",
      "careNotes": Self.careNotes(state) + privacyNotes(state),
    ]
    return ModelRequest(
      purpose: .ask,
      system: try withManner(pack.render(.ask, values), state, scene, .question),
      messages: messages(state), maxOutputTokens: Self.shortReply)
  }

  /// For the user's answer after being told to get help: the intake pauses.
  func checkIn(_ state: IntakeState) throws(PackError) -> ModelRequest {
    ModelRequest(
      purpose: .ask,
      system: try pack.render(
        .checkIn, ["known": try known(state), "careNotes": Self.careNotes(state)]),
      messages: messages(state), maxOutputTokens: Self.shortReply)
  }

  /// An answer to what the user asked or told.
  ///
  /// - Parameters:
  ///   - plan: What it answers; nil for the words before an offer.
  ///   - closing: The line that follows; empty for none.
  func aside(
    _ plan: AsidePlan?, _ closing: String, _ state: IntakeState, _ scene: Scene
  ) throws(PackError) -> ModelRequest {
    let isLow = plan?.cause == .lowMoment
    var values: [String: Any] = [
      "today": CalendarDay.withWeekday(scene.today),
      "known": try known(state), "closing": closing, "isOffer": plan == nil,
      "careNotes": Self.careNotes(state) + privacyNotes(state),
      "service": isLow ? "" : try pack.render(.service, [:]),
      "system": isLow
        ? "" : state.synthesis?.system.withoutUnsupported.json.serialized(pretty: true) ?? "",
    ]
    if let plan { values.merge(plan.cause.flags) { $1 } }
    return ModelRequest(
      purpose: plan == nil ? .offer : .reply, system: try pack.render(.aside, values),
      messages: messages(state), maxOutputTokens: Self.shortReply)
  }

  func summary(
    _ synthesis: Synthesis, _ state: IntakeState, _ scene: Scene
  ) throws(PackError) -> ModelRequest {
    let shown = synthesis.system.withoutUnsupported
    let values: [String: Any] = [
      "today": CalendarDay.withWeekday(scene.today),
      "system": shown.json.serialized(pretty: true),
      "minimal": synthesis.isMinimal, "limitsUnknown": limitsUnknown(state),
      "missing": synthesis.system.missing,
      "isRenewed": state.wasSummarised, "corrections": Self.corrections(state),
    ]
    return ModelRequest(
      purpose: .confirm, system: try pack.render(.confirm, values), messages: messages(state),
      maxOutputTokens: Self.longReply)
  }

  /// The whole conversation. Shortening it would lose the evidence for the score.
  func messages(_ state: IntakeState) -> [ModelMessage] {
    state.transcript.messages.map { message in
      ModelMessage(
        message.speaker == .user ? .user : .assistant, PlainText.visible(message.text))
    }
  }

  /// Every piece of what is known, medical limits first.
  ///
  /// - Parameters:
  ///   - turns: Whether each has the number of its turn.
  ///   - longest: The most characters of a quote; nil for all.
  func known(
    _ state: IntakeState, turns: Bool = false, longest: Int? = nil
  ) throws(PackError) -> String {
    var (kept, known, perhaps): ([[String: Any]], [[String: Any]], [[String: Any]]) = ([], [], [])
    for definition in pack.rubric.facets {
      for piece in state.ledger.pieces(for: definition.facet, glances: true)
      where !piece.evidence.isReading {
        let (evidence, words) = (piece.evidence, PlainText.visible(piece.evidence.text))
        let isCut = longest.map { words.count > $0 } ?? false
        let row: [String: Any] = [
          "title": definition.label, "turn": turns ? "\(evidence.turn)" : "",
          "quote": isCut ? words.prefix(longest ?? 0) + "…" : words,
          "kind": evidence.mark?.label ?? "",
          "isLikely": evidence.mark == .likely,
          "isFresh": state.turns.count - evidence.turn < Self.turnsOfDoubt,
          "isDoubted": piece.doubtedIn.map { state.turns.count - $0 < Ledger.turnsOfDoubt }
            ?? false,
        ]
        switch evidence.mark {
        case .provisional: perhaps.append(row)
        case .clinician, .medication, .pregnancy, .background: kept.append(row)
        case .likely, .meant, .weight, nil: known.append(row)
        }
      }
    }
    return try pack.render(
      .known,
      [
        "kept": kept, "hasKept": !kept.isEmpty, "known": known, "hasKnown": !known.isEmpty,
        "perhaps": perhaps, "hasPerhaps": !perhaps.isEmpty,
      ])
  }

  /// No target before there is an outcome, and no detail before there is a barrier.
  private static func settled(_ facets: [Facet], _ state: IntakeState) -> [Facet] {
    facets.filter { state.rubric[$0]?.needs.map(state.ledger.known.contains) != false }
  }

  /// Whether so little is known that a question had better leave room for several things.
  private func isBroad(_ plan: QuestionPlan, _ state: IntakeState) -> Bool {
    !plan.explicit && plan.missing.count + plan.companionMissing.count > 2
      && state.components().points < Self.littleKnown
  }

  /// Ten-thousandths of the overall score.
  private static let littleKnown = 3_500

  /// How many questions in a row may check whether a hedged remark was meant.
  private static let turnsOfDoubt = 2

  /// What is known from health data, without anything the user has said since.
  func readings(_ state: IntakeState) -> [[String: Any]] {
    pack.rubric.facets.compactMap { definition in
      guard let evidence = state.ledger.evidence(for: definition.facet), evidence.isReading else {
        return nil
      }
      let isHidden =
        (definition.facet == pack.bodyFacet || !evidence.topics.isEmpty) && state.leavesOutSensitive
      return [
        "title": definition.label,
        "reading": isHidden
          ? "known, not to be spoken of" : PlainText.quoted(evidence.text),
      ]
    }
  }

  package static func findings(_ state: IntakeState) -> [String] {
    state.health?.items(\HealthNote.findings, withoutSensitive: state.leavesOutSensitive) ?? []
  }

  private static func figures(_ state: IntakeState) -> [String] {
    let figures = state.health?.items(
      \HealthNote.figures, withoutSensitive: state.leavesOutSensitive)
    return (figures ?? []).map(PlainText.quoted)
  }

  /// `up to 2026-01-30, 40 days ago`; empty if the data is fresh or missing.
  private static func ageOfOldData(_ state: IntakeState, _ today: String) -> String {
    state.health.flatMap { $0.isOld(on: today) ? $0.ageInWords(on: today) : nil } ?? ""
  }

  /// Whether the user's last message has a question.
  static func asksSomething(_ state: IntakeState, _ rules: SignalRules) -> Bool {
    guard let last = state.turns.last else { return false }
    let text = PlainText.visible(last.text)
    let begins = Words(text).sentences.contains(where: rules[.asking]["opens-question"].matches)
    return text.contains("?") || text.contains("？") || begins
  }

  /// The user's current state from health data. Each conversation rebuilds it; no profile has it.
  func currentState(_ state: IntakeState, today: String) -> [String: Any] {
    guard let health = state.health else { return [:] }
    return [
      "hasHealth": true, "healthAge": health.ageInWords(on: today),
      "isOldHealth": health.isOld(on: today), "figures": Self.figures(state),
      "findings": Self.findings(state).map(PlainText.quoted),
    ]
  }

  private func values(_ facets: [Facet]) -> [[String: Any]] {
    facets.compactMap { pack.rubric[$0] }.map { facet in
      ["title": facet.label, "knownWhen": facet.knownWhen, "notEnough": facet.notEnough]
    }
  }

  private func label(of component: String) -> String {
    pack.rubric[component: component]?.label ?? component
  }

  private static func questionWords(_ state: IntakeState) -> Int {
    (usualLength(state) <= 12 ? 30 : 60) + (state.lastTurnDoes(.asks) ? 20 : 0)
  }

  /// About how many words the prompt asks for.
  func askedWords(_ occasion: Occasion, _ state: IntakeState) -> Int {
    switch occasion {
    case .question: Self.questionWords(state)
    case .greeting, .checkIn, .offer: 60
    case .aside: 100
    case .summary: 150
    case .coaching: 180
    }
  }

  /// The median word count of the user's messages. Terse users get short questions.
  package static func usualLength(_ state: IntakeState) -> Int {
    let lengths = state.turns.map { PlainText.wordCount($0.text) }.sorted()
    return lengths.isEmpty ? 0 : lengths[lengths.count / 2]
  }

  /// What a careful coach remembers after care was needed. The user may have corrected an age.
  package static func careNotes(_ state: IntakeState) -> [String] {
    var seen: Set<CareKind> = []
    let notes = state.careGiven
      .filter { $0 != .minor || state.isMinor }
      .filter { seen.insert($0).inserted }.compactMap(state.careNotes.note)
    if state.healthContext.wasAnothers { return notes + [state.careNotes.healthOfSomebodyElse] }
    return state.health?.forDoctor.isEmpty == false
      ? notes + [state.careNotes.readingForDoctor] : notes
  }

  /// Whether nobody knows what the user's body cannot take.
  func limitsUnknown(_ state: IntakeState) -> Bool {
    guard let facet = pack.limitsFacet else { return false }
    return !state.ledger.known.contains(facet) && !state.withheld.contains(facet)
      && !state.declined.contains(facet.component)
  }

  func privacyNotes(_ state: IntakeState) -> [String] {
    pack.rubric.facets.filter { state.withheld.contains($0.facet) }.map { definition in
      let told = state.isToldInPart(definition.facet)
      return
        "\(pack.careNotes.withheld) \(definition.label)\(told ? ", but for what they told" : "")."
    }
  }
}

extension Interviewer {
  /// What the user said is wrong with the last summary.
  static func corrections(_ state: IntakeState) -> [String] {
    guard state.wasSummarised else { return [] }
    let open = (state.record.openSince + 1)...max(state.record.openSince + 1, state.turns.count)
    let correcting = open.filter { state.acts(of: $0).contains { $0.name == .corrects } }
    let content = [state.record.queue.lastContentTurn].filter(open.contains)
    return (correcting.isEmpty ? content : correcting)
      .compactMap { state.transcript.userTurn($0).map(PlainText.line) }
  }
}

extension Evidence.Mark {
  /// What a prompt calls it.
  fileprivate var label: String {
    switch self {
    case .clinician: "set by a doctor or therapist"
    case .medication: "medication"
    case .pregnancy: "pregnancy or breast-feeding"
    case .background: "medical history"
    case .likely, .meant, .provisional, .weight: ""
    }
  }
}

extension AsidePlan.Cause {
  /// What a template can ask about it.
  var flags: [String: Any] {
    switch self {
    case .lowMoment: ["isLow": true]
    case .postponement: ["isPostponement": true]
    case .talk: ["isTalk": true]
    case .question(let about):
      [
        "isQuestion": true, "isAboutQuestion": about == .question,
        "isAboutPlan": about == .plan || about == nil, "isAboutService": about == .service,
        "isAboutCoaching": about == .coaching,
      ]
    }
  }
}

extension PromptPack {
  /// The answer if no words arrive, or if no model writes them.
  package func asideFallback(
    _ plan: AsidePlan, for state: IntakeState
  ) throws(PackError) -> String {
    let language = translation(for: state)
    var values = plan.cause.flags
    values["service"] = try render(.service, [:], in: language)
    return try render(.asideFallback, values, in: language)
  }
}
