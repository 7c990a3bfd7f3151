import ContextQuality
import Signals

// The paywall and the end of a pass.
extension IntakeEngine {
  /// Sends `done` before storing `paywallShown`. After a crash in between, or an output failure
  /// that canceled the pass, it is sent again rather than never.
  func showPaywall(_ show: Show) async throws {
    guard case .atPaywall(let phase) = state.phase else { return finish(show) }
    show(.paywall(try paywall(isRepeated: phase.wasShown)))
    finish(show, discoveryComplete: !phase.wasShown)
    if !Task.isCancelled { try await store(.paywallShown) }
  }

  /// Minors see no paywall.
  var isPaywallOpen: Bool { state.shownPhase == .paywall }

  /// - Parameter isRepeated: Whether the user has just read what the coach understood.
  func paywall(isRepeated: Bool = false) throws(PackError) -> SessionOutput.Paywall {
    try pack.paywall(
      insight: isRepeated ? "" : insight, held: state.held.count,
      isLittle: state.isLittleKnown,
      // After a disclosure, nobody is sold what they wanted before it.
      goal: state.careGiven.isEmpty
        ? state.synthesis?.system.withoutUnsupported.userGoals.primary : nil,
      translation)
  }

  /// The summary in the coach's words; built from the profile if there are none.
  ///
  /// - Throws: `PackError` if the pack's text cannot be rendered.
  public var insight: String {
    get throws(PackError) {
      // What was changed since isn't in the coach's words.
      if state.amendments.isEmpty, let summary = state.lastSummary {
        return Self.withoutPreamble(summary)
      }
      guard let synthesis = state.synthesis else { return "" }
      return try pack.fallbackSummary(synthesis, translation)
    }
  }

  /// A summary has two paragraphs. What comes before them answered a correction.
  private static func withoutPreamble(_ summary: String) -> String {
    summary.split(separator: "\n\n").suffix(2).joined(separator: "\n\n")
  }

  @inline(never)
  func finish(_ show: Show, discoveryComplete: Bool = false, failed: Bool = false) {
    show(
      .done(
        SessionOutput.Done(
          turn: state.turns.count, phase: state.shownPhase, discoveryComplete: discoveryComplete,
          failed: failed)))
  }
}
