import ContextQuality
import Signals

extension IntakeState {
  /// What to do next. Reads no clock: time is what the events say.
  public func nextStep(_ settings: IntakeSettings) -> IntakeStep {
    if let careDue { return .care(careDue) }
    if !readingsDue.isEmpty, !transcript.messages.isEmpty {
      return .care(CareStep(kind: .medical, name: CareStep.reading, turn: turns.count))
    }
    if let bodyAnswerTurn { return .noteBody(turn: bodyAnswerTurn) }
    if !unscored.isEmpty { return .score(turns: unscored) }
    if owesCheckIn, !awaitsUser { return .checkIn }
    if isCompleted && !(isMinor && entitlement == nil) { return stepAfterDiscovery }
    if awaitsUser { return .awaitUser }
    if turns.isEmpty { return .greet }
    if isMinor, let turn = turns.last?.turn {
      return .care(CareStep(kind: .minor, name: CareStep.minorAgain, turn: turn))
    }
    if isConfirmed { return .complete }
    if wantsCorrection { return .askCorrection }
    if wantsToWait { return .letWait }
    return discoveryStep(settings)
  }

  private var stepAfterDiscovery: IntakeStep {
    guard entitlement != nil else { return isPaywallUp ? .awaitUser : .paywall }
    if !held.isEmpty { return .releaseHeld }
    return awaitsUser ? .awaitUser : .coach
  }

  private func discoveryStep(_ settings: IntakeSettings) -> IntakeStep {
    let scores = components(settings)
    if synthesis != nil {
      guard synthesisIsCurrent else { return .synthesise(minimal: isMinimal(scores)) }
      return .confirm
    }
    if scores.isReadyForCoaching || acceptedOffer {
      return bodyStep ?? .synthesise(minimal: isMinimal(scores))
    }
    let candidates = scores.weakest(excluding: closed)
    if countedTurns >= settings.maxTurns { return stepAtLimit(scores, .turnCap) }
    if .seconds(activeSeconds) >= settings.timeLimit { return stepAtLimit(scores, .timeLimit) }
    guard !candidates.isEmpty else {
      return .offer(offerKind(scores), .nothingLeftToAsk)
    }
    return .ask(plan(scores, settings.followUp, movingOn(candidates)))
  }

  /// A program that reads simply may have missed the answer that it just got: where there is
  /// anything else to ask, it does not ask for the same in the next breath.
  private func movingOn(
    _ candidates: [ContextComponents.Component]
  ) -> [ContextComponents.Component] {
    guard start?.source == .rehearsal else { return candidates }
    let others = candidates.filter { $0.name != justAnswered }
    return others.isEmpty ? candidates : others
  }

  private func stepAtLimit(_ scores: ContextComponents, _ reason: Offer.Reason) -> IntakeStep {
    let unclear = scores.missingCritical.first {
      !explicitlyAsked.contains($0.name) && !declined.contains($0.name)
        && !missing($0.name).isEmpty
    }
    guard let unclear else { return .offer(offerKind(scores), reason) }
    return .ask(
      QuestionPlan(
        component: unclear.name, companion: nil, missing: missing(unclear.name),
        companionMissing: [], explicit: true))
  }

  private var bodyStep: IntakeStep? {
    // Nobody is asked while their last words are unread: they may say that it's private.
    guard let bodyFacet, !ledger.known.contains(bodyFacet), !withheld.contains(bodyFacet),
      missed.isEmpty, !careGiven.contains(where: careNotes.hidesWeight)
    else { return nil }
    if let implausible = body?.implausible, bodyQuestions == 1 {
      return .askBody(implausible: implausible)
    }
    return bodyQuestions == 0 ? .askBody(implausible: nil) : nil
  }

  private func plan(
    _ scores: ContextComponents, _ policy: FollowUpPolicy,
    _ candidates: [ContextComponents.Component]
  ) -> QuestionPlan {
    let first: String
    let second: String?
    switch policy {
    case .largestShortfall:
      first = candidates[0].name
      second = candidates.dropFirst().first?.name
    case .lowest:
      let others = Set(scores.components.map(\.name)).subtracting(candidates.map(\.name))
      first = (scores.lowest(excluding: others) ?? candidates[0]).name
      second = nil
    }
    return QuestionPlan(
      component: first, companion: second, missing: missing(first),
      companionMissing: second.map { missing($0) } ?? [], explicit: false)
  }

  /// Under one half, all that can be promised is a careful start.
  private func isMinimal(_ scores: ContextComponents) -> Bool { scores.points < 5_000 }

  private func offerKind(_ scores: ContextComponents) -> Offer.Kind {
    isMinimal(scores) ? .minimal : .goOn
  }
}

extension CareStep {
  static let minorAgain = "minor-again"
  /// The user has said how old they are: it is not asked.
  static let minorStated = "minor-stated"
  /// It is their health data that say it.
  static let minorData = "minor-data"
  /// A child is who the plan would be for; the user is not under age.
  static let minorChild = "minor-child"
  /// Health data hold a reading that a doctor should see.
  static let reading = "reading"
}
