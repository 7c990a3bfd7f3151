import Glibc
import HTTPStreaming
import LanguageModels

/// Reads the files that hold settings. All paths derive from the environment.
public struct SettingsFiles: Sendable {
  public let environment: [String: String]
  /// The folder to search for `.env`.
  public let workingFolder: String

  public init(environment: [String: String], workingFolder: String = ".") {
    self.environment = environment
    self.workingFolder = workingFolder
  }

  /// `$XDG_CONFIG_HOME/rapport`, or a folder under `~/.config`; nil if neither variable is set.
  public var configFolder: String? {
    if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
      return folder + "/rapport"
    }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return home + "/.config/rapport"
  }

  public var credentialsFile: CredentialsFile? {
    configFolder.map { CredentialsFile(path: $0 + "/credentials.json") }
  }

  /// Reads all sources.
  ///
  /// - Parameter readsCredentials: False if the command needs no key; the stored one stays unread.
  public func load(
    flags: [Setting: String] = [:], readsCredentials: Bool = true
  ) throws(ConfigFileError) -> SettingsLayers {
    var warnings: [String] = []
    let dotenv = readDotEnv(&warnings)
    var credentials: Credentials?
    do throws(CredentialsFile.Failure) {
      if readsCredentials { credentials = try credentialsFile?.load() }
    } catch {
      warnings.append(error.description)
    }
    return SettingsLayers(
      flags: flags, environment: try environment(readsKey: readsCredentials), dotenv: dotenv,
      config: try readConfig(),
      credentials: credentials, credentialsPath: credentialsFile?.path ?? "credentials.json",
      warnings: warnings)
  }

  /// Names a file with the key, for services whose environment others can read.
  private static let keyFile = "RAPPORT_API_KEY_FILE"

  /// The environment, with the key from the file it names. An empty file is no key.
  private func environment(readsKey: Bool) throws(ConfigFileError) -> [String: String] {
    var environment = environment
    guard let path = environment.removeValue(forKey: Self.keyFile), !path.isEmpty, readsKey else {
      return environment
    }
    let name = Setting.apiKey.rawValue
    guard environment[name] == nil else {
      throw ConfigFileError(description: "\(name) and \(Self.keyFile) are both set; keep one")
    }
    do throws(RegularFile.Failure) {
      let text = String(decoding: try RegularFile.bytes(path), as: UTF8.self)
      let key = text.split { $0.isNewline }.first.map { String($0).trimmedOfSpace } ?? ""
      if !key.isEmpty { environment[name] = key }
    } catch {
      throw ConfigFileError(description: "\(path) (from \(Self.keyFile)) \(error.reason)")
    }
    return environment
  }

  /// Nil if there is no home folder.
  public var configPath: String? { configFolder.map { $0 + "/config.json" } }

  private func readConfig() throws(ConfigFileError) -> ConfigFile {
    guard let path = configPath else { return ConfigFile() }
    return try configText(path).map { text throws(ConfigFileError) in
      try ConfigFile(path: path, text: text)
    } ?? ConfigFile(path: path)
  }

  /// Nil if there is no such file.
  private func configText(_ path: String) throws(ConfigFileError) -> String? {
    do throws(RegularFile.Failure) {
      return String(decoding: try RegularFile.bytes(path), as: UTF8.self)
    } catch {
      if error.isMissing { return nil }
      throw ConfigFileError(description: "\(path) \(error.reason)")
    }
  }

  /// Sets or removes one setting of the config file, and leaves the rest of its text as it was.
  ///
  /// - Parameter json: The value as JSON; nil removes the setting.
  /// - Returns: False if there was nothing to remove.
  @discardableResult
  public func changeConfig(_ setting: Setting, to json: String?) throws(ConfigFileError) -> Bool {
    guard let path = configPath else {
      throw ConfigFileError(description: "I don't know where to store settings: HOME is not set")
    }
    let old = try configText(path)
    if let old { _ = try ConfigFile(path: path, text: old) }
    var text = ConfigText(old ?? "")
    if let json {
      text.set(setting.configKey, to: json)
    } else if !text.remove(setting.configKey) {
      return false
    }
    // A file that is kept elsewhere stays there.
    let target = realpath(path, nil).map { pointer in
      defer { free(pointer) }
      return String(cString: pointer)
    }
    guard PrivateFile.replace(target ?? path, with: text.text) else {
      throw ConfigFileError(
        description: "\(path) can't be written: \(String(cString: strerror(errno)))")
    }
    return true
  }

  /// Rejects a file that others can write: they could change the settings.
  private func readDotEnv(_ warnings: inout [String]) -> DotEnv {
    do throws(RegularFile.Failure) {
      return DotEnv(
        bytes: try RegularFile.bytes(workingFolder + "/.env") { status in
          if status.st_uid != geteuid() { return "belongs to another user" }
          return status.st_mode & 0o022 == 0
            ? nil : "can be written by others (fix it with `chmod go-w .env`)"
        })
    } catch {
      if !error.isMissing { warnings.append(".env \(error.reason), so I didn't read it") }
      return DotEnv()
    }
  }
}

extension SettingsLayers {
  /// One row per setting: name, value in force and source; keys are masked.
  ///
  /// - Parameter defaults: Defaults that are only known at run time.
  public func rows(
    defaults: [Setting: String] = [:]
  ) -> [(name: String, value: String, source: String)] {
    let connection = connection().ready
    let others = Setting.allCases.filter { !$0.isOfConnection }.map { setting in
      if let found = inForce(setting, at: connection) {
        return (setting.rawValue, found.value, "\(found.source)")
      }
      let fallback = defaults[setting]
      return (setting.rawValue, fallback ?? "(not set)", fallback == nil ? "" : "built in")
    }
    return (connectionRows + others).map { ($0.name, mask.mask($0.value), $0.source) }
  }

  private func inForce(
    _ setting: Setting, at connection: Connection?
  ) -> (value: String, source: SettingSource)? {
    switch setting {
    case .modelFast, .modelCoach, .modelDeep: model(setting, at: connection)
    case .certificates: certificates(at: connection).map(asPath)
    case .prompts: self[setting].map(asPath)
    case .store: self[setting].map(asPlace)
    default: self[setting]
    }
  }

  private func asPath(
    _ found: (value: String, source: SettingSource)
  ) -> (value: String, source: SettingSource) {
    (expanded(found.value) ?? found.value, found.source)
  }

  /// Of a database, nothing secret: its URL may hold a password.
  private func asPlace(
    _ found: (value: String, source: SettingSource)
  ) -> (value: String, source: SettingSource) {
    DatabaseURL.shown(found.value).map { ($0, found.source) } ?? asPath(found)
  }

  private var connectionRows: [(name: String, value: String, source: String)] {
    switch connection() {
    case .noKey:
      [Setting.provider, .baseURL, .apiKey].map { ($0.rawValue, "(not set)", "") }
    case .refused(let refusal): [("connection", "refused", refusal.description)]
    case .ready(let connection):
      [
        (Setting.provider.rawValue, connection.provider.rawValue, "\(connection.providerSource)"),
        (
          Setting.baseURL.rawValue, HTTPURL.shown(connection.baseURL), "\(connection.baseURLSource)"
        ),
        (
          Setting.apiKey.rawValue, connection.key.map { "\($0)" } ?? "(none)",
          connection.keySource.map { "\($0)" } ?? ""
        ),
      ]
    }
  }
}
