import HTTPStreaming
public import LanguageModels

/// Where the models are reached, and with which key.
///
/// A base URL and a key are combined only if they come from the same source, so a file in the
/// working folder cannot send a key from elsewhere to another host. There are three exceptions: a
/// provider's own address needs no base URL; a server on this machine needs no key and never gets
/// one from another source; and a key in the credentials file belongs to the address it was stored
/// with.
public struct Connection: Hashable, Sendable {
  public var provider: Provider
  public var baseURL: String
  public var key: Secret?
  public var providerSource: SettingSource
  public var baseURLSource: SettingSource
  public var keySource: SettingSource?

  public init(
    provider: Provider, baseURL: String, key: Secret?, providerSource: SettingSource,
    baseURLSource: SettingSource, keySource: SettingSource?
  ) {
    self.provider = provider
    self.baseURL = baseURL
    self.key = key
    self.providerSource = providerSource
    self.baseURLSource = baseURLSource
    self.keySource = keySource
  }

  public enum Outcome: Hashable, Sendable {
    case ready(Connection)
    /// Nothing is set up.
    case noKey
    case refused(Unusable)

    public var ready: Connection? {
      if case .ready(let connection) = self { connection } else { nil }
    }
  }

  /// Why no request may be sent. Contains no secret.
  public struct Unusable: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
  }
}

/// The company or server that provides the models.
public enum Provider: String, CaseIterable, Hashable, Sendable, Codable {
  case openAI = "openai"
  case anthropic
  /// Any server with OpenAI's chat completions API.
  case compatible

  public var name: String {
    switch self {
    case .openAI: "OpenAI"
    case .anthropic: "Anthropic"
    case .compatible: "OpenAI-compatible"
    }
  }

  public var format: WireFormat { self == .anthropic ? .anthropic : .openAI }

  /// Nil if the person must provide it.
  public var defaultBaseURL: String? {
    switch self {
    case .openAI: "https://api.openai.com/v1"
    case .anthropic: "https://api.anthropic.com/v1"
    case .compatible: nil
    }
  }

  /// The page where people get a key.
  public var keyPage: String? {
    switch self {
    case .openAI: "https://platform.openai.com/api-keys"
    case .anthropic: "https://console.anthropic.com/settings/keys"
    case .compatible: nil
    }
  }
}

/// A key or URL from one source, before it is known what it may be combined with.
private struct Offer {
  var key: (value: String, name: String)?
  var url: (value: String, name: String)?
  var provider: (value: Provider, source: SettingSource)?
  var source: (String) -> SettingSource
}

extension SettingsLayers {
  /// Decides which source provides the connection.
  public func connection() -> Connection.Outcome {
    do throws(SettingError) {
      if let chosen = try chosenOffer() {
        // A key from elsewhere belongs to another provider; don't switch the conversation to it.
        let refusal = chosen.key == nil ? foreignURL(chosen) : nil
        return refusal.map { .refused($0) } ?? connection(chosen)
      }
      return try credentials.map { (stored) throws(SettingError) in try connection(stored) }
        ?? .noKey
    } catch {
      return .refused(.init(description: error.description))
    }
  }

  /// The first source, in order of precedence, that sets a key or a URL. If it sets only a key, a
  /// lower source may add only the URL. Anything below a complete source is ignored, valid or not.
  private func chosenOffer() throws(SettingError) -> Offer? {
    var strongest: Offer?
    for index in layers.indices {
      let offer = strongest == nil ? try offer(index) : try? self.offer(index)
      guard let offer, offer.key != nil || offer.url != nil else { continue }
      if offer.url != nil { return offer.key == nil ? offer : strongest ?? offer }
      strongest = strongest ?? offer
    }
    return strongest
  }

  /// A base URL without a key from its own source, while a key elsewhere must not be sent to it.
  private func foreignURL(_ offer: Offer) -> Connection.Unusable? {
    guard let (text, name) = offer.url, let url = try? HTTPURL(validating: text), !url.isLoopback,
      credentials == nil || credentials?.origin != url.origin,
      credentials != nil || layers.indices.contains(where: { (try? self.offer($0))?.key != nil })
    else { return nil }
    return Connection.Unusable(
      description: "\(name) (from \(offer.source(name))) points to \(url.host), but the key comes "
        + "from another source, and I don't send a key to a host it wasn't given for. Set both in "
        + "the same place, or run `rapport setup` for \(url.host).")
  }

  private func connection(_ offer: Offer) -> Connection.Outcome {
    let stored = offer.key == nil ? credentials(at: offer.url?.value) : nil
    let (provider, providerSource) = provider(of: offer, stored)
    guard let (text, name) = offer.url ?? provider.defaultBaseURL.map({ ($0, "") }) else {
      return .refused(
        .init(description: "An OpenAI-compatible server needs its address: set RAPPORT_BASE_URL."))
    }
    let key = offer.key?.value ?? stored?.key.revealed
    if let key, let problem = Self.problem(withKey: key) {
      let keyName = offer.key?.name ?? "the stored key"
      return .refused(.init(description: "\(keyName) (from \(offer.source(keyName))) \(problem)."))
    }
    return checked(
      Connection(
        provider: provider, baseURL: text, key: key.map { Secret($0) },
        providerSource: providerSource,
        baseURLSource: name.isEmpty ? .builtIn : offer.source(name),
        keySource: offer.key.map { offer.source($0.name) }
          ?? stored.map { _ in .credentials(path: credentialsPath) }))
  }

  /// The stored credentials for this address's host.
  private func credentials(at address: String?) -> Credentials? {
    guard let credentials, let address, let url = try? HTTPURL(validating: address),
      credentials.origin == url.origin
    else { return nil }
    return credentials
  }

  private func provider(
    of offer: Offer, _ stored: Credentials?
  ) -> (Provider, SettingSource) {
    if let named = offer.provider { return named }
    if let stored { return (stored.provider, .credentials(path: credentialsPath)) }
    guard let key = offer.key else { return (.openAI, .builtIn) }
    return (Self.provider(ofKey: key), offer.source(key.name))
  }

  private func connection(_ stored: Credentials) throws(SettingError) -> Connection.Outcome {
    let source = SettingSource.credentials(path: credentialsPath)
    if let named = try provider(upTo: layers.endIndex), named.value != stored.provider {
      return .refused(
        .init(
          description: "\(Setting.provider.rawValue) (from \(named.source)) is "
            + "\(named.value.rawValue), but the stored key is for \(stored.provider.rawValue). Remove "
            + "the setting, or run `rapport setup` for \(named.value.name)."))
    }
    return checked(
      Connection(
        provider: stored.provider, baseURL: stored.baseURL,
        key: stored.key.revealed.isEmpty ? nil : stored.key, providerSource: source,
        baseURLSource: source, keySource: source))
  }

  private func checked(_ connection: Connection) -> Connection.Outcome {
    var connection = connection
    do throws(HTTPURLError) {
      let url = try HTTPURL(validating: connection.baseURL)
      if connection.key == nil && !url.isLoopback { return .noKey }
    } catch {
      return .refused(
        .init(
          description: "The base URL (from \(connection.baseURLSource)) can't be used: \(error)"))
    }
    while connection.baseURL.hasSuffix("/") { connection.baseURL.removeLast() }
    return .ready(connection)
  }

  /// A provider named by a lower source may select among keys, each for its own provider, and
  /// vouch for an address. It cannot redirect a higher source's key.
  private func offer(_ index: Int) throws(SettingError) -> Offer {
    let layer = layers[index]
    func first(_ names: [String]) -> (value: String, name: String)? {
      names.lazy.compactMap { name in layer[name].map { ($0, name) } }.first
    }
    let named = try provider(upTo: index + 1)
    let wished = Result { () throws(SettingError) in try provider(upTo: layers.endIndex) }
    let all = ["OPENAI", "ANTHROPIC"]
    let ours = (try? wished.get()).map { [Self.prefix($0.value)] } ?? all
    func key(_ vendors: [String]) -> (value: String, name: String)? {
      first([Setting.apiKey.rawValue] + vendors.map { "\($0)_API_KEY" })
    }
    let key = key(ours) ?? (named == nil ? key(all) : nil)
    let vendor = named?.value ?? key.map(Self.provider(ofKey:))
    let urls = vendor.map { [Self.prefix($0)] } ?? ours
    let url = first([Setting.baseURL.rawValue] + urls.map { "\($0)_BASE_URL" })
    var speaks = named
    if speaks == nil && key == nil && url != nil { speaks = try wished.get() }
    return Offer(key: key, url: url, provider: speaks, source: layer.source)
  }

  /// The provider from the highest of these sources that names one.
  private func provider(
    upTo end: Int
  ) throws(SettingError) -> (value: Provider, source: SettingSource)? {
    let name = Setting.provider.rawValue
    for layer in layers[..<end] {
      guard let found = layer[name] else { continue }
      guard let provider = Provider(rawValue: found.lowercased()) else {
        throw SettingError(
          setting: name, source: layer.source(name),
          expected: "one of " + Provider.allCases.map(\.rawValue).joined(separator: ", "),
          found: shown(found))
      }
      return (provider, layer.source(name))
    }
    return nil
  }

  private static func prefix(_ provider: Provider) -> String {
    provider == .anthropic ? "ANTHROPIC" : "OPENAI"
  }

  private static func provider(ofKey key: (value: String, name: String)) -> Provider {
    key.name.hasPrefix("ANTHROPIC") || key.value.hasPrefix("sk-ant-") ? .anthropic : .openAI
  }

  /// Why a key cannot go into a header, as a phrase after "the key"; gives the position, never the
  /// value.
  public static func problem(withKey key: String) -> String? {
    for (index, scalar) in key.unicodeScalars.enumerated()
    where !(0x21...0x7E).contains(scalar.value) {
      return "contains \(name(of: scalar)) (character \(index + 1))"
    }
    if ["http://", "https://"].contains(where: key.lowercased().hasPrefix) {
      return "is an address"
    }
    return key.utf8.count > 4_096 ? "is longer than 4096 characters" : nil
  }

  private static func name(of scalar: Unicode.Scalar) -> String {
    switch scalar.value {
    case 0x0A, 0x0D: "a line break"
    case 0x20: "a space"
    case ..<0x20, 0x7F...0x9F: "a control character"
    default: "a character outside ASCII"
    }
  }
}
