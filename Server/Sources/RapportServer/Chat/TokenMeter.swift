import IncrementalJSON
import Intake
import LanguageModels
import Synchronization

/// Counts the tokens and requests of one reply.
final class TokenMeter: Sendable {
  struct Count: Hashable, Sendable {
    var input = 0
    var output = 0
    var requests = 0
  }

  private let state = Mutex(Count())
  private let pace = Mutex<(@Sendable () async -> Void)?>(nil)

  /// Makes the models wait for this before each piece of an answer.
  func keepPace(_ wait: @escaping @Sendable () async -> Void) { pace.withLock { $0 = wait } }

  fileprivate func pause() async { await pace.withLock(\.self)?() }

  var count: Count { state.withLock(\.self) }

  fileprivate func add(_ usage: TokenUsage, requests: Int) {
    state.withLock { count in
      count.requests += requests
      count.input += usage.input
      count.output += usage.output
    }
  }
}

/// One answer of a model. It is counted once: as the model says, or by its bytes if the model does not say
/// or the answer is cut.
private final class MeteredAnswer {
  private enum Phase { case ready, open, counted }

  private let meter: TokenMeter
  private let promptBytes: Int
  private var textBytes = 0
  private var phase = Phase.ready

  init(to request: ModelRequest, _ meter: TokenMeter) {
    self.meter = meter
    promptBytes =
      request.system.utf8.count + (request.schema?.json.utf8.count ?? 0)
      + request.messages.reduce(0) { $0 + $1.text.utf8.count }
  }

  // Whoever reads it may leave before its end.
  deinit { end() }

  func begin() { if phase == .ready { phase = .open } }

  func take(_ event: ModelEvent) {
    switch event {
    case .delta(let text): textBytes += text.utf8.count
    case .waiting: break
    case .completed(let completion):
      phase = .counted
      meter.add(completion.usage ?? estimate, requests: completion.attempts)
    }
  }

  /// A model that failed before its first word has cost nothing.
  func fail(_ error: ModelError) {
    if textBytes == 0, error.kind != .cancelled { phase = .counted }
    end()
  }

  private func end() {
    if phase == .open { meter.add(estimate, requests: 1) }
    phase = .counted
  }

  /// Four bytes are about one token.
  private var estimate: TokenUsage {
    TokenUsage(input: (promptBytes + 3) / 4, output: (textBytes + 3) / 4)
  }
}

extension TokenMeter.Count {
  var json: JSONValue {
    [
      "input_tokens": JSONValue(input), "output_tokens": JSONValue(output),
      "requests": JSONValue(requests),
    ]
  }
}

/// A model whose answers are counted, and that waits for those who read them.
struct MeteredModel: LanguageModel {
  let model: any LanguageModel
  let meter: TokenMeter

  var identity: ModelIdentity { model.identity }
  var room: ServerRoom { model.room }
  var readingExecutor: (any TaskExecutor)? { model.readingExecutor }

  func reply(to request: ModelRequest) -> ModelReply {
    let reply = model.reply(to: request)
    return ModelReply { [meter] in
      Source(
        replies: reply.makeAsyncIterator(), meter: meter, answer: MeteredAnswer(to: request, meter))
    }
  }

  private struct Source: ModelReplySource {
    var replies: ModelReply.Iterator
    let meter: TokenMeter
    let answer: MeteredAnswer

    mutating func next() async throws(ModelError) -> ModelEvent? {
      await meter.pause()
      answer.begin()
      do throws(ModelError) {
        let event = try await replies.next()
        if let event { answer.take(event) }
        return event
      } catch {
        answer.fail(error)
        throw error
      }
    }
  }
}

extension ModelRoles {
  func metered(by meter: TokenMeter) -> ModelRoles {
    ModelRoles(
      fast: MeteredModel(model: fast, meter: meter),
      coach: MeteredModel(model: coach, meter: meter),
      deep: MeteredModel(model: deep, meter: meter))
  }
}
