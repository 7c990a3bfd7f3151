import ContextQuality
package import Signals

extension SessionOutput.Choice {
  /// The answers to the paywall.
  public static let continueID = "continue"
  public static let notNowID = "notNow"

  public var isOfPaywall: Bool { [Self.continueID, Self.notNowID].contains(id) }

  fileprivate init(_ intent: ReplyIntent, _ label: String) {
    self.init(id: intent.rawValue, label: label)
  }

  /// The intent of the choice; nil if the choice is not a reply to the coach.
  package var intent: ReplyIntent? { ReplyIntent(rawValue: id) }
}

extension Offer.Kind {
  var template: TemplateName { self == .goOn ? .offerGoOn : .offerMinimal }
}

extension PromptPack {
  /// - Parameters:
  ///   - known: The facets that the text may call known.
  ///   - perhaps: Other facets that it does not call open.
  func offerText(
    _ kind: Offer.Kind, _ state: IntakeState, known: Set<Facet>, perhaps: Set<Facet> = [],
    _ language: Translation? = nil
  ) throws(PackError) -> String {
    let labels = offerChoices(kind, language).map(\.label)
    let known = rubric.facets.filter { known.contains($0.facet) }.map { definition in
      language?.title(definition.facet.description) ?? definition.title
    }
    let values: [String: Any] = [
      "known": listed(known, language),
      "missing": openTopics(state, without: perhaps, language),
      "isRehearsal": state.start?.source == .rehearsal,
      "goAhead": labels.first ?? "", "keepTalking": labels.last ?? "",
    ]
    return try render(kind.template, values, in: language)
  }

  /// What the coach would still like to know most; empty if nothing. A topic that is partly known
  /// is named by what is missing in it.
  ///
  /// - Parameter wholly: Only topics of which nothing is known.
  func openTopics(
    _ state: IntakeState, without perhaps: Set<Facet> = [], wholly: Bool = false,
    _ language: Translation? = nil
  ) -> String {
    let known = Set(state.ledger.known.map(\.component))
    func missing(_ component: String) -> [Facet] {
      state.missing(component).filter { !perhaps.contains($0) }
    }
    let open = state.components().weakest(excluding: state.declined)
      .filter { !missing($0.name).isEmpty && !(wholly && known.contains($0.name)) }.prefix(3)
    let titles = open.map { component in
      guard known.contains(component.name),
        let facet = missing(component.name).first.flatMap({ rubric[$0] })
      else {
        return title(ofComponent: component.name, in: language)
      }
      return language?.title(facet.facet.description) ?? facet.title
    }
    return listed(titles, language)
  }

  /// What a journey is called (`trainer.title`) or says of itself (`trainer.summary`) in a language.
  ///
  /// - Returns: nil if it is not translated.
  package func journeyText(_ name: String, in language: String?) -> String? {
    language.flatMap { code in translations.all.first { $0.code == code } }?.journey(name)
  }

  func title(ofComponent name: String, in language: Translation?) -> String {
    language?.title(name) ?? rubric[component: name]?.title ?? name
  }

  func offerChoices(
    _ kind: Offer.Kind, _ language: Translation? = nil
  ) -> [SessionOutput.Choice] {
    let goAhead =
      kind == .goOn
      ? language?.label("offer.goAhead") ?? "Go on with what you have"
      : language?.label("offer.minimal") ?? "Take a careful first step"
    return [
      .init(.goAhead, goAhead),
      .init(.keepTalking, language?.label("offer.keepTalking") ?? "Keep talking"),
    ]
  }

  func confirmationChoices(_ language: Translation? = nil) -> [SessionOutput.Choice] {
    [.init(.goAhead, language?.label("confirmation.goAhead") ?? "Let's go")]
  }

  /// - Parameters:
  ///   - isLittle: Whether too little is known to claim that the coach understands.
  ///   - goal: What the person wants; the headline speaks of it if there is room.
  func paywall(
    insight: String, held: Int, isLittle: Bool, goal: String? = nil, _ language: Translation? = nil
  ) throws(PackError) -> SessionOutput.Paywall {
    let kept =
      held == 0
      ? ""
      : "\n"
        + (try render(.paywallHeld, ["count": "\(held)", "isOne": held == 1], in: language))
    let title = try render(
      .paywallTitle, ["isLittle": isLittle, "goal": Self.inHeadline(goal)], in: language)
    return SessionOutput.Paywall(
      title: title, insight: insight,
      note: try render(.paywallNote, [:], in: language) + kept,
      options: paywallChoices(language), held: held)
  }

  func paywallChoices(_ language: Translation? = nil) -> [SessionOutput.Choice] {
    [
      .init(
        id: SessionOutput.Choice.continueID,
        label: language?.label("paywall.continue") ?? "Continue my coaching journey"),
      .init(
        id: SessionOutput.Choice.notNowID, label: language?.label("paywall.notNow") ?? "Not now"),
    ]
  }

  /// What the coach's last message lets the user choose from, as it is shown.
  func choices(_ state: IntakeState, _ language: Translation?) -> [SessionOutput.Choice] {
    switch state.pending {
    case .offer(let offer): offerChoices(offer.kind, language)
    case .confirmation: confirmationChoices(language)
    case .nothing, .question, .body:
      state.shownPhase == .paywall ? paywallChoices(language) : []
    }
  }

  /// Labels that count besides those that are shown: in every language, since they may have been printed in
  /// another one, and those of the other offer.
  func otherChoices(_ state: IntakeState) -> [SessionOutput.Choice] {
    ([nil] + translations.all).flatMap { language in
      guard case .offer = state.pending else { return choices(state, language) }
      return offerChoices(.goOn, language) + offerChoices(.minimal, language)
    }
  }

  /// Whether the text is a label of the paywall, in any language of the pack, or an id or number of one.
  public func answersPaywall(_ text: String) -> Bool {
    let typed = IntakeEngine.normalized(text)
    return ([nil] + translations.all).contains { language in
      paywallChoices(language).enumerated().contains { index, choice in
        [choice.id, choice.label, "\(index + 1)"].contains { IntakeEngine.normalized($0) == typed }
      }
    }
  }

  /// Whether the text is a label of ours, which says nothing else.
  func isLabel(_ text: String, _ language: Translation?) -> Bool {
    let labels = [language, nil].flatMap { language in
      [Offer.Kind.goOn, .minimal].flatMap { offerChoices($0, language) }
        + confirmationChoices(language) + paywallChoices(language)
    }
    return labels.contains { $0.label == text }
  }

  /// A summary built from the profile's fields, for when the model's summary is incomplete.
  func fallbackSummary(
    _ synthesis: Synthesis, _ language: Translation? = nil
  ) throws(PackError) -> String {
    let system = synthesis.system.withoutUnsupported
    let constraints = Constraints.lists.flatMap { system.constraints[keyPath: $0.path] }
    return try render(
      .summaryFallback,
      [
        "goal": Self.inSentence(system.userGoals.primary),
        "timeline": Self.inSentence(system.userGoals.timeline),
        "deeper": Self.inSentence(system.userGoals.deeper),
        "constraints": constraints.map(\.detail),
        "firstAction": system.coachingPlan.firstAction ?? "",
        "isMinimal": synthesis.isMinimal,
      ], in: language)
  }

  /// Begins a headline; blank if it is longer than one.
  private static func inHeadline(_ text: String?) -> String {
    let text = inSentence(text)
    return text.count > 60 ? "" : String(text.prefix(1).uppercased() + text.dropFirst())
  }

  /// Drops the machine-readable date, "(2027-06-14)", and the full stop, which the sentence has itself.
  private static func inSentence(_ text: String?) -> String {
    var text = (text ?? "").replacing(/\s*\(\d{4}-\d{2}-\d{2}\)/, with: "").trimmed
    while text.hasSuffix(".") { text.removeLast() }
    return text
  }

  /// `a, b and c`.
  private func listed(_ titles: [String], _ language: Translation?) -> String {
    guard titles.count > 1, let last = titles.last else { return titles.first ?? "" }
    return titles.dropLast().joined(separator: ", ") + (language?.and ?? " and ") + last
  }
}
