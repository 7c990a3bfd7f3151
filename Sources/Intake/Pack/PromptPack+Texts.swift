import ContextQuality
import Signals

extension SessionOutput.Choice {
  fileprivate init(_ intent: ReplyIntent, _ label: String) {
    self.init(id: intent.rawValue, label: label)
  }

  /// The intent of the choice; nil if the choice isn't a reply to the coach.
  var intent: ReplyIntent? { ReplyIntent(rawValue: id) }
}

extension PromptPack {
  /// - Parameter known: The facets that the text may call known.
  func offerText(
    _ kind: Offer.Kind, _ reason: Offer.Reason, _ state: IntakeState, known: Set<Facet>
  ) throws(PackError) -> String {
    let isRehearsal = state.start?.source == .rehearsal
    let open = state.components().weakest(excluding: state.declined)
      .filter { !state.missing($0.name).isEmpty }.prefix(3)
      .compactMap { rubric[component: $0.name]?.title }
    let values: [String: Any] = [
      "known": listed(rubric.facets.filter { known.contains($0.facet) }.map(\.title)),
      "missing": listed(open),
      "reason": reason.rawValue,
      "isRehearsal": isRehearsal,
      "isTurnCap": reason == .turnCap,
      "isTimeLimit": reason == .timeLimit,
      "isNothingLeft": reason == .nothingLeftToAsk,
    ]
    return try render(kind == .goOn ? .offerGoOn : .offerMinimal, values)
  }

  func offerChoices(_ kind: Offer.Kind) -> [SessionOutput.Choice] {
    [
      .init(.goAhead, kind == .goOn ? "Go on with what you have" : "Take a careful first step"),
      .init(.keepTalking, "Keep talking"),
    ]
  }

  var confirmationChoices: [SessionOutput.Choice] {
    [.init(.goAhead, "Let's go")]
  }

  func paywall(insight: String, held: Int) throws(PackError) -> SessionOutput.Paywall {
    let kept =
      held == 0 ? "" : "\n" + (try render(.paywallHeld, ["count": "\(held)", "isOne": held == 1]))
    return SessionOutput.Paywall(
      title: try render(.paywallTitle, [:]), insight: insight,
      note: try render(.paywallNote, [:]) + kept,
      options: [
        .init(id: "continue", label: "Continue my coaching journey"),
        .init(id: "notNow", label: "Not now"),
      ],
      held: held)
  }

  /// A summary built from the profile's fields, for when the model's summary is incomplete.
  func fallbackSummary(_ synthesis: Synthesis) throws(PackError) -> String {
    let system = synthesis.system.withoutUnsupported
    let constraints = Constraints.lists.flatMap { system.constraints[keyPath: $0.path] }
    return try render(
      .summaryFallback,
      [
        "goal": system.userGoals.primary ?? "", "timeline": system.userGoals.timeline ?? "",
        "deeper": system.userGoals.deeper ?? "",
        "constraints": constraints.map(\.detail),
        "firstAction": system.coachingPlan.firstAction ?? "",
        "isMinimal": synthesis.isMinimal,
      ])
  }

  /// `a, b and c`.
  private func listed(_ titles: [String]) -> String {
    guard titles.count > 1, let last = titles.last else { return titles.first ?? "" }
    return titles.dropLast().joined(separator: ", ") + " and " + last
  }
}
