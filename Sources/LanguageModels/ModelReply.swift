/// The events of one answer, in order. Single pass: iterate it only once.
///
/// Iterating sends the request. Cancelling the iterating task closes the connection.
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

  public func makeAsyncIterator() -> Iterator { Iterator(source: makeSource()) }

  public struct Iterator: AsyncIteratorProtocol {
    var source: any ModelReplySource

    public mutating func next() async throws(ModelError) -> ModelEvent? {
      try await source.next()
    }

    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(ModelError) -> ModelEvent? {
      try await source.next()
    }
  }
}

/// Produces the events of one answer; nil after the last.
public protocol ModelReplySource {
  mutating func next() async throws(ModelError) -> ModelEvent?
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
