/// What a token says, as far as it matters here. ``TokenVerifier`` checks it.
struct TokenClaims: Codable, Sendable {
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
}
