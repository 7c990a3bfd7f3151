public import Cassettes
import Coaching
import FoundationEssentials
public import Intake
import Journeys
import Plans

/// Holds a cassette's conversation again, with live models.
///
/// Nothing is stored, and only the script's waits take time: a slow model does not bring the time
/// limit closer.
public struct LiveRunner: Sendable {
  public var pack: PromptPack
  public var models: ModelRoles

  public init(pack: PromptPack, models: ModelRoles) {
    self.pack = pack
    self.models = models
  }

  /// How a conversation ended.
  public enum Ending: Hashable, Sendable {
    /// The script was used up, or the discovery is complete.
    case whole
    /// An answer failed; the reason is for an engineer.
    case failed(String)
    /// The task was canceled.
    case interrupted
  }

  public func run(
    _ cassette: Cassette, _ script: LiveScript
  ) async -> (run: ConversationRun, ending: Ending) {
    var session = LiveSession(self, cassette, script)
    let ending = await session.play()
    return (session.run, Task.isCancelled ? .interrupted : ending)
  }
}

private struct LiveSession {
  let runner: LiveRunner
  let settings: Cassette.Settings
  let clock: RecordedClock
  /// Health data that still has to be delivered.
  var health: Cassette.Health?
  let log = InMemorySessionLog()
  var driver: LiveDriver
  var run = ConversationRun()

  init(_ runner: LiveRunner, _ cassette: Cassette, _ script: LiveScript) {
    self.runner = runner
    settings = cassette.settings
    clock = RecordedClock(startsAt: cassette.settings.startsAt)
    health = script.health
    driver = LiveDriver(script)
  }

  mutating func play() async -> LiveRunner.Ending {
    do {
      let engine = try await makeEngine()
      await tellOfHealth(engine)
      if let failure = try await pass(engine, { try await engine.open(show: $0) }) {
        return .failed(failure)
      }
      while case .say(let text, let wait) = driver.next(await engine.state) {
        clock.advance(by: .seconds(wait))
        await tellOfHealth(engine)
        if let failure = try await pass(engine, { try await engine.say(text, show: $0) }) {
          return .failed(failure)
        }
      }
      return .whole
    } catch {
      return .failed("\(error)")
    }
  }

  private mutating func tellOfHealth(_ engine: IntakeEngine) async {
    guard let due = health, due.beforeStep <= driver.linesSaid else { return }
    await engine.take(due.note)
    health = nil
  }

  /// - Returns: Why the pass stopped early; nil if it did not.
  private mutating func pass(
    _ engine: IntakeEngine, _ act: (@escaping IntakeEngine.Show) async throws -> Void
  ) async throws -> String? {
    let outputs = OutputLog()
    try await act { outputs.add($0) }
    let shown = outputs.merged
    run.passes.append(shown)
    run.events = await log.events()
    run.states.append(await engine.state)
    try Task.checkCancellation()
    guard case .done(let done)? = shown.last, done.failed else { return nil }
    let notices = shown.compactMap { output in
      if case .notice(let notice) = output { notice } else { nil }
    }
    // A text that is not a valid turn is not sent, here as elsewhere.
    if notices.last?.level == .info || notices.last?.code == "turn-too-long" { return nil }
    return notices.last.map { $0.detail ?? $0.text } ?? "the model did not answer"
  }

  private func makeEngine() async throws -> IntakeEngine {
    try await IntakeEngine(
      log: log, models: runner.models, pack: runner.pack, settings: settings.intake,
      entitlements: settings.entitlement(since: clock.now),
      surroundings: try .coached(by: runner.pack, in: .gmt, cycle: runner.pack.dayCycle),
      now: { [clock] in clock.now })
  }
}
