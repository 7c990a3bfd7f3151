import Foundation
import Glibc
import TestSupport
import Testing

/// What `rapport config` and `rapport setup` say of the settings.
@Suite(.integration)
struct ConfigTests {
  private static let config = ".config/rapport/config.json"

  @Test(arguments: [
    (".env", "RAPPORT_MODEL=x\nRAPPORT_THRESHOLD=eight\n", "RAPPORT_THRESHOLD (from .env:2)"),
    (config, "{\"model\": \"x\",\n \"max_turns\": 900}", "config.json:2)"),
    (config, "{\"follow_up\": \"random\"}", "config.json:1) must be"),
    (config, "{\"time_limit\": 1}", "RAPPORT_TIME_LIMIT"),
    (".env", "RAPPORT_STORE=~you/x\n", "RAPPORT_STORE (from .env:1)"),
    (".env", "RAPPORT_PROVIDER=acme\n", "RAPPORT_PROVIDER (from .env:1)"),
    (config, "{\n\"treshold\": 0.5}", "config.json:2: treshold: expected one of"),
    (config, "{\"model\": \"x\",}", "config.json:1"),
  ])
  func aValueThatCannotBeUsedIsNamedWithItsPlace(
    file: String, text: String, words: String
  ) throws {
    let household = try Household()
    try household.write(text, to: file)
    let result = try household.run("config")
    #expect(result.status == 78)
    #expect((result.errors + result.output).contains(words), "\(result.errors)")
  }

  @Test(arguments: [
    "postgres://anna:s3cret@127.0.0.1:1/rapport", "postgres://anna:p@s3cret@127.0.0.1:1/rapport",
    "postgresql://127.0.0.1:1/rapport?user=anna&password=s3cret",
    "postgres://127.0.0.1:1/rapport?password=p@s3cret",
    "postgres://anna:p?s3cret@127.0.0.1:1/rapport",
    "postgres:anna:s3cret",
  ])
  func aDatabasesPasswordIsShownNowhere(url: String) throws {
    let household = try Household()
    try household.write("RAPPORT_STORE=\(url)\n", to: ".env")
    for command in [["config"], ["config", "get", "store"], ["sessions"], ["chat", "--offline"]] {
      let result = try household.run(command)
      let shown = result.output + result.errors
      #expect(!shown.contains("s3cret") && !shown.contains("anna"), "\(command): \(shown)")
    }
    #expect(try household.run("config", "get", "store").output.hasPrefix("postgres"))
  }

  @Test func anUnsetAddressIsListed() throws {
    let rows = try Household().run("config").output.split(separator: "\n")
    #expect(rows.contains { $0.hasPrefix("RAPPORT_BASE_URL") && $0.contains("(not set)") })
  }

  @Test func aPackThatCannotBeReadIsNamed() throws {
    let household = try Household()
    household.environment["RAPPORT_PROMPTS"] = "nowhere"
    let result = try household.run("config")
    #expect(result.status == 65)
    #expect(result.errors.contains("nowhere"))
  }

  @Test(arguments: [
    "", "not a certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
  ])
  func authoritiesThatAreNoneAreNamedBeforeAnythingIsAsked(content: String) throws {
    let household = try Household()
    if !content.isEmpty { try household.write(content, to: "ca.pem") }
    household.environment["RAPPORT_CA_FILE"] = "ca.pem"
    let chat = try household.run(
      "chat", "--base-url", "http://127.0.0.1:9/v1", "--model", "x", "--message", "hi")
    for result in [chat, try household.run("config")] {
      #expect(result.status == 78)
      #expect(
        result.errors.contains("ca.pem (RAPPORT_CA_FILE, from the environment)"), "\(result.errors)"
      )
    }
    #expect(!FileManager.default.fileExists(atPath: household.store))
  }

  @Test func aServerWithoutHTTPSIsNotTakenForAnImpostor() throws {
    let server = try LoopbackServer { _ in }
    defer { server.stop() }
    let result = try Household().run(
      "chat", "--base-url", "https" + server.url("/v1").dropFirst(4), "--model", "x", "--message",
      "hi")
    #expect(result.status == 69)
    #expect(
      result.errors.contains("doesn't speak https") && result.errors.contains("http://"),
      "\(result.errors)")
  }

  @Test func showingAndRemovingAtOnceIsAMatterOfUsage() throws {
    let household = try Household()
    try household.write("{}", to: ".config/rapport/credentials.json")
    #expect(try household.run("setup", "--show", "--remove").status == 64)
    #expect(FileManager.default.fileExists(atPath: household.credentials))
  }

  @Test(arguments: [
    "https://me:hush-1234@host.example/v1", "https://host.example/v1?api_key=hush-1234",
    "https://host.example/sk-hush-1234-abcdefgh/v1", "https://host.example/the-whole-key/v1",
  ])
  func aKeyInTheAddressIsNotShown(address: String) throws {
    let household = try Household()
    try household.write(
      #"{"provider":"compatible","baseURL":"\#(address)","key":"the-whole-key","models":{}}"#,
      to: ".config/rapport/credentials.json")
    for command in [["setup", "--show"], ["config"]] {
      let result = try household.run(command)
      let shown = result.output + result.errors
      #expect(!shown.contains("hush") && !shown.contains("the-whole-key"), "\(shown)")
    }
  }
}
