/// The events of one answer, in order. Single pass: iterate it only once.
///
/// Iterating sends the request. Canceling the iterating task closes the connection.
///
/// What the model writes for itself is left out: thinking, marks of its chat template, and turns that
/// it makes up after its own. If a draft turns out to be one only after it was shown, because it has no
/// opening tag, the answer's words are the completion's ``ModelCompletion/replacement``.
public struct ModelReply: AsyncSequence, Sendable {
  public typealias Element = ModelEvent
  public typealias Failure = ModelError

  private let makeSource: @Sendable () -> any ModelReplySource

  public init(_ makeSource: @escaping @Sendable () -> any ModelReplySource) {
    self.makeSource = makeSource
  }

  /// A reply with predefined events.
  public init(events: [ModelEvent], failure: ModelError? = nil) {
    self.init { ListedSource(remaining: events[...], failure: failure) }
  }

  public func makeAsyncIterator() -> Iterator { Iterator(makeSource()) }

  /// Passes on the source's events without the model's drafts.
  public struct Iterator: AsyncIteratorProtocol {
    private var source: any ModelReplySource
    private var filter: DraftFilter
    /// What follows the words that the end of the answer released.
    private var queued: Ending?
    private var isOver = false

    private enum Ending {
      case completed(ModelCompletion)
      case failed(ModelError)
    }

    init(_ source: any ModelReplySource) {
      self.source = source
      filter = DraftFilter(holdsStart: source.holdsStart)
    }

    public mutating func next() async throws(ModelError) -> ModelEvent? {
      if let ending = queued.take() { return try event(ending) }
      while !isOver {
        let event: ModelEvent?
        do throws(ModelError) {
          event = try await source.next()
        } catch {
          return try end(with: .failed(error))
        }
        switch event {
        case .delta(let piece):
          let words = filter.receive(piece)
          if !words.isEmpty { return .delta(words) }
        case .waiting: return event
        case .completed(let completion): return try end(with: .completed(completion))
        case nil:
          isOver = true
          let rest = filter.finish()
          return rest.isEmpty ? nil : .delta(rest)
        }
      }
      return nil
    }

    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(ModelError) -> ModelEvent? {
      try await next()
    }

    private mutating func end(with ending: Ending) throws(ModelError) -> ModelEvent? {
      isOver = true
      let rest = filter.finish()
      if filter.hasOrphan { source.noteDraftWithoutOpening() }
      guard !rest.isEmpty else { return try event(ending) }
      queued = ending
      return .delta(rest)
    }

    private func event(_ ending: Ending) throws(ModelError) -> ModelEvent? {
      switch ending {
      case .completed(var completion):
        completion.replacement = filter.replacement ?? completion.replacement
        if filter.hasDraft { completion.hasReasoning = true }
        // The answer was complete before the limit cut what the model made up after it.
        if filter.isEnded, completion.finish == .length { completion.finish = .stop }
        return .completed(completion)
      case .failed(let error):
        guard let words = filter.replacement else { throw error }
        // What was shown is a draft, so the failure must not make it the reply.
        var completion = ModelCompletion(finish: .other("\(error.kind)"))
        completion.replacement = words
        completion.hasReasoning = true
        return .completed(completion)
      }
    }
  }
}

/// Produces the events of one answer; nil after the last.
public protocol ModelReplySource {
  mutating func next() async throws(ModelError) -> ModelEvent?

  /// Whether this model's drafts are known to have no opening tag, so that an answer cannot be shown
  /// before its draft has ended.
  var holdsStart: Bool { get }

  /// A draft ended that had no opening tag.
  func noteDraftWithoutOpening()
}

extension ModelReplySource {
  public var holdsStart: Bool { false }
  public func noteDraftWithoutOpening() {}
}

private struct ListedSource: ModelReplySource {
  var remaining: ArraySlice<ModelEvent>
  let failure: ModelError?

  mutating func next() async throws(ModelError) -> ModelEvent? {
    guard let event = remaining.popFirst() else {
      if let failure { throw failure }
      return nil
    }
    return event
  }
}
