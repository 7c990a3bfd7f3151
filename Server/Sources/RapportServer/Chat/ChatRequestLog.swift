import FoundationEssentials
import IncrementalJSON
import Intake
import Synchronization

/// A conversation's log as one request writes it.
///
/// It stores the client's name for the request together with what the request says, in one
/// transaction: either both are on disk or neither is. It also remembers what `done` reports.
final class ChatRequestLog: SessionLog {
  /// The server's own kind of event.
  static let kind = "server.request"

  private struct State {
    var request: EventEnvelope?
    var lastMessage: Int?
    var position = 0
    var system: JSONValue?
    /// What was read and appended, if nobody else writes.
    var known: [RecordedEvent]?
  }

  private let log: any SessionLog
  /// Receives how long each append took.
  private let timing: @Sendable (Duration) -> Void
  private let isOnlyWriter: Bool
  private let earlier: [RecordedEvent]
  private let state: Mutex<State>

  /// - Parameters:
  ///   - isOnlyWriter: Whether nobody else appends while this log is in use. Then the events are
  ///     read from the store once, although each part of the coach asks for them as it opens.
  ///   - earlier: The events as an earlier request knew them; those that came since then are read.
  init(
    _ log: any SessionLog, clientMessageID: String?, isOnlyWriter: Bool = false,
    continuing earlier: [RecordedEvent] = [],
    timing: @escaping @Sendable (Duration) -> Void = { _ in }
  ) {
    (self.log, self.isOnlyWriter, self.timing) = (log, isOnlyWriter, timing)
    self.earlier = earlier
    let request = clientMessageID.map { id in
      EventEnvelope(
        kind: Self.kind, version: 1,
        json: JSONValue.object(["type": .string(Self.kind), "client_message_id": .string(id)])
          .serialized())
    }
    state = Mutex(State(request: request))
  }

  /// The position of the coach's last message.
  var lastMessage: Int? { state.withLock(\.lastMessage) }
  /// The position of the last event that went through this log; 0 before the first.
  var position: Int { state.withLock(\.position) }
  /// The coaching system that was written last.
  var system: JSONValue? { state.withLock(\.system) }
  /// The events, if this log knows all of them.
  var known: [RecordedEvent]? { state.withLock(\.known) }

  func events() async throws -> [RecordedEvent] {
    if let known = state.withLock(\.known) { return known }
    let events =
      try await earlier.isEmpty ? log.events() : log.events(continuing: earlier)
    note(events)
    state.withLock { state in
      // Something may have been appended since the read began.
      let isNewest = (events.last?.position ?? 0) >= state.position
      if isOnlyWriter, isNewest { state.known = events }
    }
    return events
  }

  func append(_ events: [EventEnvelope], at date: Date) async throws -> [RecordedEvent] {
    let request = state.withLock { state -> EventEnvelope? in
      guard events.contains(where: { Self.isAct($0.kind) }) else { return nil }
      return state.request
    }
    var known = state.withLock { state in
      defer { state.known = nil }
      return state.known
    }
    let begun = ContinuousClock.now
    let recorded = try await log.append([request].compactMap(\.self) + events, at: date)
    timing(ContinuousClock.now - begun)
    if request != nil { state.withLock { $0.request = nil } }
    note(recorded)
    known? += recorded
    state.withLock { $0.known = known }
    return recorded
  }

  /// Whether the event stores what a request says.
  private static func isAct(_ kind: String) -> Bool {
    let acts: [IntakeEvent.Kind] = [.userSaid, .messageHeld, .paywallDeclined, .entitled]
    return acts.contains { $0.rawValue == kind }
  }

  private func note(_ events: [RecordedEvent]) {
    state.withLock { state in
      for recorded in events {
        state.position = max(state.position, recorded.position)
        if case .synthesised(let synthesis) = recorded.event {
          state.system = synthesis.system.json
        }
        if StoredMessage(recorded)?.isFromCoach == true { state.lastMessage = recorded.position }
      }
    }
  }

  /// The positions before the requests of this name, in order.
  static func positions(
    before clientMessageID: String, in events: [RecordedEvent]
  ) -> [Int] {
    events.filter { recorded in
      recorded.envelope.kind == kind
        && (try? JSONValue(parsing: recorded.envelope.text))?["client_message_id"]?.stringValue
          == clientMessageID
    }.map { $0.position - 1 }
  }
}
