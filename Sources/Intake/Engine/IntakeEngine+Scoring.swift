import ContextQuality
import LanguageModels
import Signals

extension IntakeEngine {
  /// Scores new user turns, then stores and reports what held.
  ///
  /// The pass stops only if no model is available, so that the turns are scored later.
  func score(_ turns: [Int], _ show: @escaping Show) async throws -> Outcome {
    let before = state.ledger.known
    guard let reading = await read(turns, show) else { return .stopped }
    report(try await store(reading, of: turns), before: before, show)
    return .goOn
  }

  /// Stores that the turns were not read.
  func leaveUnread(_ turns: [Int], _ show: @escaping Show) async throws {
    let before = state.ledger.known
    let error = ModelError(.cancelled, detail: "the user didn't wait for the reading")
    let unread = TurnReading(failed(turns, error))
    report(try await store(unread, of: turns), before: before, show)
  }

  /// - Returns: nil if no model is available, which is reported.
  @inline(never)
  private func read(_ turns: [Int], _ show: @escaping Show) async -> TurnReading? {
    if turns.allSatisfy(saysNothing) {
      return TurnReading(Scoring(turns: turns))
    }
    let member = state.isCoaching ? surroundings.companion?.member(at: now()) : nil
    switch await coach.read(turns, state, member: member, show) {
    case .success(let reading): return reading
    case .failure(let error) where state.isCoaching && !Task.isCancelled:
      // A reply doesn't wait for a reading; the turns are read with the next one.
      return TurnReading(failed(turns, error))
    case .failure(let error):
      show(.notice(.init(error, hadText: false, saved: true)))
      return nil
    }
  }

  private func failed(_ turns: [Int], _ error: ModelError) -> Scoring {
    Scoring(turns: turns, failure: ScoringFailure(.unread, error.description))
  }

  /// A stored reading, and what is to be shown of it.
  struct Settled {
    @Shared fileprivate var scoring: Scoring
    fileprivate var understood: Understanding?
    fileprivate var notices: [SessionOutput.Notice]
  }

  func store(_ reading: TurnReading, of turns: [Int]) async throws -> Settled {
    var scoring = coach.source == nil ? readInstead(reading.scoring) : reading.scoring
    scoring.points = state.after(scoring).components(settings).points
    let companion = companionReading(reading, turns)
    let (amendments, refused) = amendments(reading, turns)
    let (understood, wasPoor) = (state.understanding, state.listening.wasPoor)
    try await store(
      envelopes: [EventEnvelope(IntakeEvent.scored(scoring))]
        + hypothesisEvents(scoring) + companion.events
        + amendments.map { EventEnvelope(IntakeEvent.amended($0)) })
    let isNew = state.understanding != understood
    var settled = Settled(
      scoring: scoring, understood: isNew ? state.understanding : nil, notices: companion.notices)
    if coach.source == nil, state.listening.wasPoor, !wasPoor {
      settled.notices.append(.listensPoorly)
    }
    if !amendments.isEmpty { settled.notices.append(try notice(of: amendments)) }
    // If the coaching answered it, nothing was ignored.
    if let refused, companion.notices.isEmpty { settled.notices.append(.leftAsItWas(refused)) }
    // A corrected age may have unblocked the entitlement.
    try await adoptEntitlement()
    return settled
  }

  /// - Parameter before: What was known before the reading.
  @inline(never)
  func report(_ settled: Settled, before: Set<Facet>, _ show: Show) {
    if let understood = settled.understood { show(.understood(understood)) }
    for notice in settled.notices { show(.notice(notice)) }
    report(settled.scoring, before: before, show)
  }

  private func companionReading(_ reading: TurnReading, _ turns: [Int]) -> CompanionReading {
    guard state.isCoaching, reading.scoring.failure == nil, let companion = surroundings.companion
    else { return CompanionReading() }
    var answer = ReadingAnswer(
      value: reading.member, turns: turns, transcript: state.transcript,
      isRehearsal: coach.source == .rehearsal, acts: reading.scoring.acts, at: now(),
      words: pack.signals.quoteWords)
    if !reading.scoring.retracted.isEmpty {
      answer.inDoubt = state.after(reading.scoring).ledger.standing
        .filter { $0.doubtedIn.map(turns.contains) == true }.map(\.evidence)
    }
    return companion.read(answer)
  }

  /// What a reading settles about the hypothesis that the coach asked about.
  private func hypothesisEvents(_ scoring: Scoring) -> [EventEnvelope] {
    guard scoring.failure == nil else { return [] }
    let claim = state.hypotheses.open.flatMap { open in
      HypothesisAnswer.Claim(scoring.acts ?? [], after: open.turn)
    }
    return state.hypotheses.answer(claim, reading: scoring.turns)
      .map { [EventEnvelope(IntakeEvent.settled($0))] } ?? []
  }

  /// Whether a turn is no more than a label of ours, which no model needs to read.
  func saysNothing(_ turn: Int) -> Bool {
    guard turn <= state.turns.count else { return false }
    let said = state.turns[turn - 1]
    switch said.intent {
    case .nonAnswer, .declineToAnswer: return true
    case nil, .other, .asksWhy: return false
    case .stop, .goAhead, .keepTalking, .notNow:
      return pack.isLabel(PlainText.visible(said.text), translation)
    }
  }

  /// Coaching continues to learn, but is not measured.
  private func report(_ scoring: Scoring, before: Set<Facet>, _ show: Show) {
    if state.isCoaching { return reportFailure(of: scoring, show) }
    let (components, known) = (state.components(settings), state.ledger.known)
    show(
      .scored(
        SessionOutput.ScoreReport(
          turn: state.turns.count, components: components,
          evidence: pack.rubric.facets.compactMap { state.ledger.evidence(for: $0.facet) },
          new: pack.rubric.facets.map(\.facet)
            .filter { known.contains($0) && !before.contains($0) },
          weakest: components.weakest(excluding: state.closed).first?.name,
          failure: scoring.failure, dropped: scoring.dropped,
          snapped: scoring.snapped ?? [:], acts: scoring.acts)))
    reportFailure(of: scoring, show)
  }

  private func reportFailure(of scoring: Scoring, _ show: Show) {
    switch scoring.failure?.kind {
    case .promptCut: show(.notice(.promptCut(scoring.failure?.detail)))
    case .noPrompt: show(.notice(.noPrompt(scoring.failure?.detail)))
    case .refused, .tooLong, .requestFailed, .unread, .unusableAnswer, .other:
      let rereads = state.missedLastTurn && !state.isCompleted && !state.listening.isPoor
      if rereads { show(.notice(.readingMissed(scoring.failure?.detail))) }
    case nil: break
    }
  }
}

extension SessionOutput.Notice {
  fileprivate static func promptCut(_ detail: String?) -> Self {
    var notice = Self(
      code: "prompt-cut", level: .warning,
      text: "The model's server is dropping the beginning of our conversation, so I'm not "
        + "counting on what it made of your last message. A larger context window fixes it "
        + "(for Ollama: OLLAMA_CONTEXT_LENGTH).",
      detail: detail)
    let missed = readingMissed(nil)
    notice.personal = Personal(code: missed.code, text: missed.text)
    return notice
  }

  /// The turns could not be read, and are read again with the next one.
  fileprivate static func readingMissed(_ detail: String?) -> Self {
    Self(
      code: "reading-missed", level: .info,
      text: "I may have missed part of that; I'll reread it with your next message.",
      detail: detail)
  }

  /// A prompt of the pack cannot be rendered.
  static func noPrompt(_ detail: String?) -> Self {
    Self(
      code: "prompt-unusable", level: .error,
      text: "One of my prompts is broken, so I sent nothing. What you said is safe.",
      detail: detail)
  }
}
