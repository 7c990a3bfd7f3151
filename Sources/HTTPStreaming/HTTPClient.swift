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

/// What a write to a pipe or connection that nobody reads any more does.
public enum BrokenPipes {
  /// Makes such a write fail with an error instead of ending the process with SIGPIPE.
  ///
  /// Call it once when the program starts. The client itself does not depend on it: its thread
  /// blocks the signal.
  public static func ignore() {
    signal(SIGPIPE, SIG_IGN)
  }
}
