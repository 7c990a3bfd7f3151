import HTTPTypes
import Intake
import Journeys
import Logging
import SessionStore
import Synchronization

/// Who writes to conversations: starts replies, finds those that were asked for before, and ends them.
///
/// ``RunTable`` decides who may write, and ``Resumption`` what somebody gets who comes back; ``ReplyWriter``
/// writes.
final class Conversations: Sendable {
  let desk: CoachDesk
  let limits: Limits
  let metrics: ServerMetrics
  private let logger: Logger
  private let table = Mutex(RunTable())

  init(_ desk: CoachDesk, limits: Limits, metrics: ServerMetrics, logger: Logger) {
    (self.desk, self.limits, self.metrics, self.logger) = (desk, limits, metrics, logger)
  }

  var isStopping: Bool { table.withLock(\.isStopping) }

  /// Starts a reply, or finds the one that the same request started.
  ///
  /// - Throws: ``Problem`` or `StoreError`; nothing was stored.
  func reply(to request: ChatRequest, by caller: Caller) async throws -> Run {
    try refuseIfStopping()
    let desk = desk.serving(caller.person)
    let known = try await desk.conversation(of: request)
    let id = if let known { known } else { try await begin(request, desk, caller) }
    let run = Run(
      id, clientMessageID: request.clientMessageID, person: caller.person, said: request.text,
      manner: request.manner, request: caller.requestID)
    while let other = try await claim(run) {
      if request.isRepeated(in: other) { return other }
      guard request.waitsForReply || other.hasEnded else { throw Problem.busy }
      await other.replied()
    }
    if let opening = request.opening { table.withLock { $0.note(opening, of: id) } }
    let writer = ReplyWriter(run: run, conversations: self, desk: desk, caller: caller)
    start(run) { try await writer.answer(request, hasTurn: known == nil) }
    return run
  }

  /// Begins a conversation and takes the turn for it. A request that is refused begins none.
  private func begin(
    _ request: ChatRequest, _ desk: CoachDesk, _ caller: Caller
  ) async throws -> SessionID {
    try await desk.begin(request) {
      switch request.act {
      case .firstMessage: break
      case .message(let text):
        if let refusal = desk.settings.refusal(of: text) { throw Problem(refusal) }
      case .choice: throw Problem.choiceNotOffered([])
      }
      try await limits.takeTurn(caller, desk)
    }
  }

  /// Follows the reply that is being written, or resumes the conversation.
  ///
  /// - Parameter last: The last event that the client has; nil for none.
  /// - Returns: The reply, and the number of the first event to send.
  /// - Throws: ``Problem`` or `StoreError`; nothing was stored.
  func resume(
    _ id: SessionID, after last: EventID?, by caller: Caller
  ) async throws -> (run: Run, number: Int) {
    try refuseIfStopping()
    let desk = try await owner(of: id, caller)
    if let last { try await check(last, in: id) }
    let run = Run(id, request: caller.requestID)
    while true {
      if let present = table.withLock({ $0[id] }) {
        switch Resumption(of: present.status, after: last) {
        case .follow(let number): return (present, number)
        case .refuse: throw Problem.unknownEventID
        case .wait:
          await present.finished()
          continue
        case .begin: break
        }
      }
      if try await claim(run) == nil { break }
    }
    let writer = ReplyWriter(run: run, conversations: self, desk: desk, caller: caller)
    start(run) { try await writer.catchUp(after: last?.base) }
    return (run, 0)
  }

  /// - Throws: ``Problem`` if the conversation never had the event.
  private func check(_ last: EventID, in id: SessionID) async throws {
    guard last.conversation == id else { throw Problem.unknownEventID }
    if table.withLock({ $0[id]?.name == last.run }) { return }
    guard last.base.isIn(try await desk.store.events(of: id)) else { throw Problem.unknownEventID }
  }

  /// The desk of the caller, who has this conversation.
  ///
  /// - Throws: ``Problem`` if they have not.
  func owner(of id: SessionID, _ caller: Caller) async throws -> CoachDesk {
    let desk = desk.serving(caller.person)
    guard try await desk.store.contains(id) else { throw Problem.notFound }
    return desk
  }

  /// Ends the reply that is being written; what came of it is stored as cut, and counts as sent.
  ///
  /// - Returns: Whether there was one.
  func stop(_ id: SessionID, by caller: Caller) async throws -> Bool {
    _ = try await owner(of: id, caller)
    guard let run = table.withLock({ $0.reply(in: id) }) else { return false }
    await run.stop()
    await run.replied()
    return true
  }

  private func refuseIfStopping() throws(Problem) {
    if isStopping { throw .stopping }
  }
}

// Runs.
extension Conversations {
  /// Makes this the conversation's run. Suggestions for the last message end with the next.
  ///
  /// - Returns: The reply that is being written instead; nil if there is none.
  private func claim(_ run: Run) async throws -> Run? {
    while true {
      switch try table.withLock({ table throws(Problem) in try table.claim(run) }) {
      case .granted: return nil
      case .taken(let other): return other
      case .ending(let other):
        other.cancel()
        await other.finished()
      case .after(let other): await other.finished()
      }
    }
  }

  /// Makes this the conversation's only run. A reply whose end the client may have seen is awaited.
  ///
  /// - Throws: ``Problem`` if a reply is being written that is not waited for.
  private func claimAlone(_ run: Run, waiting: Bool = false) async throws {
    while let other = try await claim(run) {
      guard waiting || other.hasEnded else { throw Problem.busy }
      await other.replied()
    }
  }

  /// Ends a run that has no events to keep.
  private func end(_ run: Run) {
    run.end()
    table.withLock { table in
      table.remove(run)
      table.noteWriting()
    }
  }

  private func start(_ run: Run, _ work: @escaping @Sendable () async throws -> Void) {
    run.start { [self] in
      do {
        try await work()
      } catch {
        fail(run, error)
      }
      table.withLock { $0.noteWriting() }
    } onEnd: { [self] in
      let bytes = run.bytes
      // Freed here, where nobody waits for the lock.
      _ = table.withLock { $0.keep(run, bytes: bytes) }
    }
  }

  private func fail(_ run: Run, _ error: any Error) {
    let problem = Problem(error)
    if problem.status.kind == .serverError, problem != .stopping {
      note(failureOf: run, code: problem.code, cause: problem.cause ?? "\(type(of: error))")
    }
    guard !run.refuse(problem) else { return }
    run.add(problem.notice)
    if !run.hasEnded { run.add(done: .notStarted, lastMessage: nil, usage: .init()) }
  }

  /// The cause may hold a path, but never anybody's words, which a model's server can repeat in an error.
  func note(failureOf run: Run, code: String, cause: String?) {
    metrics.replyFailed(code)
    warn("A reply failed", run, code: code, cause: cause)
  }

  func warn(_ message: Logger.Message, _ run: Run, code: String, cause: String? = nil) {
    var metadata: Logger.Metadata = [
      "conversation": "\(run.conversation)", "code": "\(code)", "hb.request.id": "\(run.request)",
    ]
    metadata["cause"] = cause.map { "\($0)" }
    logger.warning(message, metadata: metadata)
  }
}

// What clients send again.
extension Conversations {
  /// The replies to a person that are being written.
  func runs(for person: PersonID) -> [Run] {
    table.withLock(\.runs).filter { $0.person == person }
  }

  /// How the client asked for the conversation's last reply; nil if that is not remembered.
  func manner(in id: SessionID) -> ChatRequest.Manner? { table.withLock { $0[id] }?.manner }

  /// The conversation that began like this, if nobody has got the reply.
  func conversation(openedBy opening: ChatRequest.Opening) -> SessionID? {
    table.withLock { $0.conversation(openedBy: opening) }
  }

  /// Whether this is what was said last in the conversation, and nobody has got the reply.
  func isUndelivered(_ text: String?, in id: SessionID) -> Bool {
    guard let text, let run = table.withLock({ $0[id] }) else { return false }
    return run.said == text && !run.isDelivered
  }
}

// Journeys.
extension Conversations {
  /// Does something while nothing else in this process writes to the conversation.
  ///
  /// - Parameter waiting: Whether a reply that is being written is waited for.
  /// - Throws: ``Problem`` if one is not waited for; what the work throws.
  func alone<Value: Sendable>(
    with id: SessionID, waiting: Bool = false, _ work: () async throws -> Value
  ) async throws -> Value {
    let run = Run(id, for: .step)
    try await claimAlone(run, waiting: waiting)
    defer { end(run) }
    return try await work()
  }

  /// Starts waiting for a document, or finds what waits for it already.
  func document(
    for id: SessionID, _ work: @escaping @Sendable (Run) async throws -> Void
  ) async throws -> Run {
    try refuseIfStopping()
    if let waiting = table.withLock({ $0[id] }), waiting.purpose == .document,
      waiting.phase != .over
    {
      return waiting
    }
    let run = Run(id, for: .document)
    if let other = try await claim(run) {
      guard other.purpose == .document else { throw Problem.busy }
      return other
    }
    start(run) { try await work(run) }
    return run
  }

  /// Whether a reply is being written.
  func isReplying(in id: SessionID) -> Bool { table.withLock { $0.reply(in: id) } != nil }
}

// Deleting.
extension Conversations {
  /// Deletes a conversation for good.
  ///
  /// - Throws: ``Problem`` if a reply is being written; `StoreError` if another program has the store open.
  func forget(_ id: SessionID, by caller: Caller) async throws {
    let run = Run(id)
    try await claimAlone(run)
    defer { end(run) }
    let store = desk.store.belonging(to: caller.person)
    let writer = try await store.acquireWriter(of: id)
    try await store.forget([id], givesSpaceBack: false)
    _ = desk.recent.take(id)
    withExtendedLifetime(writer) {}
  }

  /// Deletes a person and everything they have. Replies that are being written end first.
  func deletePerson(_ caller: Caller) async throws -> DeletionReceipt {
    let store = desk.store.belonging(to: caller.person)
    let sessions = try await store.sessions().map(\.id)
    for run in table.withLock({ $0.forget(sessions) }) {
      run.cancel()
      await run.finished()
    }
    try await desk.accounts?.forget(caller.person)
    let receipt = try await store.deletePerson(at: desk.now())
    for id in sessions { _ = desk.recent.take(id) }
    return receipt
  }
}

// Keeping house.
extension Conversations {
  /// Wakes the readers of quiet streams.
  func beat() {
    for run in table.withLock(\.runs) { run.beat() }
  }

  /// Forgets old replies, and moves the log into the store.
  func tick() async {
    if table.withLock({ $0.tidy() }) { _ = try? await desk.store.checkpoint() }
  }

  /// Takes no more requests, and waits for the replies; cancels those that take longer than this.
  func stop(within grace: Duration) async {
    let runs = table.withLock { $0.stop() }
    for run in runs where run.phase == .suggesting { run.cancel() }
    await withTaskGroup { group in
      group.addTask { for run in runs { await run.finished() } }
      group.addTask {
        // The limit races the replies; the group cancels whichever is left.
        try? await Task.sleep(for: grace)
        // The engine stores what was shown so far as a cut reply.
        if !Task.isCancelled { for run in runs { run.cancel() } }
      }
      await group.next()
      for run in runs { await run.finished() }
      group.cancelAll()
    }
    _ = try? await desk.store.checkpoint()
  }
}
