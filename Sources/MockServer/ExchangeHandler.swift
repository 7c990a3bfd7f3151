import HTTPStreaming
import NIOCore
import NIOHTTP1
import WireFormats

/// Reads whole requests on one connection, gets each answer and has it written.
final class ExchangeHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private enum State {
    case idle
    case reading(HTTPRequestHead, [UInt8])
    /// The request is too large: answers it and discards the rest.
    case refusing
    case answering
  }

  private let pace: ReplayPace
  private let answer: MockServer.Answer
  private var state = State.idle
  private var task: Task<Void, Never>?
  private var writer: DeliveryWriter?

  init(pace: ReplayPace, answer: @escaping MockServer.Answer) {
    self.pace = pace
    self.answer = answer
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): begin(head, context)
    case .body(let bytes): receive(bytes, context)
    case .end: end(context)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    task?.cancel()
    writer?.stop()
    task = nil
    writer = nil
    context.fireChannelInactive()
  }

  // Invalid HTTP has been answered with 400; nothing after it can be parsed.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    state = .reading(head, [])
    let announced = head.headers.first(name: "content-length").flatMap { Int($0) } ?? 0
    guard announced <= MockServer.requestBytes else { return refuse(context) }
    if head.headers.first(name: "expect")?.lowercased() == "100-continue" {
      let go = HTTPResponseHead(version: head.version, status: .continue)
      context.writeAndFlush(wrapOutboundOut(.head(go)), promise: nil)
    }
  }

  private func receive(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
    guard case .reading(let head, var body) = state else { return }
    // A second reference to the body would copy it with each piece.
    state = .idle
    body.append(contentsOf: bytes.readableBytesView)
    state = .reading(head, body)
    if body.count > MockServer.requestBytes { refuse(context) }
  }

  private func end(_ context: ChannelHandlerContext) {
    switch state {
    case .reading(let head, let body):
      state = .answering
      ask(MockRequest(head, body), head, context)
    case .refusing: context.close(promise: nil)
    case .idle, .answering: break
    }
  }

  /// Answers before the request has ended, reads the rest for a while, and closes.
  private func refuse(_ context: ChannelHandlerContext) {
    state = .refusing
    var head = HTTPResponseHead(version: .http1_1, status: .payloadTooLarge)
    let body = ByteBuffer(string: #"{"error":{"message":"The request is too large."}}"#)
    head.headers.add(name: "content-type", value: "application/json")
    head.headers.add(name: "content-length", value: "\(body.readableBytes)")
    head.headers.add(name: "connection", value: "close")
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    context.channel.close(after: .seconds(2))
  }

  private func ask(
    _ request: MockRequest, _ head: HTTPRequestHead, _ context: ChannelHandlerContext
  ) {
    let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
    let executor = LoopExecutor(context.eventLoop)
    task = Task(executorPreference: executor) { [answer] in
      let answer = await answer(request)
      guard !Task.isCancelled else { return }
      await executor.run { bound.value.handler.give(answer, to: head, bound.value.context) }
    }
  }

  private func give(
    _ answer: MockAnswer, to head: HTTPRequestHead, _ context: ChannelHandlerContext
  ) {
    guard context.channel.isActive else { return }
    task = nil
    let writer = DeliveryWriter(answer, to: head, pace: answer.pace ?? pace, context) {
      [weak self] in
      self?.writer = nil
      self?.state = .idle
    }
    self.writer = writer
    writer.begin()
  }
}

extension Channel {
  fileprivate func close(after time: TimeAmount) {
    let task = eventLoop.scheduleTask(in: time) { [weak self] in self?.close(promise: nil) }
    closeFuture.whenComplete { _ in task.cancel() }
  }
}

extension MockRequest {
  fileprivate init(_ head: HTTPRequestHead, _ body: [UInt8]) {
    var path = head.uri.prefix { $0 != "?" }
    // Clients of a proxy send the whole URL.
    if let scheme = path.firstRange(of: "://") {
      path = path[scheme.upperBound...].drop { $0 != "/" }
    }
    let query = head.uri.drop { $0 != "?" }.dropFirst()
    self.init(
      method: head.method.rawValue, path: String(path), query: String(query),
      headers: HTTPHeaders(head.headers.map { HTTPHeaders.Field(name: $0.name, value: $0.value) }),
      body: body)
  }
}

/// Runs tasks on a connection's thread, so that an answer needs no other thread.
private final class LoopExecutor: TaskExecutor {
  private let eventLoop: any EventLoop

  init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// The answer may have left the thread.
  func run(_ work: @escaping @Sendable () -> Void) async {
    if eventLoop.inEventLoop { work() } else { eventLoop.execute(work) }
  }
}
