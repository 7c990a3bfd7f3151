import HTTPStreaming
import TestSupport
import Testing

/// Connections that fail, end early, or say too much.
@Suite(.integration)
struct BrokenTransferTests {
  let client = HTTPClient()

  @Test func nobodyListening() async throws {
    let server = try LoopbackServer { _ in }
    let url = server.url()
    server.stop()
    let error = await #expect(throws: HTTPError.self) {
      try await client.send(HTTPRequest(url: url))
    }
    #expect(error?.code == .connectionRefused)
    #expect(error?.description.contains("127.0.0.1:\(server.port)") == true)
  }

  @Test(arguments: [true, false])
  func closedBeforeAResponse(byReset: Bool) async throws {
    let server = try LoopbackServer { byReset ? $0.reset() : $0.close() }
    await expect(.connectionLost) { try await client.send(HTTPRequest(url: server.url())) }
  }

  @Test(arguments: [
    "content-length: 100\r\n\r\nhalf", "transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n",
    "transfer-encoding: chunked\r\n\r\n100\r\nhalf",
  ])
  func bytesBeforeACutAreDeliveredThenTheCut(_ rest: String) async throws {
    let server = try LoopbackServer { exchange in
      try exchange.write("HTTP/1.1 200 OK\r\n" + rest)
      exchange.close()
    }
    try await expectHalf(from: server)
  }

  @Test func bytesBeforeAResetAreDeliveredThenTheReset() async throws {
    let gate = Gate()
    let server = try LoopbackServer { exchange in
      try exchange.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf")
      gate.wait()
      exchange.reset()
    }
    let response = try await client.send(HTTPRequest(url: server.url()))
    var pieces = response.body.makeAsyncIterator()
    #expect(try await pieces.next() == Array("half".utf8))
    gate.open()
    await expect(.connectionLost) { try await pieces.next() }
  }

  private func expectHalf(from server: LoopbackServer) async throws {
    let response = try await client.send(HTTPRequest(url: server.url()))
    var pieces = response.body.makeAsyncIterator()
    var received: [UInt8] = []
    await expect(.connectionLost) {
      while let piece = try await pieces.next() { received += piece }
    }
    #expect(received == Array("half".utf8))
  }

  @Test func aBodyAtTheLimitIsReadAndOnePastItIsNot() async throws {
    let server = try LoopbackServer { try $0.respond(body: String(repeating: "x", count: 1000)) }
    var request = HTTPRequest(url: server.url())
    request.limits.bodyBytes = 1000
    #expect(try await client.send(request).body.bytes(limit: 1000).count == 1000)
    request.limits.bodyBytes = 999
    let error = await expect(.tooLarge(.bodyBytes)) {
      try await client.send(request).body.bytes(limit: 1000)
    }
    #expect(error?.description.contains("999") == true)
  }

  @Test func collectingHasALimitOfItsOwn() async throws {
    let server = try LoopbackServer { try $0.respond(body: "12345") }
    await expect(.tooLarge(.bodyBytes)) {
      try await client.send(HTTPRequest(url: server.url())).body.bytes(limit: 4)
    }
  }

  @Test func headersAtTheLimitAreReadAndOnePastItAreNot() async throws {
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nx: "
    let server = try LoopbackServer { exchange in
      let padding = String(repeating: "y", count: 1000 - head.utf8.count - 4)
      try exchange.write(head + padding + "\r\n\r\n")
    }
    var request = HTTPRequest(url: server.url())
    request.limits.headerBytes = 1000
    #expect(try await client.send(request).status == 200)
    request.limits.headerBytes = 999
    let error = await expect(.tooLarge(.headerBytes)) { try await client.send(request) }
    #expect(error?.description.contains("999") == true)
  }

  @Test func aConnectionIsReusedOnlyAfterAWholeResponse() async throws {
    let server = try LoopbackServer { exchange in
      try exchange.respond(body: String(repeating: "x", count: 1000))
    }
    var request = HTTPRequest(url: server.url())
    request.limits.bodyBytes = 10
    for _ in 0..<3 {
      await expect(.tooLarge(.bodyBytes)) { try await client.send(request).body.bytes(limit: 10) }
    }
    #expect(server.connections.value == 3)
  }
}

/// Expects an ``HTTPError`` with this code and hands it back.
@discardableResult
func expect<T>(
  _ code: HTTPError.Code, sourceLocation: SourceLocation = #_sourceLocation,
  from body: () async throws -> T
) async -> HTTPError? {
  do {
    _ = try await body()
    Issue.record("no error", sourceLocation: sourceLocation)
  } catch let error as HTTPError {
    #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    return error
  } catch {
    Issue.record("another error: \(error)", sourceLocation: sourceLocation)
  }
  return nil
}
