import Cassettes
import Commands
import Intake
import SessionStore
import Startup
import Synchronization
import Terminal

/// Runs a session at a terminal or over pipes: reads lines, passes them to the engine and handles
/// interrupts.
struct Conversation {
  let engine: IntakeEngine
  let terminal: any Terminal
  let view: any SessionView
  let interrupts: InterruptMonitor
  /// Where a turn runs; nil for the default executor.
  let executor: (any TaskExecutor)?
  /// Shows what is known; nil if outputs go to a program.
  let insight: InsightText?
  /// Receives the person's health data.
  let health: HealthFeed
  /// Helps with the next message; nil if nobody can use the help.
  var assistant: TypingAssistant?
  /// Shows the log, goals and reviews; nil if outputs go to a program.
  var notebook: Notebook?
  /// Permanently deletes the session.
  let forget: @Sendable () async throws -> Void
  /// Nil without `--record`.
  let recording: SessionRecording?
  /// Reads the session's log.
  var logged: @Sendable () throws -> [RecordedEvent] = { [] }
  /// What a journey offers again by now.
  var reminder: SessionOutput.Notice?
  /// The home folder, which a path may begin with as `~`.
  var home: String?
  /// Opens the person's editor.
  var editor = ExternalEditor(environment: [:])
  /// Tells a Ctrl-C that came too late to stop a reply.
  var grace = ReplyGrace()
  /// Logs requests; nil without `--log` and `--verbose`.
  var requests: RequestLog?
  /// Whether the journey's conversation step is over; nil outside a journey.
  var isOver: (@Sendable () async -> Bool)?
  /// The tip of the journey's step; nil if there is none.
  var tip: String?
  /// For telling how long a reading takes.
  var now: @Sendable () -> ContinuousClock.Instant = { .now }
  /// Turns an error into a message and an exit code.
  let explain: @Sendable (any Error) -> ReportedFailure

  /// How a conversation ended.
  enum Ending: Equatable {
    case left
    case forgotten
    case interrupted
    case failed(ExitStatus)
    /// The journey continues.
    case over
    /// The journey goes back.
    case back
  }

  /// What goes back in a journey, instead of a message.
  static let backSign = "<"
  /// Typed instead of a message, it shows the journey's tip.
  static let tipSign = "?"

  /// Sends one message, shows the reply and leaves. A recording starts with the coach's greeting,
  /// as every conversation does.
  func sayOnce(_ text: String) async -> Ending {
    if recording != nil, let ending = await open().ending { return ending }
    let ending = await say(text, noting: await engine.due()).ending
    return ending ?? (engine.refusal(of: text) == nil ? .left : .failed(.badData))
  }

  /// Runs until the person leaves or the input ends.
  func run() async -> Ending {
    var last = await open()
    var hasLostWords = false
    var hasHeard = false
    var words = health.words
    while true {
      // After a failed start, what is said next must still be stored.
      let isFailedStart = last == .modelFailed && !hasHeard
      if !isFailedStart, let ending = ending(after: last) { return ending }
      if let isOver, await isOver() { return .over }
      let prefill = words
      words = ""
      switch await nextLine(after: last, prefill: prefill) {
      case .interrupted: return terminal.isInteractive ? .left : .interrupted
      case .endOfInput: return ending(after: last) ?? (hasLostWords ? .failed(.badData) : .left)
      case .line(Self.backSign) where isOver != nil: return .back
      case .line(Self.tipSign) where tip != nil:
        terminal.writeNote(terminal.wrapped(tip ?? ""), as: .notice)
      case .line(let line):
        view.heard()
        hasHeard = true
        guard let next = await take(line) else { return .left }
        last = next
        if last == .forgotten { return .forgotten }
        if case .drafted(let draft) = last { words = draft }
        if case .tooLong = engine.refusal(of: line) { hasLostWords = !terminal.isInteractive }
      }
    }
  }

  private func open() async -> Pass {
    view.speak(await engine.screenTexts())
    if let reminder { view.note(reminder) }
    return await perform(.open) { show in try await engine.open(show: show) }
  }

  private func nextLine(after last: Pass, prefill: String) async -> LineInput {
    let aid = last.isFollowedByAMessage ? await assistant?.accompany(view) : nil
    let input = await terminal.readLine(
      prompt: await engine.screenTexts()(.you) + "  ", prefill: prefill,
      assist: keys(aid?.assist, after: last))
    await aid?.end()
    if let aid { assistant?.keep(rewrites: aid.rewrites) }
    return input
  }

  /// The assistant's keys, and those that work without it. What was typed before a reply was stopped
  /// is not sent.
  private func keys(_ assist: LineAssist?, after last: Pass) -> LineAssist {
    LineAssist(
      choose: { key, line in
        key == .edit ? edited(line) : completed(key, line) ?? assist?.choose?(key, line)
      },
      draft: assist?.draft, board: assist?.board, ignoresInterrupt: { grace.isFresh },
      holdsTypedAhead: last == .interrupted)
  }

  /// The path behind `/health`, completed; nil for any other line.
  private func completed(_ key: LineAssist.Key, _ line: String) -> String? {
    key == .tab ? PathCompleter(home: home).completion(ofCommand: line)?.line : nil
  }

  private func connect(_ path: String) async -> Pass {
    do {
      try health.connect(HealthFile(HealthFile.path(typed: path, home: home)))
      note("health-reading", "I'm looking at it. " + ScreenTexts.english(.healthSent))
    } catch {
      view.note(.init(code: "health", level: .error, text: "\(error)"))
    }
    return .went
  }

  /// Nil if the line stays as it is.
  private func edited(_ line: String) -> String? {
    switch editor.run(on: line) {
    case .text(let text): return text
    case .failed(let words):
      terminal.writeNote(words, as: .error)
      return nil
    }
  }

  /// How one pass ended.
  enum Pass: Equatable {
    case went
    case forgotten
    /// The model failed; the message is saved.
    case modelFailed
    case interrupted
    case terminated
    case failed(ExitStatus)
    /// Words to edit and send.
    case drafted(String)

    /// An interrupted reply is followed by a next message like any other.
    var isFollowedByAMessage: Bool {
      switch self {
      case .went, .interrupted, .drafted: true
      case .forgotten, .modelFailed, .terminated, .failed: false
      }
    }

    var ending: Ending? {
      switch self {
      case .went, .drafted: nil
      case .forgotten: .forgotten
      case .modelFailed: .failed(.modelUnreachable)
      case .interrupted, .terminated: .interrupted
      case .failed(let status): .failed(status)
      }
    }
  }

  /// At a terminal the person sees the error and decides; a program gets the exit code.
  private func ending(after pass: Pass) -> Ending? {
    switch pass {
    case .modelFailed, .interrupted: terminal.isInteractive ? nil : pass.ending
    case .went, .forgotten, .terminated, .failed, .drafted: pass.ending
    }
  }

  /// Nil if the person wants to leave.
  private func take(_ line: String) async -> Pass? {
    if terminal.isInteractive {
      switch SlashCommand.read(line) {
      case .message: break
      case .command(let command): return await take(command)
      case .edit(let words): return await edit(words)
      case .connect(let path): return await connect(path)
      case .unknown(let name):
        view.note(.unknownCommand(name))
        return .went
      }
    }
    return await say(line)
  }

  /// - Parameter due: What else to show at the end, unless the message needed care.
  private func say(_ text: String, noting due: SessionOutput.Notice? = nil) async -> Pass {
    view.speak(await engine.screenTexts(hearing: text))
    let refusal = engine.refusal(of: text)
    let rewrites = assistant?.takeRewrites()
    let wasCared = Mutex(false)
    return await perform(refusal == .empty ? nil : .say(text), isRefused: refusal != nil) { show in
      try await engine.say(text, rewrites: rewrites) { output in
        switch output {
        case .message(let message) where message.purpose == .care: wasCared.withLock { $0 = true }
        case .done(let done) where !done.failed && !wasCared.withLock(\.self):
          if let due { show(.notice(due)) }
        default: break
        }
        show(output)
      }
    }
  }

  private func take(_ command: SlashCommand) async -> Pass? {
    switch command {
    case .help:
      let texts = await engine.screenTexts()
      aside(
        terminal.wrappedList(SlashCommand.list(texts, readsHealth: engine.pack.readsHealth)))
    case .insight: aside(terminal.wrapped(await knowledge()))
    case .health: aside(await health.page(terminal))
    case .log, .goals, .plan: await show(command)
    case .review: return await review()
    case .again: return await repeatReply()
    case .edit: return await edit("")
    case .done: return await say(IntakeEngine.endCommand)
    case .forget: return await forgetIfSure()
    case .quit: return nil
    }
    return .went
  }

  /// What coaching knows, on a page.
  private func show(_ command: SlashCommand) async {
    guard let notebook else { return }
    do {
      aside(terminal.wrapped(try notebook.page(command, try logged())))
    } catch {
      _ = fail(error)
    }
  }

  private func review() async -> Pass {
    guard let notebook else { return .went }
    do {
      let (review, events) = try notebook.review(try logged())
      try await engine.note(events)
      aside(terminal.wrapped(review))
      return .went
    } catch {
      return fail(error)
    }
  }

  private func edit(_ words: String) async -> Pass {
    switch await editor.edit(words) {
    case .text(let text): return .drafted(text)
    case .failed(let reason):
      view.note(.init(code: "editor-failed", level: .error, text: reason))
      return .drafted(words)
    }
  }

  private func repeatReply() async -> Pass {
    if await engine.state.nextStep(engine.settings) == .awaitUser {
      note("nothing-to-repeat", "My last reply is complete. What would you like to say?")
      return .went
    }
    return await perform(.again) { show in try await engine.again(show: show) }
  }

  private func knowledge() async -> String {
    let state = await engine.state
    let texts = await engine.screenTexts()
    guard let insight else { return "" }
    return insight.ledger(state, state.components(engine.settings), texts)
      + insight.person(state, await engine.signals, engine.pack, texts)
  }

  private func forgetIfSure() async -> Pass {
    note("forget", "This permanently deletes our whole conversation and everything I noted.")
    let texts = await engine.screenTexts()
    let reply = await terminal.readLine(prompt: texts(.forgetQuestion) + "  ")
    view.heard()
    let words = [texts, .english].flatMap { $0(.forgetAnswers).split(separator: " ") }
    guard case .line(let answer) = reply,
      words.contains(where: { [$0] == answer.lowercased().split(whereSeparator: \.isWhitespace) })
    else {
      note("forget-cancelled", "Nothing was deleted.")
      return .went
    }
    do {
      try await forget()
      recording?.discard()
      return .forgotten
    } catch {
      return fail(error)
    }
  }

  private func aside(_ text: String) {
    terminal.writeAside("\n" + text + "\n\n", as: .dim)
  }

  private func note(_ code: String, _ text: String) {
    view.note(.init(code: code, level: .info, text: text))
  }

  func fail(_ error: any Error) -> Pass {
    let failure = explain(error)
    view.note(failure.notice)
    return .failed(failure.status)
  }
}
