import Foundation
import Glibc
import TestSupport
import Testing

/// `rapport config get`, `set` and `unset`.
@Suite(.integration)
struct ConfigSetTests {
  private static let path = ".config/rapport/config.json"

  private func file(_ household: Household) throws -> String {
    try String(contentsOfFile: household.folder + "/" + Self.path, encoding: .utf8)
  }

  @Test func aSettingIsWrittenPrivatelyAndInForceAtOnce() throws {
    let household = try Household()
    let set = try household.run("config", "set", "max-turns", "7")
    #expect(set.status == 0 && set.errors.contains("max_turns is now 7"), "\(set.errors)")
    #expect(set.errors.contains("config.json:2"), "\(set.errors)")
    #expect(try file(household) == "{\n  \"max_turns\": 7\n}\n")
    let attributes = try FileManager.default.attributesOfItem(
      atPath: household.folder + "/" + Self.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(try household.run("config", "set", "RAPPORT_MODEL", "llama3.1").status == 0)
    #expect(try file(household) == "{\n  \"max_turns\": 7,\n  \"model\": \"llama3.1\"\n}\n")
    #expect(try household.run("config", "get", "max_turns").output == "7\n")
    #expect(try household.run("config", "get", "model_deep").output == "llama3.1\n")
    let unset = try household.run("config", "unset", "max_turns")
    #expect(unset.errors.contains("It's 5 (built in) now."), "\(unset.errors)")
    #expect(try file(household) == "{\n  \"model\": \"llama3.1\"\n}\n")
    #expect(try household.run("config", "unset", "max_turns").errors.contains("max_turns isn't in"))
  }

  @Test func commentsAndAnotherPlaceAreKept() throws {
    let household = try Household()
    let text = "{\n  // At night.\n  \"threshold\": 0.5,\n  \"prompts\": \"life\"\n}\n"
    try household.write(text, to: "dotfiles/rapport.json", mode: 0o644)
    try FileManager.default.createDirectory(
      atPath: household.folder + "/.config/rapport", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: household.folder + "/" + Self.path,
      withDestinationPath: household.folder + "/dotfiles/rapport.json")
    #expect(try household.run("config", "set", "threshold", "0.75").status == 0)
    #expect(try file(household) == text.replacing("0.5", with: "0.75"))
    var status = stat()
    #expect(lstat(household.folder + "/" + Self.path, &status) == 0)
    #expect(status.st_mode & S_IFMT == S_IFLNK)
  }

  @Test func itSaysWhatWins() throws {
    let household = try Household()
    household.environment["RAPPORT_MAX_TURNS"] = "9"
    let set = try household.run("config", "set", "max_turns", "7")
    #expect(set.status == 0)
    #expect(
      set.errors.contains("config.json, but the environment overrides it: max_turns is 9."),
      "\(set.errors)")
    #expect(try household.run("config", "get", "max_turns").output == "9\n")
  }

  @Test(arguments: [
    (["max_turns", "many"], "max_turns must be a whole number between 1 and 50, not \"many\""),
    (["threshold", "8"], "threshold must be between 0 and 1, not \"8\""),
    (["follow_up", "random"], "follow_up must be"),
    (["preview", "maybe"], "preview must be on or off"),
    (["provider", "acme"], "provider must be one of openai, anthropic, compatible, not \"acme\""),
    (["base_url", "localhost"], "base_url can't be used"),
    (["prompts", "nowhere"], "nowhere"), (["ca_file", "nothing.pem"], "nothing.pem"),
    (["api_key", "sk-abcdefghijklmnop"], "`rapport setup` stores one"),
    (["model", " "], "`rapport config unset model`"),
    (["treshold", "0.5"], "threshold"),
  ])
  func whatCouldNotBeUsedIsNotWritten(arguments: [String], words: String) throws {
    let household = try Household()
    let result = try household.run(["config", "set"] + arguments)
    #expect(result.status != 0)
    #expect(result.errors.contains(words), "\(result.errors)")
    #expect(!result.errors.contains("sk-abcdefghijklmnop"))
    #expect(!FileManager.default.fileExists(atPath: household.folder + "/" + Self.path))
  }

  @Test func aFileThatIsNotValidIsLeftAlone() throws {
    let household = try Household()
    try household.write("{\n \"model\": [1]\n}", to: Self.path)
    let result = try household.run("config", "set", "max_turns", "7")
    #expect(result.status == 78 && result.errors.contains("config.json:2"), "\(result.errors)")
    #expect(try file(household) == "{\n \"model\": [1]\n}")
  }

  @Test func whatIsNotSetPrintsNothing() throws {
    let household = try Household()
    let result = try household.run("config", "get", "ca_file")
    #expect(result.status == 0 && result.output.isEmpty)
    #expect(result.errors.contains("ca_file is not set."))
    household.environment["OPENAI_API_KEY"] = "sk-test-abcdefghijklmnop"
    let key = try household.run("config", "get", "api_key").output
    #expect(key.contains("…mnop") && !key.contains("abcdefgh"), "\(key)")
  }
}
