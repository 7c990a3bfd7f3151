import HTTPStreaming
import TestSupport
import Testing

@Suite(.integration)
struct HTTPClientTests {
  let client = HTTPClient()

  @Test func getsAWholeBody() async throws {
    let server = try LoopbackServer { try $0.respond(body: "hello") }
    let response = try await client.send(HTTPRequest(url: server.url("/v1/models?x=1")))
    #expect(response.status == 200)
    #expect(response.headers["Content-Type"] == "application/json")
    #expect(try await response.body.bytes(limit: 5) == Array("hello".utf8))
    #expect(server.requests.map(\.method) == ["GET"])
    #expect(server.requests.map(\.path) == ["/v1/models?x=1"])
  }

  @Test func postsHeadersAndBodyAsGiven() async throws {
    let server = try LoopbackServer { try $0.respond() }
    let body = Array("{\"text\":\"é\"}".utf8)
    let response = try await client.send(
      HTTPRequest(
        method: .post, url: server.url(),
        headers: ["Content-Type": "application/json", "x-api-key": "k-1", "x-empty": ""],
        body: body))
    _ = try await response.body.bytes(limit: 0)
    let request = try #require(server.requests.first)
    #expect(request.method == "POST")
    #expect(request.body == body)
    #expect(request["content-type"] == "application/json")
    #expect(request["x-api-key"] == "k-1")
    #expect(request["x-empty"] == "")
    #expect(request["expect"] == nil)
    #expect(request["accept-encoding"] == nil)
    #expect(request["cookie"] == nil)
  }

  @Test(arguments: [0, 1, 2_000_000])
  func postsBodiesOfAnySizeWithoutClaimingAForm(_ size: Int) async throws {
    let server = try LoopbackServer { try $0.respond(body: "\($0.request.body.count)") }
    let response = try await client.send(
      HTTPRequest(
        method: .post, url: server.url(), body: [UInt8](repeating: 0x78, count: size)))
    #expect(try await response.body.bytes(limit: 100) == Array("\(size)".utf8))
    #expect(server.requests.first?["content-type"] == nil)
  }

  @Test(arguments: [201, 400, 401, 429, 500, 503])
  func everyStatusIsAResponse(_ status: Int) async throws {
    let server = try LoopbackServer { try $0.respond(status: "\(status) Whatever", body: "why") }
    let response = try await client.send(HTTPRequest(url: server.url()))
    #expect(response.status == status)
    #expect(try await response.body.bytes(limit: 3) == Array("why".utf8))
  }

  @Test func returnsWithTheHeadersBeforeTheBody() async throws {
    let gate = Gate()
    let server = try LoopbackServer { exchange in
      try exchange.startChunks()
      gate.wait()
      try exchange.sendEvent("late")
      try exchange.endChunks()
    }
    let response = try await client.send(HTTPRequest(url: server.url()))
    #expect(response.status == 200)
    gate.open()
    #expect(try await response.body.bytes(limit: 100) == Array("data: late\n\n".utf8))
  }

  @Test func deliversEachPieceAsItComes() async throws {
    let gates = (0..<5).map { _ in Gate() }
    let server = try LoopbackServer { exchange in
      try exchange.startChunks()
      for (index, gate) in gates.enumerated() {
        gate.wait()
        try exchange.sendChunk("piece \(index)")
      }
      try exchange.endChunks()
    }
    let response = try await client.send(HTTPRequest(url: server.url()))
    var pieces = response.body.makeAsyncIterator()
    for (index, gate) in gates.enumerated() {
      gate.open()
      #expect(try await pieces.next() == Array("piece \(index)".utf8))
    }
    #expect(try await pieces.next() == nil)
    #expect(try await pieces.next() == nil)
  }

  @Test func interimResponsesAreSkipped() async throws {
    let server = try LoopbackServer { exchange in
      try exchange.write("HTTP/1.1 103 Early Hints\r\nx-early: 1\r\n\r\n")
      try exchange.respond(headers: ["x-late: 2", "x-late: 3"])
    }
    let response = try await client.send(HTTPRequest(url: server.url()))
    #expect(response.status == 200)
    #expect(response.headers["x-early"] == nil)
    #expect(response.headers.values(for: "X-LATE") == ["2", "3"])
  }

  @Test func reusesOneConnectionForRequestsInTurn() async throws {
    let server = try LoopbackServer { try $0.respondWithEvents(["a", "b"]) }
    for _ in 0..<50 {
      let response = try await client.send(HTTPRequest(url: server.url()))
      _ = try await response.body.bytes(limit: 100)
    }
    #expect(server.connections.value == 1)
    #expect(server.requests.count == 50)
  }

  @Test func manyRequestsAtOnceShareFewConnections() async throws {
    let client = HTTPClient(configuration: .init(maximumConnectionsPerHost: 4))
    let server = try LoopbackServer { try $0.respondWithEvents([$0.request.path]) }
    let paths = (0..<64).map { "/\($0)" }
    try await withThrowingTaskGroup(of: (String, [UInt8]).self) { group in
      for path in paths {
        group.addTask {
          let response = try await client.send(HTTPRequest(url: server.url(path)))
          return (path, try await response.body.bytes(limit: 100))
        }
      }
      for try await (path, body) in group { #expect(body == Array("data: \(path)\n\n".utf8)) }
    }
    #expect(Set(server.requests.map(\.path)) == Set(paths))
    #expect(server.connections.value <= 4)
  }

  @Test func sixtyFourStreamsRunAtTheSameTime() async throws {
    let gate = Gate()
    let server = try LoopbackServer { exchange in
      try exchange.startChunks()
      gate.wait()
      try exchange.sendEvent("x")
      try exchange.endChunks()
    }
    let client = client
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<64 {
        group.addTask {
          let response = try await client.send(HTTPRequest(url: server.url()))
          return try await response.body.bytes(limit: 100).count
        }
      }
      // The gate opens only once all of them have reached the server.
      await server.requestCount.reaches(64)
      gate.open()
      for try await count in group { #expect(count == 9) }
    }
  }

  @Test func transfersOutliveTheClient() async throws {
    let gate = Gate()
    let server = try LoopbackServer { exchange in
      try exchange.startChunks()
      gate.wait()
      try exchange.sendEvent("x")
      try exchange.endChunks()
    }
    let response = try await HTTPClient().send(HTTPRequest(url: server.url()))
    gate.open()
    #expect(try await response.body.bytes(limit: 100).count == 9)
  }

  @Test func asksAnotherTimeWhenAKeptConnectionHasGone() async throws {
    let server = try LoopbackServer { exchange in
      try exchange.respond(body: "x")
      exchange.close()
    }
    for _ in 0..<3 {
      let response = try await client.send(HTTPRequest(url: server.url()))
      #expect(try await response.body.bytes(limit: 1).count == 1)
    }
    #expect(server.connections.value == 3)
  }

  @Test func namesTheLibrary() {
    #expect(HTTPClient.libraryVersion.hasPrefix("libcurl/"))
  }
}
