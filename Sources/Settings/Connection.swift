import HTTPStreaming
public import LanguageModels

/// Where the models are reached, and with which key.
///
/// A base URL and a key are joined only when they come from the same source: a file in the working
/// folder cannot send a key from elsewhere to another host. Three things stand apart: a provider's
/// own address needs no base URL; a server on this machine needs no key and never gets one from
/// another source; and a key in the credentials file belongs to the address it was stored with.
public struct Connection: Hashable, Sendable {
  public var provider: Provider
  public var baseURL: String
  public var key: Secret?
  public var baseURLSource: SettingSource
  public var keySource: SettingSource?

  public init(
    provider: Provider, baseURL: String, key: Secret?, baseURLSource: SettingSource,
    keySource: SettingSource?
  ) {
    self.provider = provider
    self.baseURL = baseURL
    self.key = key
    self.baseURLSource = baseURLSource
    self.keySource = keySource
  }

  public enum Outcome: Hashable, Sendable {
    case ready(Connection)
    /// Nothing is set up.
    case noKey
    case refused(Refusal)
  }

  /// Why no request may be sent. Holds no secret.
  public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
  }
}

/// Who provides the models.
public enum Provider: String, CaseIterable, Hashable, Sendable, Codable {
  case openAI = "openai"
  case anthropic
  /// Any server that speaks OpenAI's chat completions.
  case compatible

  public var name: String {
    switch self {
    case .openAI: "OpenAI"
    case .anthropic: "Anthropic"
    case .compatible: "OpenAI-compatible"
    }
  }

  public var format: WireFormat { self == .anthropic ? .anthropic : .openAI }

  /// Nil where the person has to say it.
  public var defaultBaseURL: String? {
    switch self {
    case .openAI: "https://api.openai.com/v1"
    case .anthropic: "https://api.anthropic.com/v1"
    case .compatible: nil
    }
  }

  /// The page where a key is to be had.
  public var keyPage: String? {
    switch self {
    case .openAI: "https://platform.openai.com/api-keys"
    case .anthropic: "https://console.anthropic.com/settings/keys"
    case .compatible: nil
    }
  }
}

/// A key or URL of one source, before it is known what it may be joined with.
private struct Offer {
  var key: (value: String, name: String)?
  var url: (value: String, name: String)?
  var provider: Provider?
  var source: (String) -> SettingSource
}

extension SettingsLayers {
  /// Decides which source speaks for the connection.
  public func connection() -> Connection.Outcome {
    let offers: [Offer]
    do throws(SettingError) {
      offers = try layers.map { (layer) throws(SettingError) in try offer(of: layer) }
    } catch {
      return .refused(.init(description: error.description))
    }
    if let foreign = foreignURL(offers) { return .refused(foreign) }
    // A key from a stronger source belongs elsewhere; the conversation does not follow it there.
    if let named = offers.first(where: { $0.url != nil }), named.key == nil {
      return connection(named)
    }
    if let first = offers.first(where: { $0.key != nil || $0.url != nil }) {
      return connection(first)
    }
    return credentials.map(connection) ?? .noKey
  }

  /// A base URL without a key of its own source, while there is a key elsewhere that must not go
  /// there.
  private func foreignURL(_ offers: [Offer]) -> Connection.Refusal? {
    for offer in offers where offer.key == nil {
      guard let (text, name) = offer.url, let url = try? HTTPURL(validating: text),
        !url.isLoopback
      else { continue }
      if let credentials, credentials.origin == Self.origin(url) { continue }
      let hasOtherKey = credentials != nil || offers.contains { $0.key != nil }
      guard hasOtherKey else { continue }
      return Connection.Refusal(
        description: "\(name) (from \(offer.source(name))) points me at \(url.host), but the key "
          + "comes from somewhere else, and I don't send a key to a host it wasn't given for. Set "
          + "both in the same place, or run `rapport setup` for \(url.host).")
    }
    return nil
  }

  private func connection(_ offer: Offer) -> Connection.Outcome {
    let provider = offer.provider ?? self.provider ?? Self.provider(ofKey: offer.key)
    guard let (text, name) = offer.url ?? provider.defaultBaseURL.map({ ($0, "") }) else {
      return .refused(
        .init(description: "An OpenAI-compatible server needs its address: set RAPPORT_BASE_URL."))
    }
    let isStoredHere = credentials?.origin == (try? HTTPURL(validating: text)).map(Self.origin)
    let stored = offer.key == nil && isStoredHere ? credentials : nil
    let key = offer.key?.value ?? stored?.key.revealed
    if let key, let problem = Self.problem(withKey: key) {
      let keyName = offer.key?.name ?? "the stored key"
      return .refused(.init(description: "\(keyName) (from \(offer.source(keyName))): \(problem)"))
    }
    return checked(
      Connection(
        provider: stored?.provider ?? provider, baseURL: text, key: key.map { Secret($0) },
        baseURLSource: name.isEmpty ? .builtIn : offer.source(name),
        keySource: offer.key.map { offer.source($0.name) }
          ?? stored.map { _ in .credentials(path: credentialsPath) }))
  }

  private func connection(_ stored: Credentials) -> Connection.Outcome {
    checked(
      Connection(
        provider: stored.provider, baseURL: stored.baseURL,
        key: stored.key.revealed.isEmpty ? nil : stored.key,
        baseURLSource: .credentials(path: credentialsPath),
        keySource: .credentials(path: credentialsPath)))
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

  private func offer(of layer: Layer) throws(SettingError) -> Offer {
    let named = layer[Setting.provider.rawValue]
    if let named, Provider(rawValue: named.lowercased()) == nil {
      throw SettingError(
        setting: Setting.provider.rawValue, source: layer.source(Setting.provider.rawValue),
        expected: Provider.allCases.map(\.rawValue).joined(separator: ", "), found: shown(named))
    }
    let provider = named.flatMap { Provider(rawValue: $0.lowercased()) } ?? self.provider
    func first(_ names: [String]) -> (value: String, name: String)? {
      names.lazy.compactMap { name in layer[name].map { ($0, name) } }.first
    }
    let ours = provider.map { [Self.prefix($0)] } ?? ["OPENAI", "ANTHROPIC"]
    let key = first([Setting.apiKey.rawValue] + ours.map { "\($0)_API_KEY" })
    let vendor = key.map(Self.provider(ofKey:)).map(Self.prefix) ?? ours.first ?? "OPENAI"
    let urls = key == nil ? ours : [vendor]
    return Offer(
      key: key, url: first([Setting.baseURL.rawValue] + urls.map { "\($0)_BASE_URL" }),
      provider: provider, source: layer.source)
  }

  private var provider: Provider? {
    self[.provider].flatMap { Provider(rawValue: $0.value.lowercased()) }
  }

  private static func prefix(_ provider: Provider) -> String {
    provider == .anthropic ? "ANTHROPIC" : "OPENAI"
  }

  private static func provider(ofKey key: (value: String, name: String)?) -> Provider {
    guard let key else { return .openAI }
    return key.name.hasPrefix("ANTHROPIC") || key.value.hasPrefix("sk-ant-") ? .anthropic : .openAI
  }

  /// Why a key cannot go into a header; names the place, never the value.
  public static func problem(withKey key: String) -> String? {
    for (index, scalar) in key.unicodeScalars.enumerated()
    where !(0x21...0x7E).contains(scalar.value) {
      let what =
        scalar.value <= 0x20 || (0x7F...0x9F).contains(scalar.value)
        ? "a space or control character" : "a character outside ASCII"
      return "there is \(what) at position \(index + 1) of the key, so I won't send it"
    }
    return key.utf8.count > 4_096 ? "the key is longer than 4096 characters" : nil
  }

  static func origin(_ url: HTTPURL) -> String { "\(url.scheme)://\(url.authority)" }
}
