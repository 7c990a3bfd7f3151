import ContextQuality
import LanguageModels

extension IntakeEngine {
  /// Scores the new user turns, stores what held, and reports it.
  ///
  /// An answer that cannot be used is asked for once more; after that the ledger stands as it
  /// was and the conversation goes on. Only where no model can be had at all does the pass stop,
  /// so that the turns are scored later.
  func score(_ turns: [Int], _ show: @escaping Show) async throws -> Outcome {
    let before = state.ledger.known
    let scoring: Scoring
    if turns.allSatisfy(saysNothing) {
      scoring = Scoring(turns: turns)
    } else {
      show(.waiting(.reading))
      switch await ask(turns, show) {
      case .success(let result): scoring = result
      case .failure(let error):
        show(.notice(.init(error, hadText: false, saved: true)))
        return .stopped
      }
    }
    try await store(.scored(withPoints(scoring)))
    report(scoring, before: before, show)
    return .goOn
  }

  /// A plain "idk" or "I'd rather not say" tells no fact; asking a model would find none.
  private func saysNothing(_ turn: Int) -> Bool {
    guard turn <= state.turns.count else { return false }
    return [.nonAnswer, .declineToAnswer].contains(state.turns[turn - 1].intent)
  }

  private func ask(_ turns: [Int], _ show: @escaping Show) async -> Result<Scoring, ModelError> {
    let first = await attempt(turns, problems: [], show)
    guard case .unusable(let problems, let fallback) = first else { return first.result(turns) }
    let second = await attempt(turns, problems: problems, show)
    if case .unusable = second, let fallback { return .success(fallback) }
    return second.result(turns)
  }

  private enum Attempt {
    case scored(Scoring)
    /// Worth one repair; the scoring, if any, is what held of the answer all the same.
    case unusable([String], Scoring?)
    /// Asking again would not help; the turns stay as they are.
    case failed(String)
    case noModel(ModelError)

    func result(_ turns: [Int]) -> Result<Scoring, ModelError> {
      switch self {
      case .scored(let scoring): .success(scoring)
      case .unusable(let problems, let scoring):
        .success(
          scoring ?? Scoring(turns: turns, failure: problems.joined(separator: "; ")))
      case .failed(let reason): .success(Scoring(turns: turns, failure: reason))
      case .noModel(let error): .failure(error)
      }
    }
  }

  private func attempt(_ turns: [Int], problems: [String], _ show: @escaping Show) async -> Attempt
  {
    let request = scorer.request(
      transcript: state.transcript, ledger: state.ledger, newTurns: turns, problems: problems)
    let answer = await Answer.collect(from: models.fast, request, show)
    if let error = answer.error { return attempt(failing: error) }
    if answer.completion?.promptWasCut == true {
      return .failed("the server cut the prompt: the scorer did not see the whole conversation")
    }
    if answer.completion?.finish == .refusal {
      return .failed("the model or its provider refused to read the conversation")
    }
    if answer.completion?.finish == .length {
      return .failed("the answer reached the length limit before its end")
    }
    return read(answer, turns)
  }

  private func attempt(failing error: ModelError) -> Attempt {
    switch error.kind {
    case .truncated, .protocolViolation, .badRequest, .promptTooLong, .tooLarge, .timedOut:
      .failed(error.description)
    default: .noModel(error)
    }
  }

  private func read(_ answer: Answer, _ turns: [Int]) -> Attempt {
    do throws(ScorerAnswer.Unusable) {
      let claims = try ScorerAnswer(parsing: answer.text, newestTurn: state.turns.count)
      let checked = EvidenceCheck(rubric: pack.rubric, transcript: state.transcript).check(claims)
      let scoring = Scoring(
        turns: turns, evidence: checked.evidence, retracted: checked.retracted,
        dropped: checked.dropped, care: claims.care, model: models.fast.identity.model,
        usage: answer.completion?.usage)
      if checked.overusedQuotes.isEmpty { return .scored(scoring) }
      let quotes = checked.overusedQuotes.map { "\"\($0)\"" }.joined(separator: ", ")
      return .unusable(
        ["quotes were offered for more facets than their words can carry: \(quotes)"],
        scoring)
    } catch {
      return .unusable([error.reason], nil)
    }
  }

  private func withPoints(_ scoring: Scoring) -> Scoring {
    var ledger = state.ledger
    for retraction in scoring.retracted { ledger.retract(retraction) }
    for evidence in scoring.evidence { ledger.record(evidence) }
    var result = scoring
    result.points = ContextComponents(known: ledger.known, rubric: pack.rubric).points
    return result
  }

  private func report(_ scoring: Scoring, before: Set<Facet>, _ show: Show) {
    let components = state.components(settings)
    show(
      .scored(
        SessionOutput.ScoreReport(
          turn: state.turns.count, components: components,
          evidence: pack.rubric.facets.compactMap { state.ledger.evidence(for: $0.facet) },
          new: pack.rubric.facets.map(\.facet)
            .filter { state.ledger.known.contains($0) && !before.contains($0) },
          weakest: components.weakest(excluding: state.setAside).first?.name,
          failure: scoring.failure, dropped: scoring.dropped)))
    if let failure = scoring.failure, failure.hasPrefix("the server cut the prompt") {
      show(
        .notice(
          .init(
            code: "prompt-cut", level: .warning,
            text: "The model's server is dropping the beginning of our conversation, so I'm not "
              + "counting on what it made of your last message. A larger context window fixes it "
              + "(for Ollama: OLLAMA_CONTEXT_LENGTH).",
            detail: failure)))
    }
  }
}
