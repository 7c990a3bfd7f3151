/// Why a URL is not used. Settings can show it before any request is made.
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
  /// The host that would really have been asked, where it could be read.
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
    case .noHost: "the URL names no host"
    case .host: "the URL's host is not a valid name or address"
    case .ambiguousAddress:
      "the URL's host is an address that can be read in two ways: write it as four decimal numbers"
    case .port: "the URL's port\(named) is not a number from 1 to 65535"
    case .userInformation:
      "the URL has a user name before an @; the host it really leads to is \(host ?? "unreadable")"
    case .fragment: "the URL has a fragment (#): leave it out"
    case .insecure:
      "http is only allowed to this machine: write https://\(host ?? "") or use a loopback address"
    case .scheme(let name):
      "the URL's scheme is \"\(name)\": only https, and http to this machine, are allowed"
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
