import CoachServer
import Foundation
import Glibc
import TestSupport
import Testing

/// Commands that look, and what they find, or do not find, in the store's place.
@Suite(.integration)
struct ReadCommandTests {
  private static let commands = [
    ["sessions"], ["sessions", "show"], ["sessions", "export"], ["sessions", "show", "abcd"],
    ["sessions", "forget", "abcd"], ["profile"],
  ]

  @Test(arguments: commands)
  func lookingMakesNothing(command: [String]) throws {
    let household = try Household()
    let result = try household.run(command)
    #expect(!result.errors.isEmpty)
    #expect(try FileManager.default.subpathsOfDirectory(atPath: household.folder).isEmpty)
  }

  @Test(arguments: commands)
  func aDamagedHeaderIsSaidAndTheFileLeftAsItIs(command: [String]) throws {
    let household = try Household()
    #expect(try household.run("subscribe").status == 0)
    var bytes = try Data(contentsOf: URL(filePath: household.store))
    bytes.replaceSubrange(0..<100, with: Data(repeating: 0, count: 100))
    try bytes.write(to: URL(filePath: household.store))
    let before = try household.files().map(\.path).sorted()
    let result = try household.run(command)
    #expect(result.status == 65)
    #expect(result.errors.contains("is damaged, so I left it unchanged"), "\(result.errors)")
    #expect(try Data(contentsOf: URL(filePath: household.store)) == bytes)
    #expect(try household.files().map(\.path).sorted() == before)
  }

  @Test(arguments: [":memory:", "", "file:x.db", "~nobody/x.db"])
  func aStoreThatCouldNotLastIsRefused(path: String) throws {
    let household = try Household()
    for command in ["subscribe", "sessions"] {
      let result = try household.run(command, "--store", path)
      #expect(result.status == 64)
      #expect(result.errors.contains("--store must be a"))
      #expect(result.errors.contains(", not \"\(path)\""))
    }
    #expect(try FileManager.default.subpathsOfDirectory(atPath: household.folder).isEmpty)
  }

  @Test func aPathInAFileMayBeginAtHome() throws {
    let household = try Household()
    try household.write("RAPPORT_STORE=~/mine/talks.db\n", to: ".env")
    #expect(try household.run("subscribe").status == 0)
    #expect(FileManager.default.fileExists(atPath: household.folder + "/mine/talks.db"))
    try household.write("RAPPORT_STORE=:memory:\n", to: ".env")
    let result = try household.run("subscribe")
    #expect(result.status == 78)
    #expect(result.errors.contains("RAPPORT_STORE (from .env:1)"), "\(result.errors)")
  }

  @Test func theUsualFolderIsClosedToOthersWhenItIsUsed() throws {
    let household = try Household()
    #expect(try household.run("subscribe").status == 0)
    let folder = household.folder + "/.local/state/rapport"
    chmod(folder, 0o755)
    chmod(household.store, 0o644)
    #expect(try household.run("sessions").status == 0)
    for (path, mode) in [(folder, 0o700), (household.store, 0o600)] {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == mode)
    }
  }

  /// Otherwise the first file that is opened is written to as if it were the output.
  @Test(arguments: ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
  func withoutItsStandardFilesItWritesIntoNoOther(closed: String) throws {
    let household = try Household()
    #expect(try household.run("subscribe").status == 0)
    let before = try Data(contentsOf: URL(filePath: household.store))
    for command in ["sessions", "config", "subscribe", "--version"] {
      let process = Process()
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", "exec \"$0\" \(command) \(closed)", ChildProcess.program.path]
      process.environment = household.environment
      process.currentDirectoryURL = URL(filePath: household.folder)
      process.standardError = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      let isHeard = !closed.contains(">&-") || closed == "2>&-"
      let printsNothing = command == "sessions" || command == "subscribe"
      #expect(process.terminationStatus == (isHeard || printsNothing ? 0 : 73), "\(command)")
    }
    #expect(try Data(contentsOf: URL(filePath: household.store)) == before)
    #expect(try household.run("sessions").status == 0)
  }

  @Test func aProfileCanComeFromStandardInput() throws {
    let result = try Household().run("profile", "--validate", "-", typing: "{\"a\": 1}")
    #expect(result.status == 65)
    #expect(result.errors.hasPrefix("standard input: "), "\(result.errors)")
  }

  @Test func forgettingWhileAnotherHasTheStoreOpenSaysSo() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    let connection = ["chat", "--base-url", model.baseURL, "--model", CoachServer.modelName]
    let chat = try household.start(connection)
    #expect(chat.readLine() != nil)
    #expect(try household.run(connection + ["--new"], typing: "something to forget\n").status == 0)
    let ids = try household.run("sessions").output.split(separator: "\n").compactMap {
      $0.split(separator: " ").first
    }
    let refused = try ids.map { try household.run("sessions", "forget", String($0), "--yes") }
    #expect(refused.allSatisfy { $0.status == 73 })
    #expect(
      refused.contains {
        $0.errors.contains("Close the other rapport first; otherwise copies could remain.")
      }, "\(refused)")
    #expect(try household.run("sessions").output.split(separator: "\n").count == 1)
    chat.closeInput()
    #expect(chat.wait() == 0)
    for id in ids {
      #expect(try household.run("sessions", "forget", String(id), "--yes").status == 0)
    }
    #expect(try household.run("sessions").output.isEmpty)
  }
}
