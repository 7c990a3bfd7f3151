import Commands
import Foundation
import Intake
import LanguageModels
import Synchronization
import Terminal
import TerminalTestSupport
import Testing

@testable import rapport

/// Ctrl-C while a server takes its time over a reading.
struct SlowReadingTests {
  /// After ten seconds the wait says so; before that, Ctrl-C stops everything.
  @Test(arguments: [(Duration.seconds(10), true), (.seconds(9), false)], [false, true])
  func controlCAnswersWithoutAReadingThatTakesLong(
    _ wait: (time: Duration, answers: Bool), isBusy: Bool
  ) async throws {
    let answers = wait.answers
    let interrupts = InterruptMonitor()
    let time = Time()
    let model = HungReader(isBusy: isBusy) {
      time.advance(by: wait.time)
      interrupts.deliver(.interrupt)
    }
    let engine = try await IntakeEngine(
      log: InMemorySessionLog(), models: ModelRoles(all: model), pack: try PromptPack.embedded(),
      entitlements: InMemoryEntitlement(), now: { Date(timeIntervalSince1970: 1_800_000_000) })
    let terminal = ScriptedTerminal(typing: ["I want to walk ten kilometres"])
    let view = ConversationView(
      terminal: terminal, rubric: try PromptPack.embedded().rubric, alphabet: .ascii)
    var conversation = Conversation(
      engine: engine, terminal: terminal, view: view, interrupts: interrupts, executor: nil,
      insight: nil, health: HealthFeed(engine: engine), forget: {}, recording: nil,
      explain: { ReportedFailure($0) })
    conversation.now = { time.now }
    _ = await conversation.run()
    #expect(terminal.transcript.contains("What gets in the way?") == answers)
    #expect(terminal.transcript.contains("I'll reread it with your next message") == answers)
    // It says beforehand what happens, and nothing has stopped that goes on.
    #expect(terminal.transcript.contains("Okay, I stopped.") != answers)
    let hints = terminal.entries.count { entry in
      if case .status(let text) = entry {
        text.hasSuffix("Ctrl-C answers without a reading")
      } else {
        false
      }
    }
    #expect(hints == (isBusy ? 2 : 1))
    let turns = await engine.state.turns
    #expect(turns.map(\.text) == ["I want to walk ten kilometres"])
  }
}

private final class Time: Sendable {
  private let instant = Mutex(ContinuousClock.now)

  var now: ContinuousClock.Instant { instant.withLock(\.self) }
  func advance(by duration: Duration) { instant.withLock { $0 += duration } }
}

/// A model that talks, and that never ends a reading.
private struct HungReader: LanguageModel {
  let identity = ModelIdentity(provider: "Script", model: "hung")
  /// Whether the server was busy at first.
  let isBusy: Bool
  let whileReading: @Sendable () -> Void

  func reply(to request: ModelRequest) -> ModelReply {
    switch request.purpose {
    case .score: ModelReply { Silence(wasBusy: !isBusy, begin: whileReading) }
    case .greet: ModelReply(events: [.delta("Hello."), .completed(.init(finish: .stop))])
    default:
      ModelReply(events: [.delta("What gets in the way?"), .completed(.init(finish: .stop))])
    }
  }

  private struct Silence: ModelReplySource {
    var wasBusy: Bool
    let begin: @Sendable () -> Void

    mutating func next() async throws(ModelError) -> ModelEvent? {
      if !wasBusy {
        wasBusy = true
        return .waiting(ModelWait(reason: .overloaded, delay: .seconds(2), nextAttempt: 2))
      }
      begin()
      for await _ in AsyncStream<Void>.makeStream().stream {}
      throw ModelError(.cancelled, detail: "scripted")
    }
  }
}
