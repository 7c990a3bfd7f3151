import Foundation
import HTTPStreaming
import Intake
import LanguageModels
import Synchronization
import TestSupport
import Testing

/// A server that closes the connection after any byte of a reply.
@Suite(.integration)
struct CutReplyTests {
  private static let text = "Hey, grüß dich 你好 👋 — what would you like to change?"

  private static let openAI = chunked([
    #"data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}"#,
    #"data: {"choices":[{"index":0,"delta":{"content":"Hey, grüß dich "}}]}"#,
    #"data: {"choices":[{"index":0,"delta":{"content":"你好 \ud83d\udc4b"}}]}"#,
    #"data: {"choices":[{"index":0,"delta":{"content":" — what would you like to change?"}}]}"#,
    #"data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#, "data: [DONE]",
  ])

  private static let anthropic = chunked([
    "event: message_start\n"
      + #"data: {"type":"message_start","message":{"id":"m","role":"assistant","content":[],"usage":{"input_tokens":9,"output_tokens":1}}}"#,
    "event: content_block_start\n"
      + #"data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
    "event: content_block_delta\n"
      + #"data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hey, grüß dich 你好 👋"}}"#,
    "event: content_block_delta\n"
      + #"data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" — what would you like to change?"}}"#,
    "event: message_delta\n"
      + #"data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":20}}"#,
    "event: message_stop\n" + #"data: {"type":"message_stop"}"#,
  ])

  private static func chunked(_ events: [String]) -> [UInt8] {
    Array(events.map { $0 + "\n\n" }.joined().utf8)
  }

  /// The place from which on the reply is whole, whatever comes after it.
  private static let signals: [WireFormat: String] = [
    .openAI: #""finish_reason":"stop"}]}"#,
    .anthropic: #""stop_reason":"end_turn"},"usage":{"output_tokens":20}}"#,
  ]

  @Test(arguments: [(WireFormat.openAI, openAI), (.anthropic, anthropic)])
  func everyCutIsStoredAsOneWithNoWordMadeUp(format: WireFormat, reply: [UInt8]) async throws {
    let signal = try #require(reply.firstRange(of: Array((Self.signals[format] ?? "").utf8)))
    let (client, pack) = (HTTPClient(), try PromptPack.embedded())
    let length = Mutex(0)
    let server = try LoopbackServer { exchange in
      let cut = length.withLock(\.self)
      try exchange.write(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
      try exchange.write(Array(reply.prefix(cut)))
      exchange.close()
    }
    defer { server.stop() }
    var shown = Set<String>()
    for cut in 0...reply.count {
      length.withLock { $0 = cut }
      let events = try await greeting(from: server, format, client, pack)
      guard case .greeted(let greeting) = events.last else {
        #expect(events.map(\.kind) == [.started], "cut at \(cut)")
        continue
      }
      shown.insert(greeting.text)
      #expect(Self.text.hasPrefix(greeting.text), "cut at \(cut): \(greeting.text)")
      let isWhole = greeting.cut == nil
      #expect(isWhole == (cut >= signal.upperBound + 2), "cut at \(cut)")
      if isWhole { #expect(greeting.text == Self.text) }
    }
    #expect(shown.count >= 2)
  }

  private func greeting(
    from server: LoopbackServer, _ format: WireFormat, _ client: HTTPClient, _ pack: PromptPack
  ) async throws -> [IntakeEvent] {
    let endpoint = ModelEndpoint(
      provider: "loopback", format: format, baseURL: server.url("/v1"), apiKey: Secret("k"),
      model: "m")
    let model = HTTPModel(endpoint, runtime: ModelRuntime(transport: client, retries: .never))
    let log = InMemorySessionLog()
    let engine = try await IntakeEngine(
      log: log, models: ModelRoles(fast: model, coach: model, deep: model),
      pack: pack, entitlements: InMemoryEntitlement(),
      now: { Date(timeIntervalSince1970: 1_800_000_000) })
    let done = Mutex<SessionOutput.Done?>(nil)
    try await engine.open { output in
      if case .done(let record) = output { done.withLock { $0 = record } }
    }
    let events = await log.events().compactMap(\.event)
    let isCut = if case .greeted(let reply) = events.last { reply.cut != nil } else { true }
    #expect(done.withLock(\.self)?.failed == isCut)
    return events
  }
}
