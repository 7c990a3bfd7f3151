public import ContextQuality
import LanguageModels
import Synchronization

/// What a draft makes known, were it sent as it is.
public struct DraftReading: Hashable, Sendable {
  /// In the rubric's order.
  public var new: [Evidence]
}

/// A scoring begun before its turn was sent: good for exactly this transcript, with this ledger.
struct Preparation {
  let transcript: Transcript
  let ledger: Ledger
  let turns: [Int]
  let task: Task<Result<Scoring, ModelError>, Never>
  let relay: OutputRelay

  func fits(_ state: IntakeState, _ turns: [Int]) -> Bool {
    !task.isCancelled && turns == self.turns && state.transcript == transcript
      && state.ledger == ledger
  }

  /// The result for the pass that has come to need it, which waits where it is not there yet.
  ///
  /// - Returns: nil if it went wrong before anybody needed it, or for want of a retry: then it is
  ///   worth another try.
  func result(_ show: @escaping IntakeEngine.Show) async -> Result<Scoring, ModelError>? {
    let wasWaitedFor = relay.open(to: show)
    let result = await value
    switch result {
    case .success(let scoring): return wasWaitedFor || scoring.failure == nil ? result : nil
    case .failure: return wasWaitedFor && Task.isCancelled ? result : nil
    }
  }

  /// Ends with the task that waits for it.
  var value: Result<Scoring, ModelError> {
    get async {
      await withTaskCancellationHandler {
        await task.value
      } onCancel: {
        task.cancel()
      }
    }
  }
}

/// Keeps to itself what is said of a wait until somebody waits.
package final class OutputRelay: Sendable {
  private struct State {
    var last: SessionOutput?
    var show: IntakeEngine.Show?
    var isOver = false
  }

  private let state = Mutex(State())

  func callAsFunction(_ output: SessionOutput) {
    let show = state.withLock { state in
      state.last = output
      return state.show
    }
    show?(output)
  }

  var isWaitedFor: Bool { state.withLock { $0.show != nil } }

  func close() { state.withLock { $0.isOver = true } }

  /// - Returns: false if there is nothing left to wait for.
  func open(to show: @escaping IntakeEngine.Show) -> Bool {
    let (isOver, last) = state.withLock { state in
      state.show = show
      return (state.isOver, state.last)
    }
    if !isOver, let last { show(last) }
    return !isOver
  }
}

extension IntakeEngine {
  /// Reads a draft while its writer pauses. When exactly this text is sent next, what it says is
  /// known already; the same is stored as without. Nothing is stored now, and no turn is counted.
  ///
  /// One draft is read at a time: another one ends the reading of the one before, and so does the
  /// cancellation of the task. After a reading that failed there is none until something was sent: a
  /// model that has no room is left to the conversation.
  ///
  /// - Parameter position: Where the session stood when the draft was begun: text that was sent
  ///   meanwhile is no draft any more.
  /// - Returns: nil if the text would not be scored, or nothing could be found out.
  public func preview(_ text: String, at position: Int) async -> DraftReading? {
    guard failedPreview != position, let (ahead, turns) = stateAfter(text, at: position) else {
      return nil
    }
    if let before = preparation, !before.fits(ahead, turns) {
      dropPreparation()
      _ = await before.task.value
      guard state.position == position, preparation == nil else { return nil }
    }
    guard !Task.isCancelled else { return nil }
    let reading = preparation ?? prepare(ahead, turns)
    preparation = reading
    guard case .success(let scoring) = await reading.value, scoring.failure == nil else {
      if !reading.task.isCancelled { failedPreview = position }
      return nil
    }
    var ledger = ahead.ledger
    ledger.apply(scoring.evidence, retracted: scoring.retracted)
    let known = ahead.ledger.known
    return DraftReading(
      new: pack.rubric.facets.compactMap { definition in
        known.contains(definition.facet) ? nil : ledger.evidence(for: definition.facet)
      })
  }

  /// Where the session would stand, and the turns it would then have to score.
  private func stateAfter(_ text: String, at position: Int) -> (IntakeState, [Int])? {
    guard state.position == position, refusal(of: text) == nil, !state.isCompleted else {
      return nil
    }
    var ahead = state
    ahead.apply(
      RecordedEvent(
        position: position + 1, at: state.lastEventAt ?? now(), event: .userSaid(reading(text))))
    guard case .score(let turns) = ahead.nextStep(settings),
      !turns.allSatisfy({ Self.saysNothing($0, ahead) })
    else { return nil }
    return (ahead, turns)
  }

  private func prepare(_ ahead: IntakeState, _ turns: [Int]) -> Preparation {
    let relay = OutputRelay()
    let task = Task { [coach] in
      let result = await coach.read(turns, ahead, draft: relay) { relay($0) }
      relay.close()
      return result
    }
    return Preparation(
      transcript: ahead.transcript, ledger: ahead.ledger, turns: turns, task: task, relay: relay)
  }

  func dropPreparation() {
    preparation?.task.cancel()
    preparation = nil
  }

  /// Nothing that was read of another draft is wanted any more.
  func keepPreparationIfNext() {
    if case .score(let turns) = state.nextStep(settings), preparation?.fits(state, turns) == true {
      return
    }
    dropPreparation()
  }

  /// Reads turns, or takes what was read of them while they were typed.
  func read(
    _ turns: [Int], _ show: @escaping Show
  ) async -> Result<Scoring, ModelError> {
    keepPreparationIfNext()
    let prepared = preparation
    preparation = nil
    if let result = await prepared?.result(show) { return result }
    return await coach.read(turns, state, draft: nil, show)
  }
}
