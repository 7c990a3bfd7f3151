import HTTPStreaming
import TestSupport
import Testing

/// The `network` cases that this layer decides.
@Suite(.integration)
struct HostileNetworkTests {
  static let all = ((try? CaseFile("hostile-cases").cases) ?? [])
    .filter { $0["surface"]?.string == "network" }
  /// Cases whose input is a whole response.
  static let responses = all.filter { $0["input"]?.string?.hasPrefix("HTTP/1.1 ") == true }

  let client = HTTPClient()

  @Test func caseFileIsComplete() {
    #expect(Self.all.count >= 15)
    #expect(Self.responses.count >= 6)
  }

  /// Redirects, odd `Retry-After` values and errors alike: one request, one response.
  @Test(arguments: responses)
  func aResponseIsHandedOutAsItIs(_ example: Case) async throws {
    let input = try #require(example.input)
    let server = try LoopbackServer { exchange in
      try exchange.write(input)
      exchange.close()
    }
    let response = try await client.send(HTTPRequest(url: server.url()))
    let status = String(decoding: input, as: UTF8.self).split(separator: " ")[1].prefix(3)
    #expect(response.status == Int(status))
    _ = try await response.body.bytes(limit: 1000)
    #expect(server.requests.count == 1)
  }

  @Test(arguments: [301, 302, 303, 307, 308])
  func noRedirectReachesASecondListener(_ status: Int) async throws {
    let other = try LoopbackServer { try $0.respond() }
    let server = try LoopbackServer { exchange in
      try exchange.respond(status: "\(status) Elsewhere", headers: ["location: \(other.url())"])
    }
    let response = try await client.send(
      HTTPRequest(
        method: .post, url: server.url(), headers: ["x-api-key": "k"], body: Array("words".utf8)))
    #expect(response.status == status)
    _ = try await response.body.bytes(limit: 100)
    #expect(other.connections.value == 0)
    #expect(server.requests.count == 1)
  }

  @Test func anEndlessLineStopsAtTheEventLimit() async throws {
    let input = try #require(try hostile("net-endless-line").input)
    let server = try LoopbackServer { exchange in
      try exchange.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
      try exchange.write(input)
    }
    let error = await #expect(throws: ServerSentEventTooLarge.self) { try await readEvents(server) }
    #expect(error?.description.contains("8388608") == true)
    await server.closedConnections.reaches(1)
  }

  private func readEvents(_ server: LoopbackServer) async throws {
    let response = try await client.send(HTTPRequest(url: server.url()))
    var parser = ServerSentEventParser()
    for try await piece in response.body {
      _ = try parser.receive(piece)
      #expect(piece.count <= 1 << 20)
    }
  }

  @Test(arguments: ["gzip", "br", "deflate", "GZIP", "identity, gzip"])
  func aCompressedBodyIsRefusedUnread(_ coding: String) async throws {
    let server = try LoopbackServer { exchange in
      try exchange.respond(headers: ["content-encoding: \(coding)"], body: "\u{1F}\u{8B}")
    }
    await expect(.unsupportedEncoding) { try await client.send(HTTPRequest(url: server.url())) }
  }

  @Test func theIdentityEncodingIsNone() async throws {
    let server = try LoopbackServer { exchange in
      try exchange.respond(headers: ["content-encoding: Identity"], body: "x")
    }
    let response = try await client.send(HTTPRequest(url: server.url()))
    #expect(try await response.body.bytes(limit: 1) == Array("x".utf8))
  }

  /// With our own limit out of the way, libcurl's still holds.
  @Test(arguments: [64 << 10, 8 << 20])
  func hugeHeadersAreRefusedByName(_ limit: Int) async throws {
    let input = try #require(try hostile("net-huge-headers").input)
    let server = try LoopbackServer { exchange in
      try exchange.write(Array("HTTP/1.1 200 OK\r\n".utf8) + input + Array("\r\n".utf8))
    }
    var request = HTTPRequest(url: server.url())
    request.limits.headerBytes = limit
    await expect(.tooLarge(.headerBytes)) { try await client.send(request) }
  }

  @Test func manySmallHeadersAreRefusedByName() async throws {
    let server = try LoopbackServer { exchange in
      try exchange.write("HTTP/1.1 200 OK\r\n")
      while !exchange.waitForClientToClose(milliseconds: 0) { try exchange.write("x: y\r\n") }
    }
    await expect(.tooLarge(.headerBytes)) { try await client.send(HTTPRequest(url: server.url())) }
  }

  @Test func aBodyWithoutAStatusLineIsRefused() async throws {
    let input = try #require(try hostile("net-http09-body").input)
    let server = try LoopbackServer { exchange in
      try exchange.write(input)
      exchange.close()
    }
    await expect(.unsupportedProtocol) { try await client.send(HTTPRequest(url: server.url())) }
  }

  private func hostile(_ name: String) throws -> Case {
    try #require(Self.all.first { $0.name == name })
  }
}
