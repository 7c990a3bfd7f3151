import FoundationEssentials
import Intake
import Synchronization
import Testing

@testable import RapportServer

/// A request reads a conversation's log once if nobody else writes to it.
struct RequestLogTests {
  @Test(arguments: [(true, 1), (false, 2)])
  func readsOnceIfNobodyElseWrites(isOnlyWriter: Bool, reads: Int) async throws {
    let stored = CountingLog()
    let log = RequestLog(stored, clientMessageID: nil, isOnlyWriter: isOnlyWriter)
    #expect(try await log.events().isEmpty)
    #expect(try await log.events().isEmpty)
    #expect(stored.reads == reads)
  }

  @Test func readsAgainAfterAnAppend() async throws {
    let stored = CountingLog()
    let log = RequestLog(stored, clientMessageID: nil, isOnlyWriter: true)
    #expect(try await log.events().isEmpty)
    let appended = try await log.append(
      [EventEnvelope(IntakeEvent.paywallDeclined)], at: Date(timeIntervalSince1970: 0))
    #expect(try await log.events() == appended)
    #expect(log.position == 1)
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
