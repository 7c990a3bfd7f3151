import CJose
import FoundationEssentials
import Glibc

/// A token as libcjose reads it (JWS, RFC 7515).
///
/// What the library allocates does not outlive a call: its objects cannot be shared between threads.
struct SignedToken: Sendable {
  let algorithm: String
  let keyID: String?
  private let text: String

  /// Nil unless the header is readable and its algorithm is one of JWA's signatures.
  ///
  /// A header with a critical extension is refused, since none is understood here. So is one in which
  /// libcjose reads another algorithm or key than this does, as it may if a member comes twice.
  init?(_ text: String) {
    guard text.utf8.count <= 8_192, let header = Header(of: text) else { return nil }
    let isReadAlike = Self.reading(text) { token in
      cjose_jws_get_protected(token).map {
        Self.string("alg", $0) == header.alg && Self.string("kid", $0) == header.kid
      }
    }
    guard isReadAlike == true else { return nil }
    (algorithm, keyID, self.text) = (header.alg, header.kid, text)
  }

  /// What the token says; nil if this key did not sign it.
  func claims(signedWith key: TokenKey) -> TokenClaims? {
    Self.reading(text) { token in
      key.withKey { key in
        var (bytes, count) = (UnsafeMutablePointer<UInt8>?.none, 0)
        guard cjose_jws_verify(token, key, nil),
          cjose_jws_get_plaintext(token, &bytes, &count, nil), let bytes
        else { return nil }
        return try? JSONDecoder().decode(TokenClaims.self, from: Data(bytes: bytes, count: count))
      }
    }
  }

  /// A token that says this; nil if the key cannot sign it.
  static func signing(
    _ claims: TokenClaims, with key: TokenKey, header: KeyValuePairs<String, String>
  ) throws -> String? {
    let payload = try JSONEncoder().encode(claims)
    guard let attributes = cjose_header_new(nil) else { return nil }
    defer { cjose_header_release(attributes) }
    for (name, value) in header { cjose_header_set(attributes, name, value, nil) }
    return key.withKey { key in
      let token = payload.withUnsafeBytes {
        cjose_jws_sign(
          key, attributes, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count, nil)
      }
      guard let token else { return nil }
      defer { cjose_jws_release(token) }
      var text: UnsafePointer<CChar>?
      return cjose_jws_export(token, &text, nil) ? text.map { String(cString: $0) } : nil
    }
  }

  private static func reading<Result>(
    _ text: String, _ read: (OpaquePointer) -> Result?
  ) -> Result? {
    guard let token = cjose_jws_import(text, text.utf8.count, nil) else { return nil }
    defer { cjose_jws_release(token) }
    return read(token)
  }

  private static func string(_ name: String, _ header: OpaquePointer) -> String? {
    cjose_header_get(header, name, nil).map { String(cString: $0) }
  }
}

/// The members of a header that decide how a token is checked.
private struct Header: Decodable {
  let alg: String
  let kid: String?

  private enum CodingKeys: String, CodingKey { case alg, kid, crit }

  init?(of token: String) {
    let text = token.prefix { $0 != "." }
    var (bytes, count) = (UnsafeMutablePointer<UInt8>?.none, 0)
    guard cjose_base64url_decode(String(text), text.utf8.count, &bytes, &count, nil), let bytes
    else { return nil }
    defer { free(bytes) }
    guard let header = try? JSONDecoder().decode(Self.self, from: Data(bytes: bytes, count: count))
    else { return nil }
    self = header
  }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    guard !members.contains(.crit) else {
      throw DecodingError.dataCorruptedError(
        forKey: .crit, in: members, debugDescription: "not understood")
    }
    alg = try members.decode(String.self, forKey: .alg)
    kid = try members.decodeIfPresent(String.self, forKey: .kid)
  }
}

/// What a token is signed and checked with.
enum TokenKey: Sendable {
  /// For HS256.
  case secret([UInt8])
  /// JSON of a JWK (RFC 7517).
  case json(String)

  fileprivate func withKey<Result>(_ body: (OpaquePointer) throws -> Result?) rethrows -> Result? {
    let key =
      switch self {
      case .secret(let bytes): cjose_jwk_create_oct_spec(bytes, bytes.count, nil)
      case .json(let text): cjose_jwk_import(text, text.utf8.count, nil)
      }
    guard let key else { return nil }
    defer { cjose_jwk_release(key) }
    return try body(key)
  }
}
