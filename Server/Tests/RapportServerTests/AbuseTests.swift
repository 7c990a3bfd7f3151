import Foundation
import IncrementalJSON
import NIOCore
import NIOHTTP1
import NIOPosix
import TestSupport
import Testing

@testable import RapportServer

@Suite(.integration) struct AbuseTests {
  private func client(_ server: TestServer) async throws -> Client {
    let token = try await server.client.json(.POST, "/tokens").json["token"]?.stringValue ?? ""
    return Client(port: server.client.port, headers: [("authorization", "Bearer \(token)")])
  }

  private func options(_ change: (inout ServerOptions) -> Void) -> ServerOptions {
    var options = ServerOptions.forTests
    options.authentication = Authentication(deviceKey: Array(repeating: 7, count: 32))
    change(&options)
    return options
  }

  @Test func turnsAMinuteAreLimitedPerPerson() async throws {
    let server = try await TestServer(
      TestFolder(), options: options { $0.limits.turnsPerMinute = 3 })
    let (anna, ben) = (try await client(server), try await client(server))
    for _ in 0..<3 { _ = try await anna.chat(["message": "hello"]) }
    let refused = try await anna.json(.POST, "/chat-stream", ["message": "hello"])
    #expect(refused.status == 429)
    let wait = try #require(refused.headers["retry-after"].first.flatMap { Int($0) })
    #expect((1...60).contains(wait))
    _ = try await ben.chat(["message": "hello"])
  }

  @Test func tokensADayAreCountedAcrossRestarts() async throws {
    let folder = try TestFolder()
    let model = try await MockModel()
    let options = options { $0.limits.tokensPerDay = 10 }
    var server = try await TestServer(folder, models: model.roles, options: options)
    let token = try await client(server).headers[0].1
    _ = try await Client(port: server.client.port, headers: [("authorization", token)])
      .chat(["message": .string(lines[0])])
    await server.stop()
    server = try await TestServer(folder, models: model.roles, options: options)
    let refused = try await Client(port: server.client.port, headers: [("authorization", token)])
      .json(.POST, "/chat-stream", ["message": .string(lines[1])])
    #expect(refused.status == 429)
    #expect(refused.code == "tokens-used-up")
    #expect(refused.headers["retry-after"].first.flatMap { Int($0) } ?? 0 > 0)
  }

  @Test func streamsAndDevicesAreLimited() async throws {
    let model = try await MockModel()
    let server = try await TestServer(
      TestFolder(), models: model.roles,
      options: options {
        $0.limits.streamsPerPerson = 2
        $0.limits.newPeoplePerHour = 2
      })
    let anna = try await client(server)
    model.gate.close()
    async let one = anna.chat(["message": "hello"])
    async let two = anna.chat(["message": "hello"])
    await model.gate.holds(2)
    let refused = try await anna.json(.POST, "/chat-stream", ["message": "hello"])
    #expect(refused.status == 429)
    #expect(refused.code == "too-many-streams")
    model.gate.open()
    _ = try await (one, two)
    #expect(try await anna.chat(["message": "hello"]).first("done")?["failed"] == false)
    #expect(try await server.client.json(.POST, "/tokens").status == 201)
    #expect(try await server.client.json(.POST, "/tokens").status == 429)
  }

  /// Behind a proxy, everybody has the proxy's address.
  @Test func aTrustedProxyTellsAddressesApart() async throws {
    func server(trusting proxies: Set<String>) async throws -> TestServer {
      try await TestServer(
        TestFolder(),
        options: options {
          $0.limits.newPeoplePerHour = 1
          $0.trustedProxies = proxies
        })
    }
    func statuses(_ server: TestServer, _ hops: [String]) async throws -> [Int] {
      var statuses: [Int] = []
      for hops in hops {
        statuses.append(
          try await server.client.json(.POST, "/tokens", nil, [("x-forwarded-for", hops)]).status)
      }
      return statuses
    }
    let behindOne = try await server(trusting: ["127.0.0.1"])
    #expect(
      try await statuses(
        behindOne, ["203.0.113.1", "203.0.113.2", "198.51.100.1, 203.0.113.1", "203.0.113.2"])
        == [201, 201, 429, 429])
    let inFront = try await server(trusting: [])
    #expect(try await statuses(inFront, ["203.0.113.1", "203.0.113.2"]) == [201, 429])
    let encrypted = try await server(trusting: ["127.0.0.1"])
    let cookie = try await encrypted.client.json(
      .POST, "/tokens?cookie=true", nil, [("x-forwarded-proto", "https")])
    #expect(cookie.headers["set-cookie"].first?.contains("Secure") == true)
    for server in [behindOne, inFront, encrypted] { await server.stop() }
  }

  /// What is longer or slower than it may be is cut off; others are served meanwhile.
  @Test func slowAndOversizedRequestsAreCutOff() async throws {
    var options = ServerOptions.forTests
    let patience = Duration.milliseconds(Soak.rounds(300, soak: 10_000))
    (options.headerTime, options.bodyTime) = (patience, patience)
    let server = try await TestServer(TestFolder(), options: options)
    let port = server.client.port
    let starts = [
      "", "GET /sta", "POST /chat-stream HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: applic",
      "POST /chat-stream HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        + "content-length: 100\r\n\r\n{\"mess",
    ]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for start in starts {
        for _ in 0..<Soak.rounds(10, soak: 250) {
          group.addTask { try await Trickle.until(closed: port, start) }
        }
      }
      // On a busy machine a request may itself be too slow, and is asked again.
      while (try? await server.client.json(.GET, "/status").status) != 200 {}
      try await group.waitForAll()
    }
    let header = String(repeating: "a", count: 40_000)
    let status = try? await server.client.send(.GET, "/status", [("x-long", header)]) { $0.status }
    #expect(status == nil || status == 400 || status == 431)
  }

  @Test func bytesThatAreNoTextAreRefused() async throws {
    let server = try await TestServer(TestFolder())
    let body = Array(#"{"message": ""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8)
    let status = try await server.client.send(
      .POST, "/chat-stream", [("content-type", "application/json")], body: body
    ) { $0.status }
    #expect(status == 400)
  }

  /// A reader that takes nothing is let go, and holds up nobody.
  @Test func aReaderThatStopsReadingIsLetGo() async throws {
    var options = ServerOptions.forTests
    options.keepAlive = .milliseconds(50)
    let clock = TokenTests.Clock()
    options.clock = { clock.now }
    let server = try await TestServer(TestFolder(), options: options)
    let id = try await server.client.chat(["first_message": true]).conversation
    let stalled = try await Stalled(server.client.port, reading: id, of: server.store)
    try await stalled.waitUntilLetGo(by: server) { clock.advance(.seconds(31)) }
    #expect(try await server.client.json(.GET, "/status").status == 200)
  }

  @Test(
    arguments: [
      ("http://evil.example", 403), ("null", 403), ("https://app.example", 201),
      ("http://127.0.0.1:PORT", 201),
    ])
  func onlyListedOriginsMayAskABrowser(origin: String, status: Int) async throws {
    let server = try await TestServer(
      TestFolder(), options: options { $0.allowedOrigins = ["https://app.example"] })
    let shown = origin.replacing("PORT", with: "\(server.client.port)")
    let answer = try await server.client.json(
      .POST, "/tokens?cookie=true", nil, [("origin", shown)])
    #expect(answer.status == status)
    let allowed = answer.headers["access-control-allow-origin"].first
    #expect(allowed == (origin == "https://app.example" ? origin : nil))
    guard status == 201, let cookie = answer.headers["set-cookie"].first else { return }
    #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
    let value = String(cookie.prefix { $0 != ";" })
    #expect(try await server.client.json(.GET, "/me", nil, [("cookie", value)]).status == 200)
    let cross = try await server.client.json(
      .DELETE, "/me", nil, [("cookie", value), ("sec-fetch-site", "cross-site")])
    #expect(cross.status == 403)
  }

  @Test func aListedPageReadsErrorsAndNamesConversations() async throws {
    let origin = ("origin", "https://app.example")
    let server = try await TestServer(
      TestFolder(),
      options: options {
        $0.allowedOrigins = ["https://app.example"]
        $0.limits.newPeoplePerHour = 1
      })
    func answer(_ method: HTTPMethod, _ path: String, _ status: Int) async throws -> HTTPHeaders {
      let answer = try await server.client.json(method, path, nil, [origin])
      #expect(answer.status == status, "\(path)")
      #expect(answer.headers["access-control-allow-origin"] == ["https://app.example"], "\(path)")
      return answer.headers
    }
    _ = try await answer(.GET, "/me", 401)
    _ = try await answer(.GET, "/nothing", 404)
    _ = try await answer(.POST, "/tokens", 201)
    let refused = try await answer(.POST, "/tokens", 429)
    #expect(!refused["retry-after"].isEmpty)
    let exposed = refused["access-control-expose-headers"].joined()
    #expect(exposed.contains("retry-after") && exposed.contains("x-conversation-id"))
    let allowed = try await answer(.OPTIONS, "/v1/chat/completions", 204)
    #expect(allowed["access-control-allow-headers"].joined().contains("x-conversation-id"))
  }

  /// A browser sends it to every port of a host.
  @Test func anotherServersCookieLocksNobodyOut() async throws {
    let other = try await TestServer(TestFolder(), options: options { _ in })
    let answer = try await other.client.json(.POST, "/tokens?cookie=true")
    let cookie = ("cookie", String(answer.headers["set-cookie"].joined().prefix { $0 != ";" }))
    let server = try await TestServer(TestFolder())
    #expect(try await server.client.json(.GET, "/me", nil, [cookie]).json["person"] == "local")
    for header in ["Bearer nonsense", "Basic YQ=="] {
      let answer = try await server.client.json(
        .GET, "/me", nil, [cookie, ("authorization", header)])
      #expect(answer.status == 401, "\(header)")
    }
    let local = ("authorization", "Bearer local")
    #expect(try await server.client.json(.GET, "/me", nil, [cookie, local]).status == 200)
  }

  @Test func everyAnswerTellsBrowsersWhatNotToDo() async throws {
    let server = try await TestServer(TestFolder())
    for path in ["/", "/app.js", "/status", "/nothing", "/conversations"] {
      let headers = try await server.client.json(.GET, path).headers
      #expect(headers["x-content-type-options"] == ["nosniff"], "\(path)")
      #expect(headers["referrer-policy"] == ["no-referrer"], "\(path)")
      let policy = headers["content-security-policy"].joined()
      #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "\(path)")
    }
    let page = try await server.client.json(.GET, "/")
    let tag = page.headers["etag"].first ?? ""
    #expect(try await server.client.json(.GET, "/", nil, [("if-none-match", tag)]).status == 304)
  }
}

/// Connections of people who mean no good.
private enum Trickle {
  /// Sends a start, then a byte now and then, until the server closes the connection.
  static func until(closed port: Int, _ start: String) async throws {
    let connection = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
        }
      }
    try await connection.executeThenClose { inbound, outbound in
      if !start.isEmpty { try await outbound.write(ByteBuffer(string: start)) }
      let ticks = Task {
        // Being slow is what is tested.
        while (try? await Task.sleep(for: .milliseconds(40))) != nil {
          try await outbound.write(ByteBuffer(string: "a"))
        }
      }
      defer { ticks.cancel() }
      do { for try await _ in inbound {} } catch {}
    }
  }
}
