import Cassettes
import Commands
import Intake
import SessionStore
import Startup
import Synchronization
import Terminal

// One pass of the engine, and what can cut it short.
extension Conversation {
  func tellOfHealth() {
    if let notice = health.newNotice() { view.note(notice) }
  }

  /// - Parameter act: What the person does, for a recording; nil if it is not recorded.
  func perform(
    _ act: Cassette.Step.Act?, isRefused: Bool = false,
    _ pass: @escaping @Sendable (@escaping IntakeEngine.Show) async throws -> Void
  ) async -> Pass {
    let shown = Mutex("")
    if let act { recording?.begin(act) }
    let result = await perform(isRefused: isRefused) { show in
      try await pass { output in
        if case .delta(let piece, _) = output { shown.withLock { $0 += piece } }
        show(output)
      }
    }
    if act != nil {
      let isInterrupted = result == .interrupted || result == .terminated
      recording?.end(
        interruptedAfter: isInterrupted ? shown.withLock(\.self) : nil, await engine.state, logged)
    }
    return result
  }

  func perform(
    isRefused: Bool,
    _ pass: @escaping @Sendable (@escaping IntakeEngine.Show) async throws -> Void
  ) async -> Pass {
    let watch = PassWatch()
    // Ctrl-C answers without a reading that takes long, so that nothing has stopped.
    let answersUnread: @Sendable () -> Bool = {
      terminal.isInteractive && recording == nil && watch.readsTooLong(at: now())
    }
    let show: IntakeEngine.Show = { output in
      if case .notice(let notice) = output, notice.code == "cancelled", answersUnread() { return }
      watch.heed(output, isRefused: isRefused, at: now())
      do throws(StoreError) {
        try health.heed(output)
      } catch {
        watch.fault.withLock { $0 = error }
      }
      view.show(output)
      if let remedy = health.remedy(after: output) { view.note(remedy) }
      // Output that can't be shown must not count as said.
      if terminal.writeFailure != nil { withUnsafeCurrentTask { $0?.cancel() } }
    }
    // The next prompt switches it on again.
    terminal.setEcho(false)
    defer {
      terminal.clearStatus()
      for line in requests?.newLines() ?? [] { terminal.writeNote(line, as: .dim) }
      grace.replyEnded()
      // For a program a pass ends with `done`; late outputs come with the next pass.
      if terminal.isInteractive { tellOfHealth() }
    }
    do {
      let outcome = try await interrupts.cancelling(on: executor) {
        do {
          await health.settle(terminal)
          tellOfHealth()
          try await pass(show)
        } catch let error as StoreError {
          watch.fault.withLock { $0 = error }
          throw error
        }
      }
      // An interrupt hides what the task throws, but a storage failure must still be reported.
      if let fault = watch.fault.withLock(\.self) { return fail(fault) }
      if terminal.writeFailure != nil { return .failed(.cannotWrite) }
      switch outcome {
      case .interrupted(.terminate): return .terminated
      case .interrupted(.interrupt):
        guard answersUnread() else { return .interrupted }
        terminal.clearStatus()
        return await perform(isRefused: false) { show in
          try await engine.answerUnread(show: show)
        }
      case .finished: return watch.failed.withLock { $0 } ? .modelFailed : .went
      }
    } catch {
      return terminal.writeFailure == nil ? fail(error) : .failed(.cannotWrite)
    }
  }
}

/// What becomes of a pass, as its outputs tell.
private final class PassWatch: Sendable {
  let failed = Mutex(false)
  let fault = Mutex<StoreError?>(nil)
  private let reading = Mutex<ContinuousClock.Instant?>(nil)

  func readsTooLong(at now: ContinuousClock.Instant) -> Bool {
    reading.withLock { $0 }.map { $0.duration(to: now) >= StatusLine.hintWait } == true
  }

  func heed(_ output: SessionOutput, isRefused: Bool, at now: ContinuousClock.Instant) {
    switch output {
    case .waiting(.reading): reading.withLock { $0 = now }
    case .waiting(.writing), .delta, .message, .scored: reading.withLock { $0 = nil }
    case .done(let done): failed.withLock { $0 = done.failed && !isRefused }
    default: break
    }
  }
}
