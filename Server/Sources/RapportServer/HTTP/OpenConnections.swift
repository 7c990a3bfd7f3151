import NIOCore
import Synchronization

/// The connections that are open, so that none of them outlasts the server.
final class OpenConnections: Sendable {
  private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

  fileprivate func add(_ channel: any Channel) {
    channels.withLock { $0[ObjectIdentifier(channel)] = channel }
  }

  fileprivate func remove(_ channel: any Channel) {
    channels.withLock { $0[ObjectIdentifier(channel)] = nil }
  }

  func close() {
    for channel in channels.withLock({ Array($0.values) }) { channel.close(promise: nil) }
  }
}

/// Tells of a connection as long as it is open.
final class ConnectionWatch: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = Any

  private let connections: OpenConnections

  init(_ connections: OpenConnections) { self.connections = connections }

  func handlerAdded(context: ChannelHandlerContext) { connections.add(context.channel) }

  func handlerRemoved(context: ChannelHandlerContext) { connections.remove(context.channel) }
}
