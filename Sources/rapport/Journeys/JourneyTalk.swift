import Coaching
import Commands
import FoundationEssentials
import IncrementalJSON
import Intake
import Journeys
import Plans
import Rehearsal
import SessionStore
import Startup
import Synchronization
import Terminal

/// Runs a journey's conversation: the coach, on the same session.
///
/// Models are set up only here, so that a journey sends no request before its conversation.
struct JourneyTalk {
  let engine: JourneyEngine
  let pack: PromptPack
  let log: SQLiteSessionLog
  let store: SessionStore
  let session: SessionID
  let context: CommandContext
  let terminal: TTY
  let coach: JourneyCoach
  let isJSON: Bool
  let resume: ResumeCommand
  let health: HealthChoice

  /// What was named with `--health` or `--no-health`.
  struct HealthChoice {
    var file: HealthFile?
    var isRefused = false
  }

  enum Outcome {
    /// The journey continues with this screen.
    case screen(JourneyScreen)
    case ended(JourneyRun.Ending)
  }

  var alphabet: BarChart.Alphabet { BarChart.Alphabet(environment: context.environment) }

  func run() async throws -> Outcome {
    guard let input = await engine.conversation else { return .screen(await engine.screen) }
    let (coach, models) = try await coach.choice(asks: !isJSON)
    if models != nil, input.hasPaywall { try refuseSecondDiscovery() }
    let intake = try await IntakeEngine(
      log: log, coach: coach, pack: pack, settings: await engine.intakeSettings(for: input),
      entitlements: models == nil
        ? InMemoryEntitlement(try store.entitlement()) : StoredEntitlement(store: store),
      surroundings: try .coached(by: pack, cycle: pack.dayCycle).reading(
        with: .encoder(for: pack.rubric)),
      now: { Date() })
    let outcome =
      isJSON ? try await exchange(intake, models) : try await converse(intake, models)
    models?.remember()
    return outcome
  }

  /// With a model, each store has one free discovery, whichever way it was begun.
  private func refuseSecondDiscovery() throws {
    guard try store.entitlement() == nil, try store.hasFinishedDiscovery(),
      try store.finishedDiscovery() != session
    else { return }
    throw CommandFailure(
      .usage,
      "We've already had our first conversation. `rapport subscribe` lets us continue (it is a stub "
        + "and takes no money).")
  }

  private func link(_ intake: IntakeEngine, _ models: ModelSetup?) async throws -> HealthFeed {
    try await HealthConsent(
      store: store, engine: intake, rubric: pack.rubric, terminal: terminal,
      speaksOnlyIfNamed: models == nil, asks: terminal.isInteractive && !isJSON,
      isForPrograms: isJSON
    ).link(health.file, isRefused: health.isRefused)
  }

  private func assistant(_ intake: IntakeEngine) throws -> TypingAssistant {
    TypingAssistant(
      engine: intake, rubric: pack.rubric, isPerson: !isJSON, asksModels: true,
      previews: try context.previews() && !isJSON, showsInsight: false)
  }

  private func isOver() async -> Bool {
    do {
      _ = try await engine.conversationAdvanced()
    } catch {
      // The log can't be read; the next message says so.
      return false
    }
    return await engine.conversation == nil
  }
}

/// The topics as they were shown last.
private final class ShownTopics: Sendable {
  private let segments: Mutex<[JourneyScreen.Segment]>

  init(_ screen: JourneyScreen) { segments = Mutex(screen.segments) }

  /// Whether the screen's topics look different now.
  func change(to screen: JourneyScreen) -> Bool {
    segments.withLock { shown in
      defer { shown = screen.segments }
      return shown != screen.segments
    }
  }
}

// A person, or lines of text.
extension JourneyTalk {
  /// Shows how full the topics are whenever that has changed.
  private func isOverWithTopics(_ topics: ShownTopics) async -> Bool {
    if await isOver() { return true }
    let screen = await engine.screen
    if terminal.isInteractive, topics.change(to: screen) {
      let text = ScreenLines(screen: screen, alphabet: alphabet).topics
      terminal.writeNote(terminal.wrapped(text), as: .dim)
    }
    return false
  }

  /// Somebody who has subscribed in a journey's last step is talking with their coach.
  private func goesOn(_ intake: IntakeEngine) async -> Bool {
    let isLast = await engine.screen.kind == .end
    return isLast && terminal.isInteractive ? await intake.state.isCoaching : false
  }

  private func converse(_ intake: IntakeEngine, _ models: ModelSetup?) async throws -> Outcome {
    let tip = await engine.tip
    if terminal.isInteractive {
      let back = await engine.screen.back == .none ? nil : "\(Conversation.backSign) goes back"
      let ways = [back, tip.map { _ in "\(Conversation.tipSign) says why" }].compactMap(\.self)
      if !ways.isEmpty {
        terminal.writeNote("Alone on a line, \(ways.joined(separator: " and ")).", as: .dim)
      }
    }
    let view = ConversationView(
      terminal: terminal, rubric: pack.rubric, alphabet: alphabet, resume: resume.whole)
    let insight = InsightText(
      rubric: pack.rubric, width: terminal.size.columns, alphabet: alphabet)
    let topics = ShownTopics(await engine.screen)
    let health = try await link(intake, models)
    let conversation = Conversation(
      engine: intake, terminal: terminal, view: view, interrupts: .process,
      executor: models?.networkThread, insight: insight, health: health,
      assistant: terminal.isInteractive ? try assistant(intake) : nil,
      notebook: Notebook(pack), forget: { try store.forget(session) }, recording: nil,
      logged: { try store.events(of: session) }, home: context.environment["HOME"],
      editor: ExternalEditor(environment: context.environment),
      isOver: { await isOverWithTopics(topics) ? await !goesOn(intake) : false }, tip: tip,
      explain: { ReportedFailure($0, resuming: resume) })
    let ending = await conversation.run()
    health.stop()
    switch ending {
    case .over: return .screen(await engine.screen)
    case .back: return .screen(try await engine.take(.back))
    case .left:
      return await engine.conversation == nil ? .screen(await engine.screen) : .ended(.left)
    case .forgotten: return .ended(.finished)
    case .interrupted: return .ended(.interrupted)
    case .failed(let status): return .ended(.failed(status))
    }
  }
}

// A program.
extension JourneyTalk {
  /// What the coach says is printed as `rapport chat --json` prints it; a message is an answer.
  private func exchange(_ intake: IntakeEngine, _ models: ModelSetup?) async throws -> Outcome {
    let view = JSONLinesView(terminal: terminal)
    let health = try await link(intake, models)
    defer { health.stop() }
    let assistant = try assistant(intake)
    let topics = ShownTopics(await engine.screen)
    let held = Mutex<[SessionOutput]>([])
    // A reply ends with `done`, so it comes behind the topics.
    let fault = Mutex<StoreError?>(nil)
    let show: IntakeEngine.Show = { output in
      do throws(StoreError) {
        try health.heed(output)
      } catch {
        fault.withLock { $0 = error }
      }
      if case .done = output { held.withLock { $0.append(output) } } else { view.show(output) }
      if let remedy = health.remedy(after: output) { view.note(remedy) }
    }
    func pass(_ act: () async throws -> Void) async throws {
      view.speak(await intake.screenTexts())
      await health.settle(terminal)
      if let notice = health.newNotice() { view.note(notice) }
      try await act()
      if let fault = fault.withLock(\.self) { throw fault }
    }
    try await pass { try await intake.open(show: show) }
    while true {
      let isOver = await isOver()
      let screen = await engine.screen
      if !isOver, topics.change(to: screen) { terminal.writeRecord(screen.json.serialized()) }
      for output in held.withLock({ outputs in
        defer { outputs = [] }
        return outputs
      }) { view.show(output) }
      if isOver { return .screen(screen) }
      let aid = await assistant.accompany(view)
      let input = await terminal.readLine(prompt: "")
      await aid.end()
      switch input {
      case .interrupted: return .ended(.interrupted)
      case .endOfInput: return .ended(.left)
      case .line(let line):
        switch JourneyLine(line, at: screen.step) {
        case .blank: continue
        case .mistake(let words): JourneyLine.report(words, terminal)
        case .input(.answer(let answer)):
          guard let text = answer.stringValue else {
            JourneyLine.report("A message is a text: {\"answer\": \"…\"}.", terminal)
            continue
          }
          try await pass { try await intake.say(text, show: show) }
        case .input(let input):
          if case .screen(let next) = try await step(input) { return .screen(next) }
        }
      }
    }
  }

  /// Back or the tip. Either way the program gets a screen.
  private func step(_ input: JourneyInput) async throws -> Outcome? {
    let screen = try await engine.take(input)
    if screen.kind == .conversation {
      terminal.writeRecord(screen.json.serialized())
      return nil
    }
    return .screen(screen)
  }
}
