import Hummingbird
import NIOCore
import SessionStore
import Synchronization

/// Everybody who reads a stream, so that there are never too many, and none holds a connection without
/// reading.
final class OpenReaders: Sendable {
  private struct State {
    var seats: [Int: ReaderSeat] = [:]
    var next = 0
  }

  private let limits: LimitOptions
  private let metrics: ServerMetrics
  private let state = Mutex(State())

  init(_ limits: LimitOptions, metrics: ServerMetrics) {
    (self.limits, self.metrics) = (limits, metrics)
  }

  /// - Throws: ``Problem`` with status 429 or 503 if there are too many already.
  func enter(_ context: AppContext) throws(Problem) -> ReaderSeat {
    let person = context.caller.person
    let seat = try state.withLock { state throws(Problem) -> ReaderSeat in
      if state.seats.count >= limits.streams {
        throw .tooMany("server-full", "Too many conversations are open. Please try again soon.", 10)
      }
      let own = state.seats.values.count { $0.person == person }
      if context.caller != .localUser, own >= limits.streamsPerPerson {
        throw .tooMany("too-many-streams", "You have too many streams open. Close one first.", 10)
      }
      let number = state.next
      state.next += 1
      let seat = ReaderSeat(person: person, channel: context.channel) { [weak self] in
        self?.leave(number)
      }
      state.seats[number] = seat
      return seat
    }
    metrics.streamOpened()
    return seat
  }

  private func leave(_ number: Int) {
    let wasIn = state.withLock { $0.seats.removeValue(forKey: number) != nil }
    if wasIn { metrics.streamClosed() }
  }

  /// Closes the connections whose readers have taken nothing for this long.
  func dismiss(stalledFor patience: Duration) {
    for seat in state.withLock({ Array($0.seats.values) }) { seat.dismiss(stalledFor: patience) }
  }
}

/// One reader's place. The connection buffers at most 64 KiB; then writing waits for the reader.
final class ReaderSeat: Sendable {
  let person: PersonID
  private let channel: any Channel
  private let onLeave: @Sendable () -> Void
  private let writingSince = Mutex<ContinuousClock.Instant?>(nil)

  init(person: PersonID, channel: any Channel, onLeave: @escaping @Sendable () -> Void) {
    (self.person, self.channel, self.onLeave) = (person, channel, onLeave)
  }

  deinit { onLeave() }

  func leave() { onLeave() }

  func write(_ buffer: ByteBuffer, to writer: inout any ResponseBodyWriter) async throws {
    writingSince.withLock { $0 = .now }
    defer { writingSince.withLock { $0 = nil } }
    try await writer.write(buffer)
  }

  func dismiss(stalledFor patience: Duration) {
    let isStalled = writingSince.withLock { $0.map { .now - $0 >= patience } ?? false }
    if isStalled { channel.close(promise: nil) }
  }
}
