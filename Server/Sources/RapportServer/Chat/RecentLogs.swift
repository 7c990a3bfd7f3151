import Intake
import SessionStore
import Synchronization

/// The events of the conversations that were written to last, so that the next message does not have all of
/// them read and decoded again. Whether they still hold is asked of the log itself.
final class RecentLogs: Sendable {
  private struct State {
    var young: [SessionID: [RecordedEvent]] = [:]
    var old: [SessionID: [RecordedEvent]] = [:]
    var youngEvents = 0
  }

  /// About 20 MB.
  private static let mostYoungEvents = 8_192

  private let state = Mutex(State())

  /// The conversation's events as far as they are known, which are not kept any longer then.
  func take(_ id: SessionID) -> [RecordedEvent] {
    state.withLock { state in
      guard let events = state.young.removeValue(forKey: id) else {
        return state.old.removeValue(forKey: id) ?? []
      }
      state.youngEvents -= events.count
      return events
    }
  }

  func keep(_ events: [RecordedEvent], of id: SessionID) {
    state.withLock { state in
      state.youngEvents += events.count - (state.young[id]?.count ?? 0)
      state.young[id] = events
      state.old[id] = nil
      if state.youngEvents > Self.mostYoungEvents {
        (state.old, state.young, state.youngEvents) = (state.young, [:], 0)
      }
    }
  }
}
