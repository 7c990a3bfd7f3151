import Glibc
import HTTPStreaming
import NIOCore
import NIOHTTP1
import WireFormats

/// Writes one answer. Belongs to the connection's event loop.
final class DeliveryWriter {
  typealias Part = HTTPServerResponsePart

  private let answer: MockAnswer
  private let head: HTTPRequestHead
  private let pace: ReplayPace
  private let context: ChannelHandlerContext
  private let onEnd: () -> Void

  private var start = NIODeadline.now()
  private var next = 0
  private var scheduled: Scheduled<Void>?
  private var task: Task<Void, Never>?
  private var isStopped = false

  /// - Parameter onEnd: The connection is free for another request.
  init(
    _ answer: MockAnswer, to head: HTTPRequestHead, pace: ReplayPace,
    _ context: ChannelHandlerContext, onEnd: @escaping () -> Void
  ) {
    self.answer = answer
    self.head = head
    self.pace = pace
    self.context = context
    self.onEnd = onEnd
  }

  func begin() {
    start = .now()
    switch answer.content {
    case .delivery(let delivery): begin(delivery)
    case .stream(let status, let headers, let body):
      writeHead(status, headers, length: nil)
      context.flush()
      pass(body)
    }
  }

  /// The client has disconnected.
  func stop() {
    isStopped = true
    scheduled?.cancel()
    task?.cancel()
  }

  private func begin(_ delivery: Delivery) {
    guard !delivery.isSilent else { return end(delivery.ending) }
    let isWhole = delivery.ending == .whole
    let isOneDocument = isWhole && delivery.parts.count < 2 && !delivery.keepsParts
    writeHead(
      delivery.status, delivery.headers, length: isOneDocument ? delivery.byteCount : nil)
    guard head.method != .HEAD else { return end(.whole) }
    guard pace == .none, !delivery.keepsParts else {
      if pace != .none { context.flush() }
      return proceed(delivery)
    }
    answer.onWrite(delivery.parts.count)
    write(delivery.parts)
    end(delivery.ending)
  }

  /// Waits until the next part is due, writes it, and continues.
  private func proceed(_ delivery: Delivery) {
    guard next < delivery.parts.count else { return end(delivery.ending) }
    let part = delivery.parts[next]
    let delay = pace.delay(milliseconds: part.at).map { TimeAmount($0) } ?? .zero
    // Even without a wait, each part is a separate write.
    scheduled = context.eventLoop.assumeIsolated().scheduleTask(deadline: start + delay) {
      [weak self] in
      guard let self, !isStopped else { return }
      next += 1
      answer.onWrite(next)
      write([part])
      context.flush()
      proceed(delivery)
    }
  }

  private func write(_ parts: [Delivery.Part]) {
    var buffer = context.channel.allocator.buffer(
      capacity: parts.reduce(0) { $0 + $1.bytes.count })
    for part in parts { buffer.writeBytes(part.bytes) }
    guard buffer.readableBytes > 0 else { return }
    send(.body(.byteBuffer(buffer)))
  }

  /// Forwards a body from elsewhere, no faster than the client reads it.
  private func pass(_ body: HTTPBody) {
    let isHead = head.method == .HEAD
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    let eventLoop = context.eventLoop
    task = Task {
      var ending = RecordedResponse.Ending.whole
      do {
        for try await chunk in body where !isHead {
          try await eventLoop.flatSubmit { bound.value.written(chunk) }.get()
        }
      } catch {
        ending = .cut
      }
      eventLoop.execute { [ending] in bound.value.end(ending) }
    }
  }

  private func written(_ chunk: [UInt8]) -> EventLoopFuture<Void> {
    guard !isStopped else {
      return context.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
    }
    let promise = context.eventLoop.makePromise(of: Void.self)
    context.writeAndFlush(
      NIOAny(Part.body(.byteBuffer(ByteBuffer(bytes: chunk)))), promise: promise)
    return promise.futureResult
  }

  private func end(_ ending: RecordedResponse.Ending) {
    guard !isStopped else { return }
    switch ending {
    case .held: context.flush()
    case .whole:
      // The next request may arrive while the end is being written.
      if isKept { onEnd() }
      let written = flushed(.end(nil))
      if !isKept { close(after: written) }
    case .cut: close(after: flushed(.body(.byteBuffer(ByteBuffer()))))
    case .reset:
      flushed(.body(.byteBuffer(ByteBuffer()))).assumeIsolated().whenComplete { _ in self.reset() }
    }
  }

  private func close(after written: EventLoopFuture<Void>) {
    written.assumeIsolated().whenComplete { [context] _ in context.close(promise: nil) }
  }

  /// Closes so that the peer sees a broken connection instead of a finished one.
  private func reset() {
    guard let options = context.channel as? any SocketOptionProvider else {
      return context.close(promise: nil)
    }
    options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).assumeIsolated()
      .whenComplete { [context] _ in context.close(promise: nil) }
  }

  private func flushed(_ part: Part) -> EventLoopFuture<Void> {
    let promise = context.eventLoop.makePromise(of: Void.self)
    context.writeAndFlush(NIOAny(part), promise: promise)
    return promise.futureResult
  }

  private func send(_ part: Part) { context.write(NIOAny(part), promise: nil) }
}

extension DeliveryWriter {
  /// Whether the connection outlives this answer. In HTTP/1.0 only closing it ends a body.
  private var isKept: Bool { head.isKeepAlive && head.version == .http1_1 }

  /// Headers that the connection itself decides, whatever was recorded.
  private static let framing = ["content-length", "transfer-encoding", "connection", "keep-alive"]

  /// - Parameter length: Nil if the body is chunked.
  private func writeHead(_ status: Int, _ headers: HTTPStreaming.HTTPHeaders, length: Int?) {
    var fields = NIOHTTP1.HTTPHeaders()
    fields.reserveCapacity(headers.fields.count + 2)
    for header in headers.fields where !Self.framing.contains(header.name.lowercased()) {
      fields.add(name: header.name, value: header.value)
    }
    if let length { fields.add(name: "content-length", value: "\(length)") }
    if !isKept { fields.add(name: "connection", value: "close") }
    send(
      .head(
        HTTPResponseHead(
          version: head.version, status: HTTPResponseStatus(statusCode: status), headers: fields)))
  }
}
