internal import CLineEdit
internal import Glibc
internal import Synchronization

/// A request from outside to stop.
public enum Interrupt: Sendable, Equatable {
  /// SIGINT, sent by Ctrl-C while no line is being edited.
  case interrupt
  /// SIGTERM: a request to end the process.
  case terminate
}

/// Passes interrupts to the current work.
///
/// The signal handler only writes a byte to a pipe, which a separate thread reads. An interrupt
/// without a listener is dropped, so listen before starting anything that can be interrupted.
public final class InterruptMonitor: Sendable {
  private struct Listeners {
    var byID: [Int: @Sendable (Interrupt) -> Void] = [:]
    var nextID = 0
  }

  private let listeners = Mutex(Listeners())

  /// A monitor that receives interrupts only from ``deliver(_:)``.
  public init() {}

  /// The monitor of this process's SIGINT and SIGTERM. Once it is used, they no longer end the
  /// process; a signal that was ignored at start stays ignored.
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

  /// Notifies every listener.
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

  /// How interruptible work ended.
  public enum Outcome<Value: Sendable>: Sendable {
    case finished(Value)
    case interrupted(Interrupt)
  }

  /// Runs `work` and cancels it at the first interrupt.
  ///
  /// Returns when the work has ended, which should be soon after it is canceled. Work that returns
  /// a value although it was canceled counts as interrupted.
  /// - Parameter executor: The executor the work prefers; nil for the default.
  /// - Throws: What the work throws, unless it was interrupted.
  public func cancelling<Value: Sendable>(
    on executor: (any TaskExecutor)? = nil, _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Outcome<Value> {
    let state = Mutex<(first: Interrupt?, task: Task<Value, any Error>?)>((nil, nil))
    // Listen before the work starts: an interrupt without a listener is lost.
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
