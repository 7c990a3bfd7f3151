import Cassettes
import HTTPStreaming
import IncrementalJSON
import LanguageModels
import MockServer
import Synchronization
import TestSupport
import Testing
import WireFormats

/// What clients of either vendor are answered.
@Suite(.integration)
struct ModelAPITests {
  private static let hello: JSONValue = ["role": "user", "content": "Hello"]

  private static func request(
    _ path: String, _ body: JSONValue? = nil, method: String = "POST",
    headers: HTTPHeaders = [:]
  ) -> MockRequest {
    var headers = headers
    if path.hasSuffix("/messages") { headers["anthropic-version"] = "2023-06-01" }
    return MockRequest(
      method: method, path: path, headers: headers, body: body?.serializedBytes() ?? [])
  }

  private static func completion(
    _ words: String, model: String = "mock-coach", stream: Bool = false, path: String = "/v1"
  ) -> MockRequest {
    request(
      path + "/chat/completions",
      [
        "model": .string(model), "stream": .bool(stream),
        "messages": [["role": "user", "content": .string(words)]],
      ])
  }

  /// The answer over the wire: status, headers and body.
  private func ask(
    _ api: ModelAPI, _ request: MockRequest
  ) async throws -> (status: Int, headers: HTTPHeaders, json: JSONValue) {
    try await withServer {
      api.answer($0)
    } _: { server in
      let url = "http://127.0.0.1:\(server.port)\(request.path)"
      let response = try await HTTPClient().text(
        HTTPRequest(
          method: request.method == "GET" ? .get : .post, url: url, headers: request.headers,
          body: request.body))
      return (response.status, response.headers, (try? JSONValue(parsing: response.text)) ?? .null)
    }
  }

  private func coach(_ change: (inout ModelAPI.Options) -> Void = { _ in }) throws -> ModelAPI {
    var options = ModelAPI.Options()
    change(&options)
    return ModelAPI(script: try BuiltInCoach.script(), options: options)
  }

  /// Anthropic's list comes in pages; ours reads them all.
  @Test func anthropicsListComesInPages() async throws {
    let names = (1...45).map { "claude-\($0)" }
    let script = JSONValue.object([
      "version": 1, "models": .array(names.map { .string($0) }), "rules": [],
      "otherwise": ["text": "hm"],
    ])
    let api = ModelAPI(script: try AnswerScript(parsing: script.serializedBytes()))
    func page(_ query: String) async throws -> (ids: [String], json: JSONValue) {
      let request = Self.request(
        "/v1/models" + query, method: "GET", headers: ["anthropic-version": "2023-06-01"])
      let json = try await ask(api, request).json
      return ((json["data"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }, json)
    }
    let first = try await page("")
    #expect(first.ids == Array(names.prefix(20)) && first.json["has_more"] == true)
    #expect(first.json["first_id"] == "claude-1" && first.json["last_id"] == "claude-20")
    let second = try await page("?limit=30&after_id=claude-20")
    #expect(second.ids == Array(names.dropFirst(20)) && second.json["has_more"] == false)
    let before = try await page("?limit=5&before_id=claude-20")
    #expect(before.ids == Array(names[14..<19]) && before.json["has_more"] == true)
    let bad = try await page("?limit=0")
    #expect(bad.json["error"]?["type"] == "invalid_request_error")
    let openAI = try await ask(api, Self.request("/v1/models?limit=2", method: "GET"))
    #expect(openAI.json["data"]?.arrayValue?.count == 45 && openAI.json["has_more"] == nil)
  }

  @Test func modelsAreListedInTheShapeOfTheClientsVendor() async throws {
    let api = try coach()
    let openAI = try await ask(api, Self.request("/v1/models", method: "GET"))
    #expect(openAI.json["object"] == "list" && openAI.json["data"]?[0]?["object"] == "model")
    let anthropic = try await ask(
      api, Self.request("/v1/models", method: "GET", headers: ["x-api-key": "k"]))
    #expect(anthropic.json["has_more"] == false)
    #expect(anthropic.json["data"]?[0]?["id"] == "mock-coach")
    let one = try await ask(api, Self.request("/v1/models/mock-coach", method: "GET"))
    #expect(one.json["id"] == "mock-coach")
    let other = try await ask(api, Self.request("/v1/models/other", method: "GET"))
    #expect(other.status == 404 && other.json["error"]?["code"] == "model_not_found")
  }

  @Test(arguments: ["/v1", ""])
  func aModelIsAskedWithAndWithoutTheVersionInThePath(prefix: String) async throws {
    let answer = try await ask(try coach(), Self.completion("hi", path: prefix))
    #expect(answer.status == 200)
    #expect(answer.json["choices"]?[0]?["message"]?["content"]?.stringValue?.isEmpty == false)
    #expect((answer.json["usage"]?["prompt_tokens"]?.intValue ?? 0) > 0)
  }

  @Test func goodAnswersSayHowMuchOfALimitIsLeft() async throws {
    let openAI = try await ask(try coach(), Self.completion("hi"))
    #expect(openAI.headers["x-ratelimit-remaining-requests"] == "9999")
    #expect(openAI.headers["x-request-id"] != nil)
    let anthropic = try await ask(
      try coach(),
      Self.request(
        "/v1/messages", ["model": "mock-coach", "max_tokens": 9, "messages": [Self.hello]]))
    #expect(anthropic.headers["anthropic-ratelimit-requests-reset"] == "2026-01-05T08:00:01Z")
    #expect(anthropic.headers["request-id"] != nil)
  }

  @Test(arguments: [
    (#"{"model""#, 400, "parse"), ("[]", 400, "JSON object"), ("{}", 400, "model"),
    (#"{"model":7}"#, 400, "model"), (#"{"model":"mock-coach"}"#, 400, "messages"),
    (#"{"model":"mock-coach","messages":[]}"#, 400, "at least one"),
    (#"{"model":"mock-coach","messages":"hi"}"#, 400, "array"),
    (#"{"model":"mock-coach","messages":[{"role":"wizard","content":""}]}"#, 400, "role"),
    (#"{"model":"mock-coach","messages":[{"role":"user"}]}"#, 400, "content"),
    (#"{"model":"other","messages":[{"role":"user","content":"x"}]}"#, 404, "other"),
  ])
  func whatIsWrongWithARequestIsToldInBothShapes(
    body: String, status: Int, words: String
  ) async throws {
    let api = try coach()
    var request = Self.request("/v1/chat/completions")
    request.body = Array(body.utf8)
    let openAI = try await ask(api, request)
    #expect(openAI.status == status)
    #expect(openAI.json["error"]?["message"]?.stringValue?.contains(words) == true)
    request = Self.request("/v1/messages")
    request.body = Array(
      body.replacing(#""mock-coach""#, with: #""mock-coach","max_tokens":9"#)
        .replacing(#""other""#, with: #""other","max_tokens":9"#).utf8)
    let anthropic = try await ask(api, request)
    #expect(anthropic.status == status)
    #expect(anthropic.json["type"] == "error")
    #expect(anthropic.json["error"]?["message"]?.stringValue?.contains(words) == true)
  }

  @Test func anthropicsClientsHaveToSayTheirVersionAndALimit() async throws {
    let body: JSONValue = ["model": "mock-coach", "messages": [Self.hello]]
    let limitless = try await ask(try coach(), Self.request("/v1/messages", body))
    #expect(limitless.json["error"]?["message"] == "max_tokens: Field required")
    var request = Self.request("/v1/messages", body)
    request.headers = [:]
    let versionless = try await ask(try coach(), request)
    #expect(
      versionless.json["error"]?["message"]?.stringValue?.contains("anthropic-version") == true)
  }

  @Test func aKeyIsAskedForWhereThatIsWanted() async throws {
    let api = try coach { $0.requiresKey = true }
    var request = Self.completion("hi")
    #expect(try await ask(api, request).status == 401)
    request.headers["authorization"] = "Bearer "
    #expect(try await ask(api, request).status == 401)
    request.headers["authorization"] = "Bearer k"
    #expect(try await ask(api, request).status == 200)
    let models = try await ask(
      api, Self.request("/v1/models", method: "GET", headers: ["anthropic-version": "x"]))
    #expect(models.status == 401 && models.json["error"]?["type"] == "authentication_error")
  }

  @Test func whatIsNotThereIsNamed() async throws {
    let api = try coach()
    let path = try await ask(api, Self.request("/v1/embeddings", ["model": "mock-coach"]))
    #expect(path.status == 404)
    #expect(path.json["error"]?["message"]?.stringValue?.contains("/v1/embeddings") == true)
    #expect(try await ask(api, Self.request("/v1/models", [:])).status == 405)
    #expect(
      try await ask(api, Self.request("/v1/chat/completions", method: "GET")).status == 405)
    let cassette = try await ask(api, Self.completion("hi", path: "/nobody/v1"))
    #expect(cassette.status == 404)
    #expect(cassette.json["error"]?["message"]?.stringValue?.contains("nobody") == true)
    #expect(try await ask(api, Self.request("/", method: "GET")).json["service"] == "rapport mock")
  }

  @Test func anyModelIsAnsweredForWhereThatIsWanted() async throws {
    let api = try coach { $0.takesAnyModel = true }
    #expect(try await ask(api, Self.completion("hi", model: "llama3.1")).status == 200)
  }

  @Test func aFaultBreaksWhatItIsToBreakAndNoMore() async throws {
    let planned = FaultPlan.Planned(try Fault("status:503"), times: 2)
    let api = try coach { $0.faults = [planned] }
    var statuses: [Int] = []
    for _ in 0..<3 { statuses.append(try await ask(api, Self.completion("hi")).status) }
    #expect(statuses == [503, 503, 200])
  }

  @Test func faultsAreUsedUpInTheirOrder() async throws {
    let api = try coach {
      $0.faults = ["status:500", "status:529"].compactMap { try? Fault($0) }
        .map { FaultPlan.Planned($0, times: 1) }
    }
    var statuses: [Int] = []
    for _ in 0..<3 { statuses.append(try await ask(api, Self.completion("hi")).status) }
    #expect(statuses == [500, 529, 200])
  }

  @Test func aFaultOfThePurposeOrTheListLeavesTheRestAlone() async throws {
    let fault = try Fault("status:503")
    let scoring = try coach { $0.faults = [.init(fault, only: "score")] }
    #expect(try await ask(scoring, Self.completion("hi")).status == 200)
    let structured: JSONValue = [
      "model": "mock-coach", "messages": [Self.hello],
      "response_format": [
        "type": "json_schema",
        "json_schema": ["name": "e", "schema": ["properties": ["evidence": [:]]]],
      ],
    ]
    let score = Self.request("/v1/chat/completions", structured)
    #expect(try await ask(scoring, score).status == 503)
    let listing = try coach { $0.faults = [.init(fault, only: "models")] }
    #expect(try await ask(listing, Self.completion("hi")).status == 200)
    #expect(
      try await ask(listing, Self.request("/v1/models", method: "GET")).status == 503)
    // Without a schema there is nothing to ignore.
    let ignoring = try coach { $0.faults = [.init((try? Fault("schema-ignored")) ?? fault)] }
    let prose = try await ask(ignoring, Self.completion("hi"))
    let text = prose.json["choices"]?[0]?["message"]?["content"]?.stringValue
    #expect(text?.contains("Sure!") == false)
    let ignored = try await ask(ignoring, score).json["choices"]?[0]?["message"]?["content"]
    #expect(ignored?.stringValue?.contains("Sure!") == true)
  }
}

extension ModelAPITests {
  private static func cassette(
    _ words: [(said: String, answer: String)], format: WireFormat = .openAI, fault: String? = nil
  ) throws -> Cassette {
    var cassette = Cassette(title: "A test", wireFormat: format, rubricVersion: 1)
    cassette.settings.models = .init(fast: "m", coach: "m", deep: "m")
    for (said, answer) in words {
      let content = try RequestContent(
        parsing: completion(said, model: "m").body, format: .openAI)
      cassette.exchanges.append(
        Exchange(
          purpose: .ask, request: content.record,
          response: RecordedResponse(content: .answer(ModelAnswer(.text(answer)))),
          fault: try fault.map { text throws(Fault.Unreadable) in try Fault(text) }))
    }
    return cassette
  }

  private static func said(_ json: JSONValue) -> String? {
    json["choices"]?[0]?["message"]?["content"]?.stringValue
  }

  @Test func aCassetteAnswersByContentHoweverOftenItIsAsked() async throws {
    let library = CassetteLibrary([
      ("one", try Self.cassette([("knee", "Which knee?"), ("knee", "Still the knee?")])),
      ("two", try Self.cassette([("sleep", "How long?"), ("knee", "No")])),
    ])
    let api = ModelAPI(recordings: library)
    var answers: [String?] = []
    for words in ["sleep", "knee", "knee", "knee", "sleep"] {
      answers.append(Self.said(try await ask(api, Self.completion(words, model: "m")).json))
    }
    #expect(answers == ["How long?", "Which knee?", "Still the knee?", "Which knee?", "How long?"])
    #expect(api.models == ["m"])
  }

  @Test func aCassetteIsAskedByName() async throws {
    let api = ModelAPI(
      recordings: CassetteLibrary([
        ("a/one", try Self.cassette([("knee", "first")])),
        ("two words", try Self.cassette([("knee", "second")])),
      ]))
    for (path, answer) in [
      ("/v1", "first"), ("/a/one/v1", "first"), ("/one/v1", "first"),
      ("/two%20words/v1", "second"),
    ] {
      let json = try await ask(api, Self.completion("knee", model: "m", path: path)).json
      #expect(Self.said(json) == answer, "\(path)")
    }
  }

  @Test func aRecordingOfOneFormatAnswersInTheOther() async throws {
    let api = ModelAPI(
      recordings: CassetteLibrary([
        ("one", try Self.cassette([("knee", "Which?")], format: .anthropic))
      ]))
    let json = try await ask(api, Self.completion("knee", model: "m")).json
    #expect(Self.said(json) == "Which?")
  }

  @Test func aRequestWithoutARecordingSaysWhatWasAsked() async throws {
    let told = Mutex<[ModelAPI.Record]>([])
    let api = ModelAPI(
      recordings: CassetteLibrary([("one", try Self.cassette([("knee", "Which?")]))])
    ) { record in told.withLock { $0.append(record) } }
    let answer = try await ask(api, Self.completion("elbow", model: "m"))
    #expect(answer.status == 404)
    let message = answer.json["error"]?["message"]?.stringValue ?? ""
    #expect(message.contains("prose after 1 messages of the user: \"elbow\""))
    #expect(told.withLock { $0.map(\.source) } == [message])
  }

  @Test func rulesAnswerWhereNoCassetteFits() async throws {
    let script = try AnswerScript(
      parsing: Array(#"{"version":1,"models":["m"],"rules":[],"otherwise":{"text":"hm"}}"#.utf8))
    let api = ModelAPI(
      recordings: CassetteLibrary([("one", try Self.cassette([("knee", "Which?")]))]),
      script: script)
    #expect(Self.said(try await ask(api, Self.completion("knee", model: "m")).json) == "Which?")
    #expect(Self.said(try await ask(api, Self.completion("elbow", model: "m")).json) == "hm")
  }

  @Test func aFaultOfTheRecordingIsPlayed() async throws {
    let api = ModelAPI(
      recordings: CassetteLibrary([
        ("one", try Self.cassette([("knee", "Which?")], fault: "status:529"))
      ]))
    #expect(try await ask(api, Self.completion("knee", model: "m")).status == 529)
  }
}
