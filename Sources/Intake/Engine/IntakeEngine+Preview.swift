public import ContextQuality
import LanguageModels
import Synchronization

/// What a draft makes known if sent unchanged.
public struct DraftReading: Hashable, Sendable {
  /// In the rubric's order.
  public var new: [Evidence]
}

/// A scoring started before its turn was sent, valid only for this transcript and ledger.
struct Preparation {
  let transcript: Transcript
  let ledger: Ledger
  let turns: [Int]
  let task: Task<Result<TurnReading, ModelError>, Never>
  let relay: OutputRelay

  func fits(_ state: IntakeState, _ turns: [Int]) -> Bool {
    !task.isCancelled && turns == self.turns && state.transcript == transcript
      && state.ledger == ledger
  }

  /// The result for the pass that needs it. The pass waits if it isn't ready.
  ///
  /// - Returns: nil if the caller should read the turns again: no model answered, or reading failed
  ///   before anybody waited for it and retried.
  func result(_ show: @escaping IntakeEngine.Show) async -> Result<TurnReading, ModelError>? {
    let wasWaitedFor = relay.open(to: show)
    let result = await value
    switch result {
    case .success(let reading):
      return wasWaitedFor || reading.scoring.failure == nil ? result : nil
    case .failure: return wasWaitedFor && Task.isCancelled ? result : nil
    }
  }

  /// Cancelling the task that waits for it cancels the reading, too.
  var value: Result<TurnReading, ModelError> {
    get async {
      await withTaskCancellationHandler {
        await task.value
      } onCancel: {
        task.cancel()
      }
    }
  }
}

/// Holds back output about a wait until a caller waits.
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

  /// - Returns: false if nothing is left to wait for.
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
  /// Reads a draft while the user pauses. If the user sends exactly this text next, its reading is
  /// ready; the log stays the same either way. This stores nothing and counts no turn.
  ///
  /// Only one draft is read at a time. A new draft or task cancellation ends the current reading.
  /// After a failed reading, previews stop until the user sends something, so an overloaded model
  /// stays available to the conversation.
  ///
  /// - Parameter position: The session's position when the draft began. Text sent since then is no
  ///   longer a draft.
  /// - Returns: nil if the text wouldn't be scored, or if the reading failed.
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
    guard case .success(let result) = await reading.value, result.scoring.failure == nil else {
      if !reading.task.isCancelled { failedPreview = position }
      return nil
    }
    var ledger = ahead.ledger
    ledger.apply(result.scoring.evidence, retracted: result.scoring.retracted)
    let known = ahead.ledger.known
    return DraftReading(
      new: pack.rubric.facets.compactMap { definition in
        known.contains(definition.facet) ? nil : ledger.evidence(for: definition.facet)
      })
  }

  /// The state after sending the text, and the turns to score then.
  private func stateAfter(_ text: String, at position: Int) -> (IntakeState, [Int])? {
    guard state.position == position, refusal(of: text) == nil, !state.isCompleted else {
      return nil
    }
    var ahead = state
    ahead.apply(
      RecordedEvent(
        position: position + 1, at: state.lastEventAt ?? now(), event: .userSaid(reading(text))))
    guard case .score(let turns) = ahead.nextStep(settings),
      !turns.allSatisfy({ saysNothing($0, ahead) })
    else { return nil }
    return (ahead, turns)
  }

  private func prepare(_ ahead: IntakeState, _ turns: [Int]) -> Preparation {
    let relay = OutputRelay()
    let task = Task { [coach] in
      let result = await coach.read(turns, ahead, draft: relay, member: nil) { relay($0) }
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

  /// Discards the prepared reading unless it's of the turns to read next.
  func keepPreparationIfNext() {
    if case .score(let turns) = state.nextStep(settings), preparation?.fits(state, turns) == true {
      return
    }
    dropPreparation()
  }

  /// Reads turns, or uses the reading made while the user typed.
  func read(
    _ turns: [Int], _ show: @escaping Show
  ) async -> Result<TurnReading, ModelError> {
    keepPreparationIfNext()
    let prepared = preparation
    preparation = nil
    if let result = await prepared?.result(show) { return result }
    let member = state.isCoaching ? surroundings.companion?.member : nil
    return await coach.read(turns, state, draft: nil, member: member, show)
  }
}
