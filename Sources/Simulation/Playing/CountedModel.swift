import LanguageModels
import Synchronization

/// Sums up the tokens of a conversation's requests.
final class TokenCount: Sendable {
  private let sum = Mutex<Int?>(nil)

  /// Input and output; nil if no answer came with a count.
  var total: Int? { sum.withLock(\.self) }

  func add(_ usage: TokenUsage) { sum.withLock { $0 = ($0 ?? 0) + usage.input + usage.output } }
}

/// A model whose tokens are counted.
struct CountedModel: LanguageModel {
  let base: any LanguageModel
  let count: TokenCount

  var identity: ModelIdentity { base.identity }
  var room: ServerRoom { base.room }
  var readingExecutor: (any TaskExecutor)? { base.readingExecutor }

  func reply(to request: ModelRequest) -> ModelReply {
    ModelReply { CountedReply(reply: base.reply(to: request).makeAsyncIterator(), count: count) }
  }
}

private struct CountedReply: ModelReplySource {
  var reply: ModelReply.Iterator
  let count: TokenCount

  mutating func next() async throws(ModelError) -> ModelEvent? {
    let event = try await reply.next()
    if case .completed(let completion) = event, let usage = completion.usage { count.add(usage) }
    return event
  }
}

extension LanguageModel {
  /// The whole text of an answer.
  func text(for request: ModelRequest) async throws(ModelError) -> String {
    var text = ""
    for try await event in reply(to: request) {
      if case .delta(let piece) = event { text += piece }
      if case .completed(let completion) = event { text = completion.replacement ?? text }
    }
    return text
  }
}
