import Foundation
import TestSupport
import Testing

/// One recognisable key in every run; it may be in the request's header and the credentials file,
/// and nowhere else.
@Suite(.serialized, .integration)
struct KeyCanaryTests {
  private static let canary = "sk-proj-Canary7Q2mZ9xL4vT8bN3kW6rJ1hF5cD"

  /// The key whole, in base64, and any long piece of it. Its last four characters may be shown.
  private static let traces: [Data] = {
    let body = Array(canary.utf8.dropLast(4))
    let pieces = (0...(body.count - 12)).map { Data(body[$0..<($0 + 12)]) }
    let encoded = Data(canary.utf8).base64EncodedData()
    return pieces + [encoded.prefix(24)]
  }()

  private func expectNoTrace(in data: Data, _ place: String) {
    for trace in Self.traces where data.firstRange(of: trace) != nil {
      Issue.record("\(place) holds the key: \(String(decoding: data.prefix(2_000), as: UTF8.self))")
      return
    }
  }

  private func expectNoTrace(_ result: RunResult, _ place: String) {
    expectNoTrace(in: Data(result.output.utf8), place + ", output")
    expectNoTrace(in: Data(result.errors.utf8), place + ", errors")
    #expect(!(result.output + result.errors).contains("\u{1B}"), "\(place): no escapes into a pipe")
  }

  private func expectNoTrace(inFilesOf household: Household, but allowed: String = "") throws {
    for (path, bytes) in try household.files() where path != allowed {
      expectNoTrace(in: bytes, path)
    }
  }

  /// Everything that prints what is stored.
  private func expectNoTraceAfterwards(_ household: Household, _ place: String) throws {
    var commands = [
      ["config"], ["sessions"], ["profile"], ["profile", "--json"], ["setup", "--show"],
    ]
    let list = try household.run("sessions").output
    if let id = list.split(separator: " ").first.map(String.init) {
      commands += [["sessions", "show", id]]
      commands += ["markdown", "json", "jsonl"].map { ["sessions", "export", id, "--format", $0] }
    }
    for command in commands {
      expectNoTrace(try household.run(command), "\(place), \(command.joined(separator: " "))")
    }
    try expectNoTrace(inFilesOf: household)
  }

  /// The ways in which a server can hand a key back.
  enum Echo: String, CaseIterable, Sendable {
    case refusal, serverError, page, stream, streamedError, requestID, modelList, redirect
  }

  private static func answer(_ echo: Echo, _ exchange: ServerExchange) throws {
    let key = exchange.request["authorization"]?.split(separator: " ").last.map(String.init) ?? ""
    switch echo {
    case .refusal:
      try exchange.respond(
        status: "401 Unauthorized",
        body:
          #"{"error":{"message":"Incorrect API key provided: \#(key). Bearer \#(key)","code":"\#(key)"}}"#
      )
    case .serverError:
      try exchange.respond(
        status: "500 Oops", headers: ["x-should-retry: false"],
        body: #"{"error":{"message":"token=\#(key)","type":"\#(key)"}}"#)
    case .page:
      try exchange.respond(
        status: "403 Forbidden", body: "<html>Authorization:Bearer\u{1B}[31m\(key)</html>",
        contentType: "text/html")
    case .stream:
      try exchange.startChunks()
      for piece in ["Your key is "] + key.map(String.init) + [", isn't it?"] {
        try exchange.sendEvent(#"{"choices":[{"index":0,"delta":{"content":"\#(piece)"}}]}"#)
      }
      try exchange.sendEvent(#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#)
      try exchange.sendEvent("[DONE]")
      try exchange.endChunks()
    case .streamedError:
      try exchange.respondWithEvents([
        #"{"choices":[{"index":0,"delta":{"content":"Well"}}]}"#,
        #"{"error":{"message":"bad \#(key)","type":"\#(key)","code":400}}"#,
      ])
    case .requestID:
      try exchange.respond(
        status: "400 Bad Request", headers: ["x-request-id: \(key)", "set-cookie: k=\(key)"],
        body: #"{"error":{"message":"no","param":"\#(key)"}}"#)
    case .modelList:
      try exchange.respond(body: #"{"object":"list","data":[{"id":"\#(key)"}]}"#)
    case .redirect:
      try exchange.respond(
        status: "307 Temporary Redirect", headers: ["location: http://127.0.0.1:9/\(key)"])
    }
  }

  @Test func aServerThatHandsTheKeyBackIsNotRepeated() throws {
    let household = try Household()
    household.environment["OPENAI_API_KEY"] = Self.canary
    for echo in Echo.allCases {
      let server = try LoopbackServer { exchange in try Self.answer(echo, exchange) }
      defer { server.stop() }
      household.environment["OPENAI_BASE_URL"] = server.url("/v1")
      let named = echo == .modelList ? [] : ["--model", "m"]
      for way in [["--json"], ["--insight"], ["--record", "\(echo).json"]] {
        let result = try household.run(
          ["chat", "--new", "--message", "I want to run"] + way + named)
        expectNoTrace(result, "\(echo) \(way)")
        #expect((result.status == 0) == (echo == .stream), "\(echo) \(way) \(result)")
      }
      #expect(server.requestCount.value > 0)
      #expect(server.requests.allSatisfy { $0["authorization"] == "Bearer \(Self.canary)" })
    }
    try expectNoTraceAfterwards(household, "echoes")
  }

  /// What the user types is stored, but not recorded.
  @Test(arguments: ["KEY", "it's KEY.", "KEY KEY", "a=KEY&b", "\"KEY\"", "BASE64"])
  func aKeyThatTheUserTypesIsNotInARecording(text: String) throws {
    let server = try LoopbackServer { exchange in try Self.answer(.stream, exchange) }
    defer { server.stop() }
    let household = try Household()
    household.environment["OPENAI_API_KEY"] = Self.canary
    let typed = text.replacing("KEY", with: Self.canary)
      .replacing("BASE64", with: Data("x\(Self.canary)".utf8).base64EncodedString())
    let result = try household.run(
      "chat", "--base-url", server.url("/v1"), "--model", "m", "--record", "tape.json", "--message",
      typed)
    #expect(result.status == 0, "\(result.errors)")
    let tape = try Data(contentsOf: URL(filePath: household.folder + "/tape.json"))
    expectNoTrace(in: tape, text)
    #expect(String(decoding: tape, as: UTF8.self).contains("[key"))
    #expect(!String(decoding: tape, as: UTF8.self).contains(typed))
  }

  @Test(arguments: [
    ("https://user:KEY@127.0.0.1:9/v1", 78), ("https://KEY@127.0.0.1:9/v1", 78),
    ("HOST/v1?key=KEY", 69), ("HOST/KEY", 69), ("ftp://KEY", 78), ("KEY", 78),
    ("http://[KEY]/", 78), ("https://127.0.0.1:KEY/v1", 78), ("http://KEY/v1", 78),
    ("KEY://127.0.0.1/", 78),
  ])
  func aKeyInTheAddressIsNotRepeated(address: String, status: Int32) throws {
    let server = try LoopbackServer { exchange in try exchange.respond(status: "404 Not Found") }
    defer { server.stop() }
    let household = try Household()
    household.environment["OPENAI_API_KEY"] = Self.canary
    let url = address.replacing("KEY", with: Self.canary).replacing("HOST", with: server.url(""))
    let result = try household.run("chat", "--base-url", url, "--model", "m", "--message", "hi")
    expectNoTrace(result, address)
    #expect(result.status == status, "\(result.errors)")
    household.environment["OPENAI_BASE_URL"] = url
    expectNoTrace(try household.run("chat", "--model", "m", "--message", "hi"), address)
    expectNoTrace(try household.run("config"), address)
    try expectNoTrace(inFilesOf: household)
  }

  /// A key where something else belongs: in the wrong variable, file or argument.
  @Test(arguments: [
    "RAPPORT_PROVIDER", "RAPPORT_MAX_TURNS", "RAPPORT_THRESHOLD", "RAPPORT_FOLLOW_UP",
    "RAPPORT_IDLE_TIMEOUT", "RAPPORT_TIME_LIMIT",
  ])
  func aKeyInTheWrongPlaceIsNotRepeated(name: String) throws {
    let household = try Household()
    household.environment["OPENAI_API_KEY"] = Self.canary
    household.environment["OPENAI_BASE_URL"] = "http://127.0.0.1:9/v1"
    household.environment[name] = Self.canary
    let result = try household.run("chat", "--model", "m", "--message", "hi")
    #expect(result.status == 78, "\(result.errors)")
    #expect(result.errors.contains(name))
    expectNoTrace(result, name)
    expectNoTrace(try household.run("config"), name)
    try expectNoTrace(inFilesOf: household)
  }

  @Test func brokenFilesWithAKeyAreNamedByPlace() throws {
    let household = try Household()
    let key = Self.canary
    try household.write(
      "OPENAI_API_KEY=\"\(key)\nOPENAI_API_KEY \(key)\nRAPPORT_KEI=\(key)\n", to: ".env")
    try household.write(#"{"api_key": "\#(key)", "x": }"#, to: ".config/rapport/config.json")
    try household.write("{ \(key)", to: ".config/rapport/credentials.json")
    for command in [["chat", "--message", "hi"], ["config"], ["setup", "--show"], ["sessions"]] {
      let result = try household.run(command)
      expectNoTrace(result, "\(command)")
      #expect(result.errors.contains("config.json"), "\(command): \(result.errors)")
    }
  }

  @Test func aKeyWithAControlCharacterIsRefusedByItsPosition() throws {
    let server = try LoopbackServer { exchange in try exchange.respond() }
    defer { server.stop() }
    let household = try Household()
    household.environment["OPENAI_API_KEY"] = Self.canary + "\r\nX-Evil: 1"
    household.environment["OPENAI_BASE_URL"] = server.url("/v1")
    let result = try household.run("chat", "--model", "m", "--message", "hi")
    #expect(result.status == 78)
    #expect(result.errors.contains("(character \(Self.canary.count + 1))"))
    expectNoTrace(result, "control character")
    #expect(server.requestCount.value == 0)
  }

  @Test func aKeyFromTheEnvironmentDoesNotFollowAnAddressInTheFolder() throws {
    let server = try LoopbackServer { exchange in try exchange.respond(status: "404 Not Found") }
    defer { server.stop() }
    let household = try Household()
    household.environment["OPENAI_API_KEY"] = Self.canary
    try household.write("OPENAI_BASE_URL=\(server.url("/v1"))\n", to: ".env")
    let result = try household.run("chat", "--model", "m", "--message", "hi")
    expectNoTrace(result, ".env")
    #expect(server.requestCount.value > 0, "the address counts, the key does not come along")
    for request in server.requests {
      expectNoTrace(in: Data("\(request.headers) \(request.text)".utf8), "the request")
    }
    try household.write("OPENAI_BASE_URL=https://elsewhere.invalid/v1\n", to: ".env")
    #expect(try household.run("chat", "--model", "m", "--message", "hi").status == 78)
  }

  @Test func whatSetupIsToldIsInTheCredentialsFileAlone() throws {
    let server = try LoopbackServer { exchange in
      guard exchange.request["authorization"] == "Bearer \(Self.canary)" else {
        return try Self.answer(.refusal, exchange)
      }
      if exchange.request.path == "/v1/models" {
        return try exchange.respond(body: #"{"object":"list","data":[{"id":"talker"}]}"#)
      }
      try Self.answer(.stream, exchange)
    }
    defer { server.stop() }
    let household = try Household()
    let terminal = try household.startOnTerminal("chat")
    for (question, answer) in [
      ("1, 2, 3 or 4:", "3"), ("Address:", "\u{15}" + server.url("/v1")),
      ("Key:", Self.canary + "x"), ("refused this key", ""), ("Key:", Self.canary),
      ("Your key is", ""), ("You", "what is my key?"), ("Your key is", ""),
    ] {
      try terminal.expect(question)
      if !answer.isEmpty { terminal.type(answer + "\r") }
    }
    try terminal.expect("You")
    terminal.type("\u{4}")
    #expect(try terminal.expectExit() == 0)
    expectNoTrace(in: Data(terminal.output), "the screen")
    try expectNoTrace(inFilesOf: household, but: ".config/rapport/credentials.json")
    #expect(
      try String(contentsOfFile: household.credentials, encoding: .utf8).contains(Self.canary))
    expectNoTrace(try household.run("setup", "--show"), "setup --show")
    expectNoTrace(try household.run("config"), "config")
    #expect(try household.run("setup", "--remove").status == 0)
    try expectNoTraceAfterwards(household, "after --remove")
  }
}
