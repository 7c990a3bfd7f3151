import Foundation
import HTTPStreaming
import IncrementalJSON
import Intake
import LanguageModels
import Synchronization
import TestSupport
import Testing
import WireFormats

@testable import Cassettes

/// What a recorder keeps of a conversation over a real socket, and what comes of playing it.
@Suite(.integration)
struct CassetteRecorderTests {
  static let key = "sk-proj-Canary7Q2mZ9xL4vT8bN3kW6rJ1hF5cD"

  static let openAI = [
    #"{"id":"c1","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}"#,
    #"{"id": "c1", "choices": [{"index": 0, "delta": {"content": "Hello, caf\u00e9 "}}]}"#,
    #"{"id":"c1","choices":[{"index":0,"delta":{"content":"and 🙂 more"}}]}"#,
    #"{"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
    #"{"id":"c1","choices":[],"usage":{"prompt_tokens":30,"completion_tokens":5}}"#, "[DONE]",
  ]
  static let anthropic = [
    #"{"type":"message_start","message":{"id":"msg_1","usage":{"input_tokens":30,"output_tokens":1}}}"#,
    #"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
    #"{"type":"ping"}"#,
    #"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello, "}}"#,
    #"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"café 🙂"}}"#,
    #"{"type":"content_block_stop","index":0}"#,
    #"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}"#,
    #"{"type":"message_stop"}"#,
  ]

  private static func body(_ format: WireFormat) -> String {
    switch format {
    case .openAI: openAI.map { "data: \($0)\n\n" }.joined() + ": bye\n\n"
    case .anthropic:
      anthropic.map { data in
        let type = data.split(separator: "\"")[3]
        return "event: \(type)\ndata: \(data)\n\n"
      }.joined()
    }
  }

  private static func model(
    _ format: WireFormat, _ baseURL: String, _ transport: any HTTPTransport,
    limits: ModelLimits = ModelLimits()
  ) -> HTTPModel {
    HTTPModel(
      ModelEndpoint(
        provider: "test", format: format, baseURL: baseURL, apiKey: Secret(key), model: "m"),
      runtime: ModelRuntime(
        transport: transport, limits: limits, sleep: { _ in }, random: { 0 }))
  }

  private static func request(_ text: String = "Hi") -> ModelRequest {
    ModelRequest(purpose: .ask, system: "Be kind.", messages: [ModelMessage(.user, text)])
  }

  /// The events of a reply, pieces of text joined.
  private static func events(_ reply: ModelReply) async -> [String] {
    var events: [String] = []
    var text = ""
    do throws(ModelError) {
      for try await event in reply {
        if case .delta(let piece) = event {
          text += piece
        } else {
          events.append("\(event)")
        }
      }
    } catch {
      events.append("\(error.kind) \(error.status ?? 0) \(error.attempts)")
    }
    return [text] + events
  }

  private static func facts(_ format: WireFormat, names: [String] = [])
    -> ConversationRecording.Facts
  {
    ConversationRecording.Facts(
      title: "t", wireFormat: format, rubricVersion: 1, settings: Cassette.Settings(), names: names)
  }

  /// Talks to a server through a recorder, then plays what was recorded.
  private func recordAndReplay(
    _ format: WireFormat, limits: ModelLimits = ModelLimits(),
    _ handler: @escaping LoopbackServer.Handler
  ) async throws -> (cassette: Cassette, recorded: [String], replayed: [String]) {
    let server = try LoopbackServer(handler)
    defer { server.stop() }
    let recorder = CassetteRecorder(HTTPClient())
    let recorded = await Self.events(
      Self.model(format, server.url("/v1"), recorder, limits: limits).reply(to: Self.request()))
    let written = recorder.recording.cassette(Self.facts(format))
    let cassette = try Cassette(parsing: Array(written.text.utf8))
    #expect(cassette == written, "what is written is read back")
    let player = CassettePlayer(cassette)
    let replayed = await Self.events(
      Self.model(format, "http://127.0.0.1:9/v1", ReplayTransport(player)).reply(to: Self.request())
    )
    #expect(player.drift.isEmpty && player.unmatched.isEmpty)
    return (cassette, recorded, replayed)
  }

  private static func respond(_ exchange: ServerExchange, _ pieces: [ArraySlice<UInt8>]) throws {
    try exchange.write(
      "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    for piece in pieces {
      try exchange.write("\(String(piece.count, radix: 16))\r\n")
      try exchange.write(Array(piece) + [13, 10])
    }
    try exchange.endChunks()
  }

  @Test(arguments: WireFormat.allCases)
  func aReplayGivesTheSameEventsHoweverTheServerCutItsAnswer(format: WireFormat) async throws {
    let body = Array(Self.body(format).utf8)
    var random = SeededGenerator(seed: 5)
    var frames: Set<[RecordedResponse.Frame.Content]> = []
    for longest in [1, 3, 20, 200, 5_000] {
      let pieces = body.cutAtRandom(longest: longest, using: &random)
      let (cassette, recorded, replayed) = try await recordAndReplay(format) { exchange in
        try Self.respond(exchange, pieces)
      }
      #expect(replayed == recorded)
      #expect(recorded.count == 2 && recorded[0].hasPrefix("Hello, café"))
      guard case .frames(let kept)? = cassette.exchanges.first?.response.content else {
        Issue.record("no frames")
        continue
      }
      #expect(body.starts(with: kept.flatMap(\.wireBytes)))
      // The reader may stop at the end mark; nothing before it differs.
      frames.insert(Array(kept.map(\.content).prefix(6)))
    }
    #expect(frames.count == 1, "chunks are not recorded, events are")
  }

  @Test func headersAreKeptByAListAndKeysAreNot() async throws {
    let (cassette, _, _) = try await recordAndReplay(.openAI) { exchange in
      try exchange.respond(
        status: "401 Unauthorized",
        headers: [
          "Set-Cookie: s=1", "openai-organization: org-abc", "x-request-id: \(Self.key)",
          "X-RateLimit-Limit-Requests: 60", "retry-after: 3", "openai-project: p",
          "anthropic-ratelimit-tokens-remaining: 9", "server: nginx", "x-request-id: second",
        ],
        body:
          #"{"error":{"message":"Incorrect API key provided: \#(Self.key).","code":"\#(Self.key)"}}"#
      )
    }
    let response = try #require(cassette.exchanges.first?.response)
    #expect(
      response.headers.fields.map(\.name) == [
        "content-type", "x-request-id", "x-ratelimit-limit-requests", "retry-after",
        "anthropic-ratelimit-tokens-remaining",
      ])
    #expect(response.headers["x-request-id"] == "[key]")
    #expect(
      response.content
        == .body(#"{"error":{"message":"Incorrect API key provided: [key].","code":"[key]"}}"#))
    #expect(!cassette.text.contains("Canary7Q2m"))
  }

  @Test func aKeyThatTheServerSplitsOverItsEventsIsNotRecorded() async throws {
    let pieces = ["it's "] + Self.key.map(String.init) + [" or sk-test-12345", "67890abcdef."]
    let (cassette, recorded, replayed) = try await recordAndReplay(.openAI) { exchange in
      try exchange.respondWithEvents(
        pieces.map { #"{"choices":[{"index":0,"delta":{"content":"\#($0)"}}]}"# }
          + Self.openAI.suffix(3))
    }
    #expect(recorded[0] == "it's [key] or sk-test-1234567890abcdef.")
    #expect(replayed[0] == "it's [key] or [key-1].")
    #expect(SecretScan.findings(in: cassette, file: "").isEmpty)
  }

  enum Ending: CaseIterable, Sendable {
    case clean, cut, reset, error, page, whole, empty
  }

  @Test(arguments: Ending.allCases)
  func anAnswerThatGoesWrongGoesWrongAgain(ending: Ending) async throws {
    let start = Array(Self.body(.openAI).utf8).prefix(150)
    let (cassette, recorded, replayed) = try await recordAndReplay(.openAI) { exchange in
      switch ending {
      case .clean: try Self.respond(exchange, [start])
      case .cut, .reset:
        try exchange.startChunks()
        try exchange.sendChunk(String(decoding: start, as: UTF8.self))
        if ending == .cut { exchange.close() } else { exchange.reset() }
      case .error:
        try exchange.respondWithEvents([Self.openAI[1], #"{"error":{"message":"no","code":500}}"#])
      case .page:
        try exchange.respond(status: "403 No", body: "<html>no</html>", contentType: "text/html")
      case .whole:
        try exchange.respond(
          body: #"{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}"#)
      case .empty: try exchange.respond(contentType: "text/event-stream")
      }
    }
    #expect(replayed == recorded, "\(cassette.text)")
  }

  @Test func aServerThatIsSilentIsRecordedAsOne() async throws {
    let gate = Gate()
    defer { gate.open() }
    let limits = ModelLimits(firstByte: .milliseconds(300), idle: .milliseconds(300))
    let (mute, recorded, replayed) = try await recordAndReplay(.openAI, limits: limits) { _ in
      gate.wait()
    }
    #expect(replayed == recorded)
    #expect(mute.exchanges.allSatisfy { $0.fault?.name == .mute })
    let (held, heldNow, heldAgain) = try await recordAndReplay(.openAI, limits: limits) {
      exchange in
      try exchange.startChunks()
      try exchange.sendEvent(Self.openAI[1])
      gate.wait()
    }
    #expect(heldAgain == heldNow)
    #expect(held.exchanges.map(\.response.ending) == [.held])
  }

  @Test func aServerThatIsNotThereIsRecordedAsALostConnection() async throws {
    let recorder = CassetteRecorder(HTTPClient())
    let recorded = await Self.events(
      Self.model(.openAI, "http://127.0.0.1:9/v1", recorder).reply(to: Self.request()))
    let cassette = recorder.recording.cassette(Self.facts(.openAI))
    let replayed = await Self.events(
      Self.model(.openAI, "http://127.0.0.1:9/v1", ReplayTransport(CassettePlayer(cassette)))
        .reply(to: Self.request()))
    #expect(replayed == recorded)
    #expect(recorded.count == 5, "three waits and the failure")
  }

  @Test func whatTheUserStopsIsHeldWhereItWasStopped() async throws {
    let gate = Gate()
    defer { gate.open() }
    let server = try LoopbackServer { exchange in
      try exchange.startChunks()
      try exchange.sendEvent(Self.openAI[1])
      gate.wait()
    }
    defer { server.stop() }
    let recorder = CassetteRecorder(HTTPClient())
    recorder.begin(.open)
    let model = Self.model(.openAI, server.url("/v1"), recorder)
    let task = Task {
      for try await event in model.reply(to: Self.request()) {
        if case .delta = event { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    _ = await task.result
    try recorder.end(interruptedAfter: "Hello, café ")
    let cassette = recorder.recording.cassette(Self.facts(.openAI))
    #expect(cassette.script == [Cassette.Step(.open, interrupt: .afterText("Hello, café "))])
    #expect(cassette.exchanges.map(\.response.ending) == [.held])
    guard case .frames(let frames)? = cassette.exchanges.first?.response.content else {
      Issue.record("no frames")
      return
    }
    #expect(frames.count == 1)
  }

  @Test func listsOfModelsAndChecksOfAKeyAreNotRecorded() async throws {
    let server = try LoopbackServer { exchange in
      try exchange.respond(body: #"{"object":"list","data":[{"id":"m"}]}"#)
    }
    defer { server.stop() }
    let recorder = CassetteRecorder(HTTPClient())
    let endpoint = ModelEndpoint(
      provider: "p", format: .openAI, baseURL: server.url("/v1"), apiKey: nil, model: "m")
    let runtime = ModelRuntime(transport: recorder)
    #expect(try await ModelCatalog(endpoint, runtime: runtime).models() == ["m"])
    #expect(recorder.recording.cassette(Self.facts(.openAI)).exchanges.isEmpty)
  }

  @Test func waitsAreWhatTheAnswersDoNotAccountFor() throws {
    let times = Mutex<[Double]>([0, 10, 25.04])
    let start = ContinuousClock.now
    let recorder = CassetteRecorder(
      HTTPClient(), clock: { start + .seconds(times.withLock { $0.removeFirst() }) })
    recorder.begin(.open)
    try recorder.end()
    recorder.begin(.say("a"))
    recorder.begin(.again)
    let cassette = recorder.recording.cassette(Self.facts(.openAI))
    #expect(cassette.script.map(\.wait) == [0, 10, 15])
  }

  /// The clock of the program runs on while it works; the user's answer doesn't take longer for it.
  @Test func theUsersOwnPauseComesFromTheLog() throws {
    let times = Mutex<[Double]>([0, 7.5])
    let start = ContinuousClock.now
    let recorder = CassetteRecorder(
      HTTPClient(), clock: { start + .seconds(times.withLock { $0.removeFirst() }) })
    let asked = Question(
      components: [], facets: [], explicit: false, reply: CoachReply(text: "Hello?"))
    let log = [
      RecordedEvent(position: 1, at: Date(timeIntervalSince1970: 1_001.25), event: .asked(asked)),
      RecordedEvent(
        position: 2, at: Date(timeIntervalSince1970: 1_003.234),
        event: .userSaid(UserTurn(turn: 1, text: "fine"))),
      RecordedEvent(position: 3, at: Date(timeIntervalSince1970: 1_006.8), event: .asked(asked)),
    ]
    recorder.begin(.open)
    try recorder.end(events: Array(log.prefix(1)))
    recorder.begin(.say("fine"))
    try recorder.end(events: log)
    let cassette = recorder.recording.cassette(Self.facts(.openAI))
    #expect(cassette.script.map(\.wait) == [0, 1.984])
  }
}
