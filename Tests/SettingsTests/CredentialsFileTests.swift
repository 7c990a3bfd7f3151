import Foundation
import Glibc
import LanguageModels
import Settings
import Testing

@Suite(.serialized)
struct CredentialsFileTests {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "rapport-credentials-\(UUID().uuidString)").path
  private var file: CredentialsFile { CredentialsFile(path: folder + "/rapport/credentials.json") }
  private let credentials = Credentials(
    provider: .anthropic, baseURL: "https://api.anthropic.com/v1",
    key: Secret("sk-ant-canary-12345678"),
    models: ["coach": "claude"])

  private func mode(_ path: String) throws -> Int {
    try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }

  @Test(arguments: [mode_t(0), mode_t(0o022)])
  func itIsPrivateWhateverTheMask(mask: mode_t) throws {
    let before = umask(mask)
    defer { umask(before) }
    try file.save(credentials)
    #expect(try mode(file.path) == 0o600)
    #expect(try mode(folder + "/rapport") == 0o700)
    #expect(try file.load() == credentials)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder + "/rapport") == [
        "credentials.json"
      ])
    try FileManager.default.removeItem(atPath: folder)
  }

  @Test func savingReplacesTheWholeFile() throws {
    try file.save(credentials)
    var other = credentials
    other.key = Secret("short")
    try file.save(other)
    #expect(try file.load() == other)
    #expect(try file.remove() && !file.remove())
    #expect(try file.load() == nil)
    try FileManager.default.removeItem(atPath: folder)
  }

  @Test func itIsNeverReadThroughALinkOrWhenOthersCanReadIt() throws {
    try file.save(credentials)
    chmod(file.path, 0o640)
    #expect(throws: CredentialsFile.Failure.self) { try file.load() }
    chmod(file.path, 0o600)
    let real = folder + "/real.json"
    try FileManager.default.moveItem(atPath: file.path, toPath: real)
    try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: real)
    #expect(throws: CredentialsFile.Failure.self) { try file.load() }
    let before = try Data(contentsOf: URL(filePath: real))
    try file.save(
      Credentials(provider: .openAI, baseURL: "https://api.openai.com/v1", key: Secret("x")))
    #expect(
      try Data(contentsOf: URL(filePath: real)) == before, "a link is replaced, not written through"
    )
    try FileManager.default.removeItem(atPath: folder)
  }

  @Test func aDotEnvThatOthersCanWriteIsNotRead() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let path = folder + "/.env"
    try Data("OPENAI_API_KEY=sk-test-abc\n".utf8).write(to: URL(filePath: path))
    let files = SettingsFiles(environment: ["HOME": folder], workingFolder: folder)
    chmod(path, 0o644)
    #expect(try files.load().connection() != .noKey)
    chmod(path, 0o666)
    #expect(try files.load().connection() == .noKey)
    #expect(try files.load().warnings.contains { $0.contains("can be written by others") })
    try FileManager.default.removeItem(atPath: folder)
  }
}
