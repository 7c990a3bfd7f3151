import Foundation
import IncrementalJSON
import Intake
import LanguageModels
import Logging
import NIOHTTP1
import SessionStore
import Synchronization
import TestSupport
import Testing

@testable import RapportServer

/// A server with device tokens, and people who have one each.
private struct Town {
  let server: TestServer
  let (anna, ben): (Client, Client)

  /// - Parameter models: Nil rehearses.
  init(
    models: ModelRoles? = nil, _ change: (inout ServerOptions) -> Void = { _ in }
  ) async throws {
    var options = ServerOptions.forTests
    options.authentication = Authentication(
      accounts: .init(issuer: "https://accounts.example", secret: accountSecret),
      deviceKey: Array(repeating: 7, count: 32))
    change(&options)
    server = try await TestServer(TestFolder(), models: models, options: options)
    (anna, ben) = (try await Self.person(server), try await Self.person(server))
  }

  static func person(_ server: TestServer) async throws -> Client {
    let answer = try await server.client.json(.POST, "/tokens")
    guard answer.status == 201, let token = answer.json["token"]?.stringValue else {
      throw Client.Refused(status: answer.status, text: answer.text)
    }
    return server.client.with(token)
  }
}

private let accountSecret = Array("the secret of these tests' accounts".utf8)

extension Client {
  fileprivate func with(_ token: String) -> Client {
    Client(port: port, headers: [("authorization", "Bearer \(token)")])
  }
}

private func account(
  _ name: String, email: String? = nil, scopes: [String] = []
) async throws -> String {
  let claims = TokenClaims(
    iss: "https://accounts.example", aud: .init(["authenticated"]), sub: name, email: email,
    exp: Date().timeIntervalSince1970 + 600, appMetadata: .init(scopes: scopes))
  return try #require(
    try SignedToken.signing(claims, with: .secret(accountSecret), header: ["alg": "HS256"]))
}

@Suite(.integration) struct PersonTests {
  /// Anyone who comes back within a year keeps their data, however long ago they began.
  @Test func aCookieIsRenewedWithUse() async throws {
    let time = Mutex(Date(timeIntervalSince1970: 1_900_000_000))
    var options = ServerOptions.forTests
    options.authentication = Authentication(deviceKey: Array(repeating: 7, count: 32))
    let server = try await TestServer(
      TestFolder(), options: options, now: { time.withLock(\.self) })
    func cookie(in answer: Client.Answer) -> String? {
      answer.headers["set-cookie"].first?.split(separator: ";").first.map(String.init)
    }
    let first = try await server.client.json(.POST, "/tokens?cookie=true")
    var kept = try #require(cookie(in: first))
    let person = try await server.client.json(.GET, "/me", nil, [("cookie", kept)]).json["person"]
    for _ in 0..<3 {
      time.withLock { $0 += 300 * 86_400 }
      let answer = try await server.client.json(.GET, "/me", nil, [("cookie", kept)])
      #expect(answer.status == 200 && answer.json["person"] == person)
      let renewed = try #require(cookie(in: answer))
      #expect(renewed != kept)
      kept = renewed
      let again = try await server.client.json(.GET, "/me", nil, [("cookie", kept)])
      #expect(cookie(in: again) == nil, "not with every request")
    }
    let token = kept.split(separator: "=", maxSplits: 1)[1]
    let bearer = [("authorization", "Bearer \(token)")]
    #expect(try await server.client.json(.POST, "/tokens/renew", nil, bearer).json["token"] != nil)
    let byCookie = try await server.client.json(.POST, "/tokens/renew", nil, [("cookie", kept)])
    #expect(byCookie.status == 403, "a page's script gets no token")
  }

  /// A clock that is wrong for a while takes nothing away.
  @Test func aRefusedCookieIsReplacedOnlyByWord() async throws {
    let time = Mutex(Date(timeIntervalSince1970: 1_900_000_000))
    var options = ServerOptions.forTests
    options.authentication = Authentication(deviceKey: Array(repeating: 7, count: 32))
    let server = try await TestServer(
      TestFolder(), options: options, now: { time.withLock(\.self) })
    let first = try await server.client.json(.POST, "/tokens?cookie=true")
    let kept = try #require(
      first.headers["set-cookie"].first?.split(separator: ";").first.map(String.init))
    func me() async throws -> Client.Answer {
      try await server.client.json(.GET, "/me", nil, [("cookie", kept)])
    }
    time.withLock { $0 -= 30 * 86_400 }
    #expect(try await me().status == 200, "the clock was a month ahead when it began")
    time.withLock { $0 += 500 * 86_400 }
    #expect(try await me().code == "cookie-refused")
    let path = "/tokens?cookie=true"
    let refused = try await server.client.json(.POST, path, nil, [("cookie", kept)])
    #expect(refused.status == 409 && refused.code == "cookie-kept")
    #expect(refused.headers["set-cookie"].isEmpty)
    time.withLock { $0 -= 470 * 86_400 }
    #expect(try await me().status == 200)
    let anew = try await server.client.json(.POST, path + "&anew=true", nil, [("cookie", kept)])
    #expect(anew.status == 201 && !anew.headers["set-cookie"].isEmpty)
  }

  /// What a browser keeps opens in another one, once.
  @Test func aRecoveryCodeOpensItElsewhere() async throws {
    var options = ServerOptions.forTests
    options.authentication = Authentication(deviceKey: Array(repeating: 7, count: 32))
    let server = try await TestServer(TestFolder(), options: options)
    func cookie(_ answer: Client.Answer) throws -> (String, String) {
      let set = try #require(answer.headers["set-cookie"].first)
      return ("cookie", String(set.prefix { $0 != ";" }))
    }
    let mine = try cookie(try await server.client.json(.POST, "/tokens?cookie=true"))
    let person = try await server.client.json(.GET, "/me", nil, [mine]).json["person"]
    let made = try await server.client.json(.POST, "/tokens/recovery", nil, [mine])
    let code = try #require(made.json["code"]?.stringValue)
    #expect(made.status == 201)
    #expect(code.wholeMatch(of: /([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}/) != nil)
    let newer = try await server.client.json(.POST, "/tokens/recovery", nil, [mine])
    let typed = try #require(newer.json["code"]?.stringValue).lowercased()
      .replacing("-", with: " ")
    let path = "/tokens/recover?cookie=true"
    func recover(
      _ code: JSONValue, _ path: String = path, _ headers: [(String, String)] = []
    ) async throws -> Client.Answer {
      try await server.client.json(.POST, path, ["code": code], headers)
    }
    #expect(try await recover(.string(code)).code == "code-unknown", "a newer one replaces it")
    for bad: JSONValue in ["short", 5, .string(String(repeating: "A", count: 5_000))] {
      #expect(try await recover(bad).status == 400)
    }
    let theirs = try cookie(try await server.client.json(.POST, "/tokens?cookie=true"))
    let kept = try await recover(.string(typed), path, [theirs])
    #expect(kept.code == "cookie-kept", "a browser that is somebody stays so")
    let opened = try await recover(.string(typed), path + "&anew=true", [theirs])
    #expect(opened.status == 201)
    let now = try cookie(opened)
    #expect(try await server.client.json(.GET, "/me", nil, [now]).json["person"] == person)
    #expect(try await server.client.json(.GET, "/me", nil, [mine]).json["person"] == person)
    #expect(try await recover(.string(typed)).code == "code-unknown", "it works once")
  }

  @Test func codesAreNotTriedForever() async throws {
    var options = ServerOptions.forTests
    options.authentication = Authentication(deviceKey: Array(repeating: 7, count: 32))
    options.limits.recoveriesPerHour = 2
    let server = try await TestServer(TestFolder(), options: options)
    var statuses: [Int] = []
    for last in ["1", "2", "3"] {
      let body: JSONValue = ["code": .string("AAAA-BBBB-CCCC-DDD" + last)]
      let answer = try await server.client.json(.POST, "/tokens/recover", body)
      statuses.append(answer.status)
    }
    #expect(statuses == [404, 404, 429])
  }

  @Test func withoutATokenNothingIsAnswered() async throws {
    let town = try await Town()
    for (path, method) in try OpenAPI.operations where !OpenAPI.isOpen(path, method) {
      let concrete = path.replacing("{id}", with: "abc").replacing("{name}", with: "trainer")
        .replacing("{model}", with: "rapport-coach")
        .replacing("{number}", with: "1")
      for headers in [
        [], [("authorization", "Bearer nonsense")], [("authorization", "Basic YQ==")],
      ] {
        let answer = try await town.server.client.json(method, concrete, nil, headers)
        #expect(answer.status == 401, "\(method) \(path)")
      }
    }
  }

  /// Every route that takes a conversation's id, with another person's: generated from the document,
  /// so that no route is left out.
  @Test func anothersConversationDoesNotExist() async throws {
    let town = try await Town()
    let id = try await town.anna.chat(["message": .string(lines[0])]).conversation
    let before = try town.server.store.belonging(to: try await town.person(town.anna)).events(
      of: SessionID(rawValue: id))
    var tried = 0
    for (path, method) in try OpenAPI.operations where path.contains("{id}") {
      let concrete = path.replacing("{id}", with: id).replacing("{number}", with: "1")
      let answer = try await town.ben.json(method, concrete)
      #expect(answer.status == 404, "\(method) \(path)")
      tried += 1
    }
    #expect(tried >= 6)
    // The id in a body, and in an event's id.
    let said = try await town.ben.json(
      .POST, "/chat-stream", ["conversation_id": .string(id), "message": "hello"])
    #expect(said.status == 404)
    let mine = try await town.ben.chat(["message": "hi"]).conversation
    let stolen = try await town.ben.json(
      .GET, "/conversations/\(mine)/stream", nil, [("last-event-id", "\(id).0.0.aaaaaa.1")])
    #expect(stolen.status == 400)
    let model = try await town.ben.json(
      .POST, "/v1/chat/completions",
      ["model": "coach", "messages": [["role": "user", "content": "hello"]]],
      [("x-conversation-id", id)])
    #expect(model.status == 404)
    let agent = try await town.ben.json(
      .POST, "/ag-ui",
      [
        "threadId": .string(id), "runId": "r",
        "messages": [["id": "1", "role": "user", "content": "x"]],
      ])
    #expect(agent.status != 200 || !agent.text.contains(lines[0]))
    let after = try town.server.store.belonging(to: try await town.person(town.anna)).events(
      of: SessionID(rawValue: id))
    #expect(before == after)
  }

  @Test func listsProfilesAndHealthAreOnesOwn() async throws {
    let town = try await Town()
    _ = try await town.anna.chat(["message": .string(lines[0])])
    #expect(try await town.ben.json(.GET, "/conversations").json["conversations"]?.arrayValue == [])
    #expect(try await town.ben.json(.GET, "/profile").status == 404)
    #expect(try await town.ben.json(.GET, "/health").json["state"] == "unasked")
    _ = try await town.anna.json(.POST, "/subscribe")
    #expect(try await town.anna.json(.GET, "/subscription").json["active"] == true)
    #expect(try await town.ben.json(.GET, "/subscription").json["active"] == false)
    _ = try await town.anna.json(.PATCH, "/me", ["units": "metric", "terms": "2026-11"])
    #expect(try await town.anna.json(.GET, "/me").json["terms"] == "2026-11")
    #expect(try await town.ben.json(.GET, "/me").json["units"] == .null)
  }

  @Test func settingsChangedAtOnceAreAllKept() async throws {
    let town = try await Town()
    #expect(try await town.anna.json(.PATCH, "/me", ["terms": .null]).status == 200)
    #expect(try await town.anna.json(.GET, "/me").json["consented_at"] == .null)
    for round in 0..<20 {
      let (terms, privacy): (JSONValue, JSONValue) = (.string("t\(round)"), .string("p\(round)"))
      async let one = town.anna.json(.PATCH, "/me", ["terms": terms])
      async let two = town.anna.json(.PATCH, "/me", ["privacy": privacy])
      #expect(try await (one.status, two.status) == (200, 200))
      let me = try await town.anna.json(.GET, "/me").json
      #expect(me["terms"] == terms && me["privacy"] == privacy)
      #expect(me["consented_at"]?.stringValue != nil)
    }
  }

  @Test func aJourneyIsOnesOwn() async throws {
    let town = try await Town()
    let hers = try await town.anna.json(.POST, "/journeys/trainer", [:]).json["conversation_id"]
    let his = try await town.ben.json(.POST, "/journeys/trainer", [:]).json["conversation_id"]
    #expect(hers?.stringValue != nil && hers != his)
    let path = "/conversations/\(hers?.stringValue ?? "")/journey"
    #expect(try await town.ben.json(.POST, path, ["answer": true]).status == 404)
    #expect(try await town.ben.json(.GET, path + "/stream").status == 404)
    #expect(try await town.anna.json(.GET, path).json["screen"]?["step"] == "welcome")
    let list = try await town.ben.json(.GET, "/journeys").json["journeys"]?.arrayValue
    #expect(list?.contains { $0["conversation_id"] == hers } == false)
  }

  @Test func answersHaveALimitAMinute() async throws {
    let town = try await Town { $0.limits.answersPerMinute = 2 }
    let view = try await town.anna.json(.POST, "/journeys/trainer-structured", [:]).json
    let path = "/conversations/\(view["conversation_id"]?.stringValue ?? "")/journey"
    for status in [200, 200, 429] {
      #expect(try await town.anna.json(.POST, path, ["answer": true]).status == status)
    }
  }

  @Test func anAccountIsNotAskedToSignInAgain() async throws {
    let town = try await Town()
    let kim = town.server.client.with(try await account("kim", email: "kim@example.com"))
    let view = try await kim.json(.POST, "/journeys/trainer", [:]).json
    let path = "/conversations/\(view["conversation_id"]?.stringValue ?? "")/journey"
    // Only what was never agreed to is asked, and no code is sent.
    let asked = try await kim.json(.POST, path, ["answer": true]).json["screen"]
    #expect(asked?["step"] == "signIn" && asked?["input"]?["value"] == "kim@example.com")
    let agreed: JSONValue = ["answer": ["consents": ["terms", "privacy"]]]
    let next = try await kim.json(.POST, path, agreed).json["screen"]
    #expect(next?["step"] == "voice", "\(next ?? .null)")
  }

  @Test func engineersReplayRecordings() async throws {
    let town = try await Town()
    let path = "../../../Fixtures/conversations/happy-path/organ-loft.json"
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: path)
    let recording = try JSONValue(parsing: String(contentsOf: file, encoding: .utf8))
    #expect(try await town.anna.json(.POST, "/recordings/replay", recording).status == 404)
    let engineer = town.server.client.with(try await account("eve", scopes: ["engineer"]))
    let played = try await engineer.json(.POST, "/recordings/replay", recording).json
    #expect(played["complete"] == true && played["title"] == recording["title"])
    #expect(played["conversation"]?["completed"] == true)
    let curve = try #require(played["insight"]?["curve"]?.arrayValue)
    #expect(curve.count > 1 && curve.last?["ready"] == true)
    #expect(try await engineer.json(.GET, "/conversations").json["conversations"]?.arrayValue == [])
    let wrong = try await engineer.json(.POST, "/recordings/replay", ["version": 9])
    #expect(wrong.status == 400)
    #expect(wrong.json["error"]?["field"] == "version")
  }

  @Test func onlyEngineersSeeScores() async throws {
    let town = try await Town()
    let events = try await town.anna.chat(["message": .string(lines[0])])
    #expect(events.first("understanding") != nil && events.first("scored") == nil)
    #expect(events.allSatisfy { $0["detail"] == nil && $0["components"] == nil })
    let id = events.conversation
    #expect(try await town.anna.json(.GET, "/conversations/\(id)/insight").status == 404)
    #expect(try await town.anna.json(.GET, "/metrics").status == 404)
    let engineer = town.server.client.with(try await account("eve", scopes: ["engineer"]))
    let seen = try await engineer.chat(["message": .string(lines[0])])
    #expect(seen.first("scored") != nil)
    let insight = try await engineer.json(.GET, "/conversations/\(seen.conversation)/insight").json
    #expect(insight["curve"]?.arrayValue?.count == 1)
    let metrics = try await engineer.json(.GET, "/metrics").text
    #expect(metrics.contains("# TYPE rapport_http_requests_total counter"))
    #expect(metrics.contains("rapport_store_append_seconds_count"))
  }

  @Test func aDeviceBecomesAnAccountWithItsConversations() async throws {
    let town = try await Town()
    let settings: JSONValue = [
      "units": "imperial", "time_zone": "Europe/Berlin", "language": "de", "terms": "v3",
      "privacy": "v2",
    ]
    let set = try await town.anna.json(.PATCH, "/me", settings).json
    let id = try await town.anna.chat(["message": .string(lines[0])]).conversation
    let token = town.anna.headers[0].1.dropFirst("Bearer ".count)
    let anna = town.server.client.with(try await account("anna"))
    let refused = try await town.ben.json(
      .POST, "/tokens/upgrade", ["device_token": .string(String(token))])
    #expect(refused.status == 403)
    let answer = try await anna.json(
      .POST, "/tokens/upgrade", ["device_token": .string(String(token))])
    #expect(answer.json["person"] == "account:anna")
    let me = try await anna.json(.GET, "/me").json
    for name in ["units", "time_zone", "language", "terms", "privacy", "consented_at"] {
      #expect(me[name] == set[name] && me[name] != .null, "\(name)")
    }
    #expect(try await anna.json(.GET, "/conversations/\(id)").status == 200)
    #expect(try await town.anna.json(.GET, "/conversations/\(id)").status == 401)
  }

  /// A device's client may name conversations itself; the name stays theirs.
  @Test func aConversationThatADeviceNamedIsFoundByTheAccount() async throws {
    let town = try await Town()
    let device = town.server.store.belonging(to: try await town.person(town.anna))
    let id = try await device.session(begunBy: "ag-ui/thread")
    _ = try device.createSession(id, at: Date())
    let token = town.anna.headers[0].1.dropFirst("Bearer ".count)
    let anna = town.server.client.with(try await account("anna"))
    _ = try await anna.json(.POST, "/tokens/upgrade", ["device_token": .string(String(token))])
    let account = town.server.store.belonging(to: try await town.person(anna))
    #expect(try await account.session(begunBy: "ag-ui/thread") == id)
    #expect(try await account.session(begunBy: "ag-ui/other") != id)
    let other = town.server.store.belonging(to: try await town.person(town.ben))
    #expect(try await other.session(begunBy: "ag-ui/thread") != id)
  }

  @Test func clientsOfADeviceFindTheirConversationsInTheAccount() async throws {
    let town = try await Town()
    func talk(_ client: Client, _ words: String) async throws -> String? {
      let agent = try await client.json(
        .POST, "/ag-ui",
        [
          "threadId": "t1", "runId": "r",
          "messages": [["id": .string(words), "role": "user", "content": .string(words)]],
        ])
      #expect(agent.status == 200)
      let model = try await client.json(
        .POST, "/v1/chat/completions",
        ["user": "kim", "messages": [["role": "user", "content": .string(words)]]])
      #expect(model.status == 200)
      return model.headers["x-conversation-id"].first
    }
    let sent: JSONValue = ["message": .string(lines[0]), "client_message_id": "m1"]
    let stream = try await town.anna.chat(sent).conversation
    let named = try await talk(town.anna, lines[0])
    let token = town.anna.headers[0].1.dropFirst("Bearer ".count)
    let anna = town.server.client.with(try await account("anna"))
    _ = try await anna.json(.POST, "/tokens/upgrade", ["device_token": .string(String(token))])
    let id = try #require(named)
    let model = try await anna.json(
      .POST, "/v1/chat/completions",
      ["messages": [["role": "user", "content": .string(lines[1])]]], [("x-conversation-id", id)])
    #expect(model.status == 200)
    #expect(try await anna.chat(sent).conversation == stream)
    #expect(
      try await anna.json(.GET, "/conversations").json["conversations"]?.arrayValue?.count == 3)
  }

  /// A reply that ends after its person was moved or deleted.
  @Test func tokensOfALateReplyCountForTheAccountOrNobody() async throws {
    let model = try await MockModel()
    let town = try await Town(models: model.roles)
    let store = town.server.store
    let device = store.belonging(to: try await town.person(town.anna))
    let token = town.anna.headers[0].1.dropFirst("Bearer ".count)
    let anna = town.server.client.with(try await account("anna"))
    let account = store.belonging(to: try await town.person(anna))
    func use(_ store: SessionStore) throws -> Int {
      try store.tokens(on: Date().formatted(.iso8601.year().month().day()))
    }
    model.gate.close()
    async let moved = town.anna.chat(["message": .string(lines[0])])
    await model.gate.holds(1)
    let upgrade: JSONValue = ["device_token": .string(String(token))]
    #expect(try await anna.json(.POST, "/tokens/upgrade", upgrade).status == 200)
    model.gate.open()
    _ = try await moved
    await town.server.stop()
    #expect(try use(device) == 0)
    #expect(try use(account) > 0)
    _ = try account.deletePerson(at: Date())
    // As another server does, whose reply ends now.
    for person in [device, account] {
      try await person.addTokens(1, on: Date().formatted(.iso8601.year().month().day()))
      #expect(try use(person) == 0)
    }
  }

  @Test func aDeletedPersonIsGoneWithEveryWord() async throws {
    let town = try await Town()
    let canary = "xylophone-canary"
    _ = try await town.anna.chat(["message": .string("I want a \(canary)")])
    let kept = try await town.ben.chat(["message": .string(lines[0])]).conversation
    let receipt = try await town.anna.json(.DELETE, "/me")
    #expect(receipt.json["conversations"] == 1)
    #expect(try await town.anna.json(.GET, "/me").status == 401)
    #expect(try await town.ben.json(.GET, "/conversations/\(kept)").status == 200)
    for part in ["", "-wal"] {
      let bytes = FileManager.default.contents(atPath: town.server.store.path + part) ?? Data()
      #expect(bytes.range(of: Data(canary.utf8)) == nil, "\(part)")
    }
  }

  @Test func conversationsAreReadExportedAndForgotten() async throws {
    let town = try await Town()
    let id = try await town.anna.chat(["message": .string(lines[0])]).conversation
    let shown = try await town.anna.json(.GET, "/conversations/\(id)").json
    #expect(shown["messages"]?.arrayValue?.map { $0["role"] } == ["user", "coach"])
    for format in ["markdown", "json", "jsonl"] {
      let text = try await town.anna.json(.GET, "/conversations/\(id)/export?format=\(format)").text
      #expect(text.contains("20 lbs"), "\(format)")
    }
    #expect(try await town.anna.json(.GET, "/conversations/\(id)/export?format=doc").status == 400)
    #expect(try await town.anna.json(.DELETE, "/conversations/\(id)").status == 200)
    #expect(try await town.anna.json(.GET, "/conversations/\(id)").status == 404)
    #expect(try await town.anna.json(.DELETE, "/conversations/\(id)").status == 404)
  }
}

extension Town {
  fileprivate func person(_ client: Client) async throws -> PersonID {
    PersonID(
      rawValue: try await client.json(.GET, "/me").json["person"]?.stringValue ?? "")
  }
}

@Suite(.integration) struct PurchaseTests {
  @Test func onlyTheWebhookGrantsWhatIsBought() async throws {
    var options = ServerOptions.forTests
    options.webhookSecret = "the webhook's secret"
    options.authentication = Authentication(
      accounts: .init(issuer: "https://accounts.example", secret: accountSecret))
    let server = try await TestServer(TestFolder(), options: options, purchases: .revenueCat)
    let anna = server.client.with(try await account("anna"))
    let ben = server.client.with(try await account("ben"))
    #expect(try await anna.json(.POST, "/subscribe").status == 402)
    func report(_ type: String, _ secret: String) async throws -> Int {
      try await server.client.json(
        .POST, "/webhooks/revenuecat",
        [
          "api_version": "1.0", "event": ["type": .string(type), "app_user_id": "anna", "id": "1"],
        ],
        [("authorization", secret)]
      ).status
    }
    func isActive(_ client: Client) async throws -> JSONValue? {
      try await client.json(.GET, "/subscription").json["active"]
    }
    #expect(try await report("INITIAL_PURCHASE", "a guess") == 401)
    #expect(try await isActive(anna) == false)
    #expect(try await report("INITIAL_PURCHASE", "the webhook's secret") == 200)
    #expect(try await report("INITIAL_PURCHASE", "the webhook's secret") == 200)
    #expect(try await isActive(anna) == true)
    #expect(try await isActive(ben) == false)
    #expect(try await report("CANCELLATION", "the webhook's secret") == 200)
    #expect(try await isActive(anna) == true)
    #expect(try await report("EXPIRATION", "the webhook's secret") == 200)
    #expect(try await isActive(anna) == false)
  }

  /// A server that RevenueCat reports to.
  private struct Shop {
    let server: TestServer

    init() async throws {
      var options = ServerOptions.forTests
      options.webhookSecret = "the webhook's secret"
      options.authentication = Authentication(
        accounts: .init(issuer: "https://accounts.example", secret: accountSecret))
      server = try await TestServer(TestFolder(), options: options, purchases: .revenueCat)
    }

    func report(_ type: String, _ members: KeyValuePairs<String, JSONValue>) async throws {
      let members = members.map { ($0.key, $0.value) } + [("type", .string(type))]
      let answer = try await server.client.json(
        .POST, "/webhooks/revenuecat",
        ["api_version": "1.0", "event": .object(JSONObject(members))],
        [("authorization", "the webhook's secret")])
      #expect(answer.status == 200)
    }

    /// - Parameters:
    ///   - at: When it was written, in seconds from now.
    ///   - end: When what was paid for is over, in seconds from now.
    func report(_ type: String, _ name: String, at: Int, end: Int = 86_400) async throws {
      try await report(
        type,
        [
          "app_user_id": .string(name), "event_timestamp_ms": ms(at), "expiration_at_ms": ms(end),
        ])
    }

    func ms(_ seconds: Int) -> JSONValue {
      JSONValue((Int(Date().timeIntervalSince1970) + seconds) * 1_000)
    }

    func isActive(_ client: Client) async throws -> Bool {
      try await client.json(.GET, "/subscription").json["active"] == true
    }

    func person(_ name: String) async throws -> Client {
      let client = server.client.with(try await account(name))
      #expect(try await !isActive(client))
      return client
    }
  }

  @Test func purchasesAreReportedLateAndTwice() async throws {
    let shop = try await Shop()
    let anna = try await shop.person("anna")
    try await shop.report("INITIAL_PURCHASE", "anna", at: -9_000, end: -1)
    #expect(try await !shop.isActive(anna), "it's over already")
    try await shop.report("RENEWAL", "anna", at: -100)
    try await shop.report("EXPIRATION", "anna", at: -200, end: -200)
    #expect(try await shop.isActive(anna), "the end of what was renewed")
    try await shop.report("EXPIRATION", "anna", at: -50, end: -50)
    try await shop.report("RENEWAL", "anna", at: -100)
    #expect(try await !shop.isActive(anna), "it was refunded")
  }

  @Test func aTransferredPurchaseGoesToItsNewOwner() async throws {
    let shop = try await Shop()
    let (anna, ben) = (try await shop.person("anna"), try await shop.person("ben"))
    try await shop.report("INITIAL_PURCHASE", "anna", at: -100)
    for _ in 0..<2 {
      try await shop.report(
        "TRANSFER",
        [
          "transferred_from": ["anna"], "transferred_to": ["ben"],
          "event_timestamp_ms": shop.ms(-50),
        ])
      #expect(try await !shop.isActive(anna))
      #expect(try await shop.isActive(ben))
    }
  }

  @Test func aPurchaseNamesNobodyWhoWasDeleted() async throws {
    let shop = try await Shop()
    // Somebody may buy before they first come here.
    try await shop.report("INITIAL_PURCHASE", "anna", at: -100)
    let anna = shop.server.client.with(try await account("anna"))
    #expect(try await shop.isActive(anna))
    #expect(try await anna.json(.DELETE, "/me").json["subscription"] == true)
    let store = shop.server.store.belonging(to: PersonID(rawValue: "account:anna"))
    for type in ["RENEWAL", "UNCANCELLATION", "EXPIRATION"] {
      try await shop.report(type, "anna", at: 0)
      #expect(try store.entitlement() == nil, "\(type)")
    }
  }
}

/// The document, as a client reads it.
enum OpenAPI {
  static var document: JSONValue {
    get throws { try JSONValue(parsing: OpenAPIRoutes.document) }
  }

  static var operations: [(path: String, method: HTTPMethod)] {
    get throws {
      try (document["paths"]?.objectValue ?? [:]).flatMap { path, item in
        (item.objectValue?.names ?? []).map { (path, HTTPMethod(rawValue: $0.uppercased())) }
      }
    }
  }

  /// Whether anybody may ask.
  static func isOpen(_ path: String, _ method: HTTPMethod) -> Bool {
    let operation = try? document["paths"]?[path]?[method.rawValue.lowercased()]
    return operation?["security"]?.arrayValue == []
  }
}

@Suite struct OpenAPITests {
  /// The document and the routes name the same operations.
  @Test func theDocumentDescribesEveryRoute() async throws {
    var options = ServerOptions.forTests
    options.webhookSecret = "secret"
    options.authentication = Authentication(deviceKey: Array(repeating: 7, count: 32))
    let store = try SessionStore(path: TestFolder().store)
    let desk = CoachDesk(
      store: store, pack: try TestServer.pack.get(), settings: IntakeSettings(), models: nil)
    let server = try RapportServer(options, desk: desk, logger: .init(label: "test"))
    let pages = Set(PageFile.all.map(\.path))
    let routes = server.routes.filter { !pages.contains($0.path) }
    let served = Set(routes.map { "\($0.method) \($0.path)" })
    let described = Set(try OpenAPI.operations.map { "\($0.method) \($0.path)" })
    #expect(served == described)
  }

  @Test func itIsServedAndRefersToWhatItHas() async throws {
    let server = try await TestServer(TestFolder())
    let answer = try await server.client.json(.GET, "/openapi.json")
    #expect(answer.json["openapi"] == "3.1.0")
    let schemas = Set(answer.json["components"]?["schemas"]?.objectValue?.names ?? [])
    for match in answer.text.matches(of: #/#\/components\/schemas\/(\w+)/#) {
      #expect(schemas.contains(String(match.output.1)))
    }
  }
}
