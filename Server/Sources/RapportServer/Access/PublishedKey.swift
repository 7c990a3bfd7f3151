import FoundationEssentials

/// A key that an issuer publishes (JWK, RFC 7517): the members that checking a signature needs.
struct PublishedKey: Codable, Sendable {
  var kty: String
  var kid: String?
  var alg: String?
  var use: String?
  var crv: String?
  var x: String?
  var y: String?
  var n: String?
  var e: String?

  /// The key, if it is meant for this algorithm and strong enough.
  func key(for algorithm: String) -> TokenKey? {
    guard (alg ?? algorithm) == algorithm, (use ?? "sig") == "sig" else { return nil }
    switch (algorithm, kty) {
    case ("ES256", "EC") where crv == "P-256": break
    // 2,048 bits, in base64.
    case ("RS256", "RSA") where (n ?? "").utf8.count >= 342: break
    default: return nil
    }
    guard let json = try? JSONEncoder().encode(self) else { return nil }
    return .json(String(decoding: json, as: UTF8.self))
  }

  /// The keys of a set by their ids. Those of kinds that are not known here are left out.
  static func set(_ json: String) throws -> [String: PublishedKey] {
    struct Member: Decodable {
      var key: PublishedKey?
      init(from decoder: any Decoder) { key = try? PublishedKey(from: decoder) }
    }
    struct Keys: Decodable { var keys: [Member] }
    let keys = try JSONDecoder().decode(Keys.self, from: Data(json.utf8)).keys.compactMap(\.key)
    return Dictionary(
      keys.compactMap { key in key.kid.map { ($0, key) } }, uniquingKeysWith: { first, _ in first })
  }
}
