import Hummingbird
import NIOCore
import SessionStore
import Synchronization

/// Everybody who reads a stream, so that there are never too many, and none holds a connection without
/// reading.
final class OpenReaders: Sendable {
  /// Where a seat is. It is held by the reader that sits on it, so that one that is let go becomes free.
  private struct Place {
    weak var seat: ReaderSeat?
    let person: PersonID
    let address: String?
  }

  private struct State {
    var places: [Int: Place] = [:]
    var next = 0
    /// How many seats each person has, and each address.
    var people: [PersonID: Int] = [:]
    var addresses: [String: Int] = [:]

    mutating func add(_ seat: ReaderSeat) {
      places[next] = Place(seat: seat, person: seat.person, address: seat.address)
      next += 1
      people[seat.person, default: 0] += 1
      if let address = seat.address { addresses[address, default: 0] += 1 }
    }

    /// - Returns: Whether the seat was there.
    mutating func remove(_ number: Int) -> Bool {
      guard let place = places.removeValue(forKey: number) else { return false }
      Self.decrement(&people[place.person])
      if let address = place.address { Self.decrement(&addresses[address]) }
      return true
    }

    private static func decrement(_ count: inout Int?) {
      count = count.flatMap { $0 > 1 ? $0 - 1 : nil }
    }
  }

  private let limits: LimitOptions
  private let metrics: ServerMetrics
  private let clock: @Sendable () -> ContinuousClock.Instant
  private let state = Mutex(State())

  init(
    _ limits: LimitOptions, metrics: ServerMetrics,
    clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    (self.limits, self.metrics, self.clock) = (limits, metrics, clock)
  }

  /// Takes a seat, before anything is stored or asked of a model for who sits there.
  ///
  /// - Throws: ``Problem`` with status 429 if there are too many already.
  func enter(_ context: AppContext) throws(Problem) -> ReaderSeat {
    let (person, address) = (context.caller.person, context.caller.address)
    let seat = try state.withLock { state throws(Problem) -> ReaderSeat in
      if state.places.count >= limits.streams {
        throw .tooMany("server-full", "Too many conversations are open. Please try again soon.", 10)
      }
      let own = state.people[person, default: 0]
      if !context.caller.isLocal, own >= limits.streamsPerPerson {
        throw .tooMany("too-many-streams", "You have too many streams open. Close one first.", 10)
      }
      let near = address.map { state.addresses[$0, default: 0] } ?? 0
      if near >= limits.streamsPerPerson * limits.peoplePerAddress {
        throw .tooMany(
          "too-many-streams", "Too many streams are open from your network. Close one first.", 10)
      }
      let number = state.next
      let seat = ReaderSeat(
        person: person, address: address, channel: context.channel, clock: clock
      ) { [weak self] in
        self?.leave(number)
      }
      state.add(seat)
      return seat
    }
    metrics.streamOpened()
    return seat
  }

  private func leave(_ number: Int) {
    let wasIn = state.withLock { $0.remove(number) }
    if wasIn { metrics.streamClosed() }
  }

  /// Closes the connections whose readers have taken nothing for this long.
  func dismiss(stalledFor patience: Duration) {
    let seats = state.withLock { $0.places.values.compactMap(\.seat) }
    for seat in seats { seat.dismiss(stalledFor: patience) }
  }
}

/// One reader's place. The connection buffers at most 64 KiB; then writing waits for the reader.
final class ReaderSeat: Sendable {
  let person: PersonID
  /// Where the person's requests come from; nil if that is not limited.
  let address: String?
  private let channel: any Channel
  private let clock: @Sendable () -> ContinuousClock.Instant
  private let onLeave: @Sendable () -> Void
  private let state = Mutex(State())

  private struct State {
    var writingSince: ContinuousClock.Instant?
    var isDismissed = false
  }

  init(
    person: PersonID, address: String?, channel: any Channel,
    clock: @escaping @Sendable () -> ContinuousClock.Instant,
    onLeave: @escaping @Sendable () -> Void
  ) {
    (self.person, self.address, self.channel) = (person, address, channel)
    (self.clock, self.onLeave) = (clock, onLeave)
  }

  /// Whether the connection was closed because its reader took nothing.
  var isDismissed: Bool { state.withLock(\.isDismissed) }

  /// Whether somebody is still there.
  var isConnected: Bool { channel.isActive }

  deinit { onLeave() }

  func leave() { onLeave() }

  func write(_ buffer: ByteBuffer, to writer: inout any ResponseBodyWriter) async throws {
    state.withLock { $0.writingSince = clock() }
    defer { state.withLock { $0.writingSince = nil } }
    try await writer.write(buffer)
  }

  func dismiss(stalledFor patience: Duration) {
    let isStalled = state.withLock { state in
      state.isDismissed = state.writingSince.map { clock() - $0 >= patience } ?? false
      return state.isDismissed
    }
    if isStalled { channel.close(promise: nil) }
  }
}
