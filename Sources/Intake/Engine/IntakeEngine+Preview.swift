public import ContextQuality

/// What a draft makes known if sent unchanged.
public struct DraftReading: Hashable, Sendable {
  /// In the rubric's order.
  public var new: [Evidence]
}

extension IntakeEngine {
  /// Reads a draft with the quick reader, if there is one. This stores nothing and sends nothing.
  ///
  /// - Parameter position: The session's position when the draft began. Text sent since then is no
  ///   longer a draft.
  /// - Returns: nil if the text would not be scored, or if only a model can read it.
  public func preview(_ text: String, at position: Int) -> DraftReading? {
    guard let ahead = stateAfter(text, at: position), let reading = quickReading(of: ahead)
    else { return nil }
    return DraftReading(
      new: pack.rubric.facets.compactMap { definition in
        ahead.ledger.known.contains(definition.facet)
          ? nil : reading.evidence.first { $0.facet == definition.facet }
      })
  }

  /// The state after sending the text; nil if it would not be scored then.
  private func stateAfter(_ text: String, at position: Int) -> IntakeState? {
    guard state.position == position, refusal(of: text) == nil, !state.isCompleted else {
      return nil
    }
    var ahead = state
    ahead.apply(
      RecordedEvent(
        position: position + 1, at: state.lastEventAt ?? now(), event: .userSaid(reading(text))))
    guard case .score(let turns) = ahead.nextStep(settings),
      ahead.turns.last?.intent == nil || !turns.allSatisfy(saysNothing)
    else { return nil }
    return ahead
  }
}
