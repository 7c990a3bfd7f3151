import HTTPTypes
import Hummingbird

/// Reverse proxies whose word counts about where a request came from.
struct TrustedProxies: Sendable {
  let addresses: Set<String>

  /// The client's address: the last one in `X-Forwarded-For` that is not a proxy's. Whatever is
  /// before it was written by the client.
  func client(of request: Request, from peer: String) -> String {
    let hops = request.headers[values: .forwardedFor].joined(separator: ",").split(separator: ",")
      .map { $0.filter { $0 != " " } }
    return (hops + [peer]).last { !addresses.contains($0) } ?? peer
  }

  /// Whether a proxy says that the client's connection is encrypted.
  func isEncrypted(_ request: Request, from peer: String) -> Bool {
    addresses.contains(peer) && request.headers[.forwardedProto]?.lowercased() == "https"
  }
}
