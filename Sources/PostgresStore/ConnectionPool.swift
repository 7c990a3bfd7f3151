import Dispatch
import Glibc
import Synchronization

/// A thread for calls that block, so that they never hold one of the threads that everybody shares.
final class BlockingExecutor: SerialExecutor {
  let queue: DispatchQueue

  init(_ label: String) { queue = DispatchQueue(label: label) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}

/// One connection that is made when it is needed, and made again when it broke.
actor PostgresWorker {
  private let executor = BlockingExecutor("rapport.postgres")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let address: PostgresAddress
  private var link: PostgresLink?

  init(_ address: PostgresAddress) { self.address = address }

  /// Runs the work on the connection. What fails for a passing reason is tried again, with growing
  /// pauses, until the deadline.
  ///
  /// - Parameter isRepeatable: Whether the work may be done twice. Otherwise it is tried again only if
  ///   nothing of it can have been carried out.
  func run<Value: Sendable>(
    until deadline: ContinuousClock.Instant, isRepeatable: Bool,
    _ work: @Sendable (PostgresLink) throws(PostgresFailure) -> Value
  ) throws(PostgresFailure) -> Value {
    var pause = Pause()
    while true {
      do throws(PostgresFailure) {
        return try work(try connected())
      } catch {
        if !error.leavesConnection { link = nil }
        if case .lost = error, !isRepeatable { throw error }
        guard error.isPassing, pause.take(until: deadline) else { throw error }
      }
    }
  }

  private func connected() throws(PostgresFailure) -> PostgresLink {
    if let link, link.isOpen { return link }
    link = nil
    let made = try PostgresLink(address)
    link = made
    return made
  }
}

/// Pauses that grow from 50 ms to 1 s, each of a random length, so that many do not come back at once.
struct Pause {
  private var longest = 0.05

  /// Blocks the thread; false if the deadline would pass.
  mutating func take(until deadline: ContinuousClock.Instant) -> Bool {
    let pause = longest * Double.random(in: 0.5...1)
    longest = min(1, longest * 2)
    guard ContinuousClock.now + .seconds(pause) < deadline else { return false }
    // A thread of the pool's own waits here, for a database that is away.
    usleep(UInt32(pause * 1_000_000))
    return true
  }
}

/// A bounded number of connections. Who finds none free waits in line.
final class ConnectionPool: Sendable {
  private struct State {
    var free: [PostgresWorker] = []
    var made = 0
    var waiting: [CheckedContinuation<PostgresWorker, Never>] = []
  }

  let address: PostgresAddress
  let size: Int
  /// How long somebody waits for a database that is away, waiting in line included.
  private let patience: Duration
  private let state = Mutex(State())

  init(_ address: PostgresAddress, size: Int, patience: Duration) {
    (self.address, self.size, self.patience) = (address, size, patience)
  }

  func run<Value: Sendable>(
    isRepeatable: Bool = true, patience: Duration? = nil,
    _ work: @Sendable (PostgresLink) throws(PostgresFailure) -> Value
  ) async throws(PostgresFailure) -> Value {
    let deadline = ContinuousClock.now + (patience ?? self.patience)
    let worker = await take()
    defer { giveBack(worker) }
    return try await worker.run(until: deadline, isRepeatable: isRepeatable, work)
  }

  private func take() async -> PostgresWorker {
    await withCheckedContinuation { continuation in
      let worker = state.withLock { state -> PostgresWorker? in
        // The one that was used last is the likeliest to be connected.
        if let worker = state.free.popLast() { return worker }
        guard state.made == size else {
          state.made += 1
          return PostgresWorker(address)
        }
        state.waiting.append(continuation)
        return nil
      }
      if let worker { continuation.resume(returning: worker) }
    }
  }

  private func giveBack(_ worker: PostgresWorker) {
    let next = state.withLock { state -> CheckedContinuation<PostgresWorker, Never>? in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.free.append(worker)
      return nil
    }
    next?.resume(returning: worker)
  }
}
