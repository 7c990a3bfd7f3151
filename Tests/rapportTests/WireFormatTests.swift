import CoachServer
import Foundation
import IncrementalJSON
import Intake
import TestSupport
import Testing

/// The whole program against a model that speaks each wire format.
@Suite(.integration)
struct WireFormatTests {
  @Test(arguments: ["anthropic", "openai"])
  func aWholeConversationInEitherFormat(provider: String) async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    household.environment["RAPPORT_PROVIDER"] = provider
    household.environment["RAPPORT_BASE_URL"] = model.baseURL
    household.environment["RAPPORT_API_KEY"] = "key-of-the-loopback"
    household.environment["RAPPORT_MODEL"] = CoachServer.modelName
    let result = try household.run(
      "chat", "--json", typing: Walkthrough.lines.map { $0 + "\n" }.joined())
    #expect(result.status == 0, "\(result.errors)")
    try Walkthrough.checkWhole(household)
    #expect(try Walkthrough.events(household).last?.event?.kind == .coached)
    let records = try result.output.split(separator: "\n").map {
      try JSONValue(parsing: String($0))
    }
    let done = records.filter { $0["type"]?.stringValue == "done" }
    #expect(done.count == Walkthrough.lines.count + 1)
    #expect(done.count { $0["discovery_complete"]?.boolValue == true } == 1)
    let isAnthropic = provider == "anthropic"
    let (path, header) =
      isAnthropic
      ? ("/v1/messages", "x-api-key") : ("/v1/chat/completions", "authorization")
    for request in model.requests {
      #expect(request.path == path)
      #expect(request[header]?.hasSuffix("key-of-the-loopback") == true)
      #expect((request["anthropic-version"] != nil) == isAnthropic)
    }
  }

  @Test func aPersonOnATerminalMeetsThePaywallInAnthropicsFormatToo() async throws {
    let model = try await CoachServer()
    defer { model.stop() }
    let household = try Household()
    household.environment["RAPPORT_PROVIDER"] = "anthropic"
    let terminal = try household.startOnTerminal(
      "chat", "--base-url", model.baseURL, "--model", CoachServer.modelName)
    let answers = [
      "What would you like to change?", "What gets in the way", "what do you actually enjoy",
      "When in the week could you train", "[1] ", "[Continue my coaching journey]",
      "[Continue my coaching journey]", "the pool next door is where we start",
      "two swims this week",
    ]
    for (answer, line) in zip(answers, Walkthrough.lines) {
      let wanted = answer.hasPrefix("[C") ? "Continue my coaching journey" : answer
      try terminal.expect(wanted)
      try terminal.expect("You")
      terminal.type(line + "\r")
    }
    try terminal.expect("two swims this week")
    try terminal.expect("You")
    terminal.type("/quit\r")
    #expect(try terminal.expectExit() == 0)
    #expect(terminal.hasItsModesBack)
    try Walkthrough.checkWhole(household)
  }

  /// What a hostile model says reaches neither the terminal nor a pipe as a command.
  @Test(arguments: [["NO_COLOR": "1", "TERM": "xterm"], ["TERM": "dumb"], ["TERM": "xterm"]])
  func aModelDoesNotDriveTheTerminal(variables: [String: String]) throws {
    let hostile = #"Hi\u001b]52;c;ZXZpbA==\u0007\u001b[2J\u009b6n\u202e\r\u001b[1A there"#
    let server = try LoopbackServer { exchange in
      try exchange.startChunks()
      try exchange.sendEvent(#"{"choices":[{"index":0,"delta":{"content":"\#(hostile)"}}]}"#)
      try exchange.sendEvent(#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#)
      try exchange.sendEvent("[DONE]")
      try exchange.endChunks()
    }
    defer { server.stop() }
    let household = try Household()
    let flags = ["chat", "--base-url", server.url("/v1"), "--model", "m\u{1B}[2J"]
    let piped = try household.run(flags, typing: "")
    #expect(piped.status == 0 && piped.output.contains("there"))
    let terminal = try PseudoTerminal(
      flags, environment: household.environment.merging(variables) { $1 }, program: "rapport",
      folder: household.folder)
    try terminal.expect("there")
    try terminal.expect("You")
    terminal.type("\u{4}")
    _ = try terminal.expectExit()
    for text in [piped.output + piped.errors, terminal.screen] {
      for forbidden in ["\u{1B}]", "\u{1B}[2J", "\u{9B}", "\u{202E}", "\u{1B}[1A", "\u{7}"] {
        #expect(!text.contains(forbidden))
      }
    }
    let isPlain = variables["TERM"] == "dumb" || variables["NO_COLOR"] != nil
    if isPlain { #expect(!terminal.screen.contains("\u{1B}")) }
  }
}
