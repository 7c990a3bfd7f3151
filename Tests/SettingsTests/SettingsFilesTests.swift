import Foundation
import Glibc
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
}
