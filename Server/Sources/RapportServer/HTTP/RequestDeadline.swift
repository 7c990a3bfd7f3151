import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes a connection whose request does not arrive in time, however it trickles in.
final class RequestDeadline: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart

  /// For the first byte to the end of the headers, and for everything after the headers.
  struct Patience: Sendable {
    var headers: TimeAmount
    var body: TimeAmount
    /// For paths that take large files.
    var upload: TimeAmount
    var uploadPaths: Set<String>
  }

  private let patience: Patience
  private var scheduled: Scheduled<Void>?

  init(_ patience: Patience) { self.patience = patience }

  func handlerAdded(context: ChannelHandlerContext) {
    // Otherwise the system lets what nobody reads grow to megabytes for each connection.
    _ = context.channel.setOption(.socketOption(.so_sndbuf), value: 64 * 1024)
    if context.channel.isActive { schedule(patience.headers, context) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { scheduled?.cancel() }

  func channelActive(context: ChannelHandlerContext) {
    schedule(patience.headers, context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    scheduled?.cancel()
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      let path = head.path?.prefix { $0 != "?" } ?? ""
      let isUpload = patience.uploadPaths.contains(String(path))
      schedule(isUpload ? patience.upload : patience.body, context)
    case .body: break
    case .end: scheduled?.cancel()
    }
    context.fireChannelRead(data)
  }

  private func schedule(_ time: TimeAmount, _ context: ChannelHandlerContext) {
    scheduled?.cancel()
    let channel = context.channel
    scheduled = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
  }
}
