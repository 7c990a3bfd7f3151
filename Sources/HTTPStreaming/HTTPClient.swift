internal import CCurl
import Glibc

/// Sends HTTP requests over libcurl and delivers their bodies as they arrive.
///
/// All of a client's transfers share one thread, which starts with the first request. Connections
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

    public init(
      certificateFile: String? = nil, maximumConnectionsPerHost: Int = 128,
      keptConnections: Int = 128
    ) {
      self.certificateFile = certificateFile
      self.maximumConnectionsPerHost = maximumConnectionsPerHost
      self.keptConnections = keptConnections
    }
  }

  private let loop: TransferLoop

  /// Opens nothing yet.
  public init(configuration: Configuration = Configuration()) {
    loop = TransferLoop(configuration: configuration)
  }

  deinit { loop.post(.finish) }

  /// Sends a request and returns once the response's headers have arrived.
  ///
  /// Every status is a response, not an error. Transfers in progress finish even if the client is
  /// released.
  ///
  /// - Throws: ``HTTPError``; for ``HTTPError/Code/refusedURL`` and
  ///   ``HTTPError/Code/refusedHeader`` nothing was sent.
  public func send(_ request: consuming HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let reader = try TransferReader(starting: PreparedRequest(request), on: loop)
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

/// Runs tasks on the network thread, so that data reaches its reader without waking a second
/// thread.
///
/// Under `withTaskExecutorPreference(client) { … }` a chunk goes from the socket straight to the
/// code that reads it, which saves a thread switch per chunk. Use it if the program does little
/// between chunks, such as printing them: anything slow or blocking there holds up all of the
/// client's transfers.
extension HTTPClient: TaskExecutor {
  public func enqueue(_ job: consuming ExecutorJob) {
    loop.post(.init(job: UnownedJob(job), executor: asUnownedTaskExecutor()))
  }
}
