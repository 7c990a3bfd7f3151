internal import CCurl

/// One request in progress. Belongs to the network thread.
final class Transfer {
  /// Bytes to deliver before the pass over the sockets ends, so that the reader can work while more
  /// is received.
  static let earlyPublishBytes = 32 << 10

  let id: TransferID
  let handle: EasyHandle
  let request: PreparedRequest
  private let channel: TransferChannel
  private unowned let loop: TransferLoopThread

  private(set) var deadlines: TransferDeadlines
  private var headReader: ResponseHeadReader
  private var unpublishedHead: ResponseHead?
  private(set) var headersComplete = false
  private var pending: [UInt8] = []
  private var bodyBytes = 0
  /// Why a callback stopped the transfer; libcurl only knows that one did.
  private(set) var refusal: HTTPError?
  private(set) var isPaused = false
  var isDirty = false

  init(
    id: TransferID, handle: EasyHandle, request: PreparedRequest, channel: TransferChannel,
    loop: TransferLoopThread
  ) {
    self.id = id
    self.handle = handle
    self.request = request
    self.channel = channel
    self.loop = loop
    deadlines = TransferDeadlines(request.timeouts, start: loop.now)
    headReader = ResponseHeadReader(limit: request.limits.headerBytes)
  }

  var host: String { request.url.authority }

  // MARK: From libcurl's callbacks

  /// - Returns: Whether to continue.
  func receive(headerLine: UnsafeRawBufferPointer) -> Bool {
    deadlines.received(at: loop.now)
    loop.deadlineMayBeSooner(deadlines.next)
    switch headReader.receive(line: headerLine) {
    case .reading:
      return true
    case .complete(let head):
      headersComplete = true
      unpublishedHead = head
      loop.markDirty(self)
      return true
    case .failed(let code, let detail):
      refusal = HTTPError(code, detail, host: host)
      return false
    }
  }

  enum Reaction { case proceed, pause, stop }

  func receive(body: UnsafeRawBufferPointer) -> Reaction {
    if isPaused { return .pause }
    deadlines.received(at: loop.now)
    guard body.count <= request.limits.bodyBytes - bodyBytes else {
      let limit = request.limits.bodyBytes
      refusal = HTTPError(
        .tooLarge(.bodyBytes), "the body is longer than \(limit) bytes", host: host)
      return .stop
    }
    bodyBytes += body.count
    pending.append(contentsOf: body)
    loop.markDirty(self)
    if pending.count >= Self.earlyPublishBytes { publish() }
    return .proceed
  }

  // MARK: From the loop

  func publish(ending: TransferChannel.Ending? = nil) {
    let head = unpublishedHead
    unpublishedHead = nil
    let mustPause = channel.publish(
      head: head, bytes: &pending, ending: ending, limit: request.limits.bufferedBytes)
    if mustPause, !isPaused {
      isPaused = true
      deadlines.paused()
    }
  }

  func resume() {
    guard isPaused else { return }
    isPaused = false
    deadlines.resumed(at: loop.now)
    loop.deadlineMayBeSooner(deadlines.next)
    handle.resume()
  }
}
