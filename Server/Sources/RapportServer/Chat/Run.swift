import IncrementalJSON
import Intake
import SessionStore
import Synchronization

/// One reply while it is written, and for a while after: its events, for any number of readers.
///
/// The reply does not depend on its readers. A reader that is slow, or leaves, finds the rest here.
final class Run: Sendable {
  enum Purpose: Hashable, Sendable {
    /// A reply of the coach.
    case reply
    /// A step of a journey, which takes no longer than storing it. It has no events.
    case step
    /// Waiting for a document that a journey's step needs.
    case document
  }

  enum Phase: Hashable, Sendable {
    /// The reply is being written; nobody else may write to the conversation.
    case replying
    /// The reply is complete; suggestions may still come.
    case suggesting
    case over
  }

  private struct State {
    var phase = Phase.replying
    var events: [StreamEvent] = []
    /// Where it begins in the log, or why it cannot; nil until that is known.
    var opening: Result<EventID.Base, Problem>?
    /// How the reply ended; nil until it has.
    var done: SessionOutput.Done?
    var endedAt: ContinuousClock.Instant?
    var hasWords = false
    /// Whether somebody got all of it.
    var isDelivered = false
    var task: Task<Void, Never>?
    /// Tells the writer that what came of the reply is enough.
    var settle: (@Sendable () async -> Void)?
    var readers: [Int: Reader] = [:]
    /// Whether the model waits for the readers.
    var isPaused = false
    var waiting: [Int: Waiter] = [:]
    private var lastNumber = 0

    mutating func nextNumber() -> Int {
      lastNumber += 1
      return lastNumber
    }

    /// Whether even the fastest reader is behind by more than a connection buffers. Without readers,
    /// the reply continues: it is kept for those who come back.
    var isFarAhead: Bool {
      guard let place = readers.values.map(\.place).max() else { return false }
      var bytes = 0
      for event in events[min(place, events.count)...] {
        bytes += event.full?.utf8.count ?? event.plain?.utf8.count ?? 0
        if bytes > Run.mostAhead { return true }
      }
      return false
    }
  }

  private struct Reader {
    /// The first event that its connection has not taken.
    var place: Int
    /// Whether its connection got something since the last heartbeat.
    var isLively = false
  }

  private struct Waiter {
    /// Whether it also returns at a tick, or when its task is canceled.
    let isBrief: Bool
    let isDone: @Sendable (State) -> Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  /// How many bytes of a reply may wait for its readers before the model is paused.
  static let mostAhead = 64 * 1024

  private let begunAt = ContinuousClock.now

  let conversation: SessionID
  let name: String
  let purpose: Purpose
  /// The client's own name for the request.
  let clientMessageID: String?
  /// Who it answers, and to what; nil for neither.
  let person: PersonID?
  let said: String?
  let manner: ChatRequest.Manner?
  /// The request that it began with, by its name in the log.
  let request: String
  private let state = Mutex(State())

  init(
    _ conversation: SessionID, clientMessageID: String? = nil, for purpose: Purpose = .reply,
    person: PersonID? = nil, said: String? = nil, manner: ChatRequest.Manner? = nil,
    request: String = ""
  ) {
    (self.conversation, self.purpose) = (conversation, purpose)
    (self.clientMessageID, self.person, self.said) = (clientMessageID, person, said)
    (self.manner, self.request) = (manner, request)
    var generator = SystemRandomNumberGenerator()
    name = String(SessionID.random(using: &generator).rawValue.prefix(6))
  }

  /// How far it has come, for those who decide by it.
  struct Status: Hashable, Sendable {
    var name: String
    var purpose: Purpose
    var phase: Phase
    /// Where it begins in the log; nil until that is known.
    var base: EventID.Base?
    /// The number of its events.
    var count: Int
    /// Whether the reply ended in a failure.
    var hasFailed: Bool
  }

  var status: Status {
    state.withLock { state in
      Status(
        name: name, purpose: purpose, phase: state.phase, base: try? state.opening?.get(),
        count: state.events.count, hasFailed: state.done?.failed == true)
    }
  }

  var phase: Phase { state.withLock(\.phase) }
  var count: Int { state.withLock(\.events.count) }

  var hasEnded: Bool { state.withLock { $0.done != nil } }
  var hasFailed: Bool { state.withLock { $0.done?.failed ?? true } }
  var isDelivered: Bool { state.withLock(\.isDelivered) }
  var isOpen: Bool { state.withLock { $0.opening != nil } }

  /// Whether it ended lately enough for a reader to come back to it.
  func isRecent() -> Bool {
    state.withLock { $0.endedAt.map { .now - $0 < .seconds(300) } ?? true }
  }

  /// Where it begins in the log.
  ///
  /// - Throws: Why it cannot begin.
  var base: EventID.Base {
    get async throws(Problem) {
      await wait { $0.opening != nil }
      guard let opening = state.withLock(\.opening) else { throw .stopping }
      return try opening.get()
    }
  }

  /// What precedes the number in the ids of this run's events.
  var idPrefix: String {
    get async throws(Problem) { EventID.prefix(conversation, try await base, name) }
  }

  /// The reply has begun, and can no longer be refused.
  func open(after base: EventID.Base) { settle(.success(base)) }

  /// - Returns: false if it has begun already.
  func refuse(_ problem: Problem) -> Bool { settle(.failure(problem)) }

  @discardableResult
  private func settle(_ opening: Result<EventID.Base, Problem>) -> Bool {
    change { state in
      guard state.opening == nil else { return false }
      state.opening = opening
      return true
    }
  }

  /// How long the first words took; nil if they are not the first.
  func takeFirstWords() -> Duration? {
    let isFirst = state.withLock { state in
      defer { state.hasWords = true }
      return !state.hasWords
    }
    return isFirst ? ContinuousClock.now - begunAt : nil
  }

  /// Somebody got all of it.
  func deliver() { state.withLock { $0.isDelivered = true } }

  func note(_ done: SessionOutput.Done) { state.withLock { $0.done = done } }

  func add(_ events: [StreamEvent]) { change { $0.events += events } }

  func add(_ json: JSONValue) { add([StreamEvent(json)]) }

  /// About the size of its events.
  var bytes: Int {
    state.withLock { state in
      state.events.reduce(0) { sum, event in
        let plain = event.plain == event.full ? 0 : event.plain?.utf8.count ?? 0
        return sum + (event.full?.utf8.count ?? 0) + plain + MemoryLayout<StreamEvent>.stride
      }
    }
  }

  /// The events from this number on, and whether that is all of them.
  ///
  /// They are a copy: a slice that a reader holds while it waits would make every event that is added
  /// copy all of them.
  func events(from number: Int) -> (events: [StreamEvent], isOver: Bool) {
    state.withLock { state in
      (Array(state.events[min(number, state.events.count)...]), state.phase == .over)
    }
  }
}

// Waiting.
extension Run {
  /// Changes the state, and wakes those who waited for that.
  private func change<Value: Sendable>(
    isTick: Bool = false, _ change: (inout State) -> Value
  ) -> Value {
    let (value, woken) = state.withLock { state in
      let value = change(&state)
      let woken = state.waiting.filter { _, waiter in
        isTick && waiter.isBrief || state.phase == .over || waiter.isDone(state)
      }
      for number in woken.keys { state.waiting[number] = nil }
      return (value, woken.values.map(\.continuation))
    }
    for continuation in woken { continuation.resume() }
    return value
  }

  /// Wakes every reader.
  private func tick() { change(isTick: true) { _ in } }

  /// Returns when this is true, or the run is over.
  ///
  /// - Parameter isBrief: Also returns at a tick, and when the task is canceled.
  private func wait(
    isBrief: Bool = false, until isDone: @escaping @Sendable (State) -> Bool
  ) async {
    let number = state.withLock { $0.nextNumber() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          if isDone(state) || state.phase == .over || isBrief && Task.isCancelled { return true }
          state.waiting[number] = Waiter(
            isBrief: isBrief, isDone: isDone, continuation: continuation)
          return false
        }
        if isReady { continuation.resume() }
      }
    } onCancel: {
      guard isBrief else { return }
      state.withLock { $0.waiting.removeValue(forKey: number) }?.continuation.resume()
    }
  }

  /// Returns when there are more events than this, when the run is over, at the next tick, or when
  /// the reader's task is canceled.
  func wait(past count: Int) async { await wait(isBrief: true) { $0.events.count > count } }

  /// Waits for the reply to be complete.
  func replied() async { await wait { $0.phase != .replying } }

  /// Waits for the end.
  func finished() async { await wait { _ in false } }
}

// Readers, and those that can't keep up.
extension Run {
  /// - Returns: The reader's number, for ``advance(_:to:wrote:)`` and ``leave(_:isStalled:)``.
  func enter(at place: Int) -> Int {
    state.withLock { state in
      let number = state.nextNumber()
      state.readers[number] = Reader(place: place)
      return number
    }
  }

  /// - Parameter wrote: Whether its connection got any of the events.
  func advance(_ reader: Int, to place: Int, wrote: Bool = true) {
    change { state in
      state.readers[reader]?.place = place
      if wrote { state.readers[reader]?.isLively = true }
    }
  }

  /// - Parameter isStalled: The reader was let go because it took nothing. If it was the last one, and
  ///   the model waited for it, the reply ends here and is stored as cut.
  func leave(_ reader: Int, isStalled: Bool) {
    let task = state.withLock { state in
      state.readers[reader] = nil
      return isStalled && state.isPaused && state.readers.isEmpty ? state.task : nil
    }
    if let task { task.cancel() } else { change { _ in } }
  }

  /// Wakes the readers if one of them had nothing to write since the last heartbeat, so that it writes
  /// something to a quiet connection.
  ///
  /// - Returns: Whether it woke them.
  @discardableResult
  func beat() -> Bool {
    let isQuiet = state.withLock { state in
      defer { for number in state.readers.keys { state.readers[number]?.isLively = false } }
      return state.readers.values.contains { !$0.isLively }
    }
    if isQuiet { tick() }
    return isQuiet
  }

  /// Waits until a reader has taken enough for the model to continue.
  func catchUp() async {
    while !Task.isCancelled {
      let isFarAhead = state.withLock { state in
        state.isPaused = state.isFarAhead && state.phase != .over
        return state.isPaused
      }
      guard isFarAhead else { return }
      await wait(isBrief: true) { !$0.isFarAhead }
    }
  }
}

// The run's own task.
extension Run {
  /// Starts writing the reply.
  func start(
    _ work: @escaping @Sendable () async -> Void, onEnd: @escaping @Sendable () -> Void
  ) {
    let task = Task {
      ThreadPriority.lower()
      await work()
      end()
      onEnd()
    }
    state.withLock { $0.task = task }
  }

  /// The reply is complete; only suggestions may follow.
  func completeReply() { change { $0.phase = .suggesting } }

  func end() {
    change { state in
      (state.phase, state.endedAt) = (.over, .now)
      (state.task, state.settle) = (nil, nil)
    }
  }

  /// Cancels what is still being written; the engine stores a cut reply.
  func cancel() { state.withLock(\.task)?.cancel() }

  /// Called before somebody stops the reply, who wants no other.
  func onStop(_ settle: @escaping @Sendable () async -> Void) {
    state.withLock { $0.settle = settle }
  }

  /// Cancels what is still being written, for good: what came of the reply is enough.
  func stop() async {
    await state.withLock(\.settle)?()
    cancel()
  }
}
