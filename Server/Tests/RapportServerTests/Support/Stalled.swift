import NIOCore
import NIOPosix

/// A connection of somebody who sends a request and reads nothing.
struct Stalled {
  private let channel: any Channel

  init(_ port: Int, _ request: String) async throws {
    channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelOption(.autoRead, value: false)
      .channelOption(.socketOption(.so_rcvbuf), value: 4_096)
      .connect(host: "127.0.0.1", port: port).get()
    try await channel.writeAndFlush(ByteBuffer(string: request)).get()
  }

  /// Whether the server closes the connection while time passes.
  func isLetGo(_ pass: () -> Void) async throws -> Bool {
    // A write to a connection that the other side reset fails; nothing else tells, as nothing is read.
    // So the connection is tried until then, for two minutes at most on a busy machine.
    for _ in 0..<2_400 {
      pass()
      try await Task.sleep(for: .milliseconds(50))
      do { try await channel.writeAndFlush(ByteBuffer(string: "x")).get() } catch { return true }
    }
    return false
  }
}
