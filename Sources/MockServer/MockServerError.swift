/// Why the server can't listen.
public struct MockServerError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: Hashable, Sendable {
    /// Other machines could reach it, which was not allowed.
    case beyondLoopback
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

  static func cannotListen(_ host: String, _ port: Int, _ reason: String) -> MockServerError {
    MockServerError(
      code: .cannotListen, description: "I can't listen on \(host), port \(port): \(reason)")
  }
}
