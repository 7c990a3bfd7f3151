import HTTPStreaming
import IncrementalJSON
import LanguageModels

/// All sources of settings, strongest first: flags, the environment, `.env`, the config file, the
/// credentials file. Pure: reading files is done before.
public struct SettingsLayers: Sendable {
  /// The names and values of one source.
  struct Layer: Sendable {
    var source: @Sendable (_ name: String) -> SettingSource
    var values: [String: String]

    /// A value that is empty or a placeholder is the same as none.
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

  /// What was odd in the sources, for the person to read; never holds a value.
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

  /// A setting's value and source; nil where it is nowhere set.
  public subscript(setting: Setting) -> (value: String, source: SettingSource)? {
    value(named: setting.rawValue) ?? setting.builtIn.map { ($0, .builtIn) }
  }

  private func value(named name: String) -> (value: String, source: SettingSource)? {
    layers.lazy.compactMap { layer in
      layer[name].map { ($0, layer.source(name)) }
    }.first
  }

  /// The model for a role: its own setting, else the one for all, else what setup chose for this
  /// address; nil where that is left to what the account has.
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
    let known = Set(Setting.allCases.map(\.rawValue))
    return Set(names).filter { $0.hasPrefix("RAPPORT_") && !known.contains($0) }
      .sorted()
      .map { name in
        let near = known.min { name.distance(to: $0) < name.distance(to: $1) } ?? ""
        return "\(name) is no setting of mine; did you mean \(near)?"
      }
  }
}

extension SettingsLayers {
  /// A fraction from 0 to 1 as ten-thousandths.
  public func tenThousandths(_ setting: Setting) throws(SettingError) -> Int {
    let scaled = try number(setting, "a number from 0 to 1", 0...1) * 10_000
    return Int(scaled.rounded())
  }

  public func wholeNumber(_ setting: Setting, _ range: ClosedRange<Int>) throws(SettingError) -> Int
  {
    let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    let value = try number(
      setting, expected, Double(range.lowerBound)...Double(range.upperBound))
    guard let whole = Int(exactly: value) else { throw error(setting, expected) }
    return whole
  }

  private func number(
    _ setting: Setting, _ expected: String, _ range: ClosedRange<Double>
  ) throws(SettingError) -> Double {
    // JSON's grammar has no "nan", no hexadecimal and no infinity.
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

  /// A value as a message may repeat it. It can hold a key: people paste one into the wrong place.
  func shown(_ value: String) -> String { String(mask.mask(value).prefix(60)) }

  var mask: SecretMask {
    let keys = layers.flatMap { layer in
      layer.values.filter { $0.key.hasSuffix("_API_KEY") }.values.map { Secret($0) }
    }
    return SecretMask(keys + [credentials?.key])
  }
}

/// The config file: a JSON object of texts and numbers, under the settings' names in lower case.
public struct ConfigFile: Hashable, Sendable {
  public var path: String
  /// By environment variable's name.
  public var values: [String: String]
  /// Where in the file, counted from 1.
  var lines: [String: Int] = [:]

  public init(path: String = "config.json") {
    self.path = path
    values = [:]
  }

  /// - Throws: A sentence that names the file, the line or key, what was expected and found.
  public init(path: String, text: String) throws(ConfigFileError) {
    self.init(path: path)
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
        throw ConfigFileError(description: "\(place): \(key): expected a text or a number")
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

/// Values that stand for "put yours here".
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

extension String {
  /// Levenshtein's edit distance.
  fileprivate func distance(to other: String) -> Int {
    let (mine, theirs) = (Array(utf8), Array(other.utf8))
    var row = Array(0...theirs.count)
    for (i, byte) in mine.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, target) in theirs.enumerated() {
        let cost = Swift.min(row[j] + 1, row[j + 1] + 1, diagonal + (byte == target ? 0 : 1))
        diagonal = row[j + 1]
        row[j + 1] = cost
      }
    }
    return row[theirs.count]
  }
}
