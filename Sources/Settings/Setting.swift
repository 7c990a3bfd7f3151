/// A setting, by the name of its environment variable.
public enum Setting: String, CaseIterable, Hashable, Sendable {
  case provider = "RAPPORT_PROVIDER"
  case apiKey = "RAPPORT_API_KEY"
  case baseURL = "RAPPORT_BASE_URL"
  case model = "RAPPORT_MODEL"
  case modelFast = "RAPPORT_MODEL_FAST"
  case modelCoach = "RAPPORT_MODEL_COACH"
  case modelDeep = "RAPPORT_MODEL_DEEP"
  case store = "RAPPORT_STORE"
  case prompts = "RAPPORT_PROMPTS"
  case threshold = "RAPPORT_THRESHOLD"
  case maxTurns = "RAPPORT_MAX_TURNS"
  case timeLimit = "RAPPORT_TIME_LIMIT"
  case followUp = "RAPPORT_FOLLOW_UP"
  case idleTimeout = "RAPPORT_IDLE_TIMEOUT"
  case certificates = "RAPPORT_CA_FILE"
  case preview = "RAPPORT_PREVIEW"
  case readAhead = "RAPPORT_READ_AHEAD"
  case supabaseURL = "SUPABASE_URL"
  case supabaseKey = "SUPABASE_ANON_KEY"

  /// The key in the config file: `RAPPORT_MAX_TURNS` is `max_turns` there.
  public var configKey: String { Self.configKey(rawValue) }

  static func configKey(_ name: String) -> String {
    (name.hasPrefix("RAPPORT_") ? name.dropFirst("RAPPORT_".count) : name[...]).lowercased()
  }

  /// The option on the command line: `--max-turns`.
  public var flag: String { "--" + configKey.replacing("_", with: "-") }

  /// Settings of the connection come from one source as a whole; see `Connection`.
  var isOfConnection: Bool { [.provider, .apiKey, .baseURL].contains(self) }

  var builtIn: String? {
    switch self {
    case .threshold: "0.8"
    case .maxTurns: "5"
    case .timeLimit: "240"
    case .followUp: "shortfall"
    case .idleTimeout: "60"
    case .preview, .readAhead: "on"
    default: nil
    }
  }
}

/// Where a setting came from.
public enum SettingSource: Hashable, Sendable, CustomStringConvertible {
  case flag
  case environment
  case dotenv(line: Int)
  /// The line is counted from 1; nil if unknown.
  case config(path: String, line: Int? = nil)
  case credentials(path: String)
  case builtIn

  public var description: String {
    switch self {
    case .flag: "a flag"
    case .environment: "the environment"
    case .dotenv(let line): ".env:\(line)"
    case .config(let path, let line): line.map { "\(path):\($0)" } ?? path
    case .credentials(let path): path
    case .builtIn: "built in"
    }
  }

  /// 0 for the source that overrides all others.
  var rank: Int {
    switch self {
    case .flag: 0
    case .environment: 1
    case .dotenv: 2
    case .config: 3
    case .credentials: 4
    case .builtIn: 5
    }
  }
}

/// An unusable setting. Contains no secret.
public struct SettingError: Error, Hashable, Sendable, CustomStringConvertible {
  public var setting: String
  public var source: SettingSource
  /// A phrase for after "must be", such as `between 0 and 1`.
  public var expected: String
  /// Nil if the value is secret.
  public var found: String?

  public init(setting: String, source: SettingSource, expected: String, found: String?) {
    self.setting = setting
    self.source = source
    self.expected = expected
    self.found = found
  }

  public var description: String {
    let name = source == .flag ? flag : "\(setting) (from \(source))"
    return "\(name) must be \(expected)" + (found.map { ", not \"\($0)\"" } ?? "") + "."
  }

  private var flag: String {
    "--" + Setting.configKey(setting).replacing("_", with: "-")
  }
}
