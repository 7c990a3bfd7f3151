import Synchronization

/// A clock on which nothing passes: sleepers wake when a test says so, or when they are cancelled.
public final class StoppedClock: Clock {
  public struct Instant: InstantProtocol {
    var offset: Duration
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var nextID = 0
    var sleepers: [Int: (Duration, CheckedContinuation<Void, any Error>)] = [:]
    var cancelled: Set<Int> = []
    var watchers: [(Duration, CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  public init() {}

  public var now: Instant { Instant(offset: .zero) }
  public var minimumResolution: Duration { .nanoseconds(1) }

  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let (isCancelled, watchers) = state.withLock { state in
          if state.cancelled.remove(id) != nil {
            return (true, [CheckedContinuation<Void, Never>]())
          }
          state.sleepers[id] = (deadline.offset, continuation)
          let met = state.watchers.filter { $0.0 == deadline.offset }.map(\.1)
          state.watchers.removeAll { $0.0 == deadline.offset }
          return (false, met)
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
        for watcher in watchers { watcher.resume() }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        let sleeper = state.sleepers.removeValue(forKey: id)
        if sleeper == nil { state.cancelled.insert(id) }
        return sleeper
      }
      sleeper?.1.resume(throwing: CancellationError())
    }
  }

  /// Returns when somebody sleeps for so long.
  public func sleeps(for duration: Duration) async {
    await withCheckedContinuation { continuation in
      let isMet = state.withLock { state in
        let isMet = state.sleepers.values.contains { $0.0 == duration }
        if !isMet { state.watchers.append((duration, continuation)) }
        return isMet
      }
      if isMet { continuation.resume() }
    }
  }

  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  public func wakeAll() {
    let sleepers = state.withLock { state in
      defer { state.sleepers = [:] }
      return Array(state.sleepers.values)
    }
    for (_, continuation) in sleepers { continuation.resume() }
  }
}
