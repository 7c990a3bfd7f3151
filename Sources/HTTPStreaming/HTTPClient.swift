internal import CCurl
import Synchronization

/// Sends HTTP requests over libcurl and delivers their bodies as they arrive.
///
/// A client's transfers share its threads, usually one, which start with the first request. Connections
/// are reused, and HTTP/2 is used if TLS negotiates it. Redirects are never followed, certificates
/// are always verified, and cookies, `.netrc` and compression are off. Proxies from the environment
/// (`https_proxy`, `no_proxy`…) are used, except for this machine.
public final class HTTPClient: Sendable {
  /// Settings that all requests of a client share.
  public struct Configuration: Hashable, Sendable {
    /// A PEM file of certificate authorities to use instead of the system's; nil uses the system's.
    public var certificateFile: String?
    /// The most connections to one host; further requests wait.
    public var maximumConnectionsPerHost: Int
    /// The number of idle connections to keep.
    public var keptConnections: Int
    /// The threads that share the transfers, no more than connections. Each keeps its own connections, so
    /// a program with few transfers needs one.
    public var threads: Int
    /// The bytes of a response that are received at once, 1,024 or more. Every transfer holds as many.
    public var receiveBuffer: Int

    public init(
      certificateFile: String? = nil, maximumConnectionsPerHost: Int = 128,
      keptConnections: Int = 128, threads: Int = 1, receiveBuffer: Int = 8 << 10
    ) {
      self.certificateFile = certificateFile
      self.maximumConnectionsPerHost = maximumConnectionsPerHost
      self.keptConnections = keptConnections
      self.threads = max(1, min(threads, maximumConnectionsPerHost))
      self.receiveBuffer = max(1 << 10, receiveBuffer)
    }

    /// What one of the threads may have.
    fileprivate var share: Configuration {
      var share = self
      share.maximumConnectionsPerHost = maximumConnectionsPerHost / threads
      share.keptConnections = max(1, keptConnections / threads)
      return share
    }
  }

  private let loops: [TransferLoop]
  private let turn = Atomic<UInt>(0)
  private let urls = CheckedURLs()

  /// Opens nothing yet.
  public init(configuration: Configuration = Configuration()) {
    loops = (0..<configuration.threads).map { _ in
      TransferLoop(configuration: configuration.share)
    }
  }

  deinit { for loop in loops { loop.post(.finish) } }

  /// Starts the threads now instead of with the first request. They take the calling thread's priority.
  public func startThreads() { for loop in loops { loop.start() } }

  /// Sends a request and returns once the response's headers have arrived.
  ///
  /// Every status is a response, not an error. Transfers in progress finish even if the client is
  /// released.
  ///
  /// - Throws: ``HTTPError``; for ``HTTPError/Code/refusedURL`` and
  ///   ``HTTPError/Code/refusedHeader`` nothing was sent.
  public func send(_ request: consuming HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let loop = loops.count > 1 ? loops.first(where: \.isCurrent) : nil
    let reader = try TransferReader(starting: PreparedRequest(request, urls), on: loop ?? nextLoop)
    let head = try await reader.head(isolation: #isolation).get()
    return HTTPResponse(
      status: head.status, headers: head.headers, body: HTTPBody(reader: reader))
  }

  /// libcurl's version at run time, such as `libcurl/8.5.0`.
  public static var libraryVersion: String {
    // Not curl_version(), which queries every library it was built with; LDAP would load SASL's
    // plugins to answer.
    guard let information = curl_version_info(CURLVERSION_FIRST) else { return "libcurl" }
    return "libcurl/" + String(cString: information.pointee.version)
  }
}

extension HTTPClient {
  /// Runs tasks on a network thread, so that data reaches its reader without waking a second thread. The
  /// threads take turns.
  ///
  /// Under `withTaskExecutorPreference(client.networkThread) { … }` a request goes out on that thread, and a
  /// chunk goes from the socket straight to the code that reads it, which saves a thread switch per chunk.
  /// Use it if the program does little between chunks, such as printing them: anything slow or blocking
  /// there holds up all of the thread's transfers.
  public var networkThread: any TaskExecutor { NetworkThread(of: self, loop: nextLoop) }

  private var nextLoop: TransferLoop {
    guard loops.count > 1 else { return loops[0] }
    return loops[Int(turn.wrappingAdd(1, ordering: .relaxed).oldValue % UInt(loops.count))]
  }
}

/// One of a client's threads. The client's threads do not end while a task has it.
private final class NetworkThread: TaskExecutor {
  private let client: HTTPClient
  private let loop: TransferLoop

  init(of client: HTTPClient, loop: TransferLoop) {
    (self.client, self.loop) = (client, loop)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    loop.post(.init(job: UnownedJob(job), executor: asUnownedTaskExecutor()))
  }
}
