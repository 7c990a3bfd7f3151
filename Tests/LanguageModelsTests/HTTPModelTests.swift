import Glibc
import HTTPStreaming
import IncrementalJSON
import LanguageModels
import Synchronization
import TestSupport
import Testing

/// Models against a server that does what real ones do.
@Suite(.integration)
struct HTTPModelTests {
  private let sleeps = Sleeps()

  final class Sleeps: Sendable {
    private let taken = Mutex<[Duration]>([])
    var all: [Duration] { taken.withLock { $0 } }
    func add(_ duration: Duration) { taken.withLock { $0.append(duration) } }
  }

  private func runtime(
    limits: ModelLimits = ModelLimits(), memory: CapabilityMemory = CapabilityMemory()
  ) -> ModelRuntime {
    ModelRuntime(
      transport: HTTPClient(), limits: limits, memory: memory,
      sleep: { [sleeps] in sleeps.add($0) }, random: { 0 })
  }

  private static let hi =
    #"{"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}"#
  private static let stop = #"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#

  /// Answers the first requests with the handlers in turn, the rest with the last.
  private func server(_ handlers: LoopbackServer.Handler...) throws -> LoopbackServer {
    let count = Mutex(0)
    return try LoopbackServer { exchange in
      let index = count.withLock { count in
        defer { count += 1 }
        return min(count, handlers.count - 1)
      }
      try handlers[index](exchange)
    }
  }

  private let good: LoopbackServer.Handler = { try $0.respondWithEvents([hi, stop, "[DONE]"]) }

  private func outcome(
    _ server: LoopbackServer, request: ModelRequest = .hello, runtime: ModelRuntime? = nil
  ) async -> ReplyOutcome {
    let model = HTTPModel(.openAI(server.url("/v1")), runtime: runtime ?? self.runtime())
    return await ReplyOutcome(of: model.reply(to: request))
  }

  @Test func itIsReadWhereItsBytesArrive() async throws {
    let server = try server(good)
    let model = HTTPModel(
      .openAI(server.url("/v1")), runtime: ModelRuntime(transport: HTTPClient()))
    let executor = try #require(model.readingExecutor)
    let threads = await withTaskExecutorPreference(executor) {
      var threads: Set<UInt> = [UInt(pthread_self())]
      var events = model.reply(to: .hello).makeAsyncIterator()
      while (try? await events.next()) != nil { threads.insert(UInt(pthread_self())) }
      return threads
    }
    #expect(threads.count == 1)
  }

  @Test func sendsTheKeyAndTheConversationAndReadsTheAnswer() async throws {
    let server = try server { exchange in
      try exchange.startChunks(headers: ["x-request-id: req-1"])
      for event in [Self.hi, Self.stop, "[DONE]"] { try exchange.sendEvent(event) }
      try exchange.endChunks()
    }
    let outcome = await outcome(server)
    #expect(outcome.text == "Hi")
    #expect(outcome.completion == ModelCompletion(finish: .stop, requestID: "req-1", attempts: 1))
    let request = try #require(server.requests.first)
    #expect(request.method == "POST")
    #expect(request.path == "/v1/chat/completions")
    #expect(request["authorization"] == "Bearer sk-test-0123456789abcdef")
    let body = try JSONValue(parsing: request.body)
    #expect(body["messages"]?[1] == ["role": "user", "content": "Hello"])
  }

  @Test func anthropicGetsItsOwnHeaders() async throws {
    let server = try server { exchange in
      try exchange.respondWithEvents([
        #"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}"#,
        #"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
        #"{"type":"message_stop"}"#,
      ])
    }
    let model = HTTPModel(.anthropic(server.url("")), runtime: runtime())
    let outcome = await ReplyOutcome(of: model.reply(to: .hello))
    #expect(outcome.text == "Hi")
    #expect(outcome.completion?.finish == .stop)
    let request = try #require(server.requests.first)
    #expect(request.path == "/v1/messages")
    #expect(request["x-api-key"] == "sk-ant-0123456789abcdef")
    #expect(request["anthropic-version"] == "2023-06-01")
    #expect(request["authorization"] == nil)
  }

  @Test func nothingIsSentBeforeTheReplyIsIterated() async throws {
    let server = try server(good)
    let model = HTTPModel(.openAI(server.url("/v1")), runtime: runtime())
    let reply = model.reply(to: .hello)
    #expect(server.requests.isEmpty)
    #expect(await ReplyOutcome(of: reply).text == "Hi")
    #expect(server.requests.count == 1)
  }

  @Test func theFirstWordsComeBeforeTheLast() async throws {
    let gate = Gate()
    let server = try server { exchange in
      try exchange.startChunks()
      try exchange.sendEvent(Self.hi)
      gate.wait()
      try exchange.sendEvent(Self.stop)
      try exchange.endChunks()
    }
    let model = HTTPModel(.openAI(server.url("/v1")), runtime: runtime())
    var iterator = model.reply(to: .hello).makeAsyncIterator()
    #expect(try await iterator.next() == .delta("Hi"))
    gate.open()
    guard case .completed? = try await iterator.next() else {
      Issue.record("no completion")
      return
    }
    #expect(try await iterator.next() == nil)
  }

  @Test func doneEndsTheReplyThoughTheSocketStaysOpen() async throws {
    let server = try server { exchange in
      try exchange.startChunks()
      for event in [Self.hi, "[DONE]"] { try exchange.sendEvent(event) }
      exchange.waitForClientToClose()
    }
    let outcome = await outcome(server)
    #expect(outcome.text == "Hi")
    #expect(outcome.completion?.finish == .stop)
    await server.closedConnections.reaches(1)
  }

  @Test func aBusyModelIsWaitedForAndTheWaitAnnounced() async throws {
    let busy: LoopbackServer.Handler = {
      try $0.respond(
        status: "429 Too Many Requests", headers: ["retry-after: 4"],
        body: #"{"error":{"message":"slow down","type":"rate_limit_error"}}"#)
    }
    let outcome = await outcome(try server(busy, busy, good))
    #expect(outcome.text == "Hi")
    #expect(
      outcome.waits == [
        ModelWait(reason: .rateLimited, delay: .seconds(4), nextAttempt: 2),
        ModelWait(reason: .rateLimited, delay: .seconds(4), nextAttempt: 3),
      ])
    #expect(sleeps.all == [.seconds(4), .seconds(4)])
    #expect(outcome.completion?.attempts == 3)
  }

  @Test(arguments: ["429 Too Many Requests", "503 Service Unavailable"])
  func whatIsAskedInTheBackgroundIsAskedOnce(status: String) async throws {
    let server = try server {
      try $0.respond(status: status, headers: ["retry-after: 1"], body: "{}")
    }
    var request = ModelRequest.hello
    request.isBackground = true
    let failure = await outcome(server, request: request).failure
    #expect(failure?.attempts == 1)
    #expect(server.requests.count == 1)
    #expect(sleeps.all.isEmpty)
  }

  @Test func aServerThatNeverRecoversIsAskedFourTimes() async throws {
    let server = try server { try $0.respond(status: "503 Service Unavailable", body: "busy") }
    let outcome = await outcome(server)
    #expect(outcome.failure?.kind == .overloaded)
    #expect(outcome.failure?.attempts == 4)
    #expect(server.requests.count == 4)
    #expect(sleeps.all == [.milliseconds(500), .seconds(1), .seconds(2)])
  }

  @Test func aWaitThatIsTooLongIsNamed() async throws {
    let server = try server {
      try $0.respond(
        status: "429 Too Many Requests", headers: ["retry-after: 3600"], body: "{}")
    }
    let failure = await outcome(server).failure
    #expect(failure?.kind == .rateLimited)
    #expect(failure?.detail.contains("3600 s") == true)
    #expect(failure?.retryAfter == .seconds(3600))
    #expect(server.requests.count == 1)
  }

  @Test func anEmptyAccountIsNotAskedAgain() async throws {
    let server = try server {
      try $0.respond(
        status: "429 Too Many Requests", headers: ["retry-after: 1"],
        body:
          #"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#)
    }
    #expect(await outcome(server).failure?.kind == .outOfCredit)
    #expect(server.requests.count == 1)
  }

  @Test func aBrokenConnectionBeforeTheFirstWordIsTriedAgain() async throws {
    let outcome = await outcome(try server({ $0.reset() }, good))
    #expect(outcome.text == "Hi")
    #expect(outcome.waits.map(\.reason) == [.unreachable])
  }

  @Test(arguments: [
    [], ["[DONE]"], [#"{"choices":[]}"#, "[DONE]"],
    [#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}"#],
    [#"{"choices":[{"index":0,"delta":{"reasoning":"Let me see"},"finish_reason":null}]}"#],
  ])
  func aReplyThatEndsBeforeItsFirstWordIsTriedAgain(events: [String]) async throws {
    let outcome = await outcome(try server({ try $0.respondWithEvents(events) }, good))
    #expect(outcome.text == "Hi")
    #expect(outcome.waits.map(\.reason) == [.serverError])
    #expect(outcome.completion?.attempts == 2)
  }

  @Test func anEmptyBodyIsTriedAgainAndNotForEver() async throws {
    let server = try server { try $0.respond(status: "200 OK", body: "") }
    let outcome = await outcome(server)
    #expect(outcome.failure?.kind == .truncated)
    #expect(server.requests.count == 4)
    #expect(sleeps.all == [.milliseconds(500), .seconds(1), .seconds(2)])
  }

  @Test(arguments: [
    [hi], [#"{"choices":[{"index":0,"delta":{"refusal":"No."},"finish_reason":null}]}"#],
  ])
  func aReplyThatEndsAfterItsFirstWordIsNot(events: [String]) async throws {
    let server = try server { try $0.respondWithEvents(events) }
    #expect(await outcome(server).failure?.kind == .truncated)
    #expect(server.requests.count == 1)
  }

  @Test func aBrokenConnectionAfterTheFirstWordIsNot() async throws {
    let server = try server { exchange in
      try exchange.startChunks()
      try exchange.sendEvent(Self.hi)
      exchange.close()
    }
    let outcome = await outcome(server)
    #expect(outcome.text == "Hi")
    #expect(outcome.failure?.kind == .unreachable)
    #expect(server.requests.count == 1)
  }

  @Test func aBrokenConnectionAfterTheFinishReasonIsNoHarm() async throws {
    let server = try server { exchange in
      try exchange.startChunks()
      for event in [Self.hi, Self.stop] { try exchange.sendEvent(event) }
      exchange.close()
    }
    let outcome = await outcome(server)
    #expect(outcome.text == "Hi")
    #expect(outcome.completion?.finish == .stop)
  }

  @Test func anOverloadInTheStreamIsTriedAgainOnlyBeforeTheFirstWord() async throws {
    let overload = #"{"error":{"message":"Overloaded","type":"overloaded_error"}}"#
    let early = await outcome(try server({ try $0.respondWithEvents([overload]) }, good))
    #expect(early.text == "Hi")
    #expect(early.waits.map(\.reason) == [.overloaded])
    let server = try server { try $0.respondWithEvents([Self.hi, overload]) }
    let late = await outcome(server)
    #expect(late.text == "Hi")
    #expect(late.failure?.kind == .overloaded)
    #expect(late.failure?.type == "overloaded_error")
    #expect(server.requests.count == 1)
  }

  @Test func aRefusedParameterIsLeftOutAndRemembered() async throws {
    let picky: LoopbackServer.Handler = { exchange in
      let body = try JSONValue(parsing: exchange.request.body)
      for name in ["stream_options", "max_tokens"] where body[name] != nil {
        let message = "Unsupported parameter: '\(name)'"
        return try exchange.respond(
          status: "400 Bad Request",
          body: (["error": ["message": .string(message), "param": .string(name)]] as JSONValue)
            .serialized())
      }
      try exchange.respondWithEvents([Self.hi, Self.stop, "[DONE]"])
    }
    let server = try server(picky)
    let memory = CapabilityMemory()
    let first = await outcome(server, runtime: runtime(memory: memory))
    #expect(first.text == "Hi")
    #expect(first.waits.isEmpty)
    #expect(first.completion?.attempts == 3)
    let second = await outcome(server, runtime: runtime(memory: memory))
    #expect(second.completion?.attempts == 1)
    #expect(server.requests.count == 4)
  }

  private static let lost = #"""
    {"error":{"message":"Failed to generate JSON.","type":"invalid_request_error",\#
    "code":"json_validate_failed","failed_generation":"{\"a\""}}
    """#

  private func formats(_ server: LoopbackServer) throws -> [String] {
    try server.requests.map {
      let format = try JSONValue(parsing: $0.body)["response_format"]
      let isStrict = format?["json_schema"]?["strict"] == true
      return (format?["type"]?.stringValue ?? "words") + (isStrict ? "!" : "")
    }
  }

  @Test func anAnswerThatTheServerRejectsIsAskedForAgain() async throws {
    let bad: LoopbackServer.Handler = { try $0.respond(status: "400 Bad Request", body: Self.lost) }
    var request = ModelRequest.hello
    request.schema = ResponseSchema(name: "a", json: "{}")
    let once = try server(bad, good)
    #expect(await outcome(once, request: request).text == "Hi")
    #expect(try formats(once) == ["json_schema!", "json_schema!"])
    let memory = CapabilityMemory()
    let always = try server { exchange in
      let format = try JSONValue(parsing: exchange.request.body)["response_format"]
      try format == nil ? self.good(exchange) : bad(exchange)
    }
    let runtime = runtime(memory: memory)
    #expect(await outcome(always, request: request, runtime: runtime).text == "Hi")
    #expect(
      try formats(always)
        == ["json_schema!", "json_schema!", "json_schema", "json_object", "words"])
    #expect(memory.snapshot.entries.allSatisfy { $0.capabilities.refused.isEmpty })
  }

  @Test(arguments: [
    ("400 Bad Request", "Only user and assistant roles are supported!"),
    ("422 Unprocessable Entity", "Input should be 'user' or 'assistant'"),
  ])
  func aRejectionInAnyWordsIsTriedWithout(status: String, words: String) async throws {
    let server = try server { exchange in
      let body = try JSONValue(parsing: exchange.request.body)
      if body["messages"]?.arrayValue?.first?["role"] == "system" {
        return try exchange.respond(status: status, body: #"{"error":{"message":"\#(words)"}}"#)
      }
      try exchange.respondWithEvents([Self.hi, Self.stop, "[DONE]"])
    }
    let runtime = runtime(memory: CapabilityMemory())
    #expect(await outcome(server, runtime: runtime).completion?.attempts == 2)
    #expect(await outcome(server, runtime: runtime).completion?.attempts == 1)
  }

  /// A server's own fault is one only if it doesn't say the same again, and it must show twice: a server that only
  /// just came back would have taken the request.
  @Test(arguments: [
    ("400 Bad Request", "Jinja error: System role not supported", 2),
    ("500 Internal Server Error", "Dieses Modell kennt nur zwei Sprecher", 3),
  ])
  func aModelWithoutASystemRoleIsRemembered(
    status: String, words: String, attempts: Int
  ) async throws {
    let server = try server { exchange in
      let body = try JSONValue(parsing: exchange.request.body)
      if body["messages"]?.arrayValue?.first?["role"] == "system" {
        return try exchange.respond(status: status, body: #"{"error":{"message":"\#(words)"}}"#)
      }
      try exchange.respondWithEvents([Self.hi, Self.stop, "[DONE]"])
    }
    let runtime = runtime(memory: CapabilityMemory())
    let isOwnFault = attempts > 2
    for _ in 0..<(isOwnFault ? 2 : 1) {
      #expect(await outcome(server, runtime: runtime).completion?.attempts == attempts)
    }
    #expect(await outcome(server, runtime: runtime).completion?.attempts == 1)
    #expect(sleeps.all.count == (isOwnFault ? 2 : 0))
  }

  /// What was answered without a schema while a server came back is asked for with it again.
  @Test func anOutageTeachesNothing() async throws {
    let down: LoopbackServer.Handler = {
      try $0.respond(status: "500 Internal Server Error", body: "Internal Server Error")
    }
    let memory = CapabilityMemory()
    let runtime = runtime(memory: memory)
    let server = try server(down, down, down, good, good, good)
    for _ in 0..<3 {
      #expect(await outcome(server, request: structured, runtime: runtime).text == "Hi")
    }
    #expect(try formats(server).suffix(2) == ["json_schema!", "json_schema!"])
    #expect(memory.snapshot.entries.allSatisfy { $0.capabilities.refused.isEmpty })
  }

  /// A refusal within the stream is one like any other, whatever it leaves out.
  @Test(arguments: [
    #"{"error":{"message":"System role not supported","type":"invalid_request_error"}}"#,
    #"{"error":{"message":"only two roles","type":"invalid_request_error","status_code":400}}"#,
    #"{"error":{"message":"only two roles","type":"x","code":"400"}}"#,
  ])
  func aRefusalInTheStreamIsTriedWithout(error: String) async throws {
    let server = try server { exchange in
      let body = try JSONValue(parsing: exchange.request.body)
      let hasSystem = body["messages"]?.arrayValue?.first?["role"] == "system"
      try exchange.respondWithEvents(hasSystem ? [error] : [Self.hi, Self.stop, "[DONE]"])
    }
    let runtime = runtime(memory: CapabilityMemory())
    #expect(await outcome(server, runtime: runtime).text == "Hi")
    #expect(await outcome(server, runtime: runtime).completion?.attempts == 1)
  }

  private var structured: ModelRequest {
    var request = ModelRequest.hello
    request.schema = ResponseSchema(name: "a", json: "{}")
    return request
  }

  /// The server can't parse its own model's answer and says so in unknown words. Later requests keep their
  /// form.
  @Test(arguments: [
    ("400 Bad Request", "parse error at line 3"),
    ("422 Unprocessable Entity", "la respuesta no encaja"),
    ("500 Internal Server Error", "The sample ends too early."),
  ])
  func aRejectedSampleInAnyWordsIsAskedForAgain(status: String, words: String) async throws {
    let bad: LoopbackServer.Handler = {
      try $0.respond(status: status, body: #"{"error":{"message":"\#(words)"}}"#)
    }
    let runtime = runtime(memory: CapabilityMemory())
    let server = try server(good, bad, good, bad, bad, good, good)
    for _ in 0..<4 {
      #expect(await outcome(server, request: structured, runtime: runtime).text == "Hi")
    }
    #expect(
      try formats(server)
        == [
          "json_schema!", "json_schema!", "json_schema!", "json_schema!", "json_schema!",
          "json_schema", "json_schema!",
        ])
  }

  /// A form that the server never takes is found out once.
  @Test func aFormInWordsOfAnyLanguageStepsDownOnce() async throws {
    let server = try server { exchange in
      let format = try JSONValue(parsing: exchange.request.body)["response_format"]
      guard format == nil else {
        return try exchange.respond(status: "400 Bad Request", body: "nope")
      }
      try exchange.respondWithEvents([Self.hi, Self.stop, "[DONE]"])
    }
    let runtime = runtime(memory: CapabilityMemory())
    for _ in 0..<2 {
      #expect(await outcome(server, request: structured, runtime: runtime).text == "Hi")
    }
    #expect(
      try formats(server)
        == ["json_schema!", "json_schema!", "json_schema", "json_object", "words", "words"])
  }

  @Test(arguments: [
    ("404 Not Found", "404 page not found"), ("404 Not Found", #"{"detail":"Not Found"}"#),
    ("200 OK", #"{"error":"Unexpected endpoint or method. (POST /chat/completions)"}"#),
    ("200 OK", "<!DOCTYPE html><html><title>Chat UI</title></html>"),
  ])
  func anAddressWithoutItsVersionIsTriedWithIt(status: String, body: String) async throws {
    let server = try server { exchange in
      guard exchange.request.path.hasPrefix("/v1/") else {
        return try exchange.respond(status: status, body: body)
      }
      try exchange.respondWithEvents([Self.hi, Self.stop, "[DONE]"])
    }
    let said = Mutex<[String]>([])
    let memory = CapabilityMemory { address in said.withLock { $0.append(address) } }
    let model = HTTPModel(.openAI(server.url("")), runtime: runtime(memory: memory))
    for _ in 0..<2 { #expect(await ReplyOutcome(of: model.reply(to: .hello)).text == "Hi") }
    #expect(said.withLock { $0 } == [server.url("/v1")])
    #expect(server.requests.count == 3)
  }

  @Test func anAddressWithNoAPIAtAllIsTriedTwice() async throws {
    let server = try server { try $0.respond(status: "404 Not Found", body: "404 page not found") }
    let model = HTTPModel(.openAI(server.url("")), runtime: runtime())
    #expect(await ReplyOutcome(of: model.reply(to: .hello)).failure?.kind == .modelNotFound)
    #expect(server.requests.count == 2)
  }

  @Test func aServerThatRefusesEverythingIsNotAskedForEver() async throws {
    let names = RequestField.allCases.map(\.rawValue).joined(separator: " ")
    let server = try server { try $0.respond(status: "400 Bad Request", body: "no: \(names)") }
    var request = ModelRequest.hello
    request.schema = ResponseSchema(name: "a", json: "{}")
    let failure = await outcome(server, request: request).failure
    #expect(failure?.kind == .badRequest)
    #expect(server.requests.count <= RequestField.allCases.count + 1)
  }

  @Test(arguments: [
    (
      "401 Unauthorized", #"{"error":{"message":"Incorrect API key: sk-test-0123456789abcdef"}}"#,
      ModelError.Kind.unauthorized
    ),
    ("402 Payment Required", "{}", .outOfCredit),
    (
      "404 Not Found", #"{"error":{"code":"model_not_found","message":"no such model"}}"#,
      .modelNotFound
    ),
    (
      "400 Bad Request", #"{"error":{"code":"context_length_exceeded","message":"long"}}"#,
      .promptTooLong
    ),
    ("403 Forbidden", "<html><title>Blocked</title></html>", .webPage),
    ("302 Found", "", .redirected),
  ])
  func refusalsAreToldApartAndHoldNoKey(
    status: String, body: String, kind: ModelError.Kind
  ) async throws {
    let server = try server {
      try $0.respond(status: status, headers: ["location: http://127.0.0.1:1/"], body: body)
    }
    let failure = try #require(await outcome(server).failure)
    #expect(failure.kind == kind)
    #expect(failure.status == Int(status.prefix(3)))
    #expect(!"\(failure)".contains("0123456789abcdef"))
    #expect(server.requests.count == 1)
  }

  @Test func aHugeErrorBodyIsReadToItsLimit() async throws {
    let server = try server { exchange in
      try exchange.write("HTTP/1.1 400 Bad Request\r\n\r\n")
      for _ in 0..<1000 { try exchange.write(String(repeating: "x", count: 100_000)) }
      exchange.close()
    }
    let failure = await outcome(server).failure
    #expect(failure?.kind == .badRequest)
    #expect((failure?.detail.count ?? 0) <= 1_001)
  }

  @Test func aReplyThatNeverEndsStopsAtTheLimit() async throws {
    let server = try server { exchange in
      try exchange.startChunks()
      while true { try exchange.sendEvent(Self.hi) }
    }
    let outcome = await outcome(server, runtime: runtime(limits: ModelLimits(replyBytes: 1000)))
    #expect(outcome.failure?.kind == .tooLarge)
    #expect(outcome.text.utf8.count == 1000)
    #expect(outcome.text.utf8.count <= 1000)
  }

  @Test func aSilentServerIsGivenUp() async throws {
    let mute = try server { $0.waitForClientToClose() }
    let early = ModelLimits(firstByte: .milliseconds(50))
    #expect(await outcome(mute, runtime: runtime(limits: early)).failure?.kind == .timedOut)
    let stuck = try server { exchange in
      try exchange.startChunks()
      try exchange.sendEvent(Self.hi)
      exchange.waitForClientToClose()
    }
    let late = await outcome(stuck, runtime: runtime(limits: ModelLimits(idle: .milliseconds(50))))
    #expect(late.text == "Hi")
    #expect(late.failure?.kind == .timedOut)
  }

  @Test func theKeyIsNotShownWhenAModelSaysIt() async throws {
    let server = try server { exchange in
      try exchange.respondWithEvents(
        ["Your key is sk-test-01", "23456789abc", "def!"].map {
          #"{"choices":[{"delta":{"content":"\#($0)"}}]}"#
        } + [Self.stop])
    }
    let outcome = await outcome(server)
    #expect(outcome.text == "Your key is [key]!")
  }

  @Test func cancellingClosesTheConnection() async throws {
    let started = Gate()
    let server = try server { exchange in
      try exchange.startChunks()
      try exchange.sendEvent(Self.hi)
      exchange.waitForClientToClose()
    }
    let model = HTTPModel(.openAI(server.url("/v1")), runtime: runtime())
    let task = Task { () -> ModelError? in
      do throws(ModelError) {
        for try await event in model.reply(to: .hello) where event == .delta("Hi") {
          started.open()
        }
        return nil
      } catch {
        return error
      }
    }
    await started.opened()
    task.cancel()
    #expect(await task.value?.kind == .cancelled)
    await server.closedConnections.reaches(1)
  }

  @Test func anAnswerThatRestsOnACutPromptSaysSo() async throws {
    let usage = #"{"choices":[],"usage":{"prompt_tokens":4000,"completion_tokens":96}}"#
    let server = try server { try $0.respondWithEvents([Self.hi, Self.stop, usage, "[DONE]"]) }
    let outcome = await outcome(server)
    #expect(outcome.completion?.usage == TokenUsage(input: 4000, output: 96))
    #expect(outcome.completion?.promptWasCut == true)
  }
}
