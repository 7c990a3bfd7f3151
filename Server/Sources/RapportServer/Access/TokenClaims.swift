import FoundationEssentials
import JWTKit

/// What a token says, as far as it matters here.
struct TokenClaims: JWTPayload {
  /// One audience, or several.
  struct Audience: Codable, Sendable {
    var names: [String]

    init(_ names: [String]) { self.names = names }

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let name = try? container.decode(String.self) {
        names = [name]
      } else {
        names = try container.decode([String].self)
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      if names.count == 1 { try container.encode(names[0]) } else { try container.encode(names) }
    }
  }

  /// What only the account's provider can change.
  struct AppMetadata: Codable, Sendable {
    var scopes: [String]?

    private enum CodingKeys: String, CodingKey { case scopes = "rapport_scopes" }
  }

  var iss: String?
  var aud: Audience?
  var sub: String?
  /// The account's address, if the issuer says it.
  var email: String?
  /// Seconds since 1970.
  var exp: Double?
  var nbf: Double?
  var iat: Double?
  var appMetadata: AppMetadata?

  private enum CodingKeys: String, CodingKey {
    case iss, aud, sub, email, exp, nbf, iat
    case appMetadata = "app_metadata"
  }

  /// The claims are checked by ``TokenVerifier``, which knows the clock and the issuer.
  func verify(using _: some JWTAlgorithm) {}
}

/// The part of a token's header that decides how it's checked.
struct TokenHeader: Decodable {
  var alg: String
  var kid: String?
  var crit: [String]?

  /// Nil unless the token has three parts and a readable header.
  init?(of token: String) {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard token.utf8.count <= 8_192, parts.count == 3, parts.allSatisfy({ !$0.isEmpty }),
      let bytes = Data(base64URL: parts[0]),
      let header = try? JSONDecoder().decode(TokenHeader.self, from: bytes)
    else { return nil }
    self = header
  }
}

extension Data {
  fileprivate init?(base64URL text: Substring) {
    let plain = text.replacing("-", with: "+").replacing("_", with: "/")
    self.init(base64Encoded: plain + String(repeating: "=", count: (4 - plain.count % 4) % 4))
  }
}
