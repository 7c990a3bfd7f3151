import Foundation
import NIOHTTP1
import SessionStore
import Synchronization
import TestSupport
import Testing

@testable import RapportServer

/// Conversations that somebody opened and said nothing in.
@Suite(.integration) struct TidyingTests {
  private static let noon = Date(timeIntervalSince1970: 1_800_000_000)

  @Test func theyGoAtTheStartAndOnceAnHour() async throws {
    let folder = try TestFolder()
    let store = try SessionStore(path: folder.store)
    let stranger = store.belonging(to: PersonID(rawValue: "stranger"))
    let old = try stranger.createSession(at: Self.noon.addingTimeInterval(-86_401))
    let younger = try store.createSession(at: Self.noon.addingTimeInterval(-86_000))
    let time = Mutex(Self.noon)
    var options = ServerOptions.forTests
    options.keepAlive = .milliseconds(1)
    let server = try await TestServer(folder, options: options, now: { time.withLock(\.self) })
    #expect(try stranger.sessions().isEmpty, "\(old) is older than a day")
    #expect(try store.sessions().map(\.id) == [younger])

    // The other is a day old by now, but the hour is not over.
    time.withLock { $0 += 3_599 }
    let early = try await isGone(from: store, server, tries: 20)
    #expect(!early)
    time.withLock { $0 += 2 }
    let late = try await isGone(from: store, server, tries: 10_000)
    #expect(late)
    await server.stop()
  }

  /// Each request gives the server's housekeeping a turn.
  private func isGone(
    from store: SessionStore, _ server: TestServer, tries: Int
  ) async throws -> Bool {
    for _ in 0..<tries {
      if try store.sessions().isEmpty { return true }
      _ = try await server.client.json(.GET, "/status")
    }
    return false
  }
}
