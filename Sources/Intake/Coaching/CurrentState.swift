import ContextQuality

/// How the person is now, as far as health data and the log tell.
///
/// It is made at the start of a conversation, kept while it lasts, and made again for a question about
/// it. It is never stored, since tomorrow it would not be true.
struct CurrentState: Hashable, Sendable {
  var today: String
  /// The health data that it was made from.
  var health: HealthNote?
  /// What the log adds.
  var lines: [String]

  /// Whether it still holds.
  func isFresh(_ today: String, _ health: HealthNote?) -> Bool {
    self.today == today && self.health == health
  }
}

extension IntakeEngine {
  /// What the coach needs to know of this moment.
  ///
  /// - Parameter question: What is asked after the coach's message.
  func scene(asking question: String? = nil) -> Scene {
    var scene = Scene(today: today)
    scene.signals = state.signals(surroundings.secondsFromGMT).map(\.evidence)
    scene.question = question
    scene.budget = settings.coachingTokens
    guard state.isCoaching, let companion = surroundings.companion else { return scene }
    scene.facts = companion.facts(on: now())
    let isAsked = Interviewer.asksSomething(state, pack.signals)
    if isAsked || currentState?.isFresh(scene.today, state.health) != true {
      currentState = CurrentState(
        today: scene.today, health: state.health, lines: scene.facts.currentState)
    }
    scene.facts.currentState = currentState?.lines ?? []
    return scene
  }
}
