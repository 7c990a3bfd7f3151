import HTTPStreaming
import TestSupport
import Testing

@testable import struct HTTPStreaming.MonotonicTime
@testable import struct HTTPStreaming.TransferDeadlines

@Suite(.integration)
struct TimeoutTests {
  let client = HTTPClient()

  @Test func silenceBeforeTheFirstByteEndsTheRequest() async throws {
    let server = try LoopbackServer { $0.waitForClientToClose() }
    var request = HTTPRequest(url: server.url())
    request.timeouts.firstByte = .milliseconds(60)
    let error = await expect(.timedOut(.firstByte)) { try await client.send(request) }
    #expect(error?.code.isTimeout == true)
    await server.closedConnections.reaches(1)
  }

  @Test func silenceInTheBodyKeepsWhatArrivedAndEndsTheRequest() async throws {
    let server = try LoopbackServer { exchange in
      // In one piece: a pause after the header would be taken for the silence.
      try exchange.write(
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nc\r\ndata: kept\n\n\r\n")
      exchange.waitForClientToClose()
    }
    var request = HTTPRequest(url: server.url())
    request.timeouts.idle = .milliseconds(60)
    // Far off, but before the first-byte limit, which must not hold the idle limit up.
    request.timeouts.total = .seconds(20)
    var pieces = try await client.send(request).body.makeAsyncIterator()
    #expect(try await pieces.next() == Array("data: kept\n\n".utf8))
    let error = await expect(.timedOut(.idle)) { try await pieces.next() }
    #expect(error?.description.contains("0.06") == true)
    await server.closedConnections.reaches(1)
  }

  @Test func aDripOfCommentsLivesUntilTheTotalLimit() async throws {
    let server = try LoopbackServer { exchange in
      try exchange.startChunks()
      while !exchange.waitForClientToClose(milliseconds: 10) { try exchange.sendChunk(":\n") }
    }
    var request = HTTPRequest(url: server.url())
    request.timeouts.idle = .seconds(3_600)
    request.timeouts.total = .milliseconds(200)
    await expect(.timedOut(.total)) {
      for try await _ in try await client.send(request).body {}
    }
    await server.closedConnections.reaches(1)
  }

  @Test func aSlowReaderIsNotTakenForASilentServer() async throws {
    let size = 4 << 20
    let sent = Gate()
    let server = try LoopbackServer { exchange in
      try exchange.write("HTTP/1.1 200 OK\r\ncontent-length: \(size)\r\n\r\n")
      try exchange.write([UInt8](repeating: 0x78, count: size))
      sent.open()
    }
    var request = HTTPRequest(url: server.url())
    // Longer than any pause in what comes once somebody reads.
    request.timeouts.idle = .seconds(4)
    request.limits.bufferedBytes = 1024
    let response = try await client.send(request)
    // A second, silent transfer on the same loop measures out more than the idle limit.
    let silent = try LoopbackServer { $0.waitForClientToClose() }
    var other = HTTPRequest(url: silent.url())
    other.timeouts.firstByte = .seconds(5)
    await expect(.timedOut(.firstByte)) { try await client.send(other) }
    #expect(try await response.body.bytes(limit: size).count == size)
    await sent.opened()
  }
}

/// The deadlines as a value, with the time handed in.
struct TransferDeadlinesTests {
  let timeouts = HTTPTimeouts(
    firstByte: .milliseconds(5), idle: .milliseconds(3), total: .milliseconds(20))

  @Test func firstByteThenIdleThenTotal() {
    var deadlines = TransferDeadlines(timeouts, start: at(100))
    #expect(deadlines.next == at(105))
    #expect(deadlines.expired(at: at(104)) == nil)
    #expect(deadlines.expired(at: at(105)) == .firstByte)
    deadlines.received(at: at(104))
    #expect(deadlines.next == at(107))
    #expect(deadlines.expired(at: at(106)) == nil)
    #expect(deadlines.expired(at: at(107)) == .idle)
    deadlines.received(at: at(118))
    #expect(deadlines.next == at(120))
    #expect(deadlines.expired(at: at(119)) == nil)
    #expect(deadlines.expired(at: at(120)) == .total)
  }

  @Test func aPauseStopsTheIdleClockButNotTheTotal() {
    var deadlines = TransferDeadlines(timeouts, start: at(0))
    deadlines.received(at: at(1))
    deadlines.paused()
    #expect(deadlines.next == at(20))
    #expect(deadlines.expired(at: at(19)) == nil)
    #expect(deadlines.expired(at: at(20)) == .total)
    deadlines.resumed(at: at(10))
    #expect(deadlines.expired(at: at(12)) == nil)
    #expect(deadlines.expired(at: at(13)) == .idle)
  }

  @Test(arguments: [Duration.seconds(Int64.max), .zero, .seconds(-5), .seconds(Int64.min)])
  func anyDurationIsSafe(_ duration: Duration) {
    let all = HTTPTimeouts(connect: duration, firstByte: duration, idle: duration, total: duration)
    let deadlines = TransferDeadlines(all, start: at(1))
    #expect(deadlines.next == (duration > .zero ? .distantFuture : at(1)))
  }

  private func at(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: milliseconds * 1_000_000)
  }
}
