import IncrementalJSON
import Testing

@testable import LanguageModels

struct RequestTests {
  private let vendor = ModelEndpoint.openAI("https://api.openai.com/v1")
  private let local = ModelEndpoint.openAI("http://localhost:11434/v1", key: nil)
  private let schema = ResponseSchema(name: "a b", json: #"{"type":"object"}"#)

  private func openAI(
    _ request: ModelRequest, to endpoint: ModelEndpoint, refused: Set<RequestField> = []
  ) throws -> JSONValue {
    let encoded = OpenAIChatRequest.encode(
      request, to: endpoint, capabilities: ModelCapabilities(refused: refused))
    return try JSONValue(parsing: encoded.body)
  }

  private func anthropic(
    _ request: ModelRequest, refused: Set<RequestField> = []
  ) throws -> JSONValue {
    let encoded = AnthropicMessagesRequest.encode(
      request, to: .anthropic("https://api.anthropic.com"),
      capabilities: ModelCapabilities(refused: refused))
    return try JSONValue(parsing: encoded.body)
  }

  @Test func openAIGetsTheNewTokenLimitAndItsImitatorsBoth() throws {
    let toVendor = try openAI(.hello, to: vendor)
    #expect(toVendor["max_completion_tokens"] == 1024)
    #expect(toVendor["max_tokens"] == nil)
    #expect(toVendor["stream"] == true)
    #expect(toVendor["stream_options"] == ["include_usage": true])
    let toLocal = try openAI(.hello, to: local)
    #expect(toLocal["max_completion_tokens"] == 1024)
    #expect(toLocal["max_tokens"] == 1024)
    #expect(try openAI(.hello, to: vendor, refused: [.maxCompletionTokens])["max_tokens"] == 1024)
    let bare = try openAI(
      .hello, to: vendor, refused: [.maxCompletionTokens, .maxTokens, .streamOptions])
    #expect(bare["max_tokens"] == nil && bare["max_completion_tokens"] == nil)
    #expect(bare["stream_options"] == nil)
  }

  @Test func structuredOutputStepsDownToThePrompt() throws {
    var request = ModelRequest.hello
    request.schema = schema
    let strict = try openAI(request, to: vendor)
    #expect(strict["response_format"]?["json_schema"]?["strict"] == true)
    #expect(strict["response_format"]?["json_schema"]?["name"] == "a_b")
    #expect(strict["response_format"]?["json_schema"]?["schema"] == ["type": "object"])
    let loose = try openAI(request, to: vendor, refused: [.strictSchema])
    #expect(loose["response_format"]?["json_schema"]?["strict"] == false)
    let object = try openAI(request, to: vendor, refused: [.strictSchema, .jsonSchema])
    #expect(object["response_format"] == ["type": "json_object"])
    #expect(object["messages"]?[0]?["content"]?.stringValue?.contains(schema.json) == true)
    let prompt = try openAI(
      request, to: vendor, refused: [.strictSchema, .jsonSchema, .jsonObject])
    #expect(prompt["response_format"] == nil)
    #expect(prompt["messages"]?[0]?["content"]?.stringValue?.contains(schema.json) == true)
  }

  @Test func anthropicKeepsInstructionsApartAndAsksForTheSchema() throws {
    var request = ModelRequest.hello
    request.schema = schema
    let body = try anthropic(request)
    #expect(body["system"] == "Be kind.")
    #expect(body["max_tokens"] == 1024)
    #expect(
      body["output_config"]?["format"] == ["type": "json_schema", "schema": ["type": "object"]])
    let prompt = try anthropic(request, refused: [.outputConfig])
    #expect(prompt["output_config"] == nil)
    #expect(prompt["system"]?.stringValue?.contains(schema.json) == true)
  }

  @Test func aConversationWithoutUserWordsIsValidInBothFormats() throws {
    let greeting = ModelRequest(purpose: .greet, system: "Be kind.", messages: [])
    let expected: JSONValue = [["role": "user", "content": .string(ConversationShape.opening)]]
    #expect(try anthropic(greeting)["messages"] == expected)
    #expect(try openAI(greeting, to: vendor)["messages"]?[1] == expected[0])
  }

  @Test func userAndAssistantTakeTurns() {
    let messages = [
      ModelMessage(.assistant, "Hi!"), ModelMessage(.user, "a"), ModelMessage(.user, "b"),
      ModelMessage(.user, " \n"), ModelMessage(.assistant, "c"),
    ]
    #expect(
      ConversationShape.normalised(messages) == [
        ModelMessage(.user, ConversationShape.earlierOpening), ModelMessage(.assistant, "Hi!"),
        ModelMessage(.user, "a\n\nb"), ModelMessage(.assistant, "c"),
        ModelMessage(.user, ConversationShape.continuation),
      ])
  }

  @Test(arguments: [
    ("https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"),
    ("https://api.openai.com/v1/", "https://api.openai.com/v1/chat/completions"),
    ("http://localhost:1234/v1/chat/completions", "http://localhost:1234/v1/chat/completions"),
    (
      "https://x.openai.azure.com/openai/deployments/d?api-version=1",
      "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=1"
    ),
  ])
  func pathsAreJoinedToBaseURLs(base: String, expected: String) {
    #expect(ModelEndpoint.openAI(base).url("/chat/completions") == expected)
  }

  @Test(arguments: ["https://api.anthropic.com", "https://api.anthropic.com/v1/"])
  func anthropicsVersionIsPartOfThePath(base: String) {
    #expect(
      ModelEndpoint.anthropic(base).url("/messages") == "https://api.anthropic.com/v1/messages")
  }

  @Test func identitiesAndDescriptionsHoldNoSecret() {
    let endpoint = ModelEndpoint.openAI("https://example.com/v1?key=hidden")
    #expect(endpoint.identity.endpoint == "https://example.com")
    var shown = "\(endpoint) "
    dump(endpoint, to: &shown)
    #expect(!shown.contains("sk-test-0123456789"))
  }
}

struct RequestLadderTests {
  private func dropped(
    _ message: String, param: String? = nil, status: Int = 400,
    sent: Set<RequestField> = Set(RequestField.allCases)
  ) -> Set<RequestField>? {
    RequestLadder(sent: sent).fieldsToDrop(
      after: ProviderFailure(status: status, param: param, message: message))
  }

  @Test func theTokenLimitNamedFirstIsTheRefusedOne() {
    #expect(
      dropped(
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
      ) == [.maxTokens])
    #expect(
      dropped("max_completion_tokens is unknown; use max_tokens") == [.maxCompletionTokens])
  }

  /// The words for anything else are each vendor's own.
  @Test func whatIsNotNamedIsTried() {
    func trials(_ sent: RequestField...) -> [Set<RequestField>] {
      RequestLadder(sent: Set(sent)).trials
    }
    let (strict, schema): (RequestField, RequestField) = (.strictSchema, .jsonSchema)
    let object = RequestField.jsonObject
    #expect(
      trials(strict, schema, .systemRole, .maxTokens) == [
        [], [strict], [strict, schema], [strict, schema, object], [.systemRole],
        [.systemRole, strict, schema, object],
      ])
    #expect(trials(schema) == [[], [schema], [schema, object]])
    #expect(
      trials(.outputConfig, .systemRole) == [
        [], [.outputConfig], [.systemRole], [.systemRole, .outputConfig],
      ])
    #expect(trials(.systemRole, .maxTokens) == [[.systemRole]])
    #expect(trials(.maxTokens).isEmpty)
  }

  @Test func withoutASystemRoleTheInstructionsComeFirst() throws {
    let body = try JSONValue(
      parsing: OpenAIChatRequest.encode(
        .hello, to: .openAI("http://localhost:1/v1"),
        capabilities: ModelCapabilities(refused: [.systemRole])
      ).body)
    #expect(body["messages"] == [["role": "user", "content": "Be kind.\n\nHello"]])
  }

  @Test(arguments: [
    ("http://h:1", "http://h:1/v1"), ("http://h:1/", "http://h:1/v1"),
    ("http://h:1/openai?a=b", "http://h:1/openai/v1?a=b"), ("http://h:1/v1", nil),
    ("http://h:1/api/v3/", nil), ("http://h:1/chat/completions", nil),
    ("https://api.openai.com", nil),
  ])
  func anAddressIsCompletedOnce(address: String, completed: String?) {
    #expect(ModelEndpoint.openAI(address).versioned?.baseURL == completed)
  }

  private static let small = ModelCapabilities(room: ServerRoom(window: 2_048))

  @Test(arguments: [WireFormat.openAI, .anthropic])
  func theTokenLimitFitsTheWindow(format: WireFormat) throws {
    func limit(_ request: ModelRequest, _ known: ModelCapabilities) throws -> Int {
      let encoded =
        switch format {
        case .openAI:
          OpenAIChatRequest.encode(request, to: .openAI("http://h:1"), capabilities: known)
        case .anthropic:
          AnthropicMessagesRequest.encode(request, to: .openAI("http://h:1"), capabilities: known)
        }
      return try #require(try JSONValue(parsing: encoded.body)["max_tokens"]?.intValue)
    }
    var request = ModelRequest.hello
    request.maxOutputTokens = 8_000
    #expect(try limit(request, ModelCapabilities()) == 8_000)
    #expect(try (1_500..<2_048).contains(limit(request, Self.small)))
    request.system = String(repeating: "word ", count: 2_000)
    #expect(try limit(request, Self.small) == 128)
  }

  /// What is known stands in the instructions, and the last message is what the answer is about.
  @Test func theOldestMessagesGiveWay() {
    let said = (1...40).map { turn in
      ModelMessage(
        turn.isMultiple(of: 2) ? .assistant : .user, String(repeating: "\(turn) ", count: 100))
    }
    let request = ModelRequest(purpose: .ask, system: "Known: a 10k.", messages: said)
    let fitted = Self.small.fitted(request)
    #expect(fitted.system == request.system)
    #expect(fitted.messages.count < 20)
    #expect(fitted.messages == Array(said.suffix(fitted.messages.count)))
    #expect(ModelCapabilities().fitted(request) == request)
    let tiny = ModelCapabilities(room: ServerRoom(window: 64))
    #expect(tiny.fitted(request).messages == [said[39]])
  }

  @Test(arguments: [
    ("This model's maximum context length is 4096 tokens. However, you requested 9000", 4096),
    ("exceeds the available context size (2048 tokens)", 2048), ("prompt is too long", nil),
  ])
  func aRejectionTellsTheWindow(message: String, window: Int?) {
    #expect(ProviderFailure(status: 400, message: message).window == window)
  }

  @Test func whatNamesNothingThatWasSentIsNoReasonToSendAgain() {
    #expect(dropped("Bad request") == nil)
    #expect(dropped("stream_options is unknown", sent: [.maxTokens]) == nil)
    #expect(dropped("stream_options", status: 500) == nil)
    #expect(
      dropped("'max_tokens' is too large: 1024. This model's maximum context length is 4096 tokens")
        == nil)
  }

  @Test func whatIsLearnedIsKeptByPlaceAndModel() {
    let memory = CapabilityMemory()
    let endpoint = ModelEndpoint.openAI("http://localhost:1/v1?secret=1")
    memory.refuse([.maxTokens], at: endpoint)
    memory.refuse([.streamOptions], at: endpoint)
    #expect(memory[endpoint].refused == [.maxTokens, .streamOptions])
    #expect(memory[endpoint.with(model: "other")].refused.isEmpty)
    let snapshot = memory.snapshot
    #expect(CapabilityMemory(snapshot)[endpoint].refused == [.maxTokens, .streamOptions])
    #expect(snapshot.entries.map(\.baseURL) == ["http://localhost:1/v1"])
  }
}
