import ContextQuality
import Intake
import Plans

// The profile: what a journey leaves for the coach.
extension JourneyEngine {
  /// Whether the profile should be written now: no conversation is to come that could add to it, and
  /// there is none yet, or there are answers that it does not know.
  private var isProfileDue: Bool {
    guard !intake.isCompleted, !intake.isMinor, !intake.isProfileCurrent else { return false }
    guard let step = state.step, let place = journey.position(of: step) else { return true }
    return !journey.steps[place...].contains { step in
      step.kind == .conversation && !state.talked.contains(step.id) && flow.isShown(step)
    }
  }

  /// Writes it beside a document, so that nobody waits twice.
  func startProfile() {
    guard profileTask == nil, isProfileDue else { return }
    let facts = draftFacts
    // A form alone is read without a model.
    let drafter: any DocumentDrafter = asksModels ? providers.drafter : TemplateDrafter()
    profileTask = Task { await drafter.profile(from: facts) }
  }

  /// Stores the profile if one is due.
  func settleProfile() async throws {
    startProfile()
    guard let profileTask else { return }
    let profile = await profileTask.value
    guard self.profileTask == profileTask else { return }
    self.profileTask = nil
    if let profile, isProfileDue { try await store(intake: [.synthesised(profile)]) }
  }

  private var asksModels: Bool {
    journey.steps.contains { $0.kind == .conversation || $0.drafts != nil }
  }

  /// Coaching begins with the active program, unless the journey has its own paywall.
  func beginCoaching() async throws {
    try await settleProfile()
    guard intake.synthesis != nil, !intake.isCompleted, !intake.isMinor, !journey.hasPaywall else {
      return
    }
    let granted = Entitlement(source: Self.grant, grantedAt: providers.now())
    var events: [IntakeEvent] = [.discoveryCompleted, .entitled(granted)]
    if !intake.isStarted { events.insert(.started(start), at: 0) }
    try await store(intake: events)
  }

  /// For a journey without a conversation. Who wrote the program coaches.
  private var start: SessionStart {
    let isTemplate = state.documents[.program]?.document.source == DraftedDocument.template
    return SessionStart(
      pack: pack.name, packVersion: pack.version, rubricVersion: pack.rubric.version,
      source: isTemplate ? .rehearsal : nil, language: flow.settings.language)
  }

  private static let grant = "journey"
}

extension Journey {
  /// Whether a conversation in it ends at the paywall.
  package var hasPaywall: Bool {
    steps.contains { step in
      if case .conversation(let input) = step.content { input.hasPaywall } else { false }
    }
  }
}
