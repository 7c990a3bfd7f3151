import FoundationEssentials
import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
public import Logging
import NIOCore
import ServiceLifecycle
import SessionStore
import Synchronization
import UnixSignals

/// How the server listens and behaves. The models come from the ``CoachDesk``.
public struct ServerOptions: Sendable {
  public var host: String
  /// 0 lets the system choose.
  public var port: Int
  /// Further names that the `Host` header may hold, without a port.
  public var allowedHosts: [String]
  /// Addresses of reverse proxies, which say where a request came from.
  public var trustedProxies: Set<String> = []
  /// How long replies may take after a signal to stop.
  public var grace: Duration
  /// How often a quiet stream gets a sign of life.
  public var keepAlive: Duration
  /// Origins of other pages that may use the server, such as `https://app.example.com`.
  public var allowedOrigins: [String] = []
  public var authentication = Authentication()
  public var limits = LimitOptions()
  /// What RevenueCat's webhook sends as its authorization header; nil without RevenueCat.
  public var webhookSecret: String?
  /// How long a reader may take nothing before it is let go.
  public var readerPatience = Duration.seconds(30)
  /// How long the headers of a request may take, and everything after them.
  public var headerTime = Duration.seconds(15)
  public var bodyTime = Duration.seconds(60)
  /// Time as the limits and the patience with readers see it.
  var clock: @Sendable () -> ContinuousClock.Instant = { .now }
  /// The largest health export that is accepted, in bytes.
  var largestUpload = HealthRoutes.mostBytes
  /// Connections at once; more wait.
  public var connections = 10_000

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
/// It is one more consumer of the engine's outputs, and decides nothing about a conversation.
public struct RapportServer: Sendable {
  /// How many threads should share the requests to the models.
  public static var networkThreads: Int { min(System.coreCount, 8) }
  /// How many threads should share the connections of clients. The other cores are busy with what is sent.
  public static var connectionThreads: Int { max(1, System.coreCount / 2) }

  private let options: ServerOptions
  private let desk: CoachDesk
  private let logger: Logger

  /// The server cannot be started as asked.
  public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
  }

  /// The address cannot be listened on.
  public struct CannotListen: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    init(host: String, port: Int, errno code: Int32) {
      description =
        switch code {
        case EADDRINUSE:
          "Port \(port) on \(host) is in use by another program. Stop that program, or choose another "
            + "port; --port 0 picks a free one."
        case EACCES:
          "Port \(port) is reserved by the system. Choose one from 1024 to 65535; --port 0 picks a "
            + "free one."
        default: "I can't listen on \(host), port \(port): \(String(cString: strerror(code)))."
        }
    }
  }

  /// - Throws: ``Refusal`` if others could reach the server without authentication.
  public init(_ options: ServerOptions, desk: CoachDesk, logger: Logger) throws(Refusal) {
    guard options.isLoopback || options.authentication.isConfigured else {
      throw Refusal(
        description:
          "--host \(options.host) lets other machines connect, and nobody would have to sign in. "
          + "Listen on 127.0.0.1, or set up --supabase, --issuer or --device-tokens.")
    }
    self.options = options
    self.desk = desk
    self.logger = logger
  }

  /// Serves until the process gets SIGTERM or SIGINT.
  ///
  /// - Parameter ready: Receives the address as soon as the server listens.
  /// - Throws: ``CannotListen`` if the address cannot be used.
  public func run(ready: @escaping @Sendable (String) -> Void) async throws {
    try await run(until: [.sigterm, .sigint], ready: ready)
  }

  func run(
    until signals: [UnixSignal], ready: @escaping @Sendable (String) -> Void
  ) async throws {
    let parts = parts(PrometheusMetrics())
    let tidying = Tidying(desk: desk, logger: logger)
    let connections = OpenConnections()
    await tidying.tidyIfDue()
    let application = Application(
      router: router(parts),
      server: .http1(
        configuration: .init(
          additionalChannelHandlers: [
            RequestDeadline(options.patience), ConnectionWatch(connections),
          ],
          idleTimeout: .seconds(75),
          httpDecoderConfiguration: .init(
            maxHeaderFieldSize: 16 * 1024, maxHeaderListSize: 32 * 1024,
            maxHeaderFieldCount: 100))),
      configuration: .init(
        address: .hostname(options.host, port: options.port), serverName: nil, backlog: 1_024,
        availableConnectionsDelegate: MaximumAvailableConnections(options.connections)),
      onServerRunning: { [options] channel in
        ready(options.address(port: channel.localAddress?.port ?? options.port))
      },
      logger: logger)
    do {
      try await serve(application, parts, tidying, connections, until: signals)
    } catch let error as IOError {
      throw CannotListen(host: options.host, port: options.port, errno: error.errnoCode)
    }
  }

  private func serve(
    _ application: some Service, _ parts: Parts, _ tidying: Tidying,
    _ connections: OpenConnections, until signals: [UnixSignal]
  ) async throws {
    // Services stop in reverse order: replies first, then the connections that carried them.
    try await ServiceGroup(
      configuration: .init(
        services: [
          application,
          Housekeeping(
            conversations: parts.conversations, journeys: parts.journeys, readers: parts.readers,
            connections: connections, limits: parts.limits, tidying: tidying,
            accounts: desk.accounts, options: options),
        ],
        gracefulShutdownSignals: signals, logger: logger)
    ).run()
  }

  /// Every operation that is served, for comparing it with the description.
  var routes: [(method: String, path: String)] {
    let registry = PrometheusMetrics()
    return router(parts(registry)).routes.map { ($0.method.rawValue, $0.path.description) }
  }

  private func parts(_ registry: PrometheusMetrics) -> Parts {
    let metrics = ServerMetrics(registry, faults: Faults(clock: options.clock))
    let limits = Limits(options.limits, clock: options.clock)
    let conversations = Conversations(desk, limits: limits, metrics: metrics, logger: logger)
    return Parts(
      conversations: conversations, journeys: JourneyDesk(conversations: conversations),
      readers: OpenReaders(options.limits, metrics: metrics, clock: options.clock),
      limits: limits, metrics: metrics, registry: registry)
  }

  private struct Parts {
    let conversations: Conversations
    let journeys: JourneyDesk
    let readers: OpenReaders
    let limits: Limits
    let metrics: ServerMetrics
    let registry: PrometheusMetrics
  }

  private func router(_ parts: Parts) -> Router<AppContext> {
    let router = Router(context: AppContext.self, options: .autoGenerateHeadEndpoints)
    router.middlewares.add(RequestLogging(metrics: parts.metrics))
    router.middlewares.add(SecurityHeaders())
    let problems = ProblemShaping(metrics: parts.metrics)
    router.middlewares.add(problems)
    router.middlewares.add(HostCheck(hosts: options.hosts))
    router.middlewares.add(
      OriginCheck(
        origins: Set(options.allowedOrigins.map { $0.lowercased() }), problems: problems))
    let verifier = TokenVerifier(authentication: options.authentication, now: desk.now)
    let operation = OperationRoutes(
      conversations: parts.conversations, metrics: parts.registry, faults: parts.metrics.faults)

    // What anybody may ask.
    operation.addOpen(to: router)
    StatusRoutes(desk: desk, authentication: options.authentication).addOpen(to: router)
    PageRoutes().add(to: router)
    OpenAPIRoutes().addOpen(to: router)
    if let secret = options.webhookSecret {
      RevenueCatRoutes(secret: secret, store: desk.store, now: desk.now).add(to: router)
    }

    // What a person may ask about themselves.
    let own = router.group()
      .add(
        middleware: AccessMiddleware(
          verifier: verifier, store: desk.store,
          proxies: TrustedProxies(addresses: options.trustedProxies),
          tokens: options.authentication.deviceKey.map { DeviceTokens(key: $0, now: desk.now) },
          isSecure: !options.isLoopback))
    ChatRoutes(conversations: parts.conversations, readers: parts.readers).add(to: own)
    ConversationRoutes(conversations: parts.conversations).add(to: own)
    CoachingRoutes(conversations: parts.conversations).add(to: own)
    JourneyRoutes(journeys: parts.journeys, readers: parts.readers).add(to: own)
    RecordingRoutes(desk: desk).add(to: own)
    PersonRoutes(desk: desk, conversations: parts.conversations).add(to: own)
    AccountRoutes(accounts: desk.accounts).add(to: own)
    HealthRoutes(desk: desk, limits: parts.limits, largestUpload: options.largestUpload)
      .add(to: own)
    AgentRoutes(conversations: parts.conversations, readers: parts.readers).add(to: own)
    CompletionRoutes(conversations: parts.conversations, readers: parts.readers).add(to: own)
    operation.add(to: own)
    if let key = options.authentication.deviceKey {
      let tokens = TokenRoutes(
        tokens: DeviceTokens(key: key, now: desk.now), verifier: verifier, store: desk.store,
        accounts: desk.accounts, limits: parts.limits,
        proxies: TrustedProxies(addresses: options.trustedProxies),
        isSecure: !options.isLoopback)
      tokens.addOpen(to: router)
      tokens.add(to: own)
    }
    return router
  }
}

extension ServerOptions {
  /// What the `Host` header may hold. No name server can give this machine's own names to a page
  /// elsewhere, so they are always among them, for health checks.
  fileprivate var hosts: Set<String> {
    Set((allowedHosts + [host, "localhost", "127.0.0.1", "::1"]).map { $0.lowercased() })
  }

  fileprivate func address(port: Int) -> String {
    "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }
}

extension ServerOptions {
  fileprivate var patience: RequestDeadline.Patience {
    .init(
      headers: .nanoseconds(headerTime.nanoseconds), body: .nanoseconds(bodyTime.nanoseconds),
      upload: .minutes(15), uploadPaths: [HealthRoutes.exportPath])
  }
}

extension Duration {
  fileprivate var nanoseconds: Int64 { Int64(self / .nanoseconds(1)) }
}

/// Removes conversations in which nothing was said for a day: at the start, then once an hour.
private final class Tidying: Sendable {
  private static let interval: TimeInterval = 3_600

  private let desk: CoachDesk
  private let logger: Logger
  private let due = Mutex(Date.distantPast)

  init(desk: CoachDesk, logger: Logger) { (self.desk, self.logger) = (desk, logger) }

  func tidyIfDue() async {
    let now = desk.now()
    let isDue = due.withLock { due in
      guard due <= now else { return false }
      due = now + Self.interval
      return true
    }
    guard isDue else { return }
    do throws(StoreError) {
      try await desk.store.tidy(at: now, keeping: nil)
    } catch {
      logger.warning("Couldn't remove unused conversations", metadata: ["error": "\(error)"])
    }
  }
}

/// Keeps quiet streams open, and ends replies before the server stops.
private struct Housekeeping: Service {
  let conversations: Conversations
  let journeys: JourneyDesk
  let readers: OpenReaders
  let connections: OpenConnections
  let limits: Limits
  let tidying: Tidying
  let accounts: AccountDesk?
  let options: ServerOptions

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await accounts?.tick()
      // A heartbeat for proxies, in real time. A reader is woken if it got nothing between two beats, so two of
      // them must fit into the longest silence. The sleep fails, and the loop ends, when the server stops.
      var isHalfTime = false
      while (try? await Task.sleep(for: options.keepAlive / 2)) != nil {
        conversations.beat()
        isHalfTime.toggle()
        if isHalfTime { continue }
        await conversations.tick()
        journeys.tick()
        limits.tick()
        readers.dismiss(stalledFor: options.readerPatience)
        await tidying.tidyIfDue()
        await accounts?.tick()
      }
    }
    await conversations.stop(within: options.grace)
    await accounts?.stop(within: options.grace)
    // The server waits for its connections, and a client that takes nothing would never let it stop. Whoever
    // still reads gets a second for the last words; if everybody is done before, the process has ended.
    Task { [connections] in
      try? await Task.sleep(for: .seconds(1))
      connections.close()
    }
  }
}
