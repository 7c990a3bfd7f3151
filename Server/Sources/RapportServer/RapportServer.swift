import HTTPTypes
import Hummingbird
public import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

/// How the server listens and behaves. The models come from the ``CoachDesk``.
public struct ServerOptions: Sendable {
  public var host: String
  /// 0 lets the system choose.
  public var port: Int
  /// Further names that the `Host` header may hold, without a port.
  public var allowedHosts: [String]
  /// How long replies may take after a signal to stop.
  public var grace: Duration
  /// How often a quiet stream gets a sign of life.
  public var keepAlive: Duration

  public init(
    host: String = "127.0.0.1", port: Int = 8080, allowedHosts: [String] = [],
    grace: Duration = .seconds(10), keepAlive: Duration = .seconds(15)
  ) {
    self.host = host
    self.port = port
    self.allowedHosts = allowedHosts
    self.grace = grace
    self.keepAlive = keepAlive
  }

  /// Whether only this machine can reach the host.
  public var isLoopback: Bool { Self.isLoopback(host) }

  static func isLoopback(_ host: String) -> Bool {
    if ["localhost", "::1"].contains(host.lowercased()) { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}

/// The coach behind HTTP.
///
/// It's one more consumer of the engine's outputs, and decides nothing about a conversation.
public struct RapportServer: Sendable {
  private let options: ServerOptions
  private let desk: CoachDesk
  private let logger: Logger

  /// The server can't be started as asked.
  public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
  }

  /// - Throws: ``Refusal`` if others could reach the server without authentication.
  public init(_ options: ServerOptions, desk: CoachDesk, logger: Logger) throws(Refusal) {
    guard options.isLoopback else {
      throw Refusal(
        description:
          "--host \(options.host) lets other machines connect, and no authentication is set up. Listen "
          + "on 127.0.0.1, or set up authentication first.")
    }
    self.options = options
    self.desk = desk
    self.logger = logger
  }

  /// Serves until the process gets SIGTERM or SIGINT.
  ///
  /// - Parameter ready: Receives the address as soon as the server listens.
  /// - Throws: The system's error if the address can't be used.
  public func run(ready: @escaping @Sendable (String) -> Void) async throws {
    try await run(until: [.sigterm, .sigint], ready: ready)
  }

  func run(
    until signals: [UnixSignal], ready: @escaping @Sendable (String) -> Void
  ) async throws {
    let conversations = Conversations(desk, logger: logger)
    let application = Application(
      router: router(conversations),
      server: .http1(configuration: .init(idleTimeout: .seconds(75))),
      configuration: .init(
        address: .hostname(options.host, port: options.port), serverName: nil, backlog: 1_024),
      onServerRunning: { [options] channel in
        ready(options.address(port: channel.localAddress?.port ?? options.port))
      },
      logger: logger)
    // Services stop in reverse order: replies first, then the connections that carried them.
    try await ServiceGroup(
      configuration: .init(
        services: [application, Housekeeping(conversations: conversations, options: options)],
        gracefulShutdownSignals: signals, logger: logger)
    ).run()
  }

  private func router(_ conversations: Conversations) -> Router<AppContext> {
    let router = Router(context: AppContext.self)
    router.middlewares.add(RequestLogging())
    router.middlewares.add(SecurityHeaders())
    router.middlewares.add(ProblemShaping())
    router.middlewares.add(HostCheck(hosts: options.hosts))
    StatusRoutes(desk: desk).add(to: router)
    ChatRoutes(conversations: conversations).add(to: router)
    PageRoutes().add(to: router)
    return router
  }
}

extension ServerOptions {
  /// What the `Host` header may hold.
  fileprivate var hosts: Set<String> {
    Set(
      (allowedHosts + [host] + (isLoopback ? ["localhost", "127.0.0.1", "::1"] : []))
        .map { $0.lowercased() })
  }

  fileprivate func address(port: Int) -> String {
    "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }
}

/// Keeps quiet streams open, and ends replies before the server stops.
private struct Housekeeping: Service {
  let conversations: Conversations
  let options: ServerOptions

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while (try? await Task.sleep(for: options.keepAlive)) != nil { conversations.tick() }
    }
    await conversations.stop(within: options.grace)
  }
}
