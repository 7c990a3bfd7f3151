import HTTPStreaming
import HTTPTypes

/// An issuer's published keys (JWKS), fetched when a key is unknown and at most once a minute.
public actor KeyDirectory {
  private let fetch: @Sendable () async throws -> String
  private let clock: @Sendable () -> ContinuousClock.Instant
  private var keys: [String: PublishedKey] = [:]
  private var fetchedAt: ContinuousClock.Instant?
  private var refreshing: Task<Void, Never>?
  private var isUsable = false

  /// Keys at an address that the server's owner configured.
  public init(url: String) {
    let client = HTTPClient()
    // Requests wait for the keys.
    let timeouts = HTTPTimeouts(
      connect: .seconds(5), firstByte: .seconds(10), total: .seconds(15))
    self.init {
      let response = try await client.send(HTTPRequest(url: url, timeouts: timeouts))
      guard response.status == 200 else { throw Unavailable() }
      return String(decoding: try await response.body.bytes(limit: 1 << 20), as: UTF8.self)
    }
  }

  init(
    clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    fetch: @escaping @Sendable () async throws -> String
  ) {
    (self.fetch, self.clock) = (fetch, clock)
  }

  private struct Unavailable: Error {}

  /// The key of this id; nil if the issuer does not publish it.
  ///
  /// - Throws: ``Problem`` if the keys were never fetched and cannot be now.
  func key(_ id: String) async throws -> PublishedKey? {
    let now = clock()
    let mayFetch = refreshing == nil && fetchedAt.map { now - $0 >= .seconds(60) } ?? true
    let isStale = fetchedAt.map { now - $0 >= .seconds(600) } ?? true
    if mayFetch, keys[id] == nil || isStale {
      fetchedAt = now
      // Not a part of this request: others wait for it as well, even if this one ends.
      let refresh = Task { await self.refresh() }
      refreshing = refresh
      await refresh.value
    } else if keys[id] == nil {
      await refreshing?.value
    }
    if !isUsable {
      throw Problem(
        .serviceUnavailable, "accounts-unavailable",
        "I can't check accounts right now. Please try again in a minute.")
    }
    return keys[id]
  }

  /// Keeps the known keys if it fails.
  private func refresh() async {
    defer { refreshing = nil }
    guard let text = try? await fetch(), let published = try? PublishedKey.set(text) else { return }
    keys = published
    isUsable = true
  }
}
