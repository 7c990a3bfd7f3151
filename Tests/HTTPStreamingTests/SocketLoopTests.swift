import CCurl
import Testing

/// The loop over libcurl's sockets, without a socket.
struct SocketLoopTests {
  /// What asks for a wake after the thread has looked for work must find the next wait short. A wake that
  /// got lost would leave a reply, or a Ctrl-C, until the longest wait is over.
  @Test func aWakeThatComesBeforeTheSocketsAreServedIsNotLost() throws {
    let loop = try #require(ccurl_loop_create())
    defer { ccurl_loop_destroy(loop) }
    ccurl_loop_wake(loop)
    let waits = (0..<3).map { _ in
      let waited = ContinuousClock().measure { ccurl_loop_wait(loop, 20_000) }
      // Here the thread takes its work; then somebody has more.
      ccurl_loop_wake(loop)
      ccurl_loop_act(loop)
      return waited
    }
    #expect(waits.allSatisfy { $0 < .seconds(10) }, "\(waits)")
  }
}
