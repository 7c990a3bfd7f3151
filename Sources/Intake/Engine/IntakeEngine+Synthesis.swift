extension IntakeEngine {
  /// Has the coaching system written, and reports what is missing.
  func synthesise(_ minimal: Bool, _ show: @escaping Show) async throws -> Outcome {
    switch await coach.synthesise(state, minimal: minimal, today: today, show) {
    case .failure(let failure):
      show(.notice(failure.notice))
      return .stopped
    case .success(let synthesis):
      try await store(.synthesised(synthesis))
      // A rehearsal leaves unknown fields open, and its summary says so.
      if synthesis.system.source == nil { reportMissing(synthesis.system, show) }
      return .goOn
    }
  }

  private func reportMissing(_ system: CoachingSystem, _ show: Show) {
    // What nobody spoke of is no fault.
    let missing = system.missing.filter { !system.openPointers.contains($0) }
    guard !missing.isEmpty else { return }
    show(
      .notice(
        .init(
          code: "profile-incomplete", level: .warning,
          text: "I couldn't put everything into your profile; what's missing is left open rather "
            + "than guessed.",
          detail: "missing: " + missing.joined(separator: ", "))))
  }
}
