import HTTPStreaming
import TestSupport
import Testing

@Suite(.integration)
struct CancellationTests {
  let client = HTTPClient()

  /// A stream that says one thing and then nothing more.
  private func quietServer() throws -> LoopbackServer {
    try LoopbackServer { exchange in
      try exchange.startChunks()
      try exchange.sendEvent("first")
      exchange.waitForClientToClose()
    }
  }

  /// The stream says nothing more, so only the cancellation can close it.
  @Test func cancellingTheReaderClosesTheConnection() async throws {
    let server = try quietServer()
    let response = try await client.send(HTTPRequest(url: server.url()))
    let (reading, started) = startReading(response)
    await started.opened()
    reading.cancel()
    await server.closedConnections.reaches(1)
    await expect(.cancelled) { try await reading.value }
  }

  private func startReading(_ response: HTTPResponse) -> (Task<Void, any Error>, Gate) {
    let started = Gate()
    let reading = Task { for try await _ in response.body { started.open() } }
    return (reading, started)
  }

  @Test func cancellingBeforeTheHeadersClosesTheConnection() async throws {
    let server = try LoopbackServer { $0.waitForClientToClose() }
    let client = client
    let sending = Task { try await client.send(HTTPRequest(url: server.url())) }
    await server.requestCount.reaches(1)
    sending.cancel()
    await expect(.cancelled) { try await sending.value }
    await server.closedConnections.reaches(1)
  }

  @Test func aCancelledTaskSendsNothing() async throws {
    let server = try LoopbackServer { try $0.respond() }
    let client = client
    let gate = Gate()
    let sending = Task {
      await gate.opened()
      return try await client.send(HTTPRequest(url: server.url()))
    }
    sending.cancel()
    gate.open()
    await expect(.cancelled) { try await sending.value }
    #expect(server.requests.isEmpty)
  }

  @Test func droppingAnUnreadResponseClosesTheConnection() async throws {
    let server = try quietServer()
    #expect(try await client.send(HTTPRequest(url: server.url())).status == 200)
    await server.closedConnections.reaches(1)
  }

  @Test func leavingTheLoopEarlyClosesTheConnection() async throws {
    let server = try quietServer()
    try await readOnePiece(from: server)
    await server.closedConnections.reaches(1)
  }

  private func readOnePiece(from server: LoopbackServer) async throws {
    for try await _ in try await client.send(HTTPRequest(url: server.url())).body { break }
  }

  @Test func otherTransfersGoOn() async throws {
    let gate = Gate()
    let kept = try LoopbackServer { exchange in
      try exchange.startChunks()
      gate.wait()
      try exchange.sendEvent("x")
      try exchange.endChunks()
    }
    let response = try await client.send(HTTPRequest(url: kept.url()))
    let server = try quietServer()
    try await readOnePiece(from: server)
    await server.closedConnections.reaches(1)
    gate.open()
    #expect(try await response.body.bytes(limit: 100).count == 9)
  }

  @Test func aSecondReaderAtTheSameTimeIsToldSo() async throws {
    let server = try quietServer()
    let response = try await client.send(HTTPRequest(url: server.url()))
    let outcomes = await withTaskGroup(of: HTTPError.Code?.self) { group in
      for _ in 0..<3 {
        group.addTask {
          do throws(HTTPError) {
            for try await _ in response.body {}
            return nil
          } catch { return error.code }
        }
      }
      var codes: [HTTPError.Code?] = []
      for await code in group {
        codes.append(code)
        if codes.count == 2 { group.cancelAll() }
      }
      return codes
    }
    #expect(outcomes == [.concurrentRead, .concurrentRead, .cancelled])
  }
}
