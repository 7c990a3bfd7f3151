public import Cassettes
import Coaching
import ContextQuality
import FoundationEssentials
public import HTTPStreaming
public import Intake
import Journeys
public import LanguageModels
import Plans
import Synchronization
public import WireFormats

/// Plays a cassette's script through the real engine, against its recorded answers.
///
/// Everything outside is simulated: time follows the recording, answers come from the cassette, and
/// nothing is stored on disk.
public struct ConversationRunner: Sendable {
  public var pack: PromptPack
  public var matching: CassettePlayer.Matching
  public var pace: ReplayPace
  private let otherPacks: @Sendable (_ name: String) -> PromptPack?

  /// - Parameters:
  ///   - pack: What recordings are played with.
  ///   - otherPacks: Finds the pack of a recording that was made with another one; the built-in
  ///     packs if nil.
  public init(
    pack: PromptPack, matching: CassettePlayer.Matching = .content, pace: ReplayPace = .none,
    otherPacks: (@Sendable (_ name: String) -> PromptPack?)? = nil
  ) {
    self.pack = pack
    self.matching = matching
    self.pace = pace
    self.otherPacks = otherPacks ?? { try? PromptPack.embedded($0) }
  }

  /// The pack to play a recording with; ``pack`` if its own cannot be found.
  public func pack(for cassette: Cassette) -> PromptPack {
    let name = cassette.settings.pack
    return name == pack.name ? pack : otherPacks(name) ?? pack
  }

  /// Plays it in this process, without a socket.
  public func run(_ cassette: Cassette) async -> ConversationRun {
    let world = World(cassette, matching)
    let transport = ReplayTransport(world.player, pace: pace) { [clock = world.clock] delivery in
      clock.advance(milliseconds: delivery.parts.last?.at ?? 0)
    }
    return await run(world, over: transport, baseURL: "http://cassette.invalid/v1")
  }

  /// Plays a user's steps against your own model, such as a `ScriptedModel`.
  public func run(
    _ steps: [Cassette.Step], model: any LanguageModel, settings: Cassette.Settings = .init()
  ) async -> ConversationRun {
    var settings = settings
    settings.pack = pack.name
    let cassette = Cassette(
      title: "", rubricVersion: pack.rubric.version, settings: settings, script: steps)
    var player = SessionPlayer(
      pack: pack, world: World(cassette, matching), models: { _ in ModelRoles(all: model) })
    await player.play()
    return player.finished()
  }

  /// Plays it over a custom transport, which answers as it likes.
  public func run(_ cassette: Cassette, over transport: any HTTPTransport) async -> ConversationRun
  {
    await run(World(cassette, matching), over: transport, baseURL: World.address)
  }

  /// Plays it over a transport to a server that answers from the world's player.
  func run(
    _ world: World, over transport: any HTTPTransport, baseURL: String,
    limits: ModelLimits = ModelLimits()
  ) async -> ConversationRun {
    var player = SessionPlayer(
      pack: pack(for: world.cassette), world: world,
      models: { $0.models(over: transport, baseURL: baseURL, limits: limits) })
    await player.play()
    return player.finished()
  }
}

/// The simulated environment of a run.
struct World: Sendable {
  let cassette: Cassette
  let player: CassettePlayer
  let clock: RecordedClock
  let moments = CurrentMoment()

  init(_ cassette: Cassette, _ matching: CassettePlayer.Matching) {
    self.cassette = cassette
    player = CassettePlayer(cassette, matching: matching)
    clock = RecordedClock(startsAt: cassette.settings.startsAt)
  }
}

extension World {
  /// Where nobody answers but a cassette.
  static let address = "http://cassette.invalid/v1"

  /// A run with what became of the cassette's exchanges.
  func checked(_ run: ConversationRun) -> ConversationRun {
    var run = run
    run.drift = player.drift
    run.requests = player.requests
    run.problems += player.unmatched.map { .unmatched($0) }
    // After an unanswered request, later recordings go unused; that proves nothing.
    if player.unmatched.isEmpty { run.problems += player.leftovers.map { .leftover($0) } }
    for (index, exchange) in cassette.exchanges.enumerated() where exchange.isBlankStream {
      run.problems.append(.emptyRecording(exchange: index))
    }
    return run
  }

  /// The cassette's models, over a transport.
  func models(
    over transport: any HTTPTransport, baseURL: String, limits: ModelLimits
  ) -> ModelRoles {
    let names = cassette.settings.models
    let runtime = ModelRuntime(
      transport: WatchedTransport(transport, moments), limits: limits,
      sleep: { [clock] delay in
        try Task.checkCancellation()
        clock.advance(by: delay)
      },
      now: { [clock] in clock.now }, random: { 0.5 })
    func model(_ name: String) -> HTTPModel {
      HTTPModel(
        ModelEndpoint(
          provider: "cassette", format: cassette.wireFormat, baseURL: baseURL, apiKey: nil,
          model: name),
        runtime: runtime)
    }
    return ModelRoles(
      fast: model(names.fast), coach: model(names.coach), deep: model(names.deep))
  }
}

/// Time from the recording.
final class RecordedClock: Sendable {
  private let milliseconds: Mutex<Int>

  init(startsAt seconds: Int) { milliseconds = Mutex(seconds * 1_000) }

  var now: Date { Date(timeIntervalSince1970: Double(milliseconds.withLock(\.self)) / 1_000) }

  func advance(milliseconds count: Int) { milliseconds.withLock { $0 += max(0, count) } }

  func advance(by delay: Duration) {
    advance(milliseconds: Int(exactly: (delay / .milliseconds(1)).rounded()) ?? 0)
  }
}

/// Stores events until the process "dies"; nothing after that.
private actor MortalLog: SessionLog {
  struct Dead: Error {}

  private let log: InMemorySessionLog
  private let isDead = Mutex(false)

  init(_ log: InMemorySessionLog) { self.log = log }

  nonisolated func die() { isDead.withLock { $0 = true } }

  func events() async throws -> [RecordedEvent] { await log.events() }

  func append(_ events: [EventEnvelope], at date: Date) async throws -> [RecordedEvent] {
    if isDead.withLock(\.self) { throw Dead() }
    return try await log.append(events, at: date)
  }
}

/// Plays a script's steps, with one engine after another.
private struct SessionPlayer {
  let pack: PromptPack
  let world: World
  /// Creates an engine's models.
  let models: @Sendable (World) -> ModelRoles

  private let log = InMemorySessionLog()
  private let entitlement: InMemoryEntitlement
  private var run = ConversationRun()
  private var engine: IntakeEngine?
  private var mortal: MortalLog?

  init(pack: PromptPack, world: World, models: @escaping @Sendable (World) -> ModelRoles) {
    self.pack = pack
    self.world = world
    self.models = models
    entitlement = world.cassette.settings.entitlement(since: world.clock.now)
  }

  mutating func play() async {
    let settings = world.cassette.settings
    guard settings.pack == pack.name else {
      return run.problems.append(.otherPack(recorded: settings.pack, used: pack.name))
    }
    for (index, step) in world.cassette.steps.enumerated() {
      if index > 0, engine == nil, step.act != .open {
        guard await play(Cassette.Step(.open), index) else { return }
      }
      guard await play(step, index) else { return }
    }
    do {
      try await addOtherEvents(before: world.cassette.steps.count)
      run.events = await log.events()
    } catch {
      run.problems.append(.failed(step: world.cassette.steps.count - 1, "\(error)"))
    }
  }

  private func addOtherEvents(before step: Int) async throws {
    let events = world.cassette.otherEvents.filter { $0.beforeStep == step }
    _ = try await log.append(events.map(\.envelope), at: world.clock.now)
  }

  func finished() -> ConversationRun { world.checked(run) }

  /// - Returns: False if continuing would prove nothing.
  private mutating func play(_ step: Cassette.Step, _ index: Int) async -> Bool {
    world.clock.advance(by: .seconds(step.wait))
    let watch = InterruptionTrigger(step.interrupt ?? step.kill)
    do {
      try await addOtherEvents(before: index)
      let engine = try await engine(for: step, watch)
      if let health = world.cassette.health, health.beforeStep == index {
        await engine.take(health.note)
      }
      let outputs = OutputLog()
      // Outputs and requests arrive on the pass's task, so it can cancel itself right there.
      watch.whenItComes { [mortal] in
        if step.kill != nil { mortal?.die() }
        withUnsafeCurrentTask { $0?.cancel() }
      }
      let result = await Task {
        try await Self.perform(step.act, engine) { output in
          outputs.add(output)
          watch.see(output)
        }
      }.result
      run.passes.append(outputs.merged)
      if let moment = watch.moment, watch.isDue {
        run.problems.append(.noSuchMoment(step: index, moment))
      }
      if step.kill != nil {
        self.engine = nil
      } else {
        try result.get()
      }
      run.events = await log.events()
      run.states.append(await state(of: engine))
    } catch {
      run.problems.append(.failed(step: index, "\(error)"))
      run.events = await log.events()
      return false
    }
    return world.player.unmatched.isEmpty
  }

  /// After a kill, only what was stored remains.
  private func state(of engine: IntakeEngine) async -> IntakeState {
    guard self.engine == nil else { return await engine.state }
    return pack.state(after: await log.events())
  }

  private mutating func engine(
    for step: Cassette.Step, _ watch: InterruptionTrigger
  ) async throws -> IntakeEngine {
    world.moments.watch = watch
    if let engine, step.act != .open { return engine }
    let log = MortalLog(log)
    let clock = world.clock
    let engine = try await IntakeEngine(
      log: log, models: models(world), pack: pack, settings: world.cassette.settings.intake,
      entitlements: entitlement,
      surroundings: try .coached(by: pack, in: .gmt, cycle: pack.dayCycle),
      now: { clock.now })
    self.engine = engine
    mortal = log
    return engine
  }

  private static func perform(
    _ act: Cassette.Step.Act, _ engine: IntakeEngine, _ show: @escaping IntakeEngine.Show
  ) async throws {
    switch act {
    case .open: try await engine.open(show: show)
    case .again: try await engine.again(show: show)
    case .say(let text): try await engine.say(text, show: show)
    }
  }
}

extension Cassette.Settings {
  var intake: IntakeSettings {
    IntakeSettings(
      readyAbove: readyAbove, maxTurns: maxTurns, timeLimit: .seconds(timeLimit),
      followUp: FollowUpPolicy(rawValue: followUp) ?? .largestShortfall)
  }

  func entitlement(since date: Date) -> InMemoryEntitlement {
    InMemoryEntitlement(isSubscribed ? Entitlement(source: "stub", grantedAt: date) : nil)
  }
}

/// A pass's outputs, with the pieces of a reply joined.
final class OutputLog: Sendable {
  private let outputs = Mutex<[SessionOutput]>([])

  func add(_ output: SessionOutput) { outputs.withLock { $0.append(output) } }

  var merged: [SessionOutput] {
    var merged: [SessionOutput] = []
    var reply: (text: String, purpose: SessionOutput.Purpose)?
    func endReply() {
      if let reply { merged.append(.delta(reply.text, reply.purpose)) }
      reply = nil
    }
    for output in outputs.withLock(\.self) {
      if case .delta(let text, let purpose) = output {
        if reply?.purpose != purpose { endReply() }
        if reply == nil { reply = ("", purpose) }
        reply?.text += text
      } else {
        endReply()
        merged.append(output)
      }
    }
    endReply()
    return merged
  }
}

extension Exchange {
  /// Detects an answer that was recorded blank: every test would pass with it.
  fileprivate var isBlankStream: Bool {
    guard response.status == 200, fault == nil else { return false }
    return switch response.content {
    case .frames(let frames): frames.isEmpty && response.ending == .whole
    case .body(let body): body.isEmpty
    case .answer: false
    }
  }
}
