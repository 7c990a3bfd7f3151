/// Why the server does not listen.
public struct MockServerError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: Hashable, Sendable {
    /// Other machines could reach it, and nobody allowed that.
    case beyondLoopback
    case cannotListen
  }

  public let code: Code
  public let description: String

  static func beyondLoopback(_ host: String) -> MockServerError {
    MockServerError(
      code: .beyondLoopback,
      description: "\(host) can be reached from other machines, and a mock checks nobody. "
        + "Listen on 127.0.0.1, or allow it in so many words.")
  }

  static func cannotListen(_ host: String, _ port: Int, _ reason: String) -> MockServerError {
    MockServerError(
      code: .cannotListen, description: "I can't listen on \(host), port \(port): \(reason)")
  }
}
