import HTTPTypes
import IncrementalJSON
import Intake
import Journeys
import Logging
import SessionStore
import Synchronization

/// The replies that are being written, one per conversation, and those written lately.
final class Conversations: Sendable {
  private struct State {
    var runs: [SessionID: Run] = [:]
    var past = PastRuns()
    /// The conversations that began with a message whose reply nobody may have got.
    var openings: [ChatRequest.Opening: SessionID] = [:]
    var isStopping = false
    /// Whether anything was written since the last checkpoint.
    var hasWritten = false

    func run(of id: SessionID) -> Run? { runs[id] ?? past[id] }
  }

  let desk: CoachDesk
  let limits: Limits
  let metrics: ServerMetrics
  private let logger: Logger
  private let state = Mutex(State())

  init(_ desk: CoachDesk, limits: Limits, metrics: ServerMetrics, logger: Logger) {
    (self.desk, self.limits, self.metrics, self.logger) = (desk, limits, metrics, logger)
  }

  var isStopping: Bool { state.withLock(\.isStopping) }

  /// Starts a reply, or finds the one that the same request started.
  ///
  /// - Throws: ``Problem``; nothing was stored.
  func reply(to request: ChatRequest, by caller: Caller) async throws -> Run {
    try refuseIfStopping()
    let desk = desk.serving(caller.person)
    let known = try await desk.conversation(of: request)
    let id = if let known { known } else { try await begin(request, desk, caller) }
    let run = Run(
      id, clientMessageID: request.clientMessageID, person: caller.person, said: request.text,
      manner: request.manner, request: caller.requestID)
    while let other = try await reserve(run) {
      if request.isRepeated(in: other) { return other }
      guard request.waitsForReply || other.hasEnded else { throw Problem.busy }
      await other.replied()
    }
    if let opening = request.opening { state.withLock { $0.openings[opening] = id } }
    start(run) { try await self.answer(request, run, desk, caller, hasTurn: known == nil) }
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
  /// - Throws: ``Problem``; nothing was stored.
  func resume(
    _ id: SessionID, after last: EventID?, by caller: Caller
  ) async throws -> (run: Run, number: Int) {
    try refuseIfStopping()
    let desk = desk.serving(caller.person)
    guard try await Problem.translating({ try await desk.store.contains(id) }) else {
      throw Problem.notFound
    }
    if let last { try await check(last, in: id) }
    let run = Run(id, request: caller.requestID)
    while true {
      let current = state.withLock { $0.run(of: id) }
      if let current, current.purpose == .step {
        await current.finished()
      } else if let current {
        if let last, last.run == current.name, try await current.base == last.base {
          guard last.number < current.count else { throw Problem.unknownEventID }
          // Whoever comes back after the end of a reply that failed wants another.
          let wantsAnother =
            current.purpose == .reply && current.hasEnded && current.hasFailed
            && last.number == current.count - 1
          guard wantsAnother else { return (current, last.number + 1) }
          await current.finished()
        }
        if last == nil, current.phase == .replying { return (current, 0) }
        // The client's reply isn't this one, so it gets what was stored, then the rest.
        if current.phase == .replying { await current.finished() }
      }
      if try await reserve(run) == nil { break }
    }
    start(run) { try await self.catchUp(run, after: last?.base, desk, caller) }
    return (run, 0)
  }

  /// Ends the reply that is being written; what came of it is stored as cut, and counts as sent.
  ///
  /// - Returns: Whether there was one.
  func stop(_ id: SessionID, by caller: Caller) async throws -> Bool {
    let store = desk.serving(caller.person).store
    guard try await Problem.translating({ try await store.contains(id) }) else {
      throw Problem.notFound
    }
    guard isReplying(in: id), let run = state.withLock({ $0.runs[id] }) else { return false }
    await run.stop()
    await run.replied()
    return true
  }

  private func check(_ last: EventID, in id: SessionID) async throws {
    guard last.conversation == id else { throw Problem.unknownEventID }
    let isKnown = state.withLock { $0.run(of: id)?.name == last.run }
    if isKnown { return }
    let events = try await Problem.translating { try await desk.store.events(of: id) }
    guard last.base.isIn(events) else { throw Problem.unknownEventID }
  }

  /// Makes this the conversation's reply unless another one is being written. Suggestions for the last
  /// message end with the next.
  ///
  /// - Returns: The other reply; nil if there is none.
  private func reserve(_ run: Run) async throws -> Run? {
    while true {
      let other = try state.withLock { state throws(Problem) -> Run? in
        if state.isStopping { throw .stopping }
        if let other = state.runs[run.conversation], other.phase != .over { return other }
        state.runs[run.conversation] = run
        state.past.remove(run.conversation)
        return nil
      }
      guard let other else { return nil }
      if other.phase == .replying, other.purpose != .step { return other }
      if other.purpose != .step { other.cancel() }
      await other.finished()
    }
  }

  /// Makes this the conversation's only run. A reply whose end the client may have seen is awaited.
  ///
  /// - Throws: ``Problem`` if a reply is being written that is not waited for.
  private func reserveAlone(_ run: Run, waiting: Bool = false) async throws {
    while let other = try await reserve(run) {
      guard waiting || other.hasEnded else { throw Problem.busy }
      await other.replied()
    }
  }

  private func start(_ run: Run, _ work: @escaping @Sendable () async throws -> Void) {
    run.start { [self] in
      do {
        try await work()
      } catch {
        fail(run, error)
      }
      state.withLock { $0.hasWritten = true }
    } onEnd: { [self] in
      let bytes = run.bytes
      let forgotten = state.withLock { state -> [Run] in
        guard state.runs[run.conversation] === run else { return [] }
        state.runs[run.conversation] = nil
        return state.past.keep(run, bytes: bytes)
      }
      // Freed here, where nobody waits for the lock.
      withExtendedLifetime(forgotten) {}
    }
  }

  private func fail(_ run: Run, _ error: any Error) {
    let problem = Problem(error)
    if problem.status.kind == .serverError, problem != .stopping {
      note(failureOf: run, code: problem.code, cause: problem.cause ?? "\(type(of: error))")
    }
    guard !run.refuse(problem) else { return }
    run.add(problem.notice)
    if !run.hasEnded {
      run.add(
        .doneJSON(.notStarted, conversation: run.conversation, lastMessage: nil, usage: .init()))
      run.note(.notStarted)
    }
  }

  /// The cause may hold a path, but never anybody's words, which a model's server can repeat in an error.
  private func note(failureOf run: Run, code: String, cause: String?) {
    metrics.replyFailed(code)
    warn("A reply failed", run, code: code, cause: cause)
  }

  private func warn(_ message: Logger.Message, _ run: Run, code: String, cause: String? = nil) {
    var metadata: Logger.Metadata = [
      "conversation": "\(run.conversation)", "code": "\(code)", "hb.request.id": "\(run.request)",
    ]
    metadata["cause"] = cause.map { "\($0)" }
    logger.warning(message, metadata: metadata)
  }

  private func refuseIfStopping() throws(Problem) {
    if state.withLock(\.isStopping) { throw .stopping }
  }
}

// What clients send again.
extension Conversations {
  /// The replies to a person that are being written.
  func runs(for person: PersonID) -> [Run] {
    state.withLock { state in state.runs.values.filter { $0.person == person } }
  }

  /// How the client asked for the conversation's last reply; nil if that is not remembered.
  func manner(in id: SessionID) -> ChatRequest.Manner? {
    state.withLock { $0.run(of: id)?.manner }
  }

  /// The conversation that began like this, if nobody has got the reply.
  func conversation(openedBy opening: ChatRequest.Opening) -> SessionID? {
    state.withLock { state in
      guard let id = state.openings[opening], state.run(of: id)?.isDelivered == false else {
        return nil
      }
      return id
    }
  }

  /// Whether this is what was said last in the conversation, and nobody has got the reply.
  func isUndelivered(_ text: String?, in id: SessionID) -> Bool {
    guard let text, let run = state.withLock({ $0.run(of: id) }) else { return false }
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
    try refuseIfStopping()
    let run = Run(id, for: .step)
    try await reserveAlone(run, waiting: waiting)
    defer {
      run.completeReply()
      run.start {}
      state.withLock { $0.hasWritten = true }
    }
    return try await work()
  }

  /// Starts waiting for a document, or finds what waits for it already.
  func document(
    for id: SessionID, _ work: @escaping @Sendable (Run) async throws -> Void
  ) async throws -> Run {
    try refuseIfStopping()
    let waiting = state.withLock { $0.runs[id] }
    if let waiting, waiting.purpose == .document, waiting.phase != .over { return waiting }
    let run = Run(id, for: .document)
    if let other = try await reserve(run) {
      guard other.purpose == .document else { throw Problem.busy }
      return other
    }
    start(run) { try await work(run) }
    return run
  }

  /// Whether a reply is being written.
  func isReplying(in id: SessionID) -> Bool {
    state.withLock { $0.runs[id] }.map { $0.purpose == .reply && $0.phase == .replying } ?? false
  }
}

// Writing a reply.
extension Conversations {
  private func answer(
    _ request: ChatRequest, _ run: Run, _ desk: CoachDesk, _ caller: Caller, hasTurn: Bool
  ) async throws {
    let conversation = try await desk.open(
      run.conversation, clientMessageID: request.clientMessageID, asRehearsal: request.isRehearsal,
      language: caller.language, timing: metrics.stored)
    if let position = request.position(in: conversation.events, desk.pack) {
      return try await repeatStored(conversation, after: position, run, caller, because: "repeated")
    }
    try await requireEntitlement(conversation, desk)
    let act = try await act(request.act, conversation.engine)
    if !hasTurn { try await limits.takeTurn(caller, desk) }
    run.open(after: conversation.base)
    try await write(run, conversation, caller, hasTurn: true, act)
  }

  private func requireEntitlement(
    _ conversation: OpenConversation, _ desk: CoachDesk
  ) async throws {
    guard conversation.events.start?.source != .rehearsal, !conversation.events.isEmpty,
      !conversation.isFree
    else { return }
    try await Problem.translating { try await desk.requireFreeDiscovery(besides: conversation.id) }
  }

  private typealias Act = @Sendable (IntakeEngine, @escaping IntakeEngine.Show) async throws -> Void

  /// What the request asks of the engine. Refuses what cannot be said before anything is stored.
  private func act(_ act: ChatRequest.Act, _ engine: IntakeEngine) async throws -> Act {
    switch act {
    case .firstMessage: return { engine, show in try await engine.open(show: show) }
    case .message(let text):
      if let refusal = engine.refusal(of: text) { throw Problem(refusal) }
      return { engine, show in try await engine.say(text, show: show) }
    case .choice(let id): return try await self.act(choosing: id, engine)
    }
  }

  private func act(choosing id: String, _ engine: IntakeEngine) async throws -> Act {
    let choices = await engine.choices
    guard let choice = choices.first(where: { $0.id == id }) else {
      throw Problem.choiceNotOffered(choices)
    }
    if id == SessionOutput.Choice.inOwnWords {
      throw Problem.badRequest(
        "This one is answered in words: send how you'd rather have it as message.", field: "choice")
    }
    return { engine, show in try await engine.say(choice.label, show: show) }
  }

  /// - Parameters:
  ///   - repeated: What was stored since the client's last event, if that was repeated.
  ///   - hasTurn: Whether models may be asked for more than the reply.
  private func write(
    _ run: Run, _ conversation: OpenConversation, _ caller: Caller,
    repeated: [RecordedEvent]? = nil, hasTurn: Bool, _ act: Act
  ) async throws {
    let desk = desk.serving(conversation.person)
    defer {
      if let events = conversation.log.known { desk.recent.keep(events, of: conversation.id) }
    }
    do {
      try await write(run, conversation, repeated, hasTurn, desk, act)
    } catch {
      await limits.count(conversation.meter.count, by: caller, desk)
      throw error
    }
    await limits.count(conversation.meter.count, by: caller, desk)
  }

  private func write(
    _ run: Run, _ conversation: OpenConversation, _ repeated: [RecordedEvent]?, _ hasTurn: Bool,
    _ desk: CoachDesk, _ act: Act
  ) async throws {
    let engine = conversation.engine
    let hadCompleted = repeated?.contains { $0.event == .discoveryCompleted } ?? false
    let forgetting = Mutex<[Task<Void, Never>]>([])
    run.onStop { await engine.settleForWhatCame() }
    conversation.meter.keepPace { await run.catchUp() }
    defer { conversation.meter.keepPace {} }
    try await act(engine) { [self] output in
      if case .resumed = output, repeated != nil { return }
      let output = hadCompleted ? output.announcingTheEnd : output
      metrics.note(output)
      if case .notice(let notice) = output {
        if notice.isModelFailure {
          note(failureOf: run, code: notice.code, cause: nil)
        } else if notice.isModelTrouble {
          metrics.noticed(notice.code)
          warn("The model gave trouble", run, code: notice.code)
        }
        if desk.forgetsHealth(after: notice) {
          forgetting.withLock { $0.append(Task { await desk.forgetHealth(after: notice) }) }
        }
      }
      if let wait = run.add(output, conversation) { metrics.firstToken(after: wait) }
    }
    for task in forgetting.withLock(\.self) { await task.value }
    if !run.hasEnded { run.add(.done(await engine.endOfCutPass), conversation) }
    if let journey = conversation.journey {
      let screen = try await journey.conversationAdvanced()
      run.add([StreamEvent(screen.json(at: conversation.log.position))])
    }
    run.completeReply()
    if !run.hasFailed, let starters = await engine.starters(asksModel: hasTurn) {
      run.add(.starters(starters), conversation)
    }
  }

  /// Resumes the conversation. After a restart, repeats what was stored since the reply began.
  private func catchUp(
    _ run: Run, after base: EventID.Base?, _ desk: CoachDesk, _ caller: Caller
  ) async throws {
    let conversation = try await openInTurn(run, after: base, desk)
    if let base {
      try await repeatStored(conversation, after: base.position, run, caller, because: "stopped")
    } else {
      let hasTurn = try await takeTurnIfOwed(conversation, caller)
      run.open(after: conversation.base)
      try await write(run, conversation, caller, hasTurn: hasTurn) { engine, show in
        try await engine.open(show: show)
      }
    }
  }

  /// Coming back costs nothing; what the coach still owes costs a turn.
  ///
  /// - Returns: Whether a turn was taken.
  private func takeTurnIfOwed(
    _ conversation: OpenConversation, _ caller: Caller
  ) async throws -> Bool {
    let engine = conversation.engine
    guard !conversation.isRehearsal, await engine.state.nextStep(engine.settings).asksModel
    else { return false }
    try await limits.takeTurn(caller, desk.serving(conversation.person))
    return true
  }

  private func repeatStored(
    _ conversation: OpenConversation, after position: Int, _ run: Run, _ caller: Caller,
    because reason: String
  ) async throws {
    run.open(after: EventID.Base(after: conversation.events.filter { $0.position <= position }))
    run.add(["type": "restart", "reason": .string(reason)])
    let repeated = conversation.events.filter { $0.position > position }
    let held = conversation.events.heldTurns
    for recorded in repeated {
      guard let message = StoredMessage(recorded, held: held) else { continue }
      // A summary comes with the profile that it's of.
      if message.purpose == .summary,
        let synthesis = conversation.events.synthesis(before: message.position)
      {
        run.add(
          SessionOutput.profile(synthesis.system, isMinimal: synthesis.isMinimal).json)
      }
      run.add(message.json(in: conversation.id))
    }
    let hasTurn: Bool
    do {
      hasTurn = try await takeTurnIfOwed(conversation, caller)
    } catch {
      // What was stored is never refused.
      run.add(Problem(error).notice)
      run.add(.done(await conversation.engine.endOfCutPass), conversation)
      return
    }
    try await write(run, conversation, caller, repeated: repeated, hasTurn: hasTurn) {
      engine, show in try await engine.open(show: show)
    }
  }

  /// Waits while another process writes, and tells the reader so.
  private func openInTurn(
    _ run: Run, after base: EventID.Base?, _ desk: CoachDesk
  ) async throws -> OpenConversation {
    while true {
      do {
        return try await desk.open(run.conversation, timing: metrics.stored)
      } catch let problem as Problem where problem.code == "conversation-held" {
        if !run.isOpen {
          let events = try await desk.store.events(of: run.conversation)
          run.open(after: base ?? EventID.Base(after: events))
          run.add(["type": "waiting", "for": "writer"])
        }
        try await desk.store.waitForWriter(of: run.conversation, atMost: .seconds(1))
      }
    }
  }
}

extension ChatRequest {
  /// The position after which this very request was stored; nil if it was not.
  fileprivate func position(in events: [RecordedEvent], _ pack: PromptPack) -> Int? {
    if let repeatedPosition { return repeatedPosition - 1 }
    guard let clientMessageID else { return nil }
    // The request that begins a conversation names it.
    if act == .firstMessage { return conversation == nil && !events.isEmpty ? 0 : nil }
    return RequestLog.positions(before: clientMessageID, in: events).first { position in
      isStored(after: position, in: events, pack)
    }
  }

  /// Whether the message behind a request's name is this one. Other words under the same name are another
  /// message, which must not be lost.
  private func isStored(
    after position: Int, in events: [RecordedEvent], _ pack: PromptPack
  ) -> Bool {
    guard let text else { return true }
    for recorded in events where recorded.position > position {
      if let message = StoredMessage(recorded), !message.isFromCoach {
        return message.text.withoutOuterBlanks == text.withoutOuterBlanks
      }
      switch recorded.event {
      case .paywallDeclined, .entitled: return pack.answersPaywall(text)
      default: continue
      }
    }
    return true
  }

  /// Whether the reply to this very request is the one that is being written.
  fileprivate func isRepeated(in run: Run) -> Bool {
    let isNamed = clientMessageID != nil && clientMessageID == run.clientMessageID
    return (isNamed || takesRepeats) && text == run.said
  }
}

extension Problem {
  /// As the stream tells of it.
  fileprivate var notice: JSONValue {
    [
      "type": "notice", "level": "error", "code": .string(code), "text": .string(message),
      "again": true,
    ]
  }
}

extension [RecordedEvent] {
  /// The last coaching system that was written before a position.
  fileprivate func synthesis(before position: Int) -> Synthesis? {
    for recorded in reversed() where recorded.position < position {
      if case .synthesised(let synthesis) = recorded.event { return synthesis }
    }
    return nil
  }
}

extension IntakeStep {
  /// Whether a model is asked for it. Those that only lead to such a step are stored at once.
  fileprivate var asksModel: Bool {
    switch self {
    case .greet, .score, .ask, .checkIn, .offer, .reply, .synthesise, .confirm, .coach: true
    case .awaitUser, .care, .askBody, .askCorrection, .letWait, .noteBody, .complete, .askPlainly,
      .subscribe, .declinePaywall, .hold, .paywall, .releaseHeld, .end:
      false
    }
  }
}

extension SessionOutput {
  /// The same, and the end of a pass says that the discovery is complete.
  fileprivate var announcingTheEnd: SessionOutput {
    guard case .done(var done) = self, !done.failed else { return self }
    done.discoveryComplete = true
    return .done(done)
  }
}

extension IntakeEngine {
  /// The end of a pass that was cut before it could say so.
  fileprivate var endOfCutPass: SessionOutput.Done {
    var done = SessionOutput.Done.notStarted
    (done.turn, done.phase) = (state.turns.count, state.shownPhase)
    return done
  }
}

extension Run {
  /// - Returns: How long the first words took, with those words.
  @discardableResult
  fileprivate func add(_ output: SessionOutput, _ conversation: OpenConversation) -> Duration? {
    defer { post(output, conversation) }
    switch output {
    case .delta, .message: return takeFirstWords()
    default: return nil
    }
  }

  private func post(_ output: SessionOutput, _ conversation: OpenConversation) {
    switch output {
    case .done(let done):
      let system = done.discoveryComplete ? conversation.log.system : nil
      add(
        .doneJSON(
          done, conversation: self.conversation, lastMessage: conversation.log.lastMessage,
          usage: conversation.meter.count, system: system))
      note(done)
    case .message(let message) where message.purpose != .confirmation:
      let id = conversation.log.lastMessage.map { JSONValue.string("\(self.conversation).\($0)") }
      add(output.json.adding([("message_id", id ?? .null)]))
    default: add(StreamEvent.events(for: output))
    }
  }
}

extension JSONValue {
  static func doneJSON(
    _ done: SessionOutput.Done, conversation: SessionID, lastMessage: Int?,
    usage: TokenMeter.Count, system: JSONValue? = nil
  ) -> JSONValue {
    var members: [(String, JSONValue)] = [
      ("conversation_id", .string(conversation.rawValue)),
      ("message_id", lastMessage.map { .string("\(conversation).\($0)") } ?? .null),
      ("usage", usage.json),
    ]
    if let system { members.append(("discovery_context_profile", system)) }
    return SessionOutput.done(done).json.adding(members)
  }

  func adding(_ members: [(String, JSONValue)]) -> JSONValue {
    .object(JSONObject((objectValue.map(Array.init) ?? []).map { ($0.name, $0.value) } + members))
  }
}

// Deleting.
extension Conversations {
  /// Deletes a conversation for good.
  ///
  /// - Throws: ``Problem`` if a reply is being written, or another program has the store open.
  func forget(_ id: SessionID, by caller: Caller) async throws {
    let run = Run(id)
    try await reserveAlone(run)
    defer { run.start {} }
    let store = desk.store.belonging(to: caller.person)
    try await Problem.translating {
      let writer = try await store.acquireWriter(of: id)
      try await store.forget([id], givesSpaceBack: false)
      _ = desk.recent.take(id)
      withExtendedLifetime(writer) {}
    }
  }

  /// Deletes a person and everything they have. Replies that are being written end first.
  func deletePerson(_ caller: Caller) async throws -> DeletionReceipt {
    let store = desk.store.belonging(to: caller.person)
    let sessions = try await Problem.translating { try await store.sessions().map(\.id) }
    let runs = state.withLock { state in
      for id in sessions { state.past.remove(id) }
      return sessions.compactMap { state.runs.removeValue(forKey: $0) }
    }
    for run in runs {
      run.cancel()
      await run.finished()
    }
    return try await Problem.translating {
      try await desk.accounts?.forget(caller.person)
      let receipt = try await store.deletePerson(at: desk.now())
      for id in sessions { _ = desk.recent.take(id) }
      return receipt
    }
  }
}

// Keeping house.
extension Conversations {
  /// Wakes the readers of quiet streams.
  func beat() {
    for run in state.withLock({ Array($0.runs.values) }) { run.beat() }
  }

  /// Forgets old replies, and moves the log into the store.
  func tick() async {
    let hasWritten = state.withLock { state in
      // Replies move on by themselves.
      state.runs = state.runs.filter { $0.value.purpose == .reply || $0.value.phase != .over }
      state.past.forgetOld()
      state.openings = state.openings.filter { state.run(of: $0.value)?.isDelivered == false }
      defer { state.hasWritten = false }
      return state.hasWritten
    }
    if hasWritten { _ = try? await desk.store.checkpoint() }
  }

  /// Takes no more requests, and waits for the replies; cancels those that take longer than this.
  func stop(within grace: Duration) async {
    let runs = state.withLock { state in
      state.isStopping = true
      return state.runs.values.filter { $0.phase != .over }
    }
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
