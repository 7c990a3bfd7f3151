internal import CLineEdit
internal import Glibc
internal import Synchronization

/// A request from outside to stop.
public enum Interrupt: Sendable, Equatable {
  /// SIGINT, as Ctrl-C sends it while no line is being edited.
  case interrupt
  /// SIGTERM: the process is asked to end.
  case terminate
}

/// Hands interrupts to whoever is working.
///
/// The signal handler does no more than write a byte to a pipe; a thread of its own reads it. While
/// nobody listens an interrupt is dropped, so listen before starting what can be interrupted.
public final class InterruptMonitor: Sendable {
  private struct Listeners {
    var byID: [Int: @Sendable (Interrupt) -> Void] = [:]
    var nextID = 0
  }

  private let listeners = Mutex(Listeners())

  /// A monitor that is told of interrupts by ``deliver(_:)`` alone.
  public init() {}

  /// The monitor of this process's SIGINT and SIGTERM. From its first use on they no longer end
  /// the process by themselves; a signal that was ignored at start stays ignored.
  public static let process: InterruptMonitor = {
    let monitor = InterruptMonitor()
    let descriptor = cle_monitor_open()
    guard descriptor >= 0 else { return monitor }
    startThread {
      var number: UInt8 = 0
      while true {
        let count = read(descriptor, &number, 1)
        if count < 0 && errno == EINTR { continue }
        guard count == 1 else { return }
        monitor.deliver(Int32(number) == SIGTERM ? .terminate : .interrupt)
      }
    } orFail: {
    }
    return monitor
  }()

  /// Tells every listener.
  public func deliver(_ interrupt: Interrupt) {
    for listener in listeners.withLock({ Array($0.byID.values) }) {
      listener(interrupt)
    }
  }

  /// Interrupts from now on, until the reader stops.
  public func interrupts() -> AsyncStream<Interrupt> {
    AsyncStream { continuation in
      let id = listen { continuation.yield($0) }
      continuation.onTermination = { _ in self.stopListening(id) }
    }
  }

  /// How work that could be interrupted ended.
  public enum Outcome<Value: Sendable>: Sendable {
    case finished(Value)
    case interrupted(Interrupt)
  }

  /// Runs `work` and cancels it at the first interrupt.
  ///
  /// The call returns when the work has ended, which it should soon after being cancelled. Work
  /// that ends with a value although it was cancelled counts as interrupted.
  /// - Parameter executor: Where the work prefers to run; nil for the usual threads.
  /// - Throws: What the work throws, unless it was interrupted.
  public func cancelling<Value: Sendable>(
    on executor: (any TaskExecutor)? = nil, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Outcome<Value> {
    let state = Mutex<(first: Interrupt?, task: Task<Value, any Error>?)>((nil, nil))
    // Before the work starts: an interrupt that nobody hears is lost.
    let id = listen { interrupt in
      let task = state.withLock { state in
        state.first = state.first ?? interrupt
        return state.task
      }
      task?.cancel()
    }
    defer { stopListening(id) }
    let task = state.withLock { state in
      let task = Task(executorPreference: executor) { try await work() }
      if state.first != nil { task.cancel() }
      state.task = task
      return task
    }
    let result = await withTaskCancellationHandler {
      await task.result
    } onCancel: {
      task.cancel()
    }
    if let interrupt = state.withLock(\.first) { return .interrupted(interrupt) }
    return .finished(try result.get())
  }

  private func listen(_ listener: @escaping @Sendable (Interrupt) -> Void) -> Int {
    listeners.withLock {
      $0.nextID += 1
      $0.byID[$0.nextID] = listener
      return $0.nextID
    }
  }

  private func stopListening(_ id: Int) {
    listeners.withLock { $0.byID[id] = nil }
  }
}
