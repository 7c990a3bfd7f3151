import SessionStore

/// Replies that are complete, for readers that come back to one: as many as fit, the latest first. Whoever
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

  subscript(id: SessionID) -> Run? {
    get { young[id]?.run ?? old[id]?.run }
    set {
      youngBytes -= young.removeValue(forKey: id)?.bytes ?? 0
      old[id] = nil
      guard let run = newValue else { return }
      let bytes = run.bytes
      young[id] = Entry(run: run, bytes: bytes)
      youngBytes += bytes
      if youngBytes > Self.mostYoungBytes { (old, young, youngBytes) = (young, [:], 0) }
    }
  }

  /// Forgets those that ended long ago.
  mutating func forgetOld() {
    old = old.filter { $0.value.run.isRecent() }
    young = young.filter { $0.value.run.isRecent() }
    youngBytes = young.values.reduce(0) { $0 + $1.bytes }
  }
}
