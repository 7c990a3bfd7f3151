internal import CCurl
import Glibc

/// Sends HTTP requests over libcurl and hands out their bodies as they arrive.
///
/// All transfers of a client share one thread, which starts with the first request. Connections
/// are kept and reused, and HTTP/2 is used where TLS negotiates it. Redirects are never followed,
/// certificates are always verified, and no cookie, `.netrc` or compression is used. Proxies
/// named by the environment (`https_proxy`, `no_proxy`…) are, except to this machine.
public final class HTTPClient: Sendable {
  /// What all requests of a client share.
  public struct Configuration: Hashable, Sendable {
    /// A PEM file of certificate authorities that replaces the system's. Nil: the system's.
    public var certificateFile: String?
    /// Connections to one host at a time; more requests wait for a free one.
    public var maximumConnectionsPerHost: Int
    /// Idle connections kept for the next requests.
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

  /// Sends a request and returns once the response's headers are there.
  ///
  /// Every status is a response, not an error. Transfers that run when the client goes are
  /// finished.
  ///
  /// - Throws: ``HTTPError``; with ``HTTPError/Code/refusedURL`` or
  ///   ``HTTPError/Code/refusedHeader`` nothing was sent.
  public func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let reader = try TransferReader(starting: PreparedRequest(request), on: loop)
    let head = try await reader.head(isolation: #isolation).get()
    return HTTPResponse(
      status: head.status, headers: head.headers, body: HTTPBody(reader: reader))
  }

  /// libcurl's version at run time, such as `libcurl/8.5.0`.
  public static var libraryVersion: String {
    // Not curl_version(): that one asks every library it was built with, and LDAP loads SASL's
    // plugins to answer.
    guard let information = curl_version_info(CURLVERSION_FIRST) else { return "libcurl" }
    return "libcurl/" + String(cString: information.pointee.version)
  }
}

/// Runs tasks on the network thread, so that what arrives reaches its reader without waking a
/// second thread.
///
/// Under `withTaskExecutorPreference(client) { … }` a chunk goes from the socket to the code that
/// reads it in one go; that saves a thread switch for each. It suits a program that does little
/// between chunks, such as one that prints them: whatever takes long or blocks there holds up all
/// transfers of the client.
extension HTTPClient: TaskExecutor {
  public func enqueue(_ job: consuming ExecutorJob) {
    loop.post(.init(job: UnownedJob(job), executor: asUnownedTaskExecutor()))
  }
}
