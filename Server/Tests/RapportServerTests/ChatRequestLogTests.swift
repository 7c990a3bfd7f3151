import FoundationEssentials
import Intake
import SessionStore
import Synchronization
import TestSupport
import Testing

@testable import RapportServer

/// A request reads a conversation's log once if nobody else writes to it.
@Suite(.integration) struct ChatRequestLogTests {
  @Test(arguments: [(true, 1), (false, 2)])
  func readsOnceIfNobodyElseWrites(isOnlyWriter: Bool, reads: Int) async throws {
    let stored = CountingLog()
    let log = ChatRequestLog(stored, clientMessageID: nil, isOnlyWriter: isOnlyWriter)
    #expect(try await log.events().isEmpty)
    #expect(try await log.events().isEmpty)
    #expect(stored.reads == reads)
  }

  @Test func readsAgainAfterAnAppend() async throws {
    let stored = CountingLog()
    let log = ChatRequestLog(stored, clientMessageID: nil, isOnlyWriter: true)
    #expect(try await log.events().isEmpty)
    let appended = try await log.append(
      [EventEnvelope(IntakeEvent.paywallDeclined)], at: Date(timeIntervalSince1970: 0))
    #expect(try await log.events() == appended)
    #expect(log.position == 1)
  }

  @Test func knowsWhatItAppended() async throws {
    let stored = CountingLog()
    let log = ChatRequestLog(stored, clientMessageID: nil, isOnlyWriter: true)
    _ = try await log.events()
    let appended = try await log.append(
      [EventEnvelope(IntakeEvent.paywallDeclined)], at: Date(timeIntervalSince1970: 0))
    #expect(log.known == appended)
    #expect(try await log.events() == appended)
    #expect(stored.reads == 1)
  }

  @Test func recentLogsAreKeptOnce() throws {
    let recent = RecentLogs()
    let id = SessionID(rawValue: "abcdefgh")
    #expect(recent.take(id).isEmpty)
    let events = [RecordedEvent(position: 1, at: .distantPast, event: .paywallDeclined)]
    recent.keep(events, of: id)
    #expect(recent.take(id) == events)
    #expect(recent.take(id).isEmpty)
  }
}

private final class CountingLog: SessionLog {
  private struct State {
    var events: [RecordedEvent] = []
    var reads = 0
  }

  private let state = Mutex(State())

  var reads: Int { state.withLock(\.reads) }

  func events() throws -> [RecordedEvent] {
    state.withLock { state in
      state.reads += 1
      return state.events
    }
  }

  func append(_ events: [EventEnvelope], at date: Date) throws -> [RecordedEvent] {
    try state.withLock { state in
      let before = state.events.count
      for event in events {
        state.events.append(
          try RecordedEvent(position: state.events.count + 1, at: date, envelope: event))
      }
      return Array(state.events[before...])
    }
  }
}
