import LanguageModels
import Synchronization

/// The cost of the requests, as counted by providers.
public struct ModelUsage: Hashable, Sendable {
  /// Answers requested.
  public var requests = 0
  /// How often a request was retried after a wait.
  public var repeats = 0
  public var inputTokens = 0
  public var outputTokens = 0
  /// Complete answers without a token count from the provider.
  public var uncounted = 0
  /// Requests without a complete answer; their cost is unknown.
  public var broken = 0
  /// From when each request could be sent to the end of its answer, added up.
  public var time = Duration.zero

  fileprivate mutating func add(_ completion: ModelCompletion) {
    repeats += completion.attempts - 1
    if let usage = completion.usage, usage.input > 0 || usage.output > 0 {
      inputTokens += usage.input
      outputTokens += usage.output
    } else {
      uncounted += 1
    }
  }
}

/// A model whose requests pass a gate and are counted.
struct PacedModel: LanguageModel {
  let base: any LanguageModel
  let gate: RequestGate
  let meter: UsageMeter

  var identity: ModelIdentity { base.identity }
  var room: ServerRoom { base.room }

  func reply(to request: ModelRequest) -> ModelReply {
    ModelReply { [self] in PacedReply(base.reply(to: request), gate, meter) }
  }
}

final class UsageMeter: Sendable {
  private let counted = Mutex(ModelUsage())
  private let sum: UsageMeter?

  /// - Parameter sum: Counts the same, and more.
  init(within sum: UsageMeter? = nil) { self.sum = sum }

  var usage: ModelUsage { counted.withLock { $0 } }

  func count(_ change: (inout ModelUsage) -> Void) {
    counted.withLock { change(&$0) }
    sum?.count(change)
  }
}

private final class PacedReply: ModelReplySource {
  private enum Phase { case waiting, running, ended }

  private var reply: ModelReply.Iterator
  private let gate: RequestGate
  private let meter: UsageMeter
  private var phase = Phase.waiting
  private var begun = ContinuousClock.now

  init(_ reply: ModelReply, _ gate: RequestGate, _ meter: UsageMeter) {
    (self.reply, self.gate, self.meter) = (reply.makeAsyncIterator(), gate, meter)
  }

  func next() async throws(ModelError) -> ModelEvent? {
    if case .ended = phase { return nil }
    if case .waiting = phase { try await begin() }
    do throws(ModelError) {
      let event = try await reply.next()
      switch event {
      case .completed(let completion):
        meter.count { $0.add(completion) }
        await end(succeeded: true)
      case nil: await end(succeeded: false)
      case .delta, .waiting: break
      }
      return event
    } catch {
      meter.count {
        $0.broken += 1
        $0.repeats += max(0, error.attempts - 1)
      }
      await end(succeeded: false)
      throw error
    }
  }

  private func begin() async throws(ModelError) {
    do {
      try await gate.enter()
    } catch {
      phase = .ended
      throw ModelError(.cancelled, detail: "not sent: the run has ended")
    }
    meter.count { $0.requests += 1 }
    phase = .running
    begun = .now
  }

  private func end(succeeded: Bool) async {
    phase = .ended
    let time = begun.duration(to: .now)
    meter.count { $0.time += time }
    await gate.leave(succeeded: succeeded)
  }
}
