import Foundation
import Intake
import NIOCore
import NIOHTTP1
import NIOPosix
import SessionStore

@testable import RapportServer

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

  /// A reader of a conversation, which becomes longer than any socket's buffer.
  init(_ port: Int, reading id: String, of store: SessionStore) async throws {
    let session = SessionID(rawValue: id)
    let long = String(repeating: "word ", count: 3_000)
    for _ in 0..<700 {
      _ = try store.log(for: session).append(
        [EventEnvelope(IntakeEvent.coached(CoachReply(text: long)))], at: Date())
    }
    let base = EventID.Base(after: [try store.events(of: session)[1]])
    let last = EventID(conversation: session, base: base, run: "zzzzzz", number: 0)
    try await self.init(
      port,
      "GET /conversations/\(id)/stream HTTP/1.1\r\nhost: 127.0.0.1\r\nlast-event-id: \(last)\r\n\r\n"
    )
  }

  func hangUp() async throws { try await channel.close() }

  /// Returns once the server has let its only reader go, while time passes.
  func waitUntilLetGo(by server: TestServer, _ pass: () -> Void) async throws {
    while try await server.openStreams() == 0 {}
    while try await server.openStreams() > 0 { pass() }
  }
}

extension TestServer {
  /// How many streams are open, as the metrics say.
  func openStreams() async throws -> Double { try await client.openStreams() }
}

extension Client {
  func openStreams() async throws -> Double {
    let metrics = try await json(.GET, "/metrics").text
    let line = metrics.split(separator: "\n").first { $0.hasPrefix("rapport_streams_open ") }
    return line?.split(separator: " ").last.flatMap { Double($0) } ?? 0
  }

  /// Returns once so many streams are open.
  func waitForStreams(_ count: Double) async throws {
    while try await openStreams() != count {}
  }
}
