import Glibc
import LanguageModels

/// Reads the files that settings come from. All paths follow from the environment.
public struct SettingsFiles: Sendable {
  public let environment: [String: String]
  /// Where `.env` is looked for.
  public let workingFolder: String

  public init(environment: [String: String], workingFolder: String = ".") {
    self.environment = environment
    self.workingFolder = workingFolder
  }

  /// `$XDG_CONFIG_HOME/rapport`, or under `~/.config`; nil where neither is set.
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

  /// All sources together.
  public func load(flags: [Setting: String] = [:]) throws(ConfigFileError) -> SettingsLayers {
    var warnings: [String] = []
    let dotenv = readDotEnv(&warnings)
    var credentials: Credentials?
    do throws(CredentialsFile.Failure) {
      credentials = try credentialsFile?.load()
    } catch {
      warnings.append(error.description)
    }
    return SettingsLayers(
      flags: flags, environment: environment, dotenv: dotenv, config: try readConfig(),
      credentials: credentials, credentialsPath: credentialsFile?.path ?? "credentials.json",
      warnings: warnings)
  }

  private func readConfig() throws(ConfigFileError) -> ConfigFile {
    guard let path = configFolder.map({ $0 + "/config.json" }) else { return ConfigFile() }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return ConfigFile(path: path) }
    defer { close(descriptor) }
    let bytes = PrivateFile.bytes(descriptor, limit: DotEnv.largestFile)
    return try ConfigFile(path: path, text: String(decoding: bytes, as: UTF8.self))
  }

  /// Settings that others can write are settings that others can make: such a file is not read.
  private func readDotEnv(_ warnings: inout [String]) -> DotEnv {
    let descriptor = open(workingFolder + "/.env", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return DotEnv() }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      warnings.append(".env is not a regular file, so I didn't read it")
      return DotEnv()
    }
    guard status.st_uid == geteuid() else {
      warnings.append(".env belongs to another user, so I didn't read it")
      return DotEnv()
    }
    guard status.st_mode & 0o022 == 0 else {
      warnings.append(
        ".env can be written by others, so I didn't read it; `chmod go-w .env` mends it")
      return DotEnv()
    }
    guard status.st_size <= DotEnv.largestFile else {
      warnings.append(".env is larger than \(DotEnv.largestFile) bytes, so I didn't read it")
      return DotEnv()
    }
    return DotEnv(bytes: PrivateFile.bytes(descriptor, limit: DotEnv.largestFile))
  }
}

extension SettingsLayers {
  /// A line a setting: its value as it is in force, and where it came from; keys masked.
  ///
  /// - Parameter defaults: Values of settings whose default is found out at run time.
  public func rows(
    defaults: [Setting: String] = [:]
  ) -> [(name: String, value: String, source: String)] {
    let connection: Connection? =
      if case .ready(let ready) = self.connection() { ready } else { nil }
    let others = Setting.allCases.filter { !$0.isOfConnection }.map { setting in
      let isOfARole = [.modelFast, .modelCoach, .modelDeep].contains(setting)
      let found = isOfARole ? model(setting, at: connection) : self[setting]
      if let found { return (setting.rawValue, found.value, "\(found.source)") }
      let fallback = defaults[setting]
      return (setting.rawValue, fallback ?? "(not set)", fallback == nil ? "" : "built in")
    }
    return (connectionRows + others).map { ($0.name, mask.mask($0.value), $0.source) }
  }

  private var connectionRows: [(name: String, value: String, source: String)] {
    switch connection() {
    case .noKey:
      [(Setting.provider.rawValue, "(not set)", ""), (Setting.apiKey.rawValue, "(not set)", "")]
    case .refused(let refusal): [("connection", "refused", refusal.description)]
    case .ready(let connection):
      [
        (
          Setting.provider.rawValue, connection.provider.rawValue,
          self[.provider].map { "\($0.source)" } ?? "\(connection.baseURLSource)"
        ),
        (Setting.baseURL.rawValue, connection.baseURL, "\(connection.baseURLSource)"),
        (
          Setting.apiKey.rawValue, connection.key.map { "\($0)" } ?? "(none)",
          connection.keySource.map { "\($0)" } ?? ""
        ),
      ]
    }
  }
}
