internal import CCurl

/// The loop over libcurl's sockets. All of it runs on the network thread.
final class TransferLoopThread {
  /// Easy handles to reuse.
  private static let pooledHandles = 64
  /// The longest wait for sockets; libcurl's timers and ours shorten it.
  private static let longestWait: Int32 = 60_000

  private static let jobRounds = 64

  private let loop: TransferLoop
  private let sockets: OpaquePointer
  private let multi: UnsafeMutableRawPointer
  private(set) var now = MonotonicTime.now
  private var transfers: [TransferID: Transfer] = [:]
  private var dirty: [Transfer] = []
  private var idleHandles: [EasyHandle] = []
  private var nextDeadline = MonotonicTime.distantFuture
  private var isFinishing = false

  init(loop: TransferLoop, sockets: OpaquePointer) {
    self.loop = loop
    self.sockets = sockets
    multi = ccurl_loop_multi(sockets)
    let configuration = loop.configuration
    ccurl_multi_set_long(
      multi, CURLMOPT_MAX_HOST_CONNECTIONS, configuration.maximumConnectionsPerHost)
    ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, configuration.keptConnections)
  }

  func run() {
    repeat { pass() } while !(isFinishing && transfers.isEmpty && loop.finishIfIdle())
    idleHandles = []
    ccurl_loop_destroy(sockets)
  }

  private func pass() {
    for command in loop.takeCommands() { obey(command) }
    ccurl_loop_act(sockets)
    collectFinished()
    enforceDeadlines()
    publishDirty()
    runJobs()
    let isDone = isFinishing && transfers.isEmpty
    ccurl_loop_wait(sockets, loop.hasWork || isDone ? 0 : waitMilliseconds())
    now = .now
  }

  /// Jobs can create jobs; after this many rounds the sockets get their turn.
  private func runJobs() {
    for _ in 0..<Self.jobRounds {
      let jobs = loop.takeJobs()
      guard !jobs.isEmpty else { return }
      for job in jobs { job.run() }
    }
  }

  private func obey(_ command: TransferCommand) {
    switch command {
    case .start(let id, let request, let channel): start(id, request, channel)
    case .cancel(let id): transfers[id].map(discard)
    case .resume(let id): transfers[id]?.resume()
    case .finish: isFinishing = true
    }
  }

  func markDirty(_ transfer: Transfer) {
    guard !transfer.isDirty else { return }
    transfer.isDirty = true
    dirty.append(transfer)
  }

  private func publishDirty() {
    for transfer in dirty {
      transfer.isDirty = false
      transfer.publish()
    }
    dirty.removeAll(keepingCapacity: true)
  }
}

extension TransferLoopThread {
  private func start(
    _ id: TransferID, _ request: PreparedRequest, _ channel: TransferChannel
  ) {
    let pooled = idleHandles.popLast()
    guard let handle = pooled ?? EasyHandle(loop.configuration)
    else {
      let error = HTTPError(.other, "libcurl returned no handle", host: request.url.authority)
      var none: [UInt8] = []
      _ = channel.publish(head: nil, bytes: &none, ending: .failed(error), limit: .max)
      return
    }
    let transfer = Transfer(
      id: id, handle: handle, request: request.sent, channel: channel, loop: self)
    handle.prepare(request, for: transfer)
    transfers[id] = transfer
    deadlineMayBeSooner(transfer.deadlines.next)
    let result = curl_multi_add_handle(multi, handle.curl)
    if result != CURLM_OK {
      finish(
        transfer, .failed(HTTPError(.other, "libcurl refused the request", host: transfer.host)))
    }
  }

  private func collectFinished() {
    var queued: Int32 = 0
    while let message = curl_multi_info_read(multi, &queued) {
      guard message.pointee.msg == CURLMSG_DONE,
        let context = ccurl_get_private(message.pointee.easy_handle)
      else { continue }
      let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
      finish(transfer, ending(of: transfer, message.pointee.data.result))
    }
  }

  private func ending(of transfer: Transfer, _ result: CURLcode) -> TransferChannel.Ending {
    if let refusal = transfer.refusal { return .failed(refusal) }
    guard result != CURLE_OK || !transfer.headersComplete else { return .complete }
    guard result != CURLE_OK else {
      return .failed(
        HTTPError(.connectionLost, "the connection ended before a response", host: transfer.host))
    }
    return .failed(
      CurlFailure.error(
        result, detail: transfer.handle.failureDetail, host: transfer.host,
        headersComplete: transfer.headersComplete))
  }

  private func finish(_ transfer: Transfer, _ ending: TransferChannel.Ending) {
    transfer.publish(ending: ending)
    discard(transfer)
  }

  /// Removes the transfer from libcurl, which closes its connection unless the response was
  /// complete.
  private func discard(_ transfer: Transfer) {
    curl_multi_remove_handle(multi, transfer.handle.curl)
    transfers[transfer.id] = nil
    if transfer.isDirty { dirty.removeAll { $0 === transfer } }
    // A handle that ends paused keeps that state, so discard it.
    if !transfer.isPaused, idleHandles.count < Self.pooledHandles {
      idleHandles.append(transfer.handle)
    }
  }
}

extension TransferLoopThread {
  /// Notes a deadline that may be earlier than the next one. Body bytes only move deadlines later;
  /// a start, the first bytes and the end of a pause can move one earlier.
  func deadlineMayBeSooner(_ deadline: MonotonicTime) {
    nextDeadline = min(nextDeadline, deadline)
  }

  /// Checks the transfers only if the earliest known deadline may have passed.
  private func enforceDeadlines() {
    guard now >= nextDeadline else { return }
    for transfer in transfers.values {
      guard let limit = transfer.deadlines.expired(at: now) else { continue }
      finish(transfer, .failed(timeout(limit, of: transfer)))
    }
    nextDeadline = transfers.values.map(\.deadlines.next).min() ?? .distantFuture
  }

  private func timeout(_ limit: HTTPTimeouts.Limit, of transfer: Transfer) -> HTTPError {
    let timeouts = transfer.request.timeouts
    let words =
      switch limit {
      case .connect: "no connection within \(timeouts.connect)"
      case .firstByte: "no response within \(timeouts.firstByte)"
      case .idle: "nothing arrived for \(timeouts.idle)"
      case .total: "the response took longer than \(timeouts.total)"
      }
    return HTTPError(.timedOut(limit), words, host: transfer.host)
  }

  private func waitMilliseconds() -> Int32 {
    min(Self.longestWait, nextDeadline.milliseconds(since: now))
  }
}
