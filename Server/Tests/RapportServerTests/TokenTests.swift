import CJose
import Foundation
import SessionStore
import Synchronization
import Testing

@testable import RapportServer

/// Requirement: every way a token can be wrong is refused; the configuration decides the algorithm.
@Suite struct TokenTests {
  private static let now = 1_800_000_000.0
  private static let issuer = "https://abc.supabase.co/auth/v1"
  private static let secret = Array("a secret of at least thirty-two bytes".utf8)
  private static let deviceKey = Array("another key of at least 32 bytes, really".utf8)

  /// The issuer's keys, and some that it doesn't publish.
  private struct Keys {
    let ec = Key(cjose_jwk_create_EC_random(CJOSE_JWK_EC_P_256, nil))
    let other = Key(cjose_jwk_create_EC_random(CJOSE_JWK_EC_P_256, nil))
    let wide = Key(cjose_jwk_create_EC_random(CJOSE_JWK_EC_P_384, nil))
    let rsa = Key.rsa(bits: 2_048)
    let weak = Key.rsa(bits: 1_024)

    /// - Parameter others: Keys of the set that a test adds, each as JSON.
    func directory(
      _ fetches: Counter = Counter(), clock: Clock = Clock(), behind gate: Gate = Gate(),
      others: [String] = []
    ) -> KeyDirectory {
      let set = [
        ec.published("ec", #""alg":"ES256""#), ec.published("sealing", #""use":"enc""#),
        wide.published("wide"), rsa.published("rsa", #""alg":"RS256""#),
        rsa.published("other algorithm", #""alg":"PS256""#), weak.published("weak"),
        #"{"kty":"OKP","crv":"Ed25519","kid":"new","x":"AAAA"}"#, #"{"kty":5}"#,
      ]
      let text = "{\"keys\":[\((set + others).joined(separator: ","))]}"
      return KeyDirectory(clock: { clock.now }) {
        fetches.add()
        await gate.pass()
        return text
      }
    }
  }

  /// A pair of keys as JSON, with and without its private half.
  private struct Key {
    let pair: TokenKey
    let publicHalf: String

    init(_ key: OpaquePointer?) {
      func json(_ isPrivate: Bool) -> String {
        guard let text = cjose_jwk_to_json(key, isPrivate, nil) else { return "" }
        defer { free(text) }
        return String(cString: text)
      }
      defer { cjose_jwk_release(key) }
      (pair, publicHalf) = (.json(json(true)), json(false))
    }

    static func rsa(bits: Int) -> Key { Key(cjose_jwk_create_RSA_random(bits, [1, 0, 1], 3, nil)) }

    func published(_ id: String, _ more: String? = nil) -> String {
      publicHalf.dropLast()
        + ([",\"kid\":\"\(id)\"", more.map { "," + $0 }, "}"].compactMap(\.self)).joined()
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

  private func verifier(
    _ keys: Keys, secret: [UInt8]? = TokenTests.secret, others: [String] = []
  ) -> TokenVerifier {
    TokenVerifier(
      authentication: Authentication(
        accounts: .init(issuer: Self.issuer, secret: secret, keys: keys.directory(others: others)),
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
  ) throws -> String {
    let token =
      if let kid {
        try SignedToken.signing(claims, with: .secret(key), header: ["alg": "HS256", "kid": kid])
      } else {
        try SignedToken.signing(claims, with: .secret(key), header: ["alg": "HS256"])
      }
    return try #require(token)
  }

  private func signed(
    _ claims: TokenClaims, _ key: Key, _ algorithm: String, kid: String
  ) throws -> String {
    try #require(
      try SignedToken.signing(claims, with: key.pair, header: ["alg": algorithm, "kid": kid]))
  }

  /// With a header of the test's own, and this signature or the secret's.
  private func raw(
    _ header: String, _ claims: TokenClaims, signature: String = "", signed: Bool = false
  ) throws -> String {
    func url(_ data: Data) -> String {
      data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        .replacing("=", with: "")
    }
    let text = [url(Data(header.utf8)), url(try JSONEncoder().encode(claims))]
      .joined(separator: ".")
    guard signed else { return "\(text).\(signature)" }
    return "\(text).\(url(Data(Digest.code(of: Array(text.utf8), key: Self.secret))))"
  }

  @Test func aTableOfTokens() async throws {
    let keys = Keys()
    let good = try hmac(claims())
    let parts = good.split(separator: ".").map(String.init)
    let publicKey = Array(keys.rsa.publicHalf.utf8)
    let table: [(name: String, token: String, isGood: Bool)] = [
      ("HS256", good, true),
      ("ES256 from the directory", try signed(claims(), keys.ec, "ES256", kid: "ec"), true),
      ("RS256 from the directory", try signed(claims(), keys.rsa, "RS256", kid: "rsa"), true),
      ("expired within the skew", try hmac(claims { $0.exp = Self.now - 299 }), true),
      (
        "one of several audiences",
        try hmac(claims { $0.aud = .init(["x", "authenticated"]) }), true
      ),
      ("alg none", try raw(#"{"alg":"none","typ":"JWT"}"#, claims()), false),
      (
        "alg None with a signature", try raw(#"{"alg":"None"}"#, claims(), signature: parts[2]),
        false
      ),
      (
        "HS256 with the RSA public key", try hmac(claims(), key: publicKey, kid: "rsa"), false
      ),
      ("HS256 with another secret", try hmac(claims(), key: Self.deviceKey), false),
      ("HS512 in the header", try raw(#"{"alg":"HS512"}"#, claims(), signature: parts[2]), false),
      ("wrong issuer", try hmac(claims { $0.iss = "https://evil.example" }), false),
      ("no issuer", try hmac(claims { $0.iss = nil }), false),
      ("wrong audience", try hmac(claims { $0.aud = .init(["anon"]) }), false),
      ("no audience", try hmac(claims { $0.aud = nil }), false),
      ("expired", try hmac(claims { $0.exp = Self.now - 301 }), false),
      ("no expiry", try hmac(claims { $0.exp = nil }), false),
      ("not valid yet, beyond the skew", try hmac(claims { $0.nbf = Self.now + 301 }), false),
      ("issued in the future", try hmac(claims { $0.iat = Self.now + 301 }), false),
      ("no subject", try hmac(claims { $0.sub = nil }), false),
      ("empty subject", try hmac(claims { $0.sub = "" }), false),
      ("unknown kid", try signed(claims(), keys.ec, "ES256", kid: "nobody"), false),
      (
        "a key that isn't published", try signed(claims(), keys.other, "ES256", kid: "ec"), false
      ),
      (
        "ES256 with a curve of 384 bits", try signed(claims(), keys.wide, "ES256", kid: "wide"),
        false
      ),
      ("RSA of 1,024 bits", try signed(claims(), keys.weak, "RS256", kid: "weak"), false),
      (
        "PS256 with a key for RS256", try signed(claims(), keys.rsa, "PS256", kid: "rsa"), false
      ),
      (
        "RS256 with a key for PS256",
        try signed(claims(), keys.rsa, "RS256", kid: "other algorithm"), false
      ),
      ("a key for encryption", try signed(claims(), keys.ec, "ES256", kid: "sealing"), false),
      ("a key of an unknown kind", try signed(claims(), keys.ec, "ES256", kid: "new"), false),
      (
        "a key id that isn't text", try raw(#"{"alg":"HS256","kid":5}"#, claims(), signed: true),
        false
      ),
      (
        "a critical extension that isn't a list",
        try raw(#"{"alg":"HS256","crit":7}"#, claims(), signed: true), false
      ),
      (
        "two algorithms in one header",
        try raw(#"{"alg":"HS256","alg":"none"}"#, claims(), signature: parts[2]), false
      ),
      (
        "RS256 in the header of an EC key",
        try raw(#"{"alg":"RS256","kid":"ec"}"#, claims(), signature: parts[2]), false
      ),
      (
        "an account's claims signed for a device", try hmac(claims(), kid: "rapport-device"),
        false
      ),
      (
        "a device's issuer with the account's secret",
        try hmac(claims { $0.iss = "rapport-server" }), false
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
        try raw(#"{"alg":"HS256","crit":["x"]}"#, claims(), signed: true), false
      ),
      ("no signature", "\(parts[0]).\(parts[1]).", false),
      ("four parts", good + ".x", false), ("empty", "", false), ("words", "let me in", false),
      ("too long", good + String(repeating: "a", count: 9_000), false),
    ]
    #expect(table.count >= 20)
    let verifier = verifier(keys)
    for row in table {
      let caller = try await verifier.caller(of: row.token)
      #expect((caller != nil) == row.isGood, "\(row.name)")
      if row.isGood { #expect(caller?.person.rawValue == "account:anna", "\(row.name)") }
    }
    // Without a secret, no HS256 token is good.
    #expect(try await self.verifier(keys, secret: nil).caller(of: good) == nil)
  }

  /// The secret signs headers of a test's own as well, so those are refused for what they say.
  @Test func aPlainHeaderThatTheTestSignsIsGood() async throws {
    let token = try raw(#"{"alg":"HS256"}"#, claims(), signed: true)
    #expect(try await verifier(Keys()).caller(of: token) != nil)
  }

  @Test func aPointThatIsNotOnItsCurveSignsNothing() async throws {
    let keys = Keys()
    let point = String(repeating: "A", count: 42) + "E"
    let verifier = verifier(
      keys, others: [#"{"kty":"EC","crv":"P-256","kid":"off","x":"\#(point)","y":"\#(point)"}"#])
    let token = try signed(claims(), keys.ec, "ES256", kid: "off")
    #expect(try await verifier.caller(of: token) == nil)
  }

  @Test func scopesComeFromWhatTheProviderSets() async throws {
    let keys = Keys()
    let token = try hmac(
      claims { $0.appMetadata = .init(scopes: ["engineer", "root"]) })
    #expect(try await verifier(keys).caller(of: token)?.scopes == [.engineer])
  }

  @Test func aDevicesTokenIsItsOwn() async throws {
    let keys = Keys()
    let tokens = DeviceTokens(key: Self.deviceKey) { Date(timeIntervalSince1970: Self.now) }
    let (person, token) = try tokens.issue()
    let caller = try await verifier(keys).caller(of: token)
    #expect(caller?.person == person && caller?.scopes == [] && caller?.hasAccount == false)
    #expect(try tokens.issue().person != person)
  }

  @Test func keysAreFetchedAtMostOnceAMinute() async throws {
    let (keys, fetches, clock) = (Keys(), Counter(), Clock())
    let directory = keys.directory(fetches, clock: clock)
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
    let directory = Keys().directory(fetches, behind: gate)
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
