import CoachServer
import Foundation
import IncrementalJSON
import TestSupport
import Testing

/// Setting up a key as a person does it, at a terminal.
@Suite(.serialized, .integration)
struct SetupTests {
  private static let key = "sk-setup-abcdefghijklmnopqrstuvwxyz"

  /// Answers up to the key, if the server asks for one; the program then checks it.
  private func begin(
    _ household: Household, _ baseURL: String, command: [String] = ["setup"], key: String? = nil
  ) throws -> PseudoTerminal {
    let terminal = try household.startOnTerminal(command[0], setting: ["TERM": "dumb"])
    try terminal.expect(command[0] == "chat" ? "1, 2, 3 or 4:" : "1, 2 or 3:")
    terminal.type("3\r")
    try terminal.expect("Address:")
    terminal.type("\u{15}" + baseURL + "\r")
    guard let key else { return terminal }
    try terminal.expect("Key:")
    terminal.type(key + "\r")
    return terminal
  }

  /// What the server lacks is said, and the address can be mended; whoever leaves has set nothing.
  private func expectFailure(_ words: String, _ terminal: PseudoTerminal, _ household: Household)
    throws
  {
    try terminal.expect(words)
    try terminal.expect("Address:")
    terminal.type("\u{15}\u{3}")
    try terminal.expect("Nothing was stored")
    #expect(try terminal.expectExit() >> 8 == 69)
    #expect(terminal.hasItsModesBack)
    expectNothingStored(household)
  }

  private func expectNothingStored(_ household: Household) {
    #expect(!FileManager.default.fileExists(atPath: household.credentials))
  }

  @Test func aWrongKeyIsSaidAndAskedForAgain() throws {
    let server = try KeyedServer(key: Self.key)
    defer { server.stop() }
    let household = try Household()
    let terminal = try begin(household, server.baseURL, key: "sk-wrong-abcdefghijklmnop")
    try terminal.expect("refused this key")
    expectNothingStored(household)
    try terminal.expect("Key:")
    terminal.type(Self.key + "\r")
    try terminal.expect("That works.")
    #expect(try terminal.expectExit() == 0)
    #expect(terminal.hasItsModesBack)
    for key in [Self.key, "sk-wrong"] { #expect(!terminal.screen.contains(key)) }
    let stored = try JSONValue(
      parsing: String(contentsOfFile: household.credentials, encoding: .utf8))
    #expect(stored.serialized().contains(Self.key))
    let attributes = try FileManager.default.attributesOfItem(atPath: household.credentials)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func withoutANetworkItSaysSo() throws {
    let household = try Household()
    let terminal = try begin(household, "http://127.0.0.1:9/v1")
    try expectFailure("couldn't reach http://127.0.0.1:9/v1", terminal, household)
    #expect(!terminal.screen.contains("Key:"))
  }

  @Test func anAddressIsTriedBeforeAKeyIsAskedFor() throws {
    let server = try KeyedServer(key: Self.key)
    defer { server.stop() }
    let household = try Household()
    let terminal = try begin(household, "http://127.0.0.1:9/v1")
    try terminal.expect("couldn't reach")
    try terminal.expect("Address:")
    #expect(!terminal.screen.contains("Key:"))
    terminal.type("\u{15}" + server.baseURL + "\r")
    try terminal.expect("This server needs a key")
    try terminal.expect("Key:")
    terminal.type(Self.key + "\r")
    try terminal.expect("That works.")
    #expect(try terminal.expectExit() == 0)
    #expect(!terminal.screen.contains("refused this key"))
  }

  /// Nothing hides it from then on, as it would hide a key.
  @Test(arguments: [("1", "http://"), ("3", "http://"), ("2", "")])
  func anAddressAtTheKeysPromptIsTakenForOne(provider: String, scheme: String) async throws {
    let server = try KeyedServer(key: Self.key)
    defer { server.stop() }
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    let terminal = try household.startOnTerminal("setup", setting: ["TERM": "dumb"])
    try terminal.expect("1, 2 or 3:")
    terminal.type(provider + "\r")
    if provider == "3" {
      try terminal.expect("Address:")
      terminal.type("\u{15}" + server.baseURL + "\r")
    }
    try terminal.expect("Key:")
    terminal.type(scheme + model.baseURL.replacing("http://", with: "") + "\r")
    try terminal.expect("That's an address")
    try terminal.expect("That works.")
    #expect(try terminal.expectExit() == 0)
    let shown = try household.run("setup", "--show").output
    #expect(shown.contains("base URL  \(model.baseURL)") && shown.contains("key       (none)"))
  }

  @Test func anAddressThatCannotBeUsedIsOfferedToBeMended() throws {
    let server = try KeyedServer(key: Self.key)
    defer { server.stop() }
    let household = try Household()
    let terminal = try household.startOnTerminal("setup", setting: ["TERM": "dumb"])
    try terminal.expect("1, 2 or 3:")
    terminal.type("3\r")
    try terminal.expect("Address:")
    terminal.type("ht tp://bad\r")
    try terminal.expect("I can't use that address")
    try terminal.expect("ht tp://bad")
    // A server on this machine needs no scheme, and is not told to have https.
    terminal.type("\u{15}" + server.baseURL.dropFirst("http://".count) + "\r")
    try terminal.expect("Key:")
    terminal.type("\u{1B}[200~\(Self.key)\n\u{1B}[201~")
    try terminal.expect("(\(Self.key.count) characters, ending in wxyz)")
    try terminal.expect("That works.")
    #expect(try terminal.expectExit() == 0)
    #expect(!terminal.screen.contains("https://"))
  }

  @Test func withoutModelsItSaysSo() throws {
    let server = try KeyedServer(key: Self.key, models: [])
    defer { server.stop() }
    let household = try Household()
    let terminal = try begin(household, server.baseURL, key: Self.key)
    try expectFailure("has no chat model", terminal, household)
  }

  @Test(arguments: [
    ("402 Payment Required", #"{"error":{"message":"Insufficient credits","code":402}}"#),
    (
      "429 Too Many Requests",
      #"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}"#
    ),
  ])
  func withoutCreditItSaysSo(status: String, body: String) throws {
    let server = try KeyedServer(key: Self.key, trial: (status, body))
    defer { server.stop() }
    let household = try Household()
    let terminal = try begin(household, server.baseURL, key: Self.key)
    try expectFailure("is out of credit", terminal, household)
  }

  @Test(arguments: ["\u{3}", "\u{4}"])
  func leavingAtTheKeyStoresNothing(key: String) throws {
    let household = try Household()
    let terminal = try household.startOnTerminal("setup")
    try terminal.expect("1, 2 or 3:")
    terminal.type("1\r")
    try terminal.expect("Key:")
    #expect(!terminal.echoes)
    terminal.type("half a ke\u{15}" + key)
    #expect(try terminal.expectExit() >> 8 == 130)
    #expect(terminal.hasItsModesBack)
    expectNothingStored(household)
  }

  @Test func aServerOnThisMachineNeedsNoKeyAndChatGoesOnAtOnce() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    let terminal = try begin(household, model.baseURL, command: ["chat"])
    try terminal.expect("I'll use \(CoachServer.modelName)")
    try terminal.expect("What would you like to change?")
    try terminal.expect("You")
    terminal.type("\u{4}")
    try terminal.expect("`rapport chat` picks up where we left off")
    #expect(try terminal.expectExit() == 0)
    #expect(model.requests.allSatisfy { $0["authorization"] == nil })
    let again = try household.run("chat", typing: "hello again\n")
    #expect(again.status == 0, "\(again.errors)")
  }

  /// What a chat needs and the model lacks is said before "That works."
  @Test func whatTheModelLacksIsSaidFirst() throws {
    let server = try LoopbackServer { exchange in
      guard exchange.request.method == "POST" else {
        return try exchange.respond(body: #"{"data":[{"id":"tiny","max_model_len":2048}]}"#)
      }
      let sent = exchange.request.text
      for (field, words) in [
        (#""system""#, "System role not supported"), ("json_schema", "json_schema is unknown"),
      ] where sent.contains(field) {
        return try exchange.respond(
          status: "400 Bad Request", body: #"{"error":{"message":"\#(words)"}}"#)
      }
      try exchange.respond(
        body:
          #"{"choices":[{"message":{"role":"assistant","content":"{"},"finish_reason":"length"}]}"#
      )
    }
    defer { server.stop() }
    let household = try Household()
    let terminal = try begin(household, server.url("/v1"))
    for words in [
      "tiny takes no system message", "tiny can't be held to a JSON schema", "in one piece",
      "tiny has room for 2048 tokens", "That works.",
    ] {
      try terminal.expect(words)
    }
    #expect(try terminal.expectExit() == 0)
  }

  @Test func whatIsStoredIsShownMaskedAndCanBeRemoved() throws {
    let server = try KeyedServer(key: Self.key)
    defer { server.stop() }
    let household = try Household()
    let terminal = try begin(household, server.baseURL, key: Self.key)
    try terminal.expect("That works.")
    _ = try terminal.expectExit()
    let shown = try household.run("setup", "--show")
    #expect(shown.output.contains(server.baseURL) && shown.output.contains("…wxyz"))
    #expect(!shown.output.contains(Self.key.dropLast(4)))
    #expect(try household.run("setup", "--remove").status == 0)
    expectNothingStored(household)
    #expect(try household.run("setup", "--show").errors.contains("No key is stored"))
  }

  @Test func withoutATerminalItNamesTheWayWithoutOne() throws {
    let result = try Household().run("setup", typing: "1\n\(Self.key)\n")
    #expect(result.status == 78)
    #expect(result.errors.contains("rapport setup --provider openai --key-stdin < key.txt"))
  }
}

/// An account at a provider: one key is right, and it has these models and this much credit.
private final class KeyedServer: Sendable {
  private let server: LoopbackServer

  var baseURL: String { server.url("/v1") }

  init(key: String, models: [String] = ["small-talker"], trial: (String, String)? = nil) throws {
    server = try LoopbackServer { exchange in
      guard exchange.request["authorization"] == "Bearer \(key)" else {
        return try exchange.respond(
          status: "401 Unauthorized",
          body: #"{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}"#)
      }
      if exchange.request.path == "/v1/models" {
        let list = models.map { #"{"id":"\#($0)","object":"model"}"# }.joined(separator: ",")
        return try exchange.respond(body: #"{"object":"list","data":[\#(list)]}"#)
      }
      if let (status, body) = trial { return try exchange.respond(status: status, body: body) }
      try exchange.respondWithEvents([
        #"{"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}"#, "[DONE]",
      ])
    }
  }

  func stop() { server.stop() }
}
