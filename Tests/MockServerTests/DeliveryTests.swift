import Cassettes
import HTTPStreaming
import MockServer
import Synchronization
import TestSupport
import Testing
import WireFormats

/// What stands in a delivery is what comes over the wire.
@Suite(.integration)
struct DeliveryTests {
  private let get = "GET / HTTP/1.1\r\nhost: a\r\n\r\n"

  @Test func headersAndBodyArriveAsTheyAre() async throws {
    var delivery = Delivery(["data: a\n\n", "data: é\n\n"])
    delivery.status = 418
    delivery.headers.append("x-request-id", "req_1")
    try await withServer(delivery) { server in
      let response = try await HTTPClient().get(server.baseURL)
      #expect(response.status == 418)
      #expect(response.headers["x-request-id"] == "req_1")
      #expect(response.headers["content-type"] == "text/event-stream")
      #expect(response.text == "data: a\n\ndata: é\n\n")
    }
  }

  @Test func whatTheConnectionDecidesIsNotTakenFromARecording() async throws {
    var delivery = Delivery(["abc"])
    delivery.headers.append("Content-Length", "99")
    delivery.headers.append("Transfer-Encoding", "gzip")
    delivery.headers.append("Connection", "x")
    try await withServer(delivery) { server in
      let client = HTTPClient()
      for _ in 0..<2 {
        let text = try await client.get(server.baseURL).text
        #expect(text == "abc")
      }
    }
  }

  @Test func oneConnectionServesManyRequests() async throws {
    try await withServer(Delivery(["a", "b"])) { server in
      let client = try RawClient(port: server.port)
      for _ in 0..<3 {
        try client.send(get)
        try client.read(until: "0\r\n\r\n")
      }
      try client.send(get + get)
      try client.send("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
      try client.readToEnd()
      #expect(client.text.components(of: "HTTP/1.1 200 OK") == 6)
    }
  }

  @Test func eachPartIsAWriteWhereThatIsAsked() async throws {
    try await withServer(Delivery(["a", "b", "c"], keepsParts: true)) { server in
      let client = try RawClient(port: server.port)
      try client.send(get)
      try client.read(until: "0\r\n\r\n")
      #expect(client.text.contains("1\r\na\r\n1\r\nb\r\n1\r\nc\r\n0\r\n\r\n"))
    }
  }

  @Test func partsGoTogetherWhereNobodyWaitsBetweenThem() async throws {
    try await withServer(Delivery(["a", "b", "c"])) { server in
      let client = try RawClient(port: server.port)
      try client.send(get)
      try client.read(until: "0\r\n\r\n")
      #expect(client.text.hasSuffix("\r\n\r\n3\r\nabc\r\n0\r\n\r\n"))
    }
  }

  @Test func aRecordedPaceIsKept() async throws {
    try await withServer(Delivery(["a", "b", "c"], apart: 40), pace: .times(1)) { server in
      let clock = ContinuousClock()
      let start = clock.now
      let response = try await HTTPClient().send(HTTPRequest(url: server.baseURL))
      var body: [UInt8] = []
      for try await chunk in response.body {
        body += chunk
      }
      #expect(body == Array("abc".utf8))
      #expect(start.duration(to: clock.now) >= .milliseconds(80))
    }
  }

  @Test func aCutClosesInTheMiddle() async throws {
    try await withServer(Delivery(["abc"], ending: .cut)) { server in
      let client = try RawClient(port: server.port)
      try client.send(get)
      try client.readToEnd()
      #expect(client.text.hasSuffix("3\r\nabc\r\n"))
      await #expect(throws: HTTPError.self) { try await HTTPClient().get(server.baseURL) }
    }
  }

  @Test func aResetIsSeenAsOne() async throws {
    try await withServer(Delivery(["abc"], ending: .reset)) { server in
      let client = try RawClient(port: server.port)
      try client.send(get)
      #expect(throws: SocketError.self) { try client.readToEnd() }
      #expect(client.text.hasSuffix("3\r\nabc\r\n"))
    }
  }

  @Test func aHeldBodyStaysOpenUntilTheServerStops() async throws {
    let server = try await MockServer { _ in .delivery(Delivery(["abc"], ending: .held)) }
    let client = try RawClient(port: server.port)
    try client.send(get)
    try client.read(until: "abc\r\n")
    #expect(client.isQuiet(milliseconds: 50))
    await server.shutdown()
    try? client.readToEnd()
    #expect(client.text.hasSuffix("3\r\nabc\r\n"))
  }

  @Test func aMuteServerSendsNotEvenAHead() async throws {
    var delivery = Delivery([], ending: .held)
    delivery.isSilent = true
    try await withServer(delivery) { server in
      let client = try RawClient(port: server.port)
      try client.send(get)
      #expect(client.isQuiet(milliseconds: 50))
    }
  }

  @Test func whatWasHandedOverIsTold() async throws {
    let told = Mutex<[Int]>([])
    try await withServer { _ in
      .delivery(Delivery(["a", "b"], keepsParts: true)) { count in
        told.withLock { $0.append(count) }
      }
    } _: { server in
      let text = try await HTTPClient().get(server.baseURL).text
      #expect(text == "ab")
      #expect(told.withLock { $0 } == [1, 2])
    }
  }

  @Test func aClientThatLeavesEndsTheAnswer() async throws {
    let told = Mutex<[Int]>([])
    let gone = Gate()
    try await withServer(pace: .times(1)) { request in
      guard request.path == "/slow" else { return .delivery(Delivery([])) }
      return .delivery(Delivery(Array(repeating: "a", count: 30), apart: 10)) { count in
        told.withLock { $0.append(count) }
        gone.open()
      }
    } _: { server in
      let client = try RawClient(port: server.port)
      try client.send("GET /slow HTTP/1.1\r\nhost: a\r\n\r\n")
      await gone.opened()
      client.close()
      // Longer than the rest of the answer would take.
      let other = try RawClient(port: server.port)
      #expect(other.isQuiet(milliseconds: 400))
      #expect(told.withLock { $0.count } < 30)
    }
  }

  @Test func manyClientsAreServedAtOnce() async throws {
    try await withServer { request in
      .delivery(Delivery(["you asked for ", request.path]))
    } _: { server in
      let client = HTTPClient(
        configuration: .init(maximumConnectionsPerHost: 200, keptConnections: 200))
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<400 {
          group.addTask {
            let url = "http://127.0.0.1:\(server.port)/\(number)?query"
            let text = try await client.get(url).text
            #expect(text == "you asked for /\(number)")
          }
        }
        try await group.waitForAll()
      }
    }
  }
}

extension String {
  /// How often this stands in it.
  func components(of part: String) -> Int { ranges(of: part).count }
}
