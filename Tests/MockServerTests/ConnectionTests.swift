import Cassettes
import HTTPStreaming
import MockServer
import Synchronization
import TestSupport
import Testing
import WireFormats

/// Requests as clients, and others, send them.
@Suite(.integration)
struct ConnectionTests {
  @Test(arguments: ["0.0.0.0", "::", "192.0.2.1"])
  func otherMachinesAreRefused(host: String) async throws {
    await #expect {
      _ = try await MockServer(host: host) { _ in .delivery(Delivery([])) }
    } throws: { error in
      (error as? MockServerError)?.code == .beyondLoopback
        && "\(error)".contains("\(host) is reachable from other machines")
    }
  }

  @Test(arguments: ["127.0.0.1", "localhost", "127.0.0.2"])
  func thisMachineIsServed(host: String) async throws {
    let server = try await MockServer(host: host) { _ in .delivery(Delivery(["hi"])) }
    let text = try await HTTPClient().get(server.baseURL).text
    #expect(text == "hi")
    await server.shutdown()
  }

  @Test func otherMachinesAreServedWhereThatIsSaid() async throws {
    let server = try await MockServer(host: "0.0.0.0", allowsBeyondLoopback: true) { _ in
      .delivery(Delivery(["hi"]))
    }
    let text = try await HTTPClient().get("http://127.0.0.1:\(server.port)/").text
    #expect(text == "hi")
    await server.shutdown()
  }

  @Test func aTakenPortIsNamed() async throws {
    let server = try await MockServer { _ in .delivery(Delivery([])) }
    let port = server.port
    await #expect {
      _ = try await MockServer(port: port) { _ in .delivery(Delivery([])) }
    } throws: { error in
      (error as? MockServerError)?.code == .portInUse && "\(error)".contains("\(port)")
    }
    await server.shutdown()
  }

  @Test func aRequestArrivesWhole() async throws {
    let seen = Mutex<MockRequest?>(nil)
    try await withServer { request in
      seen.withLock { $0 = request }
      return .delivery(Delivery([]))
    } _: { server in
      let body = Array(String(repeating: "long ", count: 100_000).utf8)
      _ = try await HTTPClient().text(
        HTTPRequest(
          method: .post, url: "http://127.0.0.1:\(server.port)/v1/x%20y?key=1",
          headers: ["X-Api-Key": "k"], body: body))
      let request = try #require(seen.withLock { $0 })
      #expect(request.method == "POST")
      #expect(request.path == "/v1/x%20y")
      #expect(request.headers["x-api-key"] == "k")
      #expect(request.body == body)
    }
  }

  @Test func aClientThatAsksFirstIsToldToGoOn() async throws {
    try await withServer {
      .delivery(Delivery(["got \($0.body.count)"]))
    } _: { server in
      let client = try RawClient(port: server.port)
      try client.send(
        "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\nexpect: 100-continue\r\n\r\n")
      try client.read(until: "100 Continue\r\n\r\n")
      try client.send("abc")
      try client.read(until: "got 3")
      #expect(client.text.contains("200 OK"))
    }
  }

  @Test func aRequestInChunksIsPutTogether() async throws {
    try await withServer {
      .delivery(Delivery([String(decoding: $0.body, as: UTF8.self)]))
    } _: {
      server in
      let client = try RawClient(port: server.port)
      try client.send("POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n")
      try client.send("3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n")
      try client.read(until: "abcdef")
      #expect(client.text.hasSuffix("abcdef"))
    }
  }

  @Test func aRequestThatIsTooLargeIsRefusedAtOnce() async throws {
    try await withServer { _ in
      .delivery(Delivery(["no"]))
    } _: { server in
      let client = try RawClient(port: server.port)
      try client.send(
        "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: \(MockServer.requestBytes + 1)\r\n\r\nabc")
      try client.read(until: "too large")
      #expect(client.text.hasPrefix("HTTP/1.1 413"))
    }
  }

  @Test func aHeadHasNoBody() async throws {
    try await withServer(Delivery(["abc"])) { server in
      let client = try RawClient(port: server.port)
      try client.send("HEAD / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
      try client.readToEnd()
      #expect(client.text.hasPrefix("HTTP/1.1 200 OK"))
      #expect(client.text.contains("content-length: 3"))
      #expect(client.text.hasSuffix("\r\n\r\n"))
    }
  }

  @Test func anOldClientReadsToTheEndOfTheConnection() async throws {
    try await withServer(Delivery(["abc", "def"])) { server in
      let client = try RawClient(port: server.port)
      try client.send("GET / HTTP/1.0\r\n\r\n")
      try client.readToEnd()
      #expect(client.text.hasSuffix("\r\n\r\nabcdef"))
    }
  }

  @Test(arguments: ["\u{16}\u{3}\u{1}hello", "nonsense\r\n\r\n", "GET / HTTP/9.9\r\n\r\n"])
  func whatIsNoHTTPIsRefusedAndClosed(bytes: String) async throws {
    try await withServer(Delivery(["abc"])) { server in
      let client = try RawClient(port: server.port)
      try client.send(bytes)
      try? client.readToEnd()
      #expect(!client.text.contains("abc"))
      let text = try await HTTPClient().get(server.baseURL).text
      #expect(text == "abc")
    }
  }

  @Test func aBodyFromElsewhereIsPassedOnAndItsFailureToo() async throws {
    try await withServer(Delivery(["abc", "def"], ending: .cut, keepsParts: true)) { upstream in
      try await withServer { _ in
        do {
          let response = try await HTTPClient().send(HTTPRequest(url: upstream.baseURL))
          return .stream(status: response.status, headers: [:], body: response.body)
        } catch {
          return .delivery(Delivery([]))
        }
      } _: { server in
        let client = try RawClient(port: server.port)
        try client.send("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
        try client.readToEnd()
        #expect(client.text.contains("abc") && client.text.contains("def"))
        #expect(!client.text.contains("\r\n0\r\n"))
      }
    }
  }
}
