import Glibc
import Synchronization
public import Testing

/// Marks a suite or a test that starts a process, opens a socket or drives a terminal.
///
/// `make test` leaves these suites out. Where they run, a few run at a time, each on threads of its
/// own, so that a test may block without holding up the ones that share Swift's thread pool.
public struct IntegrationTrait: SuiteTrait, TestTrait, TestScoping {
  public var isRecursive: Bool { true }

  /// More than there are cores: these tests mostly wait for somebody else.
  private static let turns = Turns(6)
  /// A test that waits for something that never comes is named this often.
  private static let patience = Duration.seconds(600)
  private static let isLeftOut = getenv("RAPPORT_UNIT_TESTS_ONLY") != nil

  @concurrent
  public func prepare(for test: Test) async throws {
    if Self.isLeftOut { try Test.cancel("part of make test-outside") }
  }

  @concurrent
  public func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    await Self.turns.take()
    defer { Self.turns.giveBack() }
    let watch = Task.detached {
      // In real time, but no result depends on it.
      while true {
        try await Task.sleep(for: Self.patience)
        print("Test \(test.name) is still running. Is it stuck?")
      }
    }
    defer { watch.cancel() }
    try await withTaskExecutorPreference(FreshThreads.shared) { try await function() }
  }
}

extension Trait where Self == IntegrationTrait {
  /// Starts a process, opens a socket or drives a terminal.
  public static var integration: IntegrationTrait { IntegrationTrait() }

  /// Works for many seconds on one thing; `make test` leaves it out as well.
  public static var slow: IntegrationTrait { IntegrationTrait() }
}

/// Lets a limited number through at once.
private final class Turns: Sendable {
  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  init(_ count: Int) { state = Mutex(State(free: count)) }

  func take() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.free > 0 else {
          state.waiting.append(continuation)
          return false
        }
        state.free -= 1
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  func giveBack() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard !state.waiting.isEmpty else {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}

/// Runs each piece of a task on a thread that nothing else uses.
private final class FreshThreads: TaskExecutor {
  static let shared = FreshThreads()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    Sockets.startThread { job.runSynchronously(on: executor) }
  }
}
