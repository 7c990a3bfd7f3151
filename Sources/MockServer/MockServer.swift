import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
public import WireFormats

/// An HTTP/1.1 server that follows each `Delivery` byte for byte.
///
/// It listens only on this machine by default. A connection serves many requests, one after
/// another.
public final class MockServer: Sendable {
  /// Decides what to do with a request. Runs on the connection's thread, so slow work there holds
  /// up other requests.
  public typealias Answer = @Sendable (MockRequest) async -> MockAnswer

  /// The largest request body, in bytes.
  public static let requestBytes = 32 << 20

  public let port: Int
  private let host: String
  private let listener: any Channel
  private let connections: Connections

  /// Starts listening.
  ///
  /// - Parameters:
  ///   - port: 0 lets the kernel choose.
  ///   - pace: The pace of answers that do not set their own.
  ///   - allowsBeyondLoopback: Lets other machines connect.
  /// - Throws: ``MockServerError``.
  public init(
    host: String = "127.0.0.1", port: Int = 0, pace: ReplayPace = .none,
    allowsBeyondLoopback: Bool = false, answer: @escaping Answer
  ) async throws {
    let address = try Self.resolve(host, port)
    guard allowsBeyondLoopback || address.isLoopback else {
      throw MockServerError.beyondLoopback(host)
    }
    let connections = Connections()
    do {
      listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelOption(.backlog, value: 1024)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            connections.add(channel)
            let pipeline = channel.pipeline.syncOperations
            try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
            try pipeline.addHandler(ExchangeHandler(pace: pace, answer: answer))
          }
        }
        .bind(to: address).get()
    } catch let error as IOError {
      throw MockServerError.cannotListen(host, port, errno: error.errnoCode)
    }
    self.connections = connections
    self.host = host
    self.port = listener.localAddress?.port ?? port
  }

  deinit { stop() }

  /// `http://HOST:PORT/v1`, which both vendors' clients accept.
  public var baseURL: String {
    "http://\(host.contains(":") ? "[\(host)]" : host):\(port)/v1"
  }

  /// Starts to stop, without waiting.
  public func stop() {
    listener.close(promise: nil)
    connections.close()
  }

  /// Stops listening and closes every connection.
  public func shutdown() async {
    try? await listener.close().get()
    for closed in connections.close() { try? await closed.get() }
  }

  private static func resolve(_ host: String, _ port: Int) throws -> SocketAddress {
    guard !host.isEmpty, (0...65_535).contains(port) else {
      throw MockServerError.noSuchAddress(host, port, "the address doesn't exist")
    }
    do { return try SocketAddress.makeAddressResolvingHost(host, port: port) } catch {
      throw MockServerError.noSuchAddress(host, port, "the host name can't be resolved")
    }
  }
}

extension SocketAddress {
  /// Whether only this machine can reach it.
  fileprivate var isLoopback: Bool {
    ipAddress.map { $0 == "::1" || $0.hasPrefix("127.") || $0.hasPrefix("::ffff:127.") } ?? false
  }
}

/// The open connections, to be closed at the end.
final class Connections: Sendable {
  private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

  func add(_ channel: any Channel) {
    let key = ObjectIdentifier(channel)
    channels.withLock { $0[key] = channel }
    channel.closeFuture.whenComplete { [weak self] _ in
      self?.channels.withLock { _ = $0.removeValue(forKey: key) }
    }
  }

  @discardableResult
  func close() -> [EventLoopFuture<Void>] {
    let open = channels.withLock { Array($0.values) }
    return open.map { channel in
      channel.close(promise: nil)
      return channel.closeFuture
    }
  }
}
