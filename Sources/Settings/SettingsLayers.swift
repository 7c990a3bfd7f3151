import HTTPStreaming
import IncrementalJSON
import LanguageModels

/// All sources of settings, in order of precedence: flags, the environment, `.env`, the config
/// file, the credentials file. Pure: the files are read beforehand.
public struct SettingsLayers: Sendable {
  /// The names and values of one source.
  struct Layer: Sendable {
    var source: @Sendable (_ name: String) -> SettingSource
    var values: [String: String]

    /// An empty value or a placeholder counts as unset.
    subscript(name: String) -> String? {
      guard let value = values[name], !Placeholder.matches(value) else { return nil }
      return value.trimmedOfSpace
    }
  }

  let layers: [Layer]
  public let credentials: Credentials?
  let credentialsPath: String
  let home: String?
  private let oddities: [String]

  /// Warnings about the sources, for the person to read; never contains a value.
  public var warnings: [String] { oddities + [ignoredCertificates].compactMap(\.self) }

  public init(
    flags: [Setting: String] = [:], environment: [String: String] = [:],
    dotenv: DotEnv = DotEnv(), config: ConfigFile = ConfigFile(),
    credentials: Credentials? = nil, credentialsPath: String = "credentials.json",
    warnings: [String] = []
  ) {
    let lines = dotenv.entries.mapValues(\.line)
    let path = config.path
    layers = [
      Layer(
        source: { _ in .flag },
        values: Dictionary(uniqueKeysWithValues: flags.map { ($0.key.rawValue, $0.value) })),
      Layer(source: { _ in .environment }, values: environment),
      Layer(
        source: { .dotenv(line: lines[$0] ?? 0) }, values: dotenv.entries.mapValues(\.value)),
      Layer(
        source: { .config(path: path, line: config.lines[$0]) }, values: config.values),
    ]
    home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    self.credentials = credentials
    self.credentialsPath = credentialsPath
    oddities =
      warnings + dotenv.problems.map { ".env: \($0)" }
      + Self.unknownNames(Array(environment.keys) + dotenv.entries.keys)
  }

  /// A setting's value and source; nil if it is not set anywhere.
  public subscript(setting: Setting) -> (value: String, source: SettingSource)? {
    value(named: setting.rawValue) ?? setting.builtIn.map { ($0, .builtIn) }
  }

  private func value(named name: String) -> (value: String, source: SettingSource)? {
    layers.lazy.compactMap { layer in
      layer[name].map { ($0, layer.source(name)) }
    }.first
  }

  /// The model for a role: its own setting, else the one for all roles, else what setup chose for
  /// this address; nil leaves the choice to what the account offers.
  public func model(
    _ role: Setting, at connection: Connection?
  ) -> (value: String, source: SettingSource)? {
    self[role] ?? self[.model] ?? connection.flatMap { storedModel(role, at: $0) }
  }

  private func storedModel(
    _ role: Setting, at connection: Connection
  ) -> (value: String, source: SettingSource)? {
    guard let credentials, HTTPURL.areSame(credentials.baseURL, connection.baseURL),
      let name = credentials.models[String(role.configKey.dropFirst("model_".count))]
    else { return nil }
    return (name, .credentials(path: credentialsPath))
  }

  private static func unknownNames(_ names: [String]) -> [String] {
    let known = Setting.allCases.map(\.rawValue)
    return Set(names).filter { $0.hasPrefix("RAPPORT_") && !known.contains($0) }
      .sorted()
      .map { name in
        let near = known.min { name.distance(to: $0) < name.distance(to: $1) }
        guard let near, name.distance(to: near) <= 2 else {
          return "\(name) is not a setting; `rapport config` lists them"
        }
        return "\(name) is not a setting; did you mean \(near)?"
      }
  }
}

extension SettingsLayers {
  /// A fraction from 0 to 1, as ten-thousandths.
  public func tenThousandths(_ setting: Setting) throws(SettingError) -> Int {
    let scaled = try number(setting, "between 0 and 1", 0...1) * 10_000
    return Int(scaled.rounded())
  }

  public func wholeNumber(_ setting: Setting, _ range: ClosedRange<Int>) throws(SettingError) -> Int
  {
    let expected = "a whole number between \(range.lowerBound) and \(range.upperBound)"
    let value = try number(
      setting, expected, Double(range.lowerBound)...Double(range.upperBound))
    guard let whole = Int(exactly: value) else { throw error(setting, expected) }
    return whole
  }

  private func number(
    _ setting: Setting, _ expected: String, _ range: ClosedRange<Double>
  ) throws(SettingError) -> Double {
    // JSON's grammar has no "nan", hexadecimal or infinity.
    guard let (text, _) = self[setting], let value = try? JSONValue(parsing: text).doubleValue,
      range.contains(value)
    else { throw error(setting, expected) }
    return value
  }

  public func error(_ setting: Setting, _ expected: String) -> SettingError {
    let found = self[setting]
    return SettingError(
      setting: setting.rawValue, source: found?.source ?? .builtIn, expected: expected,
      found: found.map { shown($0.value) })
  }

  /// A value that is safe to repeat in a message: people paste keys into the wrong place.
  func shown(_ value: String) -> String { String(mask.mask(value).prefix(60)) }

  var mask: SecretMask {
    let keys = layers.flatMap { layer in
      layer.values.filter { $0.key.hasSuffix("_API_KEY") || $0.key == Setting.supabaseKey.rawValue }
        .values.map { Secret($0) }
    }
    return SecretMask(keys + [credentials?.key])
  }
}

/// The config file: a JSON object of strings and numbers, keyed by setting name in lower case.
/// Lines that begin with `//` are comments.
public struct ConfigFile: Hashable, Sendable {
  public var path: String
  /// Keyed by the environment variable's name.
  public var values: [String: String]
  /// The line of each setting, counted from 1.
  var lines: [String: Int] = [:]

  public init(path: String = "config.json") {
    self.path = path
    values = [:]
  }

  /// - Throws: A message with the file, the line or key, what was expected and what was found.
  public init(path: String, text: String) throws(ConfigFileError) {
    self.init(path: path)
    let text = ConfigText.withoutComments(text)
    let root: JSONValue
    do throws(JSONError) {
      root = try JSONValue(parsing: text)
    } catch {
      throw ConfigFileError(description: "\(path):\(error.line): \(error.reason)")
    }
    guard let members = root.objectValue else {
      throw ConfigFileError(description: "\(path):1: expected an object")
    }
    for (key, value) in members {
      let line = Self.line(of: key, in: text)
      let place = SettingSource.config(path: path, line: line)
      guard let setting = Setting.allCases.first(where: { $0.configKey == key }) else {
        let known = Setting.allCases.map(\.configKey).joined(separator: ", ")
        throw ConfigFileError(description: "\(place): \(key): expected one of \(known)")
      }
      guard let value = value.stringValue ?? value.numberValue.map({ "\($0)" }) else {
        throw ConfigFileError(description: "\(place): \(key): expected a string or a number")
      }
      values[setting.rawValue] = value
      lines[setting.rawValue] = line
    }
  }

  /// The line where a member of a flat object begins.
  private static func line(of key: String, in text: String) -> Int? {
    let name = JSONValue.string(key).serialized()
    var rest = text[...]
    while let range = rest.firstRange(of: name) {
      rest = rest[range.upperBound...]
      let next = rest.first { !$0.isWhitespace }
      if next == ":" { return 1 + text[..<range.lowerBound].utf8.count { $0 == 0x0A } }
    }
    return nil
  }
}

public struct ConfigFileError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String
}

/// Values that mean "put yours here".
enum Placeholder {
  static func matches(_ value: String) -> Bool {
    let text = value.trimmedOfSpace.lowercased()
    let letters = text.filter { $0.isLetter }
    if text.isEmpty { return true }
    if text.hasPrefix("<") && text.hasSuffix(">") { return true }
    if text.hasSuffix("...") || text.hasSuffix("…") { return true }
    if letters.count >= 3 && letters.allSatisfy({ $0 == "x" }) { return true }
    let words = [
      "your-key", "your_key", "your-api-key", "your_api_key", "yourkey", "changeme",
      "change-me", "change_me", "key-here", "key_here", "replace-me", "replace_me", "todo",
    ]
    return words.contains { text.contains($0) }
  }
}
