import CJose
import FoundationEssentials
import Glibc

/// A token as libcjose reads it (JWS, RFC 7515).
///
/// Nothing else reads the header, so the algorithm that is decided on is the one that is checked. What
/// the library allocates doesn't outlive a call: its objects can't be shared between threads.
struct SignedToken: Sendable {
  let algorithm: String
  let keyID: String?
  private let text: String

  /// Nil unless the header is readable and its algorithm is one of JWA's signatures.
  ///
  /// A header with a critical extension is refused, since none is understood here.
  init?(_ text: String) {
    guard text.utf8.count <= 8_192 else { return nil }
    let header = Self.reading(text) { token -> (algorithm: String, keyID: String?)? in
      guard let header = cjose_jws_get_protected(token), !Self.has("crit", header),
        let algorithm = Self.string("alg", header)
      else { return nil }
      let keyID = Self.string("kid", header)
      return keyID == nil && Self.has("kid", header) ? nil : (algorithm, keyID)
    }
    guard let header else { return nil }
    (algorithm, keyID, self.text) = (header.algorithm, header.keyID, text)
  }

  /// What the token says; nil if this key didn't sign it.
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

  /// A token that says this; nil if the key can't sign it.
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

  private static func has(_ name: String, _ header: OpaquePointer) -> Bool {
    guard let value = cjose_header_get_raw(header, name, nil) else { return false }
    free(value)
    return true
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
