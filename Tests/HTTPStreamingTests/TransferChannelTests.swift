import Testing

@testable import HTTPStreaming

/// The hand-over between the two threads, in orders that sockets produce only now and then.
struct TransferChannelTests {
  @Test func aPauseThatComesJustBeforeTheReaderWaitsIsLifted() async throws {
    let channel = TransferChannel()
    #expect(channel.take() == nil)
    var bytes: [UInt8] = [1, 2, 3]
    #expect(channel.publish(head: nil, bytes: &bytes, ending: nil, limit: 3))
    let taken = await channel.waitForChunk(isolation: #isolation)
    #expect(taken.mustResume)
    #expect(try taken.chunk.get() == [1, 2, 3])
  }

  @Test func aPauseIsLiftedOnce() throws {
    let channel = TransferChannel()
    var bytes: [UInt8] = [1, 2]
    #expect(!channel.publish(head: nil, bytes: &bytes, ending: nil, limit: 3))
    bytes = [3]
    #expect(channel.publish(head: nil, bytes: &bytes, ending: nil, limit: 3))
    let taken = try #require(channel.take())
    #expect(taken.mustResume)
    #expect(try taken.chunk.get() == [1, 2, 3])
    #expect(!channel.publish(head: nil, bytes: &bytes, ending: .complete, limit: 3))
    let last = try #require(channel.take())
    #expect(!last.mustResume)
    #expect(try last.chunk.get() == nil)
  }

  @Test func whatArrivedComesBeforeTheFailure() throws {
    let channel = TransferChannel()
    var bytes: [UInt8] = [7]
    let error = HTTPError(.connectionLost, "gone")
    _ = channel.publish(head: nil, bytes: &bytes, ending: .failed(error), limit: 3)
    #expect(try channel.take()?.chunk.get() == [7])
    for _ in 0..<2 { #expect(throws: error) { try channel.take()?.chunk.get() } }
  }

  @Test func nothingArrivesAfterTheReaderLeft() throws {
    let channel = TransferChannel()
    #expect(channel.abandon(.cancelled(host: nil)))
    #expect(!channel.abandon(.cancelled(host: nil)))
    var bytes: [UInt8] = [7]
    #expect(!channel.publish(head: nil, bytes: &bytes, ending: .complete, limit: 1))
    #expect(throws: HTTPError.cancelled(host: nil)) { try channel.take()?.chunk.get() }
  }
}
