import Glibc

/// Why the server cannot listen.
public struct MockServerError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: Hashable, Sendable {
    /// Other machines could reach it, which was not allowed.
    case beyondLoopback
    /// Another program listens on this port.
    case portInUse
    /// The system reserves this port.
    case portReserved
    /// The address does not exist, or is not this machine's.
    case noSuchAddress
    case cannotListen
  }

  public let code: Code
  public let description: String

  static func beyondLoopback(_ host: String) -> MockServerError {
    MockServerError(
      code: .beyondLoopback,
      description: "\(host) is reachable from other machines, and the mock has no access control. "
        + "Listen on 127.0.0.1, or allow it explicitly.")
  }

  static func noSuchAddress(_ host: String, _ port: Int, _ reason: String) -> MockServerError {
    MockServerError(
      code: .noSuchAddress, description: "I can't listen on \(host), port \(port): \(reason).")
  }

  /// - Parameter code: The system's `errno`.
  static func cannotListen(_ host: String, _ port: Int, errno code: Int32) -> MockServerError {
    switch code {
    case EADDRINUSE:
      MockServerError(
        code: .portInUse,
        description: "Port \(port) on \(host) is in use by another program. Stop that program, "
          + "or choose another port; port 0 picks a free one.")
    case EACCES:
      MockServerError(
        code: .portReserved,
        description: "Port \(port) is reserved by the system. Choose one from 1024 to 65535; "
          + "port 0 picks a free one.")
    case EADDRNOTAVAIL:
      noSuchAddress(host, port, "this machine has no such address")
    default:
      MockServerError(
        code: .cannotListen,
        description: "I can't listen on \(host), port \(port): "
          + "\(String(cString: strerror(code))).")
    }
  }
}
