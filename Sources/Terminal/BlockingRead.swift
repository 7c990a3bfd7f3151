internal import CLineEdit
internal import Glibc
internal import Synchronization

/// Runs a blocking read on a separate thread: the cooperative pool has few threads, and none should
/// wait for a person.
enum BlockingRead {
  /// Runs `body` and returns its result, or `.interrupted` if the task was canceled before it
  /// started. Canceling the task wakes a read in progress, which then ends as interrupted.
  ///
  /// A process can run one such read at a time; a second one fails.
  static func run<Result: Sendable>(
    interrupted: Result, failed: Result, _ body: @escaping @Sendable () -> Result
  ) async -> Result {
    let cancellation = Cancellation()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        startThread {
          guard cle_wake_begin() == 0 else { return continuation.resume(returning: failed) }
          let result = cancellation.isRequested ? interrupted : body()
          cle_wake_end()
          continuation.resume(returning: result)
        } orFail: {
          continuation.resume(returning: failed)
        }
      }
    } onCancel: {
      cancellation.request()
      cle_wake()
    }
  }

  private final class Cancellation: Sendable {
    private let flag = Atomic(false)
    var isRequested: Bool { flag.load(ordering: .acquiring) }
    func request() { flag.store(true, ordering: .releasing) }
  }
}

private final class ThreadBody {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Starts a detached thread, or calls `orFail` if the system cannot create one.
package func startThread(
  _ run: @escaping @Sendable () -> Void, orFail: () -> Void
) {
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  defer { pthread_attr_destroy(&attributes) }
  let body = Unmanaged.passRetained(ThreadBody(run))
  var thread = pthread_t()
  let status = pthread_create(
    &thread, &attributes,
    { argument in
      guard let argument else { return nil }
      Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
      return nil
    }, body.toOpaque())
  if status != 0 {
    body.release()
    orFail()
  }
}
