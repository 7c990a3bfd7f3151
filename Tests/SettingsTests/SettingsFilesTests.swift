import Foundation
import Glibc
import LanguageModels
import Settings
import Testing

/// Things in the place of the files that settings come from.
@Suite(.serialized)
final class SettingsFilesTests {
  enum Thing: CaseIterable { case pipe, folder, device }

  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "rapport-settings-\(UUID().uuidString)").path
  private var files: SettingsFiles {
    SettingsFiles(environment: ["HOME": folder], workingFolder: folder)
  }

  init() throws {
    try FileManager.default.createDirectory(
      atPath: folder + "/.config/rapport", withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func place(_ thing: Thing, at path: String) throws {
    switch thing {
    case .pipe: #expect(mkfifo(path, 0o600) == 0)
    case .folder: #expect(mkdir(path, 0o700) == 0)
    case .device:
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/zero")
    }
  }

  @Test(arguments: Thing.allCases, [".env", ".config/rapport/credentials.json"])
  func whatIsNoFileIsNamedAndNotWaitedFor(thing: Thing, name: String) throws {
    try place(thing, at: folder + "/" + name)
    let layers = try files.load()
    #expect(layers.connection() == .noKey)
    #expect(layers.warnings.count == 1 && layers.warnings[0].contains(name), "\(layers.warnings)")
  }

  @Test(arguments: Thing.allCases)
  func aConfigFileThatIsNoFileIsAnError(thing: Thing) throws {
    try place(thing, at: folder + "/.config/rapport/config.json")
    let error = #expect(throws: ConfigFileError.self) { try files.load() }
    #expect(error?.description.contains("config.json is ") == true)
  }

  @Test func aSettingOfTheConfigFileIsNamedWithItsLine() throws {
    let text = "{\n  \"model\": \"max_turns\",\n  \"max_turns\"\n : 900}\n"
    let layers = SettingsLayers(config: try ConfigFile(path: "c.json", text: text))
    let error = #expect(throws: SettingError.self) { try layers.wholeNumber(.maxTurns, 1...50) }
    #expect(error?.description.contains("(from c.json:3)") == true)
  }

  // A service gets its key in a file: others can read its environment.

  @Test func theKeyCanBeInAFile() throws {
    let path = try write("  sk-from-a-file\n")
    #expect(try filesWithKey(in: path).load().connection().ready?.key?.revealed == "sk-from-a-file")
    #expect(try filesWithKey(in: path).load(readsCredentials: false).connection() == .noKey)
  }

  @Test func anEmptyKeyFileIsNoKey() throws {
    #expect(try filesWithKey(in: write("\n")).load().connection() == .noKey)
  }

  @Test func aKeyFileThatCannotBeReadIsAnError() throws {
    let error = #expect(throws: ConfigFileError.self) {
      try filesWithKey(in: folder + "/none").load()
    }
    #expect(error?.description.contains("/none (from RAPPORT_API_KEY_FILE)") == true)
  }

  @Test func twoKeysAreAnError() throws {
    let files = try filesWithKey(in: write("one"), ["RAPPORT_API_KEY": "two"])
    #expect(throws: ConfigFileError.self) { try files.load() }
  }

  private func write(_ key: String) throws -> String {
    let path = folder + "/api-key"
    try key.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  private func filesWithKey(in path: String, _ more: [String: String] = [:]) -> SettingsFiles {
    let own = ["HOME": folder, "RAPPORT_PROVIDER": "openai", "RAPPORT_API_KEY_FILE": path]
    return SettingsFiles(
      environment: own.merging(more) { $1 }, workingFolder: folder)
  }
}
