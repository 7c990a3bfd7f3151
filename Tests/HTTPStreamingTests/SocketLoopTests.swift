import CCurl
import Testing

/// The loop over libcurl's sockets, without a socket.
struct SocketLoopTests {
  /// What asks for a wake after the thread has looked for work must end the next wait. A wake that got
  /// lost would leave a reply, or a Ctrl-C, until the longest wait is over.
  @Test func aWakeThatComesBeforeTheSocketsAreServedIsNotLost() throws {
    let loop = try #require(ccurl_loop_create())
    defer { ccurl_loop_destroy(loop) }
    ccurl_loop_wake(loop)
    for _ in 0..<3 {
      #expect(ccurl_loop_wait(loop, 0))
      // Here the thread takes its work; then somebody has more.
      ccurl_loop_wake(loop)
      ccurl_loop_act(loop)
    }
  }
}
