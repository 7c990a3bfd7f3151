import ContextQuality
public import Intake
import Plans
import Signals

extension JourneyEngine {
  /// The conversation on screen; nil for any other step, and once it is over.
  public var conversation: Step.ConversationInput? {
    guard state.care == nil, pending == nil, let step = currentStep,
      case .conversation(let input) = step.content, !state.talked.contains(step.id)
    else { return nil }
    return input
  }

  /// The settings that the conversation's intake engine needs. It runs on the same log.
  public func intakeSettings(for input: Step.ConversationInput) -> IntakeSettings {
    var settings = baseSettings
    settings.hasPaywall = input.hasPaywall
    if let turns = input.turns { settings.maxTurns = turns }
    // Topics take as long as they take.
    if input.ends == .topics {
      settings.timeLimit = .seconds(24 * 3_600)
      settings.maxTurns = input.turns ?? Self.mostTurns
    }
    settings.ending =
      switch input.ends {
      case .summary: .summary
      case .ready: .ready
      case .topics: .topics(input.topics.map { .init(facets: $0.facets) })
      }
    return settings
  }

  private static let mostTurns = 40

  /// Takes note of what the conversation added to the log, and continues if it is over.
  public func conversationAdvanced() async throws -> JourneyScreen {
    try await reload()
    try await takeSaidUnits()
    if let input = conversation, let step = currentStep, isOver(input) {
      (problem, showsInfo) = (nil, false)
      try await store(.talked(step: step.id))
      try await goOn(from: step)
    }
    await share()
    try await startDrafts()
    return await screen
  }

  /// A person who tells of their goal or body in pounds reads pounds from there on, until they choose others.
  private func takeSaidUnits() async throws {
    for recorded in try await log.events().reversed() {
      if case .unitsChosen? = try recorded.event(as: PlanEvent.self) { return }
      guard case .scored(let scoring) = recorded.event else { continue }
      let told = scoring.evidence.filter {
        $0.facet == pack.bodyFacet
          || pack.rubric[component: $0.facet.component]?.keepsAnswer == true
      }
      if let units = told.lazy.compactMap({ self.units(in: $0.text) }).first {
        return try await choose(units)
      }
    }
  }

  /// The units that words name beside a number; nil if they name none.
  func units(in words: String) -> Units? {
    guard let isImperial = pack.measureWords.isImperial(words) else { return nil }
    guard isImperial else { return .metric }
    // A German pound is half a kilogram.
    return pack.languageCode(for: intake) == "de" ? nil : .imperial
  }

  func choose(_ units: Units) async throws {
    if units != state.units { try await store(.unitsChosen(units)) }
  }

  private func isOver(_ input: Step.ConversationInput) -> Bool {
    switch input.ends {
    case .summary: input.hasPaywall ? intake.entitlement != nil : intake.isCompleted
    case .ready, .topics: intake.nextStep(intakeSettings(for: input)) == .end
    }
  }
}
