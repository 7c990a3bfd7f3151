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

  fileprivate func add(_ completion: ModelCompletion) {
    state.withLock { count in
      count.requests += completion.attempts
      count.input += completion.usage?.input ?? 0
      count.output += completion.usage?.output ?? 0
    }
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

/// A model whose completed answers are counted, and that waits for those who read them.
struct MeteredModel: LanguageModel {
  let model: any LanguageModel
  let meter: TokenMeter

  var identity: ModelIdentity { model.identity }
  var readingExecutor: (any TaskExecutor)? { model.readingExecutor }

  func reply(to request: ModelRequest) -> ModelReply {
    let reply = model.reply(to: request)
    return ModelReply { [meter] in Source(replies: reply.makeAsyncIterator(), meter: meter) }
  }

  private struct Source: ModelReplySource {
    var replies: ModelReply.Iterator
    let meter: TokenMeter

    mutating func next() async throws(ModelError) -> ModelEvent? {
      await meter.pause()
      let event = try await replies.next()
      if case .completed(let completion) = event { meter.add(completion) }
      return event
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
