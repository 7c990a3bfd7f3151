import Synchronization

/// The state shared by the network thread and the reader of one transfer.
///
/// The network thread publishes once per pass over its sockets, so everything from one pass wakes
/// the reader only once.
final class TransferChannel: Sendable {
  typealias Chunk = Result<[UInt8]?, HTTPError>
  typealias Head = Result<ResponseHead, HTTPError>

  enum Ending: Sendable {
    case complete
    case failed(HTTPError)
  }

  fileprivate enum Waiter {
    case head(UnsafeContinuation<Head, Never>)
    case chunk(UnsafeContinuation<Taken, Never>)
  }

  fileprivate struct State {
    var head: ResponseHead?
    var bytes: [UInt8] = []
    var ending: Ending?
    var isPaused = false
    var waiter: Waiter?
  }

  private let state = Mutex(State())

  // MARK: The network thread's side

  /// Delivers what has arrived and wakes the reader.
  ///
  /// - Returns: Whether the transfer must pause because the reader is `limit` bytes behind.
  func publish(
    head: ResponseHead?, bytes: inout [UInt8], ending: Ending?, limit: Int
  ) -> Bool {
    var arrived: [UInt8] = []
    swap(&arrived, &bytes)
    let (wake, mustPause) = state.withLock { state -> (Wake?, Bool) in
      guard state.ending == nil else { return (nil, false) }
      if let head { state.head = head }
      state.append(arrived)
      state.ending = ending
      let wake = state.wake()
      if state.bytes.count >= limit, ending == nil { state.isPaused = true }
      return (wake, state.isPaused)
    }
    wake?.run()
    return mustPause
  }

  // MARK: The reader's side

  /// What a reader receives, and whether it must ask the network thread to continue.
  struct Taken: Sendable {
    var chunk: Chunk
    var mustResume = false
  }

  /// Takes what is available, or returns nil if the reader must wait.
  func take() -> Taken? {
    state.withLock { $0.take() }
  }

  func waitForHead(isolation: isolated (any Actor)?) async -> Head {
    await withUnsafeContinuation(isolation: isolation) { continuation in
      state.withLock { $0.wait(.head(continuation)) }?.run()
    }
  }

  func waitForChunk(isolation: isolated (any Actor)?) async -> Taken {
    await withUnsafeContinuation(isolation: isolation) { continuation in
      state.withLock { $0.wait(.chunk(continuation)) }?.run()
    }
  }

  /// Ends the transfer from the reader's side and discards what was not read.
  ///
  /// - Returns: Whether the network thread must still close it.
  func abandon(_ error: HTTPError) -> Bool {
    let (wake, wasOpen) = state.withLock { state -> (Wake?, Bool) in
      let wasOpen = state.ending == nil
      // Leave a complete body readable for its other iterators.
      if wasOpen { state.ending = .failed(error) }
      state.bytes = []
      return (state.wake(), wasOpen)
    }
    wake?.run()
    return wasOpen
  }
}

extension TransferChannel {
  /// A continuation and its value, resumed outside the lock.
  fileprivate enum Wake {
    case head(UnsafeContinuation<Head, Never>, Head)
    case chunk(UnsafeContinuation<Taken, Never>, Taken)

    func run() {
      switch self {
      case .head(let continuation, let value): continuation.resume(returning: value)
      case .chunk(let continuation, let value): continuation.resume(returning: value)
      }
    }
  }
}

extension TransferChannel.State {
  fileprivate mutating func append(_ arrived: [UInt8]) {
    if bytes.isEmpty { bytes = arrived } else { bytes.append(contentsOf: arrived) }
  }

  fileprivate mutating func take() -> TransferChannel.Taken? {
    if !bytes.isEmpty {
      var taken: [UInt8] = []
      swap(&taken, &bytes)
      defer { isPaused = false }
      return TransferChannel.Taken(chunk: .success(taken), mustResume: isPaused)
    }
    return ending.map { TransferChannel.Taken(chunk: $0.chunk) }
  }

  /// Registers a waiter, or answers it at once if possible.
  fileprivate mutating func wait(_ newcomer: TransferChannel.Waiter) -> TransferChannel.Wake? {
    guard waiter == nil else {
      return newcomer.wake(failing: HTTPError(.concurrentRead, "two tasks read one body"))
    }
    waiter = newcomer
    return wake()
  }

  fileprivate mutating func wake() -> TransferChannel.Wake? {
    switch waiter {
    case .head(let continuation):
      guard
        let value = head.map(TransferChannel.Head.success) ?? ending?.failure.map({ .failure($0) })
      else { return nil }
      waiter = nil
      return .head(continuation, value)
    case .chunk(let continuation):
      guard let value = take() else { return nil }
      waiter = nil
      return .chunk(continuation, value)
    case nil:
      return nil
    }
  }
}

extension TransferChannel.Waiter {
  fileprivate func wake(failing error: HTTPError) -> TransferChannel.Wake {
    switch self {
    case .head(let continuation): .head(continuation, .failure(error))
    case .chunk(let continuation): .chunk(continuation, .init(chunk: .failure(error)))
    }
  }
}

extension TransferChannel.Ending {
  var chunk: TransferChannel.Chunk {
    switch self {
    case .complete: .success(nil)
    case .failed(let error): .failure(error)
    }
  }

  var failure: HTTPError? {
    switch self {
    case .complete: nil
    case .failed(let error): error
    }
  }
}
