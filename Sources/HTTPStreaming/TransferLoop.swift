internal import CCurl
import Glibc
import Synchronization

/// Identifies a transfer across threads; never reused.
typealias TransferID = UInt64

/// Commands from other threads to the network thread.
enum TransferCommand: Sendable {
  case start(TransferID, PreparedRequest, TransferChannel)
  case cancel(TransferID)
  case resume(TransferID)
  /// Ends the thread once all transfers are done.
  case finish
}

/// The interface to a network thread: accepts commands from any thread and wakes it.
final class TransferLoop: Sendable {
  fileprivate struct State {
    var nextID: TransferID = 1
    var commands: [TransferCommand] = []
    var jobs: [Job] = []
    var thread: pthread_t?
    var sockets: SocketLoop?
    var isWakePending = false
    var hasFinished = false
  }

  /// The network thread's sockets. Other threads only wake it, which any may do, and only under the lock
  /// that also guards its end.
  fileprivate struct SocketLoop: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  /// A job of a task that prefers the network thread.
  struct Job: Sendable {
    let job: UnownedJob
    let executor: UnownedTaskExecutor

    func run() { job.runSynchronously(on: executor) }
  }

  private let state = Mutex(State())
  let configuration: HTTPClient.Configuration

  init(configuration: HTTPClient.Configuration) {
    self.configuration = configuration
  }

  /// Starts the thread, if possible; otherwise the first request says why not.
  func start() {
    state.withLock { state in
      if !state.isRunning { _ = launch(&state) }
    }
  }

  /// Starts the thread if needed and passes the request to it.
  func start(
    _ request: PreparedRequest, channel: TransferChannel
  ) throws(HTTPError) -> TransferID {
    let id: TransferID? = state.withLock { state in
      guard state.isRunning || launch(&state) else { return nil }
      let id = state.nextID
      state.nextID += 1
      state.enqueue(.start(id, request, channel))
      return id
    }
    guard let id else { throw HTTPError(.other, "can't start the network thread") }
    return id
  }

  func post(_ command: TransferCommand) {
    state.withLock { state in
      if state.isRunning { state.enqueue(command) }
    }
  }

  /// Runs a job on the network thread, between two passes over its sockets.
  func post(_ job: Job) {
    let isPosted = state.withLock { state in
      guard state.isRunning || launch(&state) else { return false }
      state.enqueue(job)
      return true
    }
    // Without a thread there is no request that the job could hold up.
    if !isPosted { job.run() }
  }

  /// Whether this is the network thread.
  var isCurrent: Bool { state.withLock(\.isCurrent) }

  // MARK: The network thread's side

  func takeJobs() -> [Job] {
    state.withLock { state in
      var taken: [Job] = []
      swap(&taken, &state.jobs)
      return taken
    }
  }

  /// Whether there is work before waiting for sockets.
  var hasWork: Bool {
    state.withLock { !$0.commands.isEmpty || !$0.jobs.isEmpty }
  }

  func takeCommands() -> [TransferCommand] {
    state.withLock { state in
      state.isWakePending = false
      var taken: [TransferCommand] = []
      swap(&taken, &state.commands)
      return taken
    }
  }

  /// Ends the loop unless another command arrived. After that nothing touches the handle.
  func finishIfIdle() -> Bool {
    state.withLock { state in
      guard state.commands.isEmpty, state.jobs.isEmpty else { return false }
      state.sockets = nil
      state.hasFinished = true
      return true
    }
  }

  private func launch(_ state: inout State) -> Bool {
    guard !state.hasFinished, curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK,
      let sockets = ccurl_loop_create()
    else { return false }
    let thread = TransferLoopThread(loop: self, sockets: sockets)
    let context = Unmanaged.passRetained(thread)
    var handle = pthread_t()
    let result = pthread_create(&handle, nil, runTransferLoop, context.toOpaque())
    guard result == 0 else {
      context.release()
      ccurl_loop_destroy(sockets)
      return false
    }
    pthread_detach(handle)
    state.thread = handle
    state.sockets = SocketLoop(pointer: sockets)
    return true
  }
}

extension TransferLoop.State {
  fileprivate var isRunning: Bool { sockets != nil }

  fileprivate var isCurrent: Bool { thread.map { pthread_equal(pthread_self(), $0) != 0 } ?? false }

  fileprivate mutating func enqueue(_ command: TransferCommand) {
    commands.append(command)
    wake()
  }

  fileprivate mutating func enqueue(_ job: TransferLoop.Job) {
    jobs.append(job)
    wake()
  }

  private mutating func wake() {
    // The network thread checks for work before it waits.
    if isCurrent { return }
    guard !isWakePending, let sockets else { return }
    isWakePending = true
    ccurl_loop_wake(sockets.pointer)
  }
}

private func runTransferLoop(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  // Signals belong to the program's own threads. This also keeps SIGPIPE from a broken connection,
  // which goes to the writing thread, from ending the process.
  var all = sigset_t()
  sigfillset(&all)
  pthread_sigmask(SIG_BLOCK, &all, nil)
  Unmanaged<TransferLoopThread>.fromOpaque(context).takeRetainedValue().run()
  return nil
}
