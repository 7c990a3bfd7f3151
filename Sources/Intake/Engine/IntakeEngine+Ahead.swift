import ContextQuality
import LanguageModels
import Signals

// Asking while the model reads.
extension IntakeEngine {
  /// The question to ask at once; nil if the program has to wait for the model's reading.
  func questionAhead() -> QuestionAhead? {
    guard settings.readsAhead, coach.source == nil, let reading = quickReading(of: state)
    else { return nil }
    return state.questionAhead(reading, settings)
  }

  /// What the last message tells at a glance; nil if only the model can tell.
  func quickReading(of state: IntakeState) -> QuickReading? {
    guard let reader = surroundings.reader, pack.translation(for: state) == nil else { return nil }
    return reader.read(state.transcript, state.ledger.known)
  }

  /// Asks the question and has the message read at the same time.
  ///
  /// The reading is stored first and has the last word: if it calls for care, the question stops,
  /// isn't stored, and care follows.
  func askAhead(_ ahead: QuestionAhead, _ show: @escaping Show) async throws -> Outcome {
    let before = state.ledger.known
    let (reading, spoken) = await readAndAsk(ahead, show)
    guard let spoken else { return .stopped }
    let settled: Settled
    switch reading {
    case .success(let reading): settled = try await store(reading, of: [ahead.turn])
    case .failure(let error) where spoken.failure == nil && !Task.isCancelled:
      let failure = ScoringFailure(.requestFailed, error.description)
      let missed = Scoring(turns: [ahead.turn], failure: failure)
      settled = try await store(TurnReading(missed), of: [ahead.turn])
    case .failure(let error):
      show(.notice(spoken.failure ?? .init(error, hadText: false, saved: true)))
      return .stopped
    }
    if case .care = state.nextStep(settings) {
      if !PlainText.isBlank(spoken.reply.text) {
        tell(spoken.reply.text, cut: spoken.reply.cut ?? .cancelled, show)
      }
      report(settled, before: before, show)
      return .goOn
    }
    let outcome = try await store(spoken, .question(ahead.plan), show) { reply in
      .asked(Question(ahead.plan, reply: reply))
    }
    report(settled, before: before, show)
    return outcome
  }

  private enum Part: Sendable {
    case read(Result<TurnReading, ModelError>)
    case said(Spoken)
  }

  private func readAndAsk(
    _ ahead: QuestionAhead, _ show: @escaping Show
  ) async -> (Result<TurnReading, ModelError>, Spoken?) {
    let (coach, state, scene, settings) = (coach, state, scene(), settings)
    return await withTaskGroup(of: Part.self) { group in
      group.addTask {
        .said(await coach.say(.question(ahead.plan), ahead.state, scene, show))
      }
      // The question's words are what the person waits for.
      group.addTask { .read(await coach.read([ahead.turn], state, member: nil) { _ in }) }
      var reading: Result<TurnReading, ModelError> = .failure(ModelError(.cancelled, detail: ""))
      var spoken: Spoken?
      for await part in group {
        switch part {
        case .said(let words): spoken = words
        case .read(let result):
          reading = result
          if case .success(let read) = result,
            case .care = state.after(read.scoring).nextStep(settings)
          {
            group.cancelAll()
          }
        }
      }
      return (reading, spoken)
    }
  }

  private func tell(_ text: String, cut: CutReason, _ show: Show) {
    show(
      .message(
        SessionOutput.CoachMessage(purpose: .question, text: text, wasStreamed: true, cut: cut)))
  }
}
