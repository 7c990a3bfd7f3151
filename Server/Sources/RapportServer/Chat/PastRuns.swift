import SessionStore

/// Replies that are complete, for readers that come back to one: as many as fit, the latest first. A reader that
/// comes back to another gets what was stored.
struct PastRuns {
  private struct Entry {
    var run: Run
    var bytes: Int
  }

  private var young: [SessionID: Entry] = [:]
  private var old: [SessionID: Entry] = [:]
  private var youngBytes = 0

  /// There can be twice as many bytes, and one reply.
  static let mostYoungBytes = 4 << 20
  /// What a reply takes besides its events.
  private static let leastBytes = 1 << 10

  subscript(id: SessionID) -> Run? { young[id]?.run ?? old[id]?.run }

  /// - Parameter bytes: The size of its events.
  /// - Returns: Those that are kept no longer.
  mutating func keep(_ run: Run, bytes: Int) -> [Run] {
    remove(run.conversation)
    let bytes = bytes + Self.leastBytes
    young[run.conversation] = Entry(run: run, bytes: bytes)
    youngBytes += bytes
    guard youngBytes > Self.mostYoungBytes else { return [] }
    let forgotten = old.values.map(\.run)
    (old, young, youngBytes) = (young, [:], 0)
    return forgotten
  }

  mutating func remove(_ id: SessionID) {
    youngBytes -= young.removeValue(forKey: id)?.bytes ?? 0
    old[id] = nil
  }

  /// Forgets those that ended long ago.
  mutating func forgetOld() {
    old = old.filter { $0.value.run.isRecent() }
    young = young.filter { $0.value.run.isRecent() }
    youngBytes = young.values.reduce(0) { $0 + $1.bytes }
  }
}
