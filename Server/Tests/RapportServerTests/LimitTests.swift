import Foundation
import IncrementalJSON
import Intake
import LanguageModels
import NIOHTTP1
import SessionStore
import TestSupport
import Testing

@testable import RapportServer

/// Answers as another does, but doesn't say what that took, and may break off.
private struct SilentModel: LanguageModel {
  let model: any LanguageModel
  let breaksOff: Bool

  var identity: ModelIdentity { model.identity }

  func reply(to request: ModelRequest) -> ModelReply {
    let reply = model.reply(to: request)
    return ModelReply { [breaksOff] in
      Source(replies: reply.makeAsyncIterator(), breaksOff: breaksOff)
    }
  }

  private struct Source: ModelReplySource {
    var replies: ModelReply.Iterator
    let breaksOff: Bool
    var hasSpoken = false

    init(replies: ModelReply.Iterator, breaksOff: Bool) {
      (self.replies, self.breaksOff) = (replies, breaksOff)
    }

    mutating func next() async throws(ModelError) -> ModelEvent? {
      if breaksOff, hasSpoken { throw ModelError(.truncated, detail: "broke off") }
      let event = try await replies.next()
      if case .delta = event { hasSpoken = true }
      guard case .completed(var completion) = event else { return event }
      completion.usage = nil
      return .completed(completion)
    }
  }
}

/// What one person, and everybody at one address, may use.
@Suite(.integration) struct LimitTests {
  private let clock = TokenTests.Clock()

  private func options(_ change: (inout LimitOptions) -> Void) -> ServerOptions {
    var options = ServerOptions.forTests
    options.authentication = Authentication(deviceKey: Array(repeating: 7, count: 32))
    options.trustedProxies = ["127.0.0.1"]
    let clock = clock
    options.clock = { clock.now }
    change(&options.limits)
    return options
  }

  /// Somebody with a token of their own at an address.
  private func person(_ server: TestServer, at address: String) async throws -> Client {
    let hop = ("x-forwarded-for", address)
    let token = try await server.client.json(.POST, "/tokens", nil, [hop]).json["token"]
    return Client(
      port: server.client.port,
      headers: [hop, ("authorization", "Bearer \(token?.stringValue ?? "")")])
  }

  private func statuses(
    _ people: [Client], each: Int, _ method: HTTPMethod, _ path: String, _ body: JSONValue
  ) async throws -> [Int] {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for client in people {
        for _ in 0..<each {
          group.addTask {
            let answer = try await client.json(method, path, body)
            let wait = answer.headers["retry-after"].first.flatMap { Int($0) } ?? 0
            #expect((answer.status == 429) == (1...3_600).contains(wait))
            return answer.status
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  /// Everybody sends at once: exactly as many are answered as may be.
  @Test func turnsAreLimitedPerPersonAndPerAddress() async throws {
    let server = try await TestServer(
      TestFolder(),
      options: options {
        ($0.turnsPerMinute, $0.peoplePerAddress) = (3, 2)
      })
    var people: [Client] = []
    for _ in 0..<4 { people.append(try await person(server, at: "203.0.113.1")) }
    let elsewhere = try await person(server, at: "203.0.113.2")
    let hello: JSONValue = ["message": "hello"]
    let each = Soak.rounds(5, soak: 100)
    let crowd = try await statuses(people, each: each, .POST, "/chat-stream", hello)
    #expect(crowd.count { $0 == 200 } == 6)
    #expect(crowd.count { $0 == 429 } == 4 * each - 6)
    let alone = try await statuses([elsewhere], each: each, .POST, "/chat-stream", hello)
    #expect(alone.count { $0 == 200 } == 3)
    clock.advance(.seconds(61))
    let later = try await statuses([people[0]], each: each, .POST, "/chat-stream", hello)
    #expect(later.count { $0 == 200 } == 3)
  }

  @Test func fortyNewPeopleOfOneHouseGetIn() async throws {
    let server = try await TestServer(TestFolder(), options: options { _ in })
    for _ in 0..<40 { _ = try await person(server, at: "203.0.113.1") }
    let few = try await TestServer(TestFolder(), options: options { $0.newPeoplePerHour = 1 })
    _ = try await person(few, at: "203.0.113.1")
    let refused = try await few.client.json(
      .POST, "/tokens", nil, [("x-forwarded-for", "203.0.113.1")])
    #expect(refused.status == 429 && refused.text.contains("within the hour"))
    #expect(refused.headers["retry-after"].first == "3600")
  }

  @Test func journeysAreLimitedPerPerson() async throws {
    let server = try await TestServer(TestFolder(), options: options { $0.journeysPerHour = 2 })
    let anna = try await person(server, at: "203.0.113.1")
    let started = try await statuses([anna], each: 4, .POST, "/journeys/trainer", ["new": true])
    #expect(started.count { $0 == 200 } == 2 && started.count { $0 == 429 } == 2)
    let refused = try await anna.json(.POST, "/journeys/trainer", ["new": true])
    #expect(refused.text.contains("as many as I can take in an hour"), "\(refused.text)")
  }

  @Test func uploadsAreLimitedPerPersonAndPerAddress() async throws {
    let server = try await TestServer(
      TestFolder(),
      options: options {
        ($0.uploadsPerHour, $0.peoplePerAddress) = (2, 2)
      })
    var people: [Client] = []
    for _ in 0..<3 { people.append(try await person(server, at: "203.0.113.1")) }
    let crowd = try await statuses(people, each: 4, .PUT, "/health", [:])
    #expect(crowd.count { $0 == 422 } == 4)
    #expect(crowd.count { $0 == 429 } == 8)
    clock.advance(.seconds(3_601))
    #expect(try await statuses([people[0]], each: 4, .PUT, "/health", [:]).count { $0 == 422 } == 2)
  }

  @Test func streamsAreLimitedPerAddress() async throws {
    let model = try await MockModel()
    let server = try await TestServer(
      TestFolder(), models: model.roles,
      options: options {
        ($0.streamsPerPerson, $0.peoplePerAddress) = (1, 2)
      })
    var people: [Client] = []
    for _ in 0..<3 { people.append(try await person(server, at: "2001:db8:1:2::\(people.count)")) }
    let (anna, ben, cleo) = (people[0], people[1], people[2])
    model.gate.close()
    async let one = anna.chat(["message": "hello"])
    async let two = ben.chat(["message": "hello"])
    await model.gate.holds(2)
    let refused = try await cleo.json(.POST, "/chat-stream", ["message": "hello"])
    #expect(refused.status == 429 && refused.code == "too-many-streams")
    #expect(refused.headers["retry-after"] == ["10"])
    model.gate.open()
    _ = try await (one, two)
    #expect(try await cleo.chat(["message": "hello"]).first("done")?["failed"] == false)
  }

  private static let requests: [(path: String, body: JSONValue)] = [
    ("/chat-stream", ["message": "hello"]),
    (
      "/ag-ui",
      [
        "threadId": "t", "runId": "r",
        "messages": [["id": "m", "role": "user", "content": "hello"]],
      ]
    ),
    ("/v1/chat/completions", ["messages": [["role": "user", "content": "hello"]]]),
    (
      "/v1/chat/completions",
      ["user": "anna", "stream": true, "messages": [["role": "user", "content": "hello"]]]
    ),
  ]

  /// A request that finds no seat stores nothing and asks no model.
  @Test(arguments: requests.indices)
  func whoFindsNoSeatHasSaidNothing(index: Int) async throws {
    let (path, body) = Self.requests[index]
    var options = ServerOptions.forTests
    options.limits.streams = 1
    let model = try await MockModel()
    let server = try await TestServer(TestFolder(), models: model.roles, options: options)
    let client = server.client
    let id = try await client.chat(["first_message": true]).conversation
    let stalled = try await Stalled(client.port, reading: id, of: server.store)
    try await client.waitForStreams(1)
    let asked = model.requests
    let refused = try await client.json(.POST, path, body)
    #expect(refused.status == 429 && refused.code == "server-full", "\(refused.text)")
    #expect(refused.headers["retry-after"] == ["10"])
    #expect(model.requests == asked)
    #expect(try server.store.sessions().map(\.id.rawValue) == [id])
    try await stalled.hangUp()
    try await client.waitForStreams(0)
    #expect(try await client.json(.POST, path, body).status == 200)
  }

  @Test func whoIsRefusedLeavesTheSeat() async throws {
    var options = ServerOptions.forTests
    options.limits.streams = 1
    let server = try await TestServer(TestFolder(), options: options)
    let client = server.client
    for _ in 0..<3 {
      #expect(try await client.json(.POST, "/chat-stream", ["message": " "]).status == 400)
      #expect(try await client.json(.GET, "/conversations/nobody/stream").status == 404)
    }
    #expect(try await client.openStreams() == 0)
    #expect(try await client.json(.POST, "/chat-stream", ["message": "hello"]).status == 200)
  }

  @Test func aRefusedRequestBeginsNoConversation() async throws {
    let server = try await TestServer(TestFolder(), options: options { $0.turnsPerMinute = 3 })
    let anna = try await person(server, at: "203.0.113.1")
    func count() async throws -> Int? {
      try await anna.json(.GET, "/conversations").json["conversations"]?.arrayValue?.count
    }
    let long = JSONValue.string(String(repeating: "a", count: 20_000))
    let senseless: [(JSONValue, Int)] = [
      (["message": " "], 400), (["message": long], 413), (["choice": "continue"], 409),
    ]
    for (body, status) in senseless {
      #expect(try await anna.json(.POST, "/chat-stream", body).status == status)
    }
    #expect(try await count() == 0)
    let first: JSONValue = ["first_message": true]
    let answered = try await statuses([anna], each: 5, .POST, "/chat-stream", first)
    #expect(answered.sorted() == [200, 200, 200, 429, 429])
    for (path, body) in Self.requests {
      #expect(try await anna.json(.POST, path, body).status == 429, "\(path)")
    }
    #expect(try await count() == 3)
  }

  @Test func conversationsComeInPages() async throws {
    let server = try await TestServer(TestFolder())
    let client = server.client
    for _ in 0..<5 { _ = try await client.chat(["first_message": true]) }
    func page(_ query: String) async throws -> (ids: [String], next: String?) {
      let json = try await client.json(.GET, "/conversations" + query).json
      let ids = json["conversations"]?.arrayValue?.compactMap { $0["conversation_id"]?.stringValue }
      return (ids ?? [], json["next"]?.stringValue)
    }
    let all = try await page("")
    #expect(all.ids.count == 5 && all.next == nil)
    var (paged, next) = try await page("?limit=2")
    // What is said meanwhile moves to the first page.
    _ = try await client.chat(
      ["conversation_id": .string(all.ids[0]), "message": .string(lines[0])])
    while let cursor = next {
      let more = try await page("?limit=2&cursor=\(cursor)")
      paged += more.ids
      next = more.next
    }
    #expect(paged == all.ids)
    for query in ["?limit=0", "?limit=many", "?cursor=nonsense"] {
      #expect(try await client.json(.GET, "/conversations" + query).status == 400)
    }
  }

  /// Somebody who has used up their day comes back as often as they like, and no model is asked.
  @Test func comingBackCostsNothing() async throws {
    let model = try await MockModel()
    let server = try await TestServer(
      TestFolder(), models: model.roles, options: options { $0.tokensPerDay = 10 })
    let anna = try await person(server, at: "203.0.113.1")
    let words: JSONValue = ["message": .string(lines[0]), "client_message_id": "one"]
    let said = try await anna.chat(words)
    let refused = try await anna.json(.POST, "/chat-stream", ["message": "hello"])
    #expect(refused.code == "tokens-used-up")
    let asked = model.requests
    for _ in 0..<3 {
      let resumed = try await anna.resume(said.conversation)
      #expect(resumed.first("done")?["failed"] == false)
      #expect(resumed.first("starters")?["source"] == "generic")
      let again = try await anna.chat(words)
      #expect(again.names.prefix(2) == ["restart", "message"])
      #expect(again.first("done")?["failed"] == false)
    }
    #expect(model.requests == asked)
  }

  /// What the coach still owes is a turn like any other; what is stored comes all the same.
  @Test func whatIsOwedTakesATurn() async throws {
    let model = try await MockModel(brokenOnce: "ask")
    let server = try await TestServer(
      TestFolder(), models: model.roles, options: options { $0.turnsPerMinute = 1 })
    let anna = try await person(server, at: "203.0.113.1")
    let failed = try await anna.chat(["message": .string(lines[0])])
    #expect(failed.first("done")?["failed"] == true)
    let asked = model.requests
    let path = "/conversations/\(failed.conversation)/stream"
    let refused = try await anna.json(.GET, path)
    #expect(refused.status == 429 && refused.code == "too-many")
    let last = try #require(failed.last).id
    let back = try await anna.resume(failed.conversation, after: last)
    #expect(back.names == ["restart", "message", "notice", "done"])
    #expect(back.first("message")?["text"] == .string(lines[0]))
    #expect(back.first("notice")?["code"] == "too-many")
    #expect(back.last?["failed"] == true)
    #expect(model.requests == asked)
    clock.advance(.seconds(61))
    let rest = try await anna.resume(failed.conversation, after: #require(back.last).id)
    #expect(rest.first("done")?["failed"] == false)
    #expect(model.requests > asked)
  }

  @Test(arguments: [false, true])
  func tokensThatNoModelCountsAreEstimated(breaksOff: Bool) async throws {
    let mock = try await MockModel()
    let model = SilentModel(model: mock.roles.coach, breaksOff: breaksOff)
    let server = try await TestServer(
      TestFolder(), models: ModelRoles(all: model), options: options { $0.tokensPerDay = 10 })
    let anna = try await person(server, at: "203.0.113.1")
    let events = try await anna.chat(["message": .string(lines[0])])
    #expect(events.first("done")?["failed"] == .bool(breaksOff))
    #expect(events.first("done")?["usage"]?["output_tokens"]?.intValue ?? 0 > 0)
    let refused = try await anna.json(.POST, "/chat-stream", ["message": "hello"])
    #expect(refused.status == 429 && refused.code == "tokens-used-up")
    withExtendedLifetime(mock) {}
  }

  @Test func tokensOfAnAddressSurviveARestart() async throws {
    let (folder, model) = (try TestFolder(), try await MockModel())
    let options = options { ($0.tokensPerDay, $0.peoplePerAddress) = (10, 1) }
    var server = try await TestServer(folder, models: model.roles, options: options)
    let anna = try await person(server, at: "203.0.113.1")
    _ = try await anna.chat(["message": .string(lines[0])])
    await server.stop()
    server = try await TestServer(folder, models: model.roles, options: options)
    let ben = try await person(server, at: "203.0.113.1")
    let refused = try await ben.json(.POST, "/chat-stream", ["message": "hello"])
    #expect(refused.status == 429 && refused.code == "tokens-used-up")
    #expect(refused.headers["retry-after"].first.flatMap { Int($0) } ?? 0 > 0)
    let elsewhere = try await person(server, at: "203.0.113.2")
    _ = try await elsewhere.chat(["message": "hello"])
    let bytes = try Data(contentsOf: URL(filePath: folder.store))
    #expect(bytes.range(of: Data("203.0.113".utf8)) == nil)
  }

  @Test(arguments: [
    ("203.0.113.7", "203.0.113.7"), ("::ffff:203.0.113.7", "203.0.113.7"),
    ("2001:db8:1:2:3:4:5:6", "20:1:d:b8:0:1:0:2::/64"), ("", ""), ("unix", "unix"),
  ])
  func anAddressIsOneCustomers(address: String, network: String) {
    #expect(Limits.network(of: address) == network)
  }
}
