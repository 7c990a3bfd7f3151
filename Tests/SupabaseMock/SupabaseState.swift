import FoundationEssentials
import IncrementalJSON

/// What a project knows.
struct SupabaseState {
  struct User {
    var id: String
    var email: String
    var created: Date
    var lastSignIn: Date?
  }

  /// A code that was sent, and not used yet.
  struct Code {
    var digits: String
    var sent: Date
    var wrongTries = 0
  }

  /// A refresh token. Tokens of one sign-in are a family.
  struct RefreshToken {
    var session: String
    var userID: String
    var parent: String?
    var usedAt: Date?
    var isRevoked = false
  }

  struct AccessToken {
    var session: String
    var userID: String
    var expires: Date
  }

  var faults: SupabaseFaultPlan
  var users: [String: User] = [:]
  var codes: [String: Code] = [:]
  var refreshTokens: [String: RefreshToken] = [:]
  var accessTokens: [String: AccessToken] = [:]
  var tables: [String: [JSONObject]] = [:]
  var counts: [SupabaseTarget: Int] = [:]
  private var email: (String, String)?

  init(faults: SupabaseFaultPlan) { self.faults = faults }

  mutating func send(_ code: String, to address: String) { email = (address, code) }

  mutating func takeEmail() -> (String, String)? {
    defer { email = nil }
    return email
  }

  mutating func endSession(_ session: String) {
    for key in refreshTokens.keys where refreshTokens[key]?.session == session {
      refreshTokens[key] = nil
    }
    for key in accessTokens.keys where accessTokens[key]?.session == session {
      accessTokens[key] = nil
    }
  }
}

enum SupabaseTokens {
  /// A JSON Web Token whose signature is random: only the mock knows which ones it issued.
  static func access(_ claims: JSONValue) -> String {
    let signature = (0..<32).map { _ in UInt8.random(in: 0...255) }
    return "\(head(claims)).\(base64URL(signature))"
  }

  static func unsigned(_ claims: JSONValue) -> String {
    "\(head(claims)).\(base64URL(Array("no signature, for the mock".utf8)))"
  }

  /// Twelve characters, as GoTrue draws them.
  static func refresh() -> String {
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
    return String((0..<12).map { _ in alphabet[Int.random(in: 0..<alphabet.count)] })
  }

  static func digits() -> String {
    String((0..<6).map { _ in Character("\(Int.random(in: 0...9))") })
  }

  private static func head(_ claims: JSONValue) -> String {
    let header: JSONValue = ["alg": "HS256", "typ": "JWT"]
    return "\(base64URL(header.serializedBytes())).\(base64URL(claims.serializedBytes()))"
  }

  private static func base64URL(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }
}
