import FoundationEssentials
import HTTPStreaming
import IncrementalJSON
public import LanguageModels

/// A Supabase project: its address, and the key that its apps may carry.
public struct SupabaseProject: Hashable, Sendable {
  /// Without a slash at the end, such as `https://abcdefgh.supabase.co`.
  public let url: String
  /// The `anon` or publishable key. Row policies decide what it may do, so it is not secret, but
  /// nothing prints it.
  public let key: Secret

  /// Why the project cannot be used. Contains no key.
  public struct Unusable: Error, Hashable, Sendable, CustomStringConvertible {
    /// A phrase for after the setting's name.
    public let description: String
    public let isAboutKey: Bool
  }

  /// - Throws: ``Unusable``, also for a `service_role` or secret key: it bypasses every row policy
  ///   and has no place on a person's machine.
  public init(url: String, key: String) throws(Unusable) {
    let checked: HTTPURL
    do throws(HTTPURLError) { checked = try HTTPURL(validating: url) } catch {
      throw Unusable(description: "can't be used: \(error)", isAboutKey: false)
    }
    guard checked.query == nil else {
      throw Unusable(description: "must have no query", isAboutKey: false)
    }
    let isPlain = !key.isEmpty && key.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    guard isPlain else {
      throw Unusable(description: "contains a space or a control character", isAboutKey: true)
    }
    guard !Self.bypassesPolicies(key) else {
      throw Unusable(
        description: "is a secret key, which may read and change everybody's rows. Use the "
          + "project's anon or publishable key, and replace the secret one",
        isAboutKey: true)
    }
    var text = checked.withoutQuery
    while text.hasSuffix("/") { text.removeLast() }
    self.url = text
    self.key = Secret(key)
  }

  /// The host to name in messages.
  public var host: String { (try? HTTPURL(validating: url))?.authority ?? url }

  private static func bypassesPolicies(_ key: String) -> Bool {
    if key.hasPrefix("sb_secret_") { return true }
    return TokenClaims(key)?.role == "service_role"
  }
}

/// What a token says about itself. Read without checking the signature, so it decides nothing that
/// the server does not decide again.
struct TokenClaims {
  var role: String?

  init?(_ token: String) {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    var text = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
    text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    guard let bytes = Data(base64Encoded: text), let json = try? JSONValue(parsing: Array(bytes))
    else { return nil }
    role = json["role"]?.stringValue
  }
}
