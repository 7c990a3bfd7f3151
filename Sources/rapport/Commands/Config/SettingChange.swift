import FoundationEssentials
import HTTPStreaming
import IncrementalJSON
import Settings
import Startup

/// A new value for the config file.
struct SettingChange {
  let setting: Setting
  let value: String

  /// - Throws: If the program could not use the value.
  func check() throws {
    let key = setting.configKey
    if setting == .apiKey {
      throw CommandFailure(
        .usage,
        "A key on the command line would stay in your shell's history. `rapport setup` stores one.")
    }
    if value.allSatisfy(\.isWhitespace) {
      throw CommandFailure(
        .usage, "\(key) needs a value. To remove it: `rapport config unset \(key)`.")
    }
    do {
      try checkConnection()
      try CommandContext(flags: [setting: value]).check(setting)
    } catch let error as SettingError {
      let found = error.found.map { ", not \"\($0)\"" } ?? ""
      throw CommandFailure(.usage, "\(key) must be \(error.expected)\(found).")
    }
  }

  private func checkConnection() throws {
    if setting == .provider, Provider(rawValue: value.lowercased()) == nil {
      let names = Provider.allCases.map(\.rawValue).joined(separator: ", ")
      throw SettingError(
        setting: setting.rawValue, source: .flag, expected: "one of \(names)", found: value)
    }
    if setting == .baseURL {
      do { _ = try HTTPURL(validating: value) } catch {
        throw CommandFailure(.usage, "base_url can't be used: \(error)")
      }
    }
  }

  /// - Returns: The settings afterward.
  func write() throws -> CommandContext {
    let isNumber = (try? JSONValue(parsing: value))?.numberValue != nil
    let json = isNumber ? value : JSONValue.string(value).serialized()
    let context = try CommandContext()
    _ = try context.files.changing { try $0.changeConfig(setting, to: json) }
    return try CommandContext()
  }
}

extension SettingsFiles {
  func changing<Value>(_ change: (SettingsFiles) throws -> Value) throws -> Value {
    do { return try change(self) } catch let error as ConfigFileError {
      throw CommandFailure(.cannotWrite, "\(error)")
    }
  }
}

extension CommandContext {
  func row(_ setting: Setting) -> (name: String, value: String, source: String)? {
    settings.rows(defaults: defaults).first { $0.name == setting.rawValue }
  }

  /// What is in force after the config file was written.
  func outcome(of setting: Setting) -> String {
    let (key, path) = (setting.configKey, files.configPath ?? "")
    guard let row = row(setting), !row.source.isEmpty else {
      return "Saved in \(path). \(key) isn't in force at the moment."
    }
    return row.source.hasPrefix(path)
      ? "\(key) is now \(row.value) (\(row.source))."
      : "Saved in \(path), but \(row.source) overrides it: \(key) is \(row.value)."
  }

  /// What is in force after a setting was removed, or was not there.
  func outcome(ofRemoving setting: Setting, isRemoved: Bool) -> String {
    let (key, path) = (setting.configKey, files.configPath ?? "the config file")
    let what = isRemoved ? "Removed \(key) from \(path)." : "\(key) isn't in \(path)."
    guard let row = row(setting), !row.source.isEmpty else { return what }
    return "\(what) It's \(row.value) (\(row.source)) now."
  }
}
