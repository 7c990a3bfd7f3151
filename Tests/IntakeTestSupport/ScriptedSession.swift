import ContextQuality
package import FoundationEssentials
package import Intake
package import LanguageModels
import Synchronization
package import TestSupport

/// A model whose answers a test writes as functions of the request.
package final class ScriptedCoach: LanguageModel {
  package typealias Script = @Sendable (ModelRequest) -> ModelReply

  package let identity = ModelIdentity(provider: "Script", model: "scripted")
  private let script: Script
  private let log = Mutex<[ModelRequest]>([])

  package let room: ServerRoom

  package init(room: ServerRoom = ServerRoom(), _ script: @escaping Script) {
    (self.room, self.script) = (room, script)
  }

  package var requests: [ModelRequest] { log.withLock { $0 } }

  package func requests(for purpose: RequestPurpose) -> [ModelRequest] {
    requests.filter { $0.purpose == purpose }
  }

  package func reply(to request: ModelRequest) -> ModelReply {
    log.withLock { $0.append(request) }
    return script(request)
  }
}

extension ScriptedCoach {
  /// Gives these answers to the scoring requests in order, the last one again and again.
  package static func reading(_ answers: [ModelReply]) -> Script {
    let next = Counter()
    return { request in
      guard request.purpose == .score else { return .text("Tell me more?") }
      return answers[min(next.advance(), answers.count - 1)]
    }
  }

  private final class Counter: Sendable {
    private let count = Mutex(0)

    /// The count before it.
    func advance() -> Int {
      count.withLock { count in
        defer { count += 1 }
        return count
      }
    }
  }
}

extension ModelReply {
  package static func text(_ text: String, finish: ModelCompletion.FinishReason = .stop)
    -> ModelReply
  {
    ModelReply(events: [
      .delta(text),
      .completed(ModelCompletion(finish: finish, usage: TokenUsage(input: 10, output: 5))),
    ])
  }

  package static func failing(_ kind: ModelError.Kind, after text: String = "") -> ModelReply {
    ModelReply(
      events: text.isEmpty ? [] : [.delta(text)], failure: ModelError(kind, detail: "scripted"))
  }
}

/// A whole session in memory, driven turn by turn.
package final class ScriptedSession: Sendable {
  /// Read once: there are thousands of rehearsals.
  package static let pack = Result { try PromptPack.embedded() }

  package let model: ScriptedCoach
  package let log: InMemorySessionLog
  package let entitlements = InMemoryEntitlement()
  package let engine: IntakeEngine
  private let outputs = Mutex<[SessionOutput]>([])

  package init(
    settings: IntakeSettings = IntakeSettings(), events: [RecordedEvent] = [],
    clock: TestClock = TestClock(), surroundings: Surroundings = Surroundings(),
    _ script: @escaping ScriptedCoach.Script
  ) async throws {
    model = ScriptedCoach(script)
    log = InMemorySessionLog(events)
    engine = try await IntakeEngine(
      log: log, models: ModelRoles(all: model), pack: try Self.pack.get(),
      settings: settings, entitlements: entitlements, surroundings: surroundings,
      now: { clock.now() })
  }

  /// A session after the paywall, with one user turn and the coach's first reply.
  package static func coaching(
    system: CoachingSystem = CoachingSystem(), clock: TestClock = TestClock(),
    companion: (any CoachingCompanion)? = nil, _ script: @escaping ScriptedCoach.Script
  ) async throws -> ScriptedSession {
    let session = try await ScriptedSession(
      events: try .coached(system), clock: clock,
      surroundings: Surroundings(companion: companion), script)
    return session
  }

  /// Outputs of the last pass.
  package var shown: [SessionOutput] { outputs.withLock { $0 } }

  private var show: IntakeEngine.Show {
    outputs.withLock { $0 = [] }
    return { output in self.outputs.withLock { $0.append(output) } }
  }

  package func open() async throws { try await engine.open(show: show) }
  package func say(_ text: String) async throws { try await engine.say(text, show: show) }
  package func again() async throws { try await engine.again(show: show) }
  package func subscribe() async throws { try await engine.continueAfterPaywall(show: show) }
  package func decline() async throws { try await engine.declinePaywall(show: show) }

  package var state: IntakeState { get async { await engine.state } }
  package var kinds: [IntakeEvent.Kind] {
    get async { await log.events().compactMap(\.event?.kind) }
  }

  package var messages: [SessionOutput.CoachMessage] {
    shown.compactMap { if case .message(let message) = $0 { message } else { nil } }
  }
  package var notices: [SessionOutput.Notice] {
    shown.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
  }
  package var scores: [SessionOutput.ScoreReport] {
    shown.compactMap { if case .scored(let report) = $0 { report } else { nil } }
  }
  package var paywalls: [SessionOutput.Paywall] {
    shown.compactMap { if case .paywall(let paywall) = $0 { paywall } else { nil } }
  }
  package var done: [SessionOutput.Done] {
    shown.compactMap { if case .done(let done) = $0 { done } else { nil } }
  }
}

extension [RecordedEvent] {
  /// A session in which everything but height and weight is known, at an open question. Whatever
  /// is said next, they are what is left to ask.
  package static func allButBody(source: ProfileSource? = nil) throws -> [RecordedEvent] {
    let pack = try ScriptedSession.pack.get()
    let reply = CoachReply(text: "And what does a normal week look like?")
    let evidence = pack.rubric.facets.map(\.facet).filter { $0 != pack.bodyFacet }
      .map { Evidence(facet: $0, quote: "hello", turn: 1) }
    let events: [IntakeEvent] = [
      .started(
        SessionStart(
          pack: pack.name, packVersion: pack.version, rubricVersion: pack.rubric.version,
          source: source)),
      .greeted(reply), .userSaid(UserTurn(turn: 1, text: "hello")),
      .scored(Scoring(turns: [1], evidence: evidence)),
      .asked(Question(components: ["lifestyle"], facets: [], explicit: false, reply: reply)),
    ]
    return events.enumerated().map { index, event in
      RecordedEvent(
        position: index + 1, at: Date(timeIntervalSince1970: 1_799_999_900 + Double(index)),
        event: event)
    }
  }
}

extension [RecordedEvent] {
  /// A session with a coaching system, after the coach's first reply.
  package static func coached(_ system: CoachingSystem) throws -> [RecordedEvent] {
    let pack = try ScriptedSession.pack.get()
    let reply = CoachReply(text: "Hello. What would you like to change?")
    let start = Date(timeIntervalSince1970: 1_799_999_900)
    let events: [IntakeEvent] = [
      .started(
        SessionStart(
          pack: pack.name, packVersion: pack.version, rubricVersion: pack.rubric.version)),
      .greeted(reply), .userSaid(UserTurn(turn: 1, text: "I want to run without pain again")),
      .scored(Scoring(turns: [1], model: "scripted")),
      .synthesised(Synthesis(system: system, throughTurn: 1, isMinimal: true)),
      .summarised(CoachReply(text: "Here's what I heard.")),
      .discoveryCompleted, .paywallShown, .entitled(Entitlement(source: "stub", grantedAt: start)),
      .coached(CoachReply(text: "Let's begin.")),
    ]
    return events.enumerated().map { index, event in
      RecordedEvent(
        position: index + 1, at: start.addingTimeInterval(Double(index)), event: event)
    }
  }
}

/// A clock that moves only when told to, and by a second with every look.
package final class TestClock: Sendable {
  private let seconds: Mutex<Double>
  private let ticks: Double

  /// - Parameter ticks: By how much each look at it moves it.
  package init(_ seconds: Double = 1_800_000_000, ticks: Double = 1) {
    self.seconds = Mutex(seconds)
    self.ticks = ticks
  }

  package func now() -> Date {
    seconds.withLock {
      $0 += ticks
      return Date(timeIntervalSince1970: $0)
    }
  }

  package func advance(by interval: Double) { seconds.withLock { $0 += interval } }
}

/// Answers to scoring requests.
package enum Evidences {
  /// An own age, height or weight as the scorer states it.
  package struct Stated: Sendable {
    var json: String

    package init(_ what: String, _ numbers: [Double], _ unit: String, _ turn: Int, _ quote: String)
    {
      json =
        #"{"what":"\#(what)","numbers":\#(numbers),"unit":"\#(unit)","turn":\#(turn),"quote":"\#(quote)"}"#
    }
  }

  /// Scorer JSON for `(facet, turn, quote)` triples.
  ///
  /// - Parameters:
  ///   - acts: What turns do, as `(act, what, turn, quote)`.
  ///   - careQuote: The words that need care.
  package static func json(
    _ claims: [(String, Int, String)], acts: [(String, String, Int, String)] = [],
    stated: [Stated] = [], care: String = "none", careQuote: String = ""
  ) -> String {
    let acts = acts.map { act, what, turn, quote in
      #"{"act":"\#(act)","what":"\#(what)","turn":\#(turn),"quote":"\#(quote)"}"#
    }.joined(separator: ",")
    return #"{"evidence":[\#(list(claims))],"retracted":[],"acts":[\#(acts)],"#
      + #""stated":[\#(stated.map(\.json).joined(separator: ","))],"#
      + #""care":{"kind":"\#(care)","quote":"\#(careQuote)"}}"#
  }

  private static func list(_ claims: [(String, Int, String)]) -> String {
    claims.map { facet, turn, quote in
      #"{"facet":"\#(facet)","turn":\#(turn),"quote":"\#(quote)"}"#
    }.joined(separator: ",")
  }
}

/// The usual script, but requests for one purpose wait for a gate, or for their cancellation.
package final class SlowModel: LanguageModel {
  package let identity = ModelIdentity(provider: "Script", model: "slow")
  private let inner: ScriptedCoach
  private let isSlow: @Sendable (ModelRequest) -> Bool
  private let gate: Gate

  package init(
    _ script: @escaping ScriptedCoach.Script = UsualConversation.script, gate: Gate,
    where isSlow: @escaping @Sendable (ModelRequest) -> Bool
  ) {
    inner = ScriptedCoach(script)
    self.isSlow = isSlow
    self.gate = gate
  }

  package convenience init(purpose: RequestPurpose, gate: Gate) {
    self.init(gate: gate) { $0.purpose == purpose }
  }

  package var requests: [ModelRequest] { inner.requests }
  private let (arrivals, arrived) = AsyncStream.makeStream(of: RequestPurpose.self)

  /// Returns when so many requests of the purpose have come since it was asked last.
  package func asked(_ count: Int, for purpose: RequestPurpose) async {
    var left = count
    for await next in arrivals where next == purpose {
      left -= 1
      if left == 0 { return }
    }
  }

  package func reply(to request: ModelRequest) -> ModelReply {
    let reply = inner.reply(to: request)
    arrived.yield(request.purpose)
    return isSlow(request) ? ModelReply { GatedSource(gate: self.gate, reply: reply) } : reply
  }

  private struct GatedSource: ModelReplySource {
    let gate: Gate
    let reply: ModelReply
    private var iterator: ModelReply.AsyncIterator?

    init(gate: Gate, reply: ModelReply) { (self.gate, self.reply) = (gate, reply) }

    mutating func next() async throws(ModelError) -> ModelEvent? {
      await withTaskCancellationHandler {
        await gate.opened()
      } onCancel: { [gate] in
        gate.open()
      }
      if Task.isCancelled { throw ModelError(.cancelled, detail: "scripted") }
      var iterator = self.iterator ?? reply.makeAsyncIterator()
      defer { self.iterator = iterator }
      return try await iterator.next()
    }
  }
}
