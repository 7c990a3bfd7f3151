import ContextQuality
import FoundationEssentials
package import Intake
import Rehearsal
import Synchronization

/// A rehearsal in memory: the engine with no model behind it.
package final class OfflineRehearsal: Sendable {
  package let log: InMemorySessionLog
  package let engine: IntakeEngine
  private let outputs = Mutex<[SessionOutput]>([])

  package init(
    pack: String = PromptPack.defaultName, events: [RecordedEvent] = [],
    settings: IntakeSettings = IntakeSettings(), clock: TestClock = TestClock()
  ) async throws {
    log = InMemorySessionLog(events)
    engine = try await IntakeEngine(
      log: log, coach: .rehearsal, pack: try PromptPack.embedded(pack), settings: settings,
      entitlements: InMemoryEntitlement(), now: { clock.now() })
  }

  private var show: IntakeEngine.Show {
    outputs.withLock { $0 = [] }
    return { output in self.outputs.withLock { $0.append(output) } }
  }

  package var state: IntakeState { get async { await engine.state } }

  package var shown: [SessionOutput] { outputs.withLock { $0 } }
  package func open() async throws { try await engine.open(show: show) }
  package func say(_ text: String) async throws { try await engine.say(text, show: show) }

  /// Says the lines, takes every offer, skips the body question, and agrees with the summary.
  package func talk(_ lines: [String]) async throws {
    try await open()
    var rest = lines[...]
    try await talk(until: { $0.shownPhase == .paywall }) { state in
      switch state.pending {
      case .offer: "1"
      case .body: "skip"
      case .confirmation: "let's go"
      case .question, .nothing: rest.popFirst() ?? "idk"
      }
    }
  }

  package var coachMessages: [String] {
    get async {
      await engine.state.transcript.messages.filter { $0.speaker == .coach }.map(\.text)
    }
  }
}
