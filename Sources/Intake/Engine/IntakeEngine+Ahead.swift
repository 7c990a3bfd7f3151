import ContextQuality
import LanguageModels
import Signals

// Asking while the model reads.
extension IntakeEngine {
  /// The question to ask at once; nil if the program has to wait for the model's reading.
  func questionAhead() -> QuestionAhead? {
    guard settings.readsAhead, coach.source == nil, !coach.readsFirst,
      let reading = quickReading(of: state)
    else { return nil }
    return state.questionAhead(reading, pack.signals, settings)
  }

  /// What the last message tells at a glance; nil if only the model can tell.
  func quickReading(of state: IntakeState) -> QuickReading? {
    ownReader(of: state)?.read(state.transcript, state.ledger.known)
  }

  /// The reader that needs no model; nil for a language that it does not know.
  func ownReader(of state: IntakeState) -> QuickReader? {
    pack.translation(for: state) == nil ? surroundings.reader : nil
  }

  /// Asks the question and has the message read at the same time.
  ///
  /// The reading is stored first and has the last word: if it calls for anything else, the question
  /// stops where it is, and that follows. A reading that failed is made up for with the next message.
  func askAhead(_ ahead: QuestionAhead, _ show: @escaping Show) async throws -> Outcome {
    let (before, turns) = (state.ledger.known, [ahead.turn])
    guard var (reading, spoken) = await readAndAsk(ahead, show) else { return .stopped }
    if case .failure(let error) = reading {
      guard !PlainText.isBlank(spoken.reply.text) else {
        show(.notice(spoken.failure ?? .init(error, hadText: false, saved: true)))
        return .stopped
      }
      let failure = ScoringFailure(.unread, error.description)
      reading = .success(TurnReading(Scoring(turns: turns, failure: failure)))
    }
    let settled = try await store(reading.get(), of: turns)
    let isOffCourse = !state.nextStep(settings).isQuestion
    if isOffCourse {
      // What was shown of the question stays, and something else follows.
      spoken.failure = nil
      spoken.reply.cut = spoken.reply.cut ?? .cancelled
    }
    let outcome = try await store(spoken, .question(ahead.plan), show) { reply in
      .asked(Question(ahead.plan, reply: reply))
    }
    if !Task.isCancelled { report(settled, before: before, show) }
    return isOffCourse ? .goOn : outcome
  }

  private enum Part: Sendable {
    case read(Result<TurnReading, ModelError>)
    case said(Spoken)
  }

  private func readAndAsk(
    _ ahead: QuestionAhead, _ show: @escaping Show
  ) async -> (Result<TurnReading, ModelError>, Spoken)? {
    let (coach, state, scene, settings) = (coach, state, scene(), settings)
    return await withTaskGroup(of: Part.self) { group in
      group.addTask {
        .said(await coach.say(.question(ahead.plan), ahead.state, scene, show))
      }
      // The question's words are what the person waits for.
      group.addTask { .read(await coach.read([ahead.turn], state, member: nil) { _ in }) }
      var reading: Result<TurnReading, ModelError>?
      var spoken: Spoken?
      for await part in group {
        switch part {
        case .said(let words):
          spoken = words
          if reading == nil { show(.waiting(.reading)) }
        case .read(let result):
          reading = result
          if case .success(let read) = result,
            !state.after(read.scoring).nextStep(settings).isQuestion
          {
            group.cancelAll()
          }
        }
      }
      guard let reading, let spoken else { return nil }
      return (reading, spoken)
    }
  }
}
