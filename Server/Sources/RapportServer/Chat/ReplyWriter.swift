import IncrementalJSON
import Intake
import Journeys
import Logging
import SessionStore
import Synchronization

/// Writes one reply: opens the conversation, asks its engine, and adds what comes of it to the run.
struct ReplyWriter: Sendable {
  let run: Run
  let conversations: Conversations
  /// The caller's own.
  let desk: CoachDesk
  let caller: Caller

  private var limits: Limits { conversations.limits }
  private var metrics: ServerMetrics { conversations.metrics }

  /// - Parameter hasTurn: Whether the request's turn is taken already.
  func answer(_ request: ChatRequest, hasTurn: Bool) async throws {
    let conversation = try await desk.open(
      run.conversation, clientMessageID: request.clientMessageID, asRehearsal: request.isRehearsal,
      language: caller.language, timing: metrics.stored)
    if let position = request.position(in: conversation.events, desk.pack) {
      return try await repeatStored(conversation, after: position, because: "repeated")
    }
    if conversation.needsEntitlement {
      try await desk.requireFreeDiscovery(besides: conversation.id)
    }
    let act = try await act(request.act, conversation.engine)
    if !hasTurn { try await limits.takeTurn(caller, desk) }
    run.open(after: conversation.base)
    try await write(conversation, hasTurn: true, act)
  }

  /// Resumes the conversation. After a restart, repeats what was stored since the reply began.
  func catchUp(after base: EventID.Base?) async throws {
    let conversation = try await openInTurn(after: base)
    if let base {
      try await repeatStored(conversation, after: base.position, because: "stopped")
    } else {
      let hasTurn = try await takeTurnIfOwed(conversation)
      run.open(after: conversation.base)
      try await write(conversation, hasTurn: hasTurn, Self.resuming)
    }
  }

  /// Waits while another process writes, and tells the reader so.
  private func openInTurn(after base: EventID.Base?) async throws -> OpenConversation {
    while true {
      do {
        return try await desk.open(run.conversation, timing: metrics.stored)
      } catch  where Problem(error).code == "conversation-held" {
        if !run.isOpen {
          let events = try await desk.store.events(of: run.conversation)
          run.open(after: base ?? EventID.Base(after: events))
          run.add(["type": "waiting", "for": "writer"])
        }
        try await desk.store.waitForWriter(of: run.conversation, atMost: .seconds(1))
      }
    }
  }

  /// Coming back costs nothing; what the coach still owes costs a turn.
  ///
  /// - Returns: Whether a turn was taken.
  private func takeTurnIfOwed(_ conversation: OpenConversation) async throws -> Bool {
    guard !conversation.isRehearsal, await conversation.engine.owesReply else { return false }
    try await limits.takeTurn(caller, desk)
    return true
  }

  private func repeatStored(
    _ conversation: OpenConversation, after position: Int, because reason: String
  ) async throws {
    let events = conversation.events
    run.open(after: EventID.Base(after: events.filter { $0.position <= position }))
    run.add(["type": "restart", "reason": .string(reason)])
    let repeated = events.filter { $0.position > position }
    let held = events.heldTurns
    for recorded in repeated {
      guard let message = StoredMessage(recorded, held: held) else { continue }
      // A summary comes with the profile that it's of.
      if message.purpose == .summary, let synthesis = events.synthesis(before: message.position) {
        let profile = SessionOutput.profile(synthesis.system, isMinimal: synthesis.isMinimal)
        run.add(profile.json)
      }
      run.add(message.json(in: conversation.id))
    }
    let hasTurn: Bool
    do {
      hasTurn = try await takeTurnIfOwed(conversation)
    } catch {
      // What was stored is never refused.
      run.add(Problem(error).notice)
      run.add(.done(await conversation.engine.endOfCutPass), conversation)
      return
    }
    try await write(conversation, repeated: repeated, hasTurn: hasTurn, Self.resuming)
  }
}

// Asking the engine.
extension ReplyWriter {
  private typealias Act = @Sendable (IntakeEngine, @escaping IntakeEngine.Show) async throws -> Void

  private static let resuming: Act = { engine, show in try await engine.open(show: show) }

  /// What the request asks of the engine. Refuses what cannot be said before anything is stored.
  private func act(_ act: ChatRequest.Act, _ engine: IntakeEngine) async throws -> Act {
    switch act {
    case .firstMessage: return Self.resuming
    case .message(let text):
      if let refusal = engine.refusal(of: text) { throw Problem(refusal) }
      return { engine, show in try await engine.say(text, show: show) }
    case .choice(let id):
      let choices = await engine.choices
      guard let choice = choices.first(where: { $0.id == id }) else {
        throw Problem.choiceNotOffered(choices)
      }
      if id == SessionOutput.Choice.inOwnWords {
        throw Problem.badRequest(
          "This one is answered in words: send how you'd rather have it as message.",
          field: "choice")
      }
      return { engine, show in try await engine.say(choice.label, show: show) }
    }
  }

  /// - Parameters:
  ///   - repeated: What was stored since the client's last event, if that was repeated.
  ///   - hasTurn: Whether models may be asked for more than the reply.
  private func write(
    _ conversation: OpenConversation, repeated: [RecordedEvent]? = nil, hasTurn: Bool, _ act: Act
  ) async throws {
    defer {
      if let events = conversation.log.known { desk.recent.keep(events, of: conversation.id) }
    }
    do {
      try await perform(act, conversation, repeated, hasTurn)
    } catch {
      await limits.count(conversation.meter.count, by: caller, desk)
      throw error
    }
    await limits.count(conversation.meter.count, by: caller, desk)
  }

  private func perform(
    _ act: Act, _ conversation: OpenConversation, _ repeated: [RecordedEvent]?, _ hasTurn: Bool
  ) async throws {
    let engine = conversation.engine
    let hadCompleted = repeated?.contains { $0.event == .discoveryCompleted } ?? false
    let forgetting = Mutex<[Task<Void, Never>]>([])
    run.onStop { await engine.settleForWhatCame() }
    conversation.meter.keepPace { [run] in await run.catchUp() }
    defer { conversation.meter.keepPace {} }
    try await act(engine) { [self] output in
      if case .resumed = output, repeated != nil { return }
      let output = hadCompleted ? output.announcingTheEnd : output
      metrics.note(output)
      if case .notice(let notice) = output {
        note(notice)
        if let end = notice.endOfHealth {
          forgetting.withLock { $0.append(Task { await desk.forgetHealth(end) }) }
        }
      }
      if let wait = run.add(output, conversation) { metrics.firstToken(after: wait) }
    }
    for task in forgetting.withLock(\.self) { await task.value }
    if !run.hasEnded { run.add(.done(await engine.endOfCutPass), conversation) }
    if let journey = conversation.journey {
      let screen = try await journey.conversationAdvanced()
      run.add(screen.json(at: conversation.log.position))
    }
    run.completeReply()
    if !run.hasFailed, let starters = await engine.starters(asksModel: hasTurn) {
      run.add(.starters(starters), conversation)
    }
  }

  private func note(_ notice: SessionOutput.Notice) {
    if notice.isModelFailure {
      conversations.note(failureOf: run, code: notice.code, cause: nil)
    } else if notice.isModelTrouble {
      metrics.noticed(notice.code)
      conversations.warn("The model gave trouble", run, code: notice.code)
    }
  }
}

extension OpenConversation {
  /// Whether only somebody with a subscription, or without a finished discovery, may continue it.
  fileprivate var needsEntitlement: Bool {
    events.start?.source != .rehearsal && !events.isEmpty && !isFree
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
