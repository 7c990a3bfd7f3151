import Intake
import SessionStore
import Synchronization

/// One value per conversation, as many as fit: the latest ones.
///
/// When the new ones are too many, they become the old ones, and the old ones before them go.
struct RecentValues<Value> {
  private typealias Entry = (value: Value, size: Int)

  /// The size of the new ones at most. There can be twice as much, and one value more.
  private let room: Int
  private var young: [SessionID: Entry] = [:]
  private var old: [SessionID: Entry] = [:]
  private var youngSize = 0

  init(room: Int) { self.room = room }

  subscript(id: SessionID) -> Value? { (young[id] ?? old[id])?.value }

  /// - Returns: Those that are kept no longer.
  mutating func keep(_ value: Value, size: Int, for id: SessionID) -> [Value] {
    let before = remove(id).map { [$0] } ?? []
    young[id] = (value, size)
    youngSize += size
    guard youngSize > room else { return before }
    let forgotten = old.values.map(\.value)
    (old, young, youngSize) = (young, [:], 0)
    return before + forgotten
  }

  @discardableResult
  mutating func remove(_ id: SessionID) -> Value? {
    guard let entry = young.removeValue(forKey: id) else {
      return old.removeValue(forKey: id)?.value
    }
    youngSize -= entry.size
    return entry.value
  }

  mutating func removeAll(where isGone: (Value) -> Bool) {
    old = old.filter { !isGone($0.value.value) }
    young = young.filter { !isGone($0.value.value) }
    youngSize = young.values.reduce(0) { $0 + $1.size }
  }
}

/// The events of the conversations that were written to last, so that the next message does not have all of
/// them read and decoded again. Whether they still hold is asked of the log itself.
final class RecentLogs: Sendable {
  /// About 20 MB.
  private let logs = Mutex(RecentValues<[RecordedEvent]>(room: 8_192))

  /// The conversation's events as far as they are known, which are not kept any longer then.
  func take(_ id: SessionID) -> [RecordedEvent] { logs.withLock { $0.remove(id) } ?? [] }

  func keep(_ events: [RecordedEvent], of id: SessionID) {
    // Freed here, where nobody waits for the lock.
    _ = logs.withLock { $0.keep(events, size: events.count, for: id) }
  }
}
