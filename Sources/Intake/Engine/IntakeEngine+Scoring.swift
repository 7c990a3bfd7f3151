import ContextQuality
import Signals

extension IntakeEngine {
  /// Scores new user turns, then stores and reports what held.
  ///
  /// The pass stops only if no model is available, so that the turns are scored later.
  func score(_ turns: [Int], _ show: @escaping Show) async throws -> Outcome {
    let before = state.ledger.known
    let scoring: Scoring
    if turns.allSatisfy({ saysNothing($0, state) }) {
      scoring = Scoring(turns: turns)
    } else {
      switch await read(turns, show) {
      case .success(let result): scoring = result
      case .failure(let error):
        show(.notice(.init(error, hadText: false, saved: true)))
        return .stopped
      }
    }
    try await store(.scored(withPoints(scoring)))
    // A corrected age may have unblocked the entitlement.
    try await adoptEntitlement()
    report(scoring, before: before, show)
    return .goOn
  }

  /// A plain "idk", "I'd rather not say" or "let's stop here" contains no facts, so no model is
  /// asked.
  func saysNothing(_ turn: Int, _ state: IntakeState) -> Bool {
    guard turn <= state.turns.count else { return false }
    let said = state.turns[turn - 1]
    switch said.intent {
    case .nonAnswer, .declineToAnswer: return true
    case .stop, .asksWhy: return EndingWords(pack.signals).isOnlyThat(said.text)
    case .goAhead, .keepTalking, .notNow, .other: return false
    }
  }

  private func withPoints(_ scoring: Scoring) -> Scoring {
    var ledger = state.ledger
    ledger.apply(scoring.evidence, retracted: scoring.retracted)
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
          weakest: components.weakest(excluding: state.closed).first?.name,
          failure: scoring.failure, dropped: scoring.dropped,
          snapped: scoring.snapped ?? [:])))
    switch scoring.failure?.kind {
    case .promptCut: show(.notice(.promptCut(scoring.failure?.detail)))
    case .noPrompt: show(.notice(.noPrompt(scoring.failure?.detail)))
    case .refused, .tooLong, .requestFailed, .unusableAnswer, .other:
      let rereads = state.missedLastTurn && !state.isCompleted
      if rereads { show(.notice(.readingMissed(scoring.failure?.detail))) }
    case nil: break
    }
  }
}

extension SessionOutput.Notice {
  fileprivate static func promptCut(_ detail: String?) -> Self {
    Self(
      code: "prompt-cut", level: .warning,
      text: "The model's server is dropping the beginning of our conversation, so I'm not "
        + "counting on what it made of your last message. A larger context window fixes it "
        + "(for Ollama: OLLAMA_CONTEXT_LENGTH).",
      detail: detail)
  }

  /// The turns couldn't be read, and are read again with the next one.
  fileprivate static func readingMissed(_ detail: String?) -> Self {
    Self(
      code: "reading-missed", level: .info,
      text: "I may have missed part of that; I'll reread it with your next message.",
      detail: detail)
  }

  /// A prompt of the pack can't be rendered.
  static func noPrompt(_ detail: String?) -> Self {
    Self(
      code: "prompt-unusable", level: .error,
      text: "One of my prompts is broken, so I sent nothing. What you said is safe.",
      detail: detail)
  }
}
