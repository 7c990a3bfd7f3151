public import ContextQuality

// What can be read off a state.
extension IntakeState {
  /// The session's beginning: nothing has happened yet.
  public var atStart: IntakeState {
    IntakeState(rubric: rubric, bodyFacet: bodyFacet, careNotes: careNotes)
  }

  /// Components that are not asked about again unless the user returns to them.
  public var setAside: Set<String> { declined.union(exhausted) }

  /// Those, and components of which all that is missing is kept private.
  package var closed: Set<String> {
    setAside.union(rubric.components.map(\.name).filter { missing($0).isEmpty })
  }

  /// What may be asked for in a component, in the rubric's order.
  package func missing(_ component: String) -> [Facet] {
    rubric.missing(in: component, known: ledger.known.union(withheld)).map(\.facet)
  }

  /// What the question that the last turn answers asked for; empty if there was none.
  package var askedFacets: [Facet] { openQuestion?.facets ?? [] }

  /// Whether a question about the component has brought nothing so far.
  package func wasAskedInVain(_ component: String) -> Bool { unanswered[component, default: 0] > 0 }

  /// Somebody was told to get help, has answered, and has not been asked how they are.
  ///
  /// To whoever is under age nothing but fixed texts is said before they have a coach.
  package var owesCheckIn: Bool {
    guard let helpTurn, let last = turns.last, !isMinor || entitlement != nil else { return false }
    return last.turn > helpTurn && careDue == nil
  }

  /// The discovery is complete for somebody who has subscribed already, and nothing has said so.
  package var owesAnnouncement: Bool {
    isCompleted && entitlement != nil && !paywallWasShown && !wasCoached
  }

  package var synthesisIsCurrent: Bool {
    synthesis.map { $0.throughTurn >= lastContentTurn } ?? false
  }

  /// The scores as they stand.
  public func components(_ settings: IntakeSettings = IntakeSettings()) -> ContextComponents {
    ContextComponents(known: ledger.known, rubric: rubric, readyAbove: settings.readyAbove)
  }

  /// Where the conversation is, for whoever shows it.
  public var phase: SessionOutput.Done.Phase {
    if isCompleted {
      if entitlement != nil { return .coaching }
      return isMinor ? .discovery : .paywall
    }
    switch pending {
    case .offer: return .offer
    case .confirmation: return .confirmation
    case .question, .body, .nothing: return .discovery
    }
  }
}
