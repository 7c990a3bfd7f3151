import CoachServer
import Foundation
import IncrementalJSON
import TestSupport
import Testing

/// `rapport models`, against `rapport mock` in both wire formats, and choosing among them in setup.
@Suite(.integration)
struct ModelsTests {
  private static let names = ["gpt-5", "gpt-5-mini", "text-embedding-3-large"]

  /// A mock with these models.
  private func mock(_ household: Household, _ names: [String] = names) throws -> (
    ChildProcess, String
  ) {
    let list = names.map { "\"\($0)\"" }.joined(separator: ",")
    try household.write(
      #"{"version":1,"models":[\#(list)],"rules":[],"otherwise":{"text":"hm"}}"#, to: "rules.json")
    let child = try household.start("mock", "--rules", "rules.json", "--require-key")
    return (child, try #require(child.readLine()))
  }

  @Test(arguments: ["openai", "anthropic"])
  func theListSaysWhichRoleUsesWhat(provider: String) throws {
    let household = try Household()
    let (mock, address) = try mock(household)
    household.environment["RAPPORT_BASE_URL"] = address
    household.environment["RAPPORT_API_KEY"] = "sk-test-abcdefgh"
    household.environment["RAPPORT_PROVIDER"] = provider
    household.environment["RAPPORT_MODEL_FAST"] = "gpt-4.1-nano"
    let result = try household.run("models")
    #expect(result.status == 0, "\(result.errors)")
    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(lines.contains("gpt-5                   coach, deep"), "\(lines)")
    #expect(lines.contains("gpt-5-mini"), "\(lines)")
    #expect(lines.contains("text-embedding-3-large  not for conversations"), "\(lines)")
    #expect(
      result.errors.contains(
        "fast uses gpt-4.1-nano (from the environment), which isn't on this list."),
      "\(result.errors)")
    let records = try household.run("models", "--json", "--model-fast", "gpt-5-mini").output
      .split(separator: "\n").map { try JSONValue(parsing: String($0)) }
    #expect(records.count == 3)
    let mini = try #require(records.first { $0["id"] == "gpt-5-mini" })
    #expect(mini["roles"] == ["fast"] && mini["canTalk"] == true)
    let embedding = try #require(records.first { $0["id"] == "text-embedding-3-large" })
    #expect(embedding["roles"] == [] && embedding["canTalk"] == false)
    withExtendedLifetime(mock) {}
  }

  @Test func withoutAModelItSaysHowToSetOneUp() throws {
    let result = try Household().run("models")
    #expect(result.status == 78 && result.errors.contains("No model is set up."))
    let unreachable = try Household().run("models", "--base-url", "http://127.0.0.1:9/v1")
    #expect(unreachable.status == 69, "\(unreachable.errors)")
    #expect(unreachable.errors.contains("I couldn't reach http://127.0.0.1:9/v1."))
  }

  @Test(arguments: [
    ("", ["coach": "gpt-5", "deep": "gpt-5", "fast": "gpt-5-mini"]),
    ("2", ["coach": "gpt-5-mini", "deep": "gpt-5-mini", "fast": "gpt-5-mini"]),
    ("gpt-5", ["coach": "gpt-5", "deep": "gpt-5", "fast": "gpt-5"]),
    ("coach=2 deep=gpt-5", ["coach": "gpt-5-mini", "deep": "gpt-5", "fast": "gpt-5-mini"]),
  ])
  func setupLetsAPersonChoose(typed: String, stored: [String: String]) throws {
    let household = try Household()
    let (mock, address) = try mock(household)
    let terminal = try household.startOnTerminal("setup", setting: ["TERM": "dumb"])
    try terminal.expect("1, 2 or 3:")
    terminal.type("3\r")
    try terminal.expect("Address:")
    terminal.type("\u{15}" + address + "\r")
    try terminal.expect("Key:")
    terminal.type("sk-test-abcdefgh\r")
    try terminal.expect("[1] gpt-5")
    try terminal.expect("[2] gpt-5-mini")
    try terminal.expect("I'd use gpt-5 to talk, gpt-5-mini to read")
    try terminal.expect("Models:")
    terminal.type("5\r")
    try terminal.expect("There are models 1 to 2.")
    try terminal.expect("Models:")
    terminal.type(typed + "\r")
    try terminal.expect("That works.")
    #expect(try terminal.expectExit() == 0)
    let file = try JSONValue(
      parsing: String(contentsOfFile: household.credentials, encoding: .utf8))
    for (role, model) in stored { #expect(file["models"]?[role]?.stringValue == model, "\(role)") }
    #expect(!terminal.screen.contains("embedding"))
    withExtendedLifetime(mock) {}
  }

  @Test func aKeyCanComeFromAProgram() throws {
    let household = try Household()
    let (mock, address) = try mock(household)
    let setup = ["setup", "--provider", "openai", "--key-stdin", "--base-url", address]
    let result = try household.run(
      setup + ["--model-deep", "gpt-5-mini"], typing: "sk-test-abcdefgh\n")
    #expect(result.status == 0 && result.errors.contains("That works."), "\(result.errors)")
    #expect(!result.errors.contains("sk-test-abcdefgh") && result.output.isEmpty)
    let file = try JSONValue(
      parsing: String(contentsOfFile: household.credentials, encoding: .utf8))
    #expect(file["provider"] == "openai" && file["key"] == "sk-test-abcdefgh")
    #expect(file["models"]?["deep"] == "gpt-5-mini" && file["models"]?["coach"] == "gpt-5")
    let attributes = try FileManager.default.attributesOfItem(atPath: household.credentials)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    withExtendedLifetime(mock) {}
  }

  @Test(arguments: [
    (["--key-stdin"], "sk-abcdefgh\n", 64, "--key-stdin needs --provider"),
    (["--provider", "openai"], "", 64, "--provider needs --key-stdin"),
    (["--key-stdin", "--provider", "acme"], "x\n", 64, "--provider must be one of"),
    (["--key-stdin", "--provider", "openai"], "", 64, "no key on standard input"),
    (["--key-stdin", "--provider", "openai"], "two words\n", 64, "contains a space"),
    (["--key-stdin", "--provider", "compatible"], "\n", 64, "add --base-url"),
    (
      ["--key-stdin", "--provider", "compatible", "--base-url", "http://127.0.0.1:9/v1"],
      "sk-abcdefgh\n", 69, "couldn't reach"
    ),
  ])
  func whatCannotWorkStoresNothing(
    options: [String], input: String, status: Int32, words: String
  ) throws {
    let household = try Household()
    let result = try household.run(["setup"] + options, typing: input)
    #expect(result.status == status && result.errors.contains(words), "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: household.credentials))
  }

  @Test func aKeyThatIsRefusedIsNotStored() throws {
    let household = try Household()
    let server = try LoopbackServer { exchange in
      try exchange.respond(
        status: "401 Unauthorized",
        body: #"{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}"#)
    }
    defer { server.stop() }
    let result = try household.run(
      ["setup", "--key-stdin", "--provider", "openai", "--base-url", server.url("/v1")],
      typing: "sk-abcdefgh\n")
    #expect(result.status == 69, "\(result.errors)")
    #expect(
      result.errors.contains("refused this key") && result.errors.contains("Nothing was stored."))
    #expect(!FileManager.default.fileExists(atPath: household.credentials))
  }
}
