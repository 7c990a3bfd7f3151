import HTTPStreaming
import TestSupport
import Testing

@Suite(.integration)
struct BackpressureTests {
  @Test func aReaderThatDoesNotReadBlocksTheServer() async throws {
    let block = [UInt8](repeating: 0x78, count: 64 << 10)
    let blocked = Gate()
    let taken = TakenBytes()
    let most = 256 << 20
    let server = try LoopbackServer { exchange in
      try exchange.write("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n")
      taken.count = try exchange.writeUntilBlocked(block, most: most)
      blocked.open()
      exchange.close()
    }
    var request = HTTPRequest(url: server.url())
    request.limits.bodyBytes = most
    request.limits.bufferedBytes = 128 << 10
    let response = try await HTTPClient().send(request)
    await blocked.opened()
    // What the kernel's own buffers hold, and little more.
    #expect(taken.count < 64 << 20)
    var received = 0
    for try await piece in response.body { received += piece.count }
    #expect(received == taken.count)
  }

  @Test(arguments: [1, 100, 16 << 10, 256 << 10])
  func everyByteArrivesInOrderWhateverTheBuffer(_ bufferedBytes: Int) async throws {
    let size = 1 << 20
    let server = try LoopbackServer { exchange in
      try exchange.write("HTTP/1.1 200 OK\r\ncontent-length: \(size)\r\n\r\n")
      try exchange.write((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    }
    var request = HTTPRequest(url: server.url())
    request.limits.bufferedBytes = bufferedBytes
    let response = try await HTTPClient().send(request)
    var offset = 0
    for try await piece in response.body {
      let isRight = piece.indices.allSatisfy {
        let place = offset + $0
        return piece[$0] == UInt8(truncatingIfNeeded: place &* 31 &+ place >> 8)
      }
      #expect(isRight)
      offset += piece.count
    }
    #expect(offset == size)
  }
}

/// Written by the server's thread before a gate opens, read after it: hence unchecked.
private final class TakenBytes: @unchecked Sendable {
  var count = 0
}
