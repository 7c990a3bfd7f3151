import HTTPStreaming
import LanguageModels
import Synchronization
import TestSupport
import Testing

@Suite(.integration)
struct ModelCatalogTests {
  private let runtime = ModelRuntime(transport: HTTPClient(), retries: .never)

  private func models(_ server: LoopbackServer, _ format: WireFormat) async throws -> [String] {
    let endpoint =
      format == .openAI
      ? ModelEndpoint.openAI(server.url("/v1")) : .anthropic(server.url(""))
    return try await ModelCatalog(endpoint, runtime: runtime).models()
  }

  @Test func listsNewestFirst() async throws {
    let server = try LoopbackServer {
      try $0.respond(
        body:
          #"{"data":[{"id":"old","created":1},{"id":"new","created":2},{"id":"new","created":2}]}"#)
    }
    #expect(try await models(server, .openAI) == ["new", "old"])
    #expect(server.requests.map(\.path) == ["/v1/models"])
    #expect(server.requests.first?["authorization"] == "Bearer sk-test-0123456789abcdef")
  }

  @Test func readsOllamasForm() async throws {
    let server = try LoopbackServer { try $0.respond(body: #"{"models":[{"name":"qwen3:8b"}]}"#) }
    #expect(try await models(server, .openAI) == ["qwen3:8b"])
  }

  @Test func readsEveryPage() async throws {
    let server = try LoopbackServer { exchange in
      let isFirst = !exchange.request.path.contains("after_id")
      try exchange.respond(
        body: isFirst
          ? #"{"data":[{"id":"a","created_at":"2025-01-01T00:00:00Z"}],"has_more":true,"last_id":"a b"}"#
          : #"{"data":[{"id":"c","created_at":"2026-01-01T00:00:00Z"}],"has_more":false}"#)
    }
    #expect(try await models(server, .anthropic) == ["c", "a"])
    #expect(server.requests.last?.path == "/v1/models?limit=1000&after_id=a%20b")
  }

  @Test func aListThatNeverEndsIsLeft() async throws {
    let server = try LoopbackServer {
      try $0.respond(body: #"{"data":[{"id":"a"}],"has_more":true,"last_id":"a"}"#)
    }
    #expect(try await models(server, .anthropic) == ["a"])
    #expect(server.requests.count <= 3)
  }

  @Test func whatIsNoListIsSaidToBeNone() async throws {
    let server = try LoopbackServer { try $0.respond(body: "<html>") }
    let error = await #expect(throws: ModelError.self) { try await models(server, .openAI) }
    #expect(error?.kind == .webPage)
  }

  @Test(arguments: [
    (
      [
        "gpt-5.1", "gpt-5.1-mini", "gpt-4o", "gpt-4o-audio-preview", "text-embedding-3-small", "o3",
      ],
      "gpt-5.1-mini", "gpt-5.1", "gpt-5.1"
    ),
    (
      [
        "claude-opus-4-5-20251101", "claude-haiku-4-5-20251001", "claude-sonnet-4-5-20250929",
        "claude-3-opus-20240229",
      ],
      "claude-haiku-4-5-20251001", "claude-sonnet-4-5-20250929", "claude-opus-4-5-20251101"
    ),
    (["llama3.2:3b"], "llama3.2:3b", "llama3.2:3b", "llama3.2:3b"),
    (["nomic-embed-text", "qwen3:8b"], "qwen3:8b", "qwen3:8b", "qwen3:8b"),
    (["gpt-4o-2024-08-06", "gpt-4o", "gpt-4o-mini"], "gpt-4o-mini", "gpt-4o", "gpt-4o"),
    (
      ["anthropic/claude-sonnet-4.5", "openai/gpt-5", "meta-llama/llama-guard-4"],
      "anthropic/claude-sonnet-4.5", "anthropic/claude-sonnet-4.5", "anthropic/claude-sonnet-4.5"
    ),
  ])
  func defaultsFitTheirRoles(ids: [String], fast: String, coach: String, deep: String) {
    #expect(DefaultModels.choose(from: ids) == [.fast: fast, .coach: coach, .deep: deep])
  }

  @Test func withoutAModelThatTalksThereIsNoDefault() {
    #expect(DefaultModels.choose(from: ["text-embedding-3-small", "whisper-1"]).isEmpty)
    #expect(DefaultModels.choose(from: []).isEmpty)
  }
}

@Suite(.integration)
struct KeyCheckTests {
  private static let list = #"{"data":[{"id":"m","created":1}]}"#
  private static let word = #"{"choices":[{"delta":{"content":"Hi"},"finish_reason":"length"}]}"#

  private func outcome(
    model: String = "", list: @escaping LoopbackServer.Handler,
    completion: @escaping LoopbackServer.Handler = { try $0.respondWithEvents([word, "[DONE]"]) }
  ) async throws -> KeyCheck.Outcome {
    let server = try LoopbackServer { exchange in
      try (exchange.request.method == "GET" ? list : completion)(exchange)
    }
    let endpoint = ModelEndpoint.openAI(server.url("/v1")).with(model: model)
    return await KeyCheck(endpoint, runtime: ModelRuntime(transport: HTTPClient())).outcome()
  }

  private let good: LoopbackServer.Handler = { try $0.respond(body: list) }

  @Test func aKeyThatWorks() async throws {
    #expect(try await outcome(list: good) == .ok(models: ["m"]))
  }

  @Test(arguments: ["/v1", ""])
  func theWindowIsLearnedWhereTheServerTells(path: String) async throws {
    let server = try LoopbackServer { exchange in
      switch exchange.request.path {
      case "/v1/models":
        try exchange.respond(
          body: #"{"data":[{"id":"big","max_model_len":32768},{"id":"small"}]}"#)
      case "/props": try exchange.respond(body: #"{"default_generation_settings":{"n_ctx":2048}}"#)
      case "/v1/chat/completions": try exchange.respondWithEvents([Self.word, "[DONE]"])
      default: try exchange.respond(status: "404 Not Found", body: "404 page not found")
      }
    }
    let runtime = ModelRuntime(transport: HTTPClient())
    let endpoint = ModelEndpoint.openAI(server.url(path))
    _ = await KeyCheck(endpoint.with(model: "small"), runtime: runtime).outcome()
    #expect(runtime.memory[endpoint.with(model: "big")].room.window == 32_768)
    #expect(runtime.memory[endpoint.with(model: "small")].room.window == 2_048)
  }

  /// What a server says beside the API, by its address and what it answers there.
  @Test(arguments: [
    (
      "/props", #"{"default_generation_settings":{"n_ctx":2048},"total_slots":1}"#,
      ServerRoom(window: 2_048, slots: 1)
    ),
    (
      "/api/ps", #"{"models":[{"name":"m:latest","context_length":4096}]}"#,
      ServerRoom(window: 4_096, slots: 1)
    ),
    ("/api/ps", #"{"models":[]}"#, ServerRoom(slots: 1)), ("/other", "{}", ServerRoom()),
  ])
  func theRoomIsLearnedBesideTheAPI(path: String, body: String, room: ServerRoom) async throws {
    let asked = Mutex(0)
    let server = try LoopbackServer { exchange in
      asked.withLock { $0 += 1 }
      guard exchange.request.path == path else {
        return try exchange.respond(status: "404 Not Found", body: "404 page not found")
      }
      try exchange.respond(body: body)
    }
    let runtime = ModelRuntime(transport: HTTPClient())
    let endpoint = ModelEndpoint.openAI(server.url("/v1")).with(model: "m")
    await RoomProbe(endpoint, runtime: runtime).learn()
    #expect(runtime.memory[endpoint].room == room)
    let before = asked.withLock { $0 }
    await RoomProbe(endpoint, runtime: runtime).learn()
    #expect((asked.withLock { $0 } == before) == (room == ServerRoom()))
  }

  /// A window from a refusal counts until the server tells another one, or until setup.
  @Test func aWindowFromARefusalCanBeRaised() async throws {
    let list = Mutex(#"{"data":[{"id":"m"}]}"#)
    let server = try LoopbackServer { exchange in
      switch exchange.request.path {
      case "/v1/models": try exchange.respond(body: list.withLock { $0 })
      case "/v1/chat/completions": try exchange.respondWithEvents([Self.word, "[DONE]"])
      default: try exchange.respond(status: "404 Not Found", body: "404 page not found")
      }
    }
    let endpoint = ModelEndpoint.openAI(server.url("/v1")).with(model: "m")
    func restarted() -> ModelRuntime {
      let known = ModelCapabilities(refused: [.jsonSchema], room: ServerRoom(window: 2_048))
      let entry = CapabilityMemory.Snapshot.Entry(
        baseURL: endpoint.baseURL, model: "m", capabilities: known)
      return ModelRuntime(
        transport: HTTPClient(), memory: CapabilityMemory(.init(entries: [entry])))
    }
    var runtime = restarted()
    await RoomProbe(endpoint, runtime: runtime).learn()
    #expect(runtime.memory[endpoint].room.window == 2_048, "nobody tells another one")
    _ = await KeyCheck(endpoint, runtime: runtime).outcome()
    #expect(runtime.memory[endpoint].room.window == nil)
    list.withLock { $0 = #"{"data":[{"id":"m","max_model_len":8192}]}"# }
    runtime = restarted()
    await RoomProbe(endpoint, runtime: runtime).learn()
    #expect(runtime.memory[endpoint].room.window == 8_192)
    #expect(!runtime.memory[endpoint].allows(.jsonSchema))
    _ = await KeyCheck(endpoint, runtime: runtime).outcome()
    #expect(runtime.memory[endpoint].room.window == 8_192)
  }

  @Test func aWrongKey() async throws {
    let outcome = try await outcome(list: { try $0.respond(status: "401 Unauthorized") })
    guard case .wrongKey(let error) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(error.status == 401)
  }

  @Test func noCredit() async throws {
    let outcome = try await outcome(
      list: good,
      completion: {
        try $0.respond(
          status: "429 Too Many Requests", body: #"{"error":{"code":"insufficient_quota"}}"#)
      })
    guard case .noCredit = outcome else {
      Issue.record("\(outcome)")
      return
    }
  }

  @Test func noModels() async throws {
    #expect(try await outcome(list: { try $0.respond(body: #"{"data":[]}"#) }) == .noModels)
  }

  @Test func aBusyModelKnowsTheKeyAllTheSame() async throws {
    let outcome = try await outcome(
      list: good, completion: { try $0.respond(status: "503 Service Unavailable") })
    #expect(outcome == .ok(models: ["m"]))
  }

  @Test func aServerWithoutAListAnswersForANamedModel() async throws {
    let outcome = try await outcome(
      model: "mine", list: { try $0.respond(status: "404 Not Found") })
    #expect(outcome == .ok(models: ["mine"]))
  }

  @Test func noNetwork() async throws {
    let server = try LoopbackServer { $0.close() }
    let endpoint = ModelEndpoint.openAI(server.url("/v1"))
    server.stop()
    let outcome = await KeyCheck(endpoint, runtime: ModelRuntime(transport: HTTPClient())).outcome()
    guard case .noNetwork = outcome else {
      Issue.record("\(outcome)")
      return
    }
  }
}
