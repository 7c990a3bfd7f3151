/// Why a URL is rejected. Settings can report it before any request is made.
public struct HTTPURLError: Error, Hashable, Sendable {
  public enum Reason: Hashable, Sendable {
    case empty, noScheme, noHost, host, ambiguousAddress, port, userInformation, fragment, insecure
    /// The scheme, in lower case.
    case scheme(String)
    /// Counted from 1, in Unicode scalars.
    case control(position: Int)
    case space(position: Int)
    case backslash(position: Int)
    case notASCII(position: Int)
  }

  public let reason: Reason
  /// The host that would actually have been contacted, if readable.
  public let host: String?

  init(_ reason: Reason, host: String? = nil) {
    self.reason = reason
    self.host = host
  }
}

extension HTTPURLError: CustomStringConvertible {
  public var description: String {
    switch reason {
    case .empty: "the URL is empty"
    case .noScheme: "the URL has no scheme: write https:// before the host"
    case .noHost: "the URL has no host"
    case .host: "the URL's host is not a valid name or address"
    case .ambiguousAddress:
      "the URL's host is an ambiguous address: write it as four decimal numbers"
    case .port: "the URL's port\(named) is not a number between 1 and 65535"
    case .userInformation:
      "the URL has a user name before an @; it actually leads to \(host ?? "unreadable")"
    case .fragment: "the URL has a fragment (#): remove it"
    case .insecure:
      "http is allowed only for this machine: write https://\(host ?? "") or use a loopback address"
    case .scheme(let name):
      "the URL's scheme is \"\(name)\": only https is allowed, or http for this machine"
    case .control(let position): "the URL has a control character at position \(position)"
    case .space(let position): "the URL has a space at position \(position)"
    case .backslash(let position): "the URL has a backslash at position \(position)"
    case .notASCII(let position):
      "the URL has a character outside ASCII at position \(position): write the host in its xn-- "
        + "form and percent-encode the rest"
    }
  }

  private var named: String { host.map { " for \($0)" } ?? "" }
}
