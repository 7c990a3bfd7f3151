import Dispatch
import Synchronization

/// Holds threads and tasks back until it is opened, once and for all.
public final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var tasks: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())
  private let turnstile = DispatchSemaphore(value: 0)

  public init() {}

  /// Lets everybody through, now and later.
  public func open() {
    let tasks = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      guard !state.isOpen else { return [] }
      state.isOpen = true
      turnstile.signal()
      defer { state.tasks = [] }
      return state.tasks
    }
    for task in tasks { task.resume() }
  }

  /// Blocks the calling thread; for server handlers.
  public func wait() {
    turnstile.wait()
    turnstile.signal()
  }

  /// Suspends the calling task.
  public func opened() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.tasks.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }
}

/// A number that only grows, and that tasks can wait for.
public final class Counter: Sendable {
  private struct State {
    var value = 0
    var waiting: [(target: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  public init() {}

  public var value: Int { state.withLock { $0.value } }

  public func increment() {
    let reached = state.withLock { state in
      state.value += 1
      let value = state.value
      let reached = state.waiting.filter { $0.target <= value }
      state.waiting.removeAll { $0.target <= value }
      return reached.map(\.continuation)
    }
    for continuation in reached { continuation.resume() }
  }

  /// Suspends until the number is at least `target`.
  public func reaches(_ target: Int) async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if state.value < target { state.waiting.append((target, continuation)) }
        return state.value >= target
      }
      if isReached { continuation.resume() }
    }
  }
}

/// Suspends the calling task for as long as nobody cancels it.
public func untilCancelled() async throws {
  for await _ in AsyncStream<Never>.makeStream().stream {}
  throw CancellationError()
}
