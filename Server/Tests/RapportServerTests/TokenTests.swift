import Crypto
import Foundation
import JWTKit
import SessionStore
import Synchronization
import Testing
import _CryptoExtras

@testable import RapportServer

/// Requirement: every way a token can be wrong is refused; the configuration decides the algorithm.
@Suite struct TokenTests {
  private static let now = 1_800_000_000.0
  private static let issuer = "https://abc.supabase.co/auth/v1"
  private static let secret = Array("a secret of at least thirty-two bytes".utf8)
  private static let deviceKey = Array("another key of at least 32 bytes, really".utf8)

  /// The issuer's keys, and one that it doesn't publish.
  private struct Keys {
    let ec = ES256PrivateKey()
    let other = ES256PrivateKey()
    let rsa: JWTKit.Insecure.RSA.PrivateKey

    init() throws {
      rsa = try JWTKit.Insecure.RSA.PrivateKey(
        pem: _RSA.Signing.PrivateKey(keySize: .bits2048).pemRepresentation)
    }

    func directory(
      _ fetches: Counter = Counter(), clock: Clock = Clock(), behind gate: Gate = Gate()
    ) throws -> KeyDirectory {
      let point = try #require(ec.publicKey.parameters)
      let (modulus, exponent) = try rsa.publicKey.getKeyPrimitives()
      func url(_ text: String) -> String {
        text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
      }
      let text = """
        {"keys":[
        {"kty":"EC","crv":"P-256","alg":"ES256","kid":"ec","x":"\(url(point.x))","y":"\(url(point.y))"},
        {"kty":"RSA","alg":"RS256","kid":"rsa","n":"\(url(modulus.base64EncodedString()))","e":"\(url(exponent.base64EncodedString()))"}]}
        """
      return KeyDirectory(clock: { clock.now }) {
        fetches.add()
        await gate.pass()
        return text
      }
    }
  }

  final class Counter: Sendable {
    private let state = Mutex(0)
    var count: Int { state.withLock(\.self) }
    func add() { state.withLock { $0 += 1 } }
  }

  final class Clock: Sendable {
    private let state = Mutex(ContinuousClock.now)
    var now: ContinuousClock.Instant { state.withLock(\.self) }
    func advance(_ time: Duration) { state.withLock { $0 += time } }
  }

  private func verifier(_ keys: Keys, secret: [UInt8]? = TokenTests.secret) throws -> TokenVerifier
  {
    TokenVerifier(
      authentication: Authentication(
        accounts: .init(issuer: Self.issuer, secret: secret, keys: try keys.directory()),
        deviceKey: Self.deviceKey),
      now: { Date(timeIntervalSince1970: Self.now) })
  }

  private func claims(_ change: (inout TokenClaims) -> Void = { _ in }) -> TokenClaims {
    var claims = TokenClaims(
      iss: Self.issuer, aud: .init(["authenticated"]), sub: "anna", exp: Self.now + 600,
      iat: Self.now)
    change(&claims)
    return claims
  }

  private func hmac(
    _ claims: TokenClaims, key: [UInt8] = TokenTests.secret, kid: String? = nil
  ) async throws -> String {
    try await TokenVerifier.collection(key).sign(
      claims, kid: nil, header: kid.map { ["kid": .string($0)] } ?? [:])
  }

  private func ec(
    _ claims: TokenClaims, key: ES256PrivateKey, kid: String = "ec"
  ) async throws -> String {
    try await JWTKeyCollection().add(ecdsa: key, kid: .init(string: kid)).sign(
      claims, kid: .init(string: kid))
  }

  private func rsa(_ claims: TokenClaims, _ keys: Keys) async throws -> String {
    try await JWTKeyCollection().add(rsa: keys.rsa, digestAlgorithm: .sha256, kid: "rsa").sign(
      claims, kid: "rsa")
  }

  /// With a header of the test's own, and this signature.
  private func raw(_ header: String, _ claims: TokenClaims, signature: String = "") throws -> String
  {
    func url(_ data: Data) -> String {
      data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        .replacing("=", with: "")
    }
    return [url(Data(header.utf8)), url(try JSONEncoder().encode(claims)), signature]
      .joined(separator: ".")
  }

  @Test func aTableOfTokens() async throws {
    let keys = try Keys()
    let good = try await hmac(claims())
    let parts = good.split(separator: ".").map(String.init)
    let publicKey = Array(keys.rsa.publicKey.pemRepresentation.utf8)
    let table: [(name: String, token: String, isGood: Bool)] = [
      ("HS256", good, true),
      ("ES256 from the directory", try await ec(claims(), key: keys.ec), true),
      ("RS256 from the directory", try await rsa(claims(), keys), true),
      ("expired within the skew", try await hmac(claims { $0.exp = Self.now - 59 }), true),
      (
        "one of several audiences",
        try await hmac(claims { $0.aud = .init(["x", "authenticated"]) }), true
      ),
      ("alg none", try raw(#"{"alg":"none","typ":"JWT"}"#, claims()), false),
      (
        "alg None with a signature", try raw(#"{"alg":"None"}"#, claims(), signature: parts[2]),
        false
      ),
      (
        "HS256 with the RSA public key", try await hmac(claims(), key: publicKey, kid: "rsa"), false
      ),
      ("HS256 with another secret", try await hmac(claims(), key: Self.deviceKey), false),
      ("HS512 in the header", try raw(#"{"alg":"HS512"}"#, claims(), signature: parts[2]), false),
      ("wrong issuer", try await hmac(claims { $0.iss = "https://evil.example" }), false),
      ("no issuer", try await hmac(claims { $0.iss = nil }), false),
      ("wrong audience", try await hmac(claims { $0.aud = .init(["anon"]) }), false),
      ("no audience", try await hmac(claims { $0.aud = nil }), false),
      ("expired", try await hmac(claims { $0.exp = Self.now - 61 }), false),
      ("no expiry", try await hmac(claims { $0.exp = nil }), false),
      ("not valid yet, beyond the skew", try await hmac(claims { $0.nbf = Self.now + 61 }), false),
      ("issued in the future", try await hmac(claims { $0.iat = Self.now + 61 }), false),
      ("no subject", try await hmac(claims { $0.sub = nil }), false),
      ("empty subject", try await hmac(claims { $0.sub = "" }), false),
      ("unknown kid", try await ec(claims(), key: keys.ec, kid: "nobody"), false),
      ("a key that isn't published", try await ec(claims(), key: keys.other), false),
      (
        "RS256 in the header of an EC key",
        try raw(#"{"alg":"RS256","kid":"ec"}"#, claims(), signature: parts[2]), false
      ),
      (
        "an account's claims signed for a device", try await hmac(claims(), kid: "rapport-device"),
        false
      ),
      (
        "a device's issuer with the account's secret",
        try await hmac(claims { $0.iss = "rapport-server" }), false
      ),
      (
        "another payload",
        [
          parts[0],
          try raw("{}", claims { $0.sub = "ben" }).split(separator: ".").map(String.init)[1],
          parts[2],
        ].joined(separator: "."), false
      ),
      (
        "critical extension",
        try raw(#"{"alg":"HS256","crit":["x"]}"#, claims(), signature: parts[2]), false
      ),
      ("no signature", "\(parts[0]).\(parts[1]).", false),
      ("four parts", good + ".x", false), ("empty", "", false), ("words", "let me in", false),
      ("too long", good + String(repeating: "a", count: 9_000), false),
    ]
    #expect(table.count >= 20)
    let verifier = try verifier(keys)
    for row in table {
      let caller = try await verifier.caller(of: row.token)
      #expect((caller != nil) == row.isGood, "\(row.name)")
      if row.isGood { #expect(caller?.person.rawValue == "account:anna", "\(row.name)") }
    }
    // Without a secret, no HS256 token is good.
    #expect(try await self.verifier(keys, secret: nil).caller(of: good) == nil)
  }

  @Test func scopesComeFromWhatTheProviderSets() async throws {
    let keys = try Keys()
    let token = try await hmac(
      claims { $0.appMetadata = .init(scopes: ["engineer", "root"]) })
    #expect(try await verifier(keys).caller(of: token)?.scopes == [.engineer])
  }

  @Test func aDevicesTokenIsItsOwn() async throws {
    let keys = try Keys()
    let tokens = DeviceTokens(key: Self.deviceKey) { Date(timeIntervalSince1970: Self.now) }
    let (person, token) = try await tokens.issue()
    let caller = try await verifier(keys).caller(of: token)
    #expect(caller == Caller(person: person, scopes: [], hasAccount: false))
    #expect(try await tokens.issue().person != person)
  }

  @Test func keysAreFetchedAtMostOnceAMinute() async throws {
    let (keys, fetches, clock) = (try Keys(), Counter(), Clock())
    let directory = try keys.directory(fetches, clock: clock)
    #expect(try await directory.key("ec") != nil)
    for _ in 0..<50 { #expect(try await directory.key("unknown") == nil) }
    #expect(fetches.count == 1)
    clock.advance(.seconds(61))
    _ = try await directory.key("unknown")
    _ = try await directory.key("unknown")
    #expect(fetches.count == 2)
  }

  @Test func nobodyIsRefusedWhileKeysAreFetched() async throws {
    let (fetches, gate) = (Counter(), Gate())
    let directory = try Keys().directory(fetches, behind: gate)
    gate.close()
    let first = Task { try await directory.key("ec") != nil }
    await gate.holds(1)
    let others = (0..<3).map { _ in Task { try await directory.key("ec") != nil } }
    // Time for them to be refused.
    for _ in 0..<1_000 { await Task.yield() }
    gate.open()
    for request in others + [first] { #expect(try await request.value) }
    #expect(fetches.count == 1)
  }

  @Test func withoutTheKeysNobodyIsLetIn() async throws {
    struct Down: Error {}
    let directory = KeyDirectory(clock: { .now }) { throw Down() }
    await #expect(throws: Problem.self) { try await directory.key("ec") }
  }
}
