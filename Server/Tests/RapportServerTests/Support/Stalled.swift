import NIOCore
import NIOHTTP1
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

  /// Whether the server lets its only reader go while time passes.
  func isLetGo(by server: TestServer, _ pass: () -> Void) async throws -> Bool {
    var wasOpen = false
    // The server's housekeeping runs in real time: two minutes at most on a busy machine.
    for _ in 0..<2_400 {
      let isOpen = try await server.openStreams() > 0
      if wasOpen, !isOpen { return true }
      wasOpen = isOpen
      if isOpen { pass() }
      try await Task.sleep(for: .milliseconds(50))
    }
    return false
  }
}

extension TestServer {
  /// How many streams are open, as the metrics say.
  func openStreams() async throws -> Double {
    let metrics = try await client.json(.GET, "/metrics").text
    let line = metrics.split(separator: "\n").first { $0.hasPrefix("rapport_streams_open ") }
    return line?.split(separator: " ").last.flatMap { Double($0) } ?? 0
  }
}
