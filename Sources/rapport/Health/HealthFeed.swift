import Commands
import ContextQuality
import HealthRecords
import Intake
import SessionStore
import Startup
import Synchronization
import Terminal

/// Brings health data into a running conversation.
///
/// A separate thread reads the data. The first reply waits briefly for it; anything later enters
/// before the engine's next step.
final class HealthFeed: Sendable {
  /// How long the greeting waits.
  static let patience = Duration.seconds(2)

  private struct State {
    var isReading = false
    /// Whether the person opted out.
    var isRefused = false
    /// Whether to discard whatever is still being read.
    var isDropped = false
    var notice: SessionOutput.Notice?
    /// What to do about old data, for after its announcement.
    var remedy: SessionOutput.Notice?
    var waiting: [Int: AsyncStream<Never>.Continuation] = [:]
    var next = 0
    var hasWaited = false
    /// The note that the next step starts with.
    var arrived: HealthNote?
    var progress = HealthReadProgress()
  }

  private let state = Mutex(State())
  private let engine: IntakeEngine
  private let clock: any Clock<Duration>
  private let today: String
  /// Deletes what is remembered; remembers an opt-out.
  private let drop: @Sendable (_ isRefused: Bool) throws(StoreError) -> Void
  /// Keeps data from entering mid-step: a recording names the step before which it arrived.
  private let entersBetweenSteps: Bool
  /// Starts reading a file that the person names in conversation.
  private let connect: @Sendable (HealthFeed, HealthFile) -> Void
  /// What the person wrote instead of answering the health offer, for the first message.
  let words: String

  init(
    engine: IntakeEngine, isRefused: Bool = false, entersBetweenSteps: Bool = false,
    notice: SessionOutput.Notice? = nil, remedy: SessionOutput.Notice? = nil, words: String = "",
    today: Day = .today,
    clock: any Clock<Duration> = ContinuousClock(),
    drop: @escaping @Sendable (_ isRefused: Bool) throws(StoreError) -> Void = { _ in },
    connect: @escaping @Sendable (HealthFeed, HealthFile) -> Void = { _, _ in }
  ) {
    self.connect = connect
    self.engine = engine
    self.clock = clock
    self.today = today.description
    self.drop = drop
    self.entersBetweenSteps = entersBetweenSteps
    self.words = words
    state.withLock { ($0.notice, $0.remedy, $0.isRefused) = (notice, remedy, isRefused) }
  }

  /// Starts reading.
  ///
  /// - Parameters:
  ///   - remember: Stores the snapshot, on the reading thread.
  ///   - fallback: The snapshot to use if reading fails.
  func read(
    _ rubric: Rubric, fallback: HealthSnapshot? = nil,
    remember: @escaping @Sendable (HealthSnapshot) throws -> Void,
    _ work: @escaping @Sendable (HealthReadProgress) throws(HealthReadError) -> HealthSnapshot
  ) {
    let progress = state.withLock { state in
      state.isReading = true
      return state.progress
    }
    startThread {
      let outcome = Result { () throws(HealthReadError) in try work(progress) }
      let snapshot = (try? outcome.get()) ?? fallback
      if case .success(let snapshot) = outcome { self.keep(snapshot, remember) }
      if case .failure(let error) = outcome { self.note(error, goesOnWith: fallback) }
      Task {
        if let snapshot, !self.state.withLock(\.isDropped) {
          let note = HealthNote(snapshot, rubric: rubric, today: Day(self.today) ?? .today)
          await self.noteAge(note)
          await self.hand(note)
        }
        self.finish()
      }
    } orFail: {
      finish()
    }
  }

  private func hand(_ note: HealthNote) async {
    guard entersBetweenSteps else { return await engine.take(note) }
    state.withLock { $0.arrived = note }
  }

  private func keep(
    _ snapshot: HealthSnapshot, _ remember: (HealthSnapshot) throws -> Void
  ) {
    do {
      // Under the lock, so that an opt-out that arrives mid-read wins.
      try state.withLock { if !$0.isDropped { try remember(snapshot) } }
    } catch {
      let failure = ReportedFailure(error)
      state.withLock { $0.notice = failure.notice }
    }
  }

  private func note(_ error: HealthReadError, goesOnWith fallback: HealthSnapshot?) {
    guard error.reason != .cancelled else { return }
    state.withLock { $0.notice = Self.unread(error, hasFallback: fallback != nil) }
  }

  private func noteAge(_ note: HealthNote) async {
    let isNew = await engine.state.health?.through != note.through
    guard let old = HealthTexts.notice(ofAge: note, isNew: isNew, today) else { return }
    state.withLock { state in
      if isNew { state.remedy = old } else { state.notice = state.notice ?? old }
    }
  }

  static func unread(_ error: HealthReadError, hasFallback: Bool) -> SessionOutput.Notice {
    var notice = SessionOutput.Notice(
      code: "health-unread", level: .warning,
      text: "I couldn't read your health data, so "
        + (hasFallback ? "I'm using what I saw before" : "we'll continue without it") + ": \(error)"
    )
    notice.values = ["reason": "\(error)", "hasFallback": hasFallback ? "yes" : ""]
    return notice
  }

  private func finish() {
    let waiting = state.withLock { state in
      state.isReading = false
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for continuation in waiting { continuation.finish() }
  }

  /// Waits for the data when a step starts, once and for ``patience`` at most.
  func settle(_ terminal: any Terminal) async {
    await waitOnce(terminal)
    if let arrived = state.withLock({ $0.arrived.take() }) { await engine.take(arrived) }
  }

  private func waitOnce(_ terminal: any Terminal) async {
    let waits = state.withLock { state in
      defer { state.hasWaited = true }
      return state.isReading && !state.hasWaited
    }
    guard waits else { return }
    terminal.showStatus(await engine.screenTexts()(.waitHealth))
    await withTaskGroup { group in
      group.addTask { await self.finished() }
      group.addTask { [clock] in try? await clock.sleep(for: Self.patience) }
      await group.next()
      group.cancelAll()
    }
    terminal.clearStatus()
  }

  /// Waits for the reading to end.
  func finished() async { for await _ in arrival {} }

  /// Finishes when the reading does.
  private var arrival: AsyncStream<Never> {
    AsyncStream { continuation in
      let isReading = state.withLock { state in
        guard state.isReading else { return false }
        state.waiting[state.next] = continuation
        state.next += 1
        return true
      }
      if !isReading { continuation.finish() }
    }
  }

  /// The notice about the data, once.
  func newNotice() -> SessionOutput.Notice? {
    state.withLock { $0.notice.take() }
  }

  /// What to do about the data that was just announced, once.
  func newRemedy() -> SessionOutput.Notice? {
    state.withLock { $0.remedy.take() }
  }

  /// Stops using the data if that is what is shown.
  func heed(_ output: SessionOutput) throws(StoreError) {
    guard case .notice(let notice) = output, let end = notice.endOfHealth else { return }
    try drop(isRefused: end == .withdrawn)
  }

  /// What to say right after an output: how to read data again that is old.
  func remedy(after output: SessionOutput) -> SessionOutput.Notice? {
    guard case .notice(let notice) = output, notice.code == SessionOutput.Notice.healthNotedCode
    else { return nil }
    return newRemedy()
  }

  /// Stops using the data: the person opted out in conversation, or the data is someone else's.
  func drop(isRefused: Bool) throws(StoreError) {
    state.withLock { ($0.isRefused, $0.isDropped) = (isRefused, true) }
    stop()
    try drop(isRefused)
  }

  /// Reads a file that the person names now, whatever they said about their data before.
  func connect(_ file: HealthFile) {
    stop()
    state.withLock { state in
      (state.isRefused, state.isDropped, state.hasWaited) = (false, false, false)
      (state.notice, state.progress) = (nil, HealthReadProgress())
    }
    connect(self, file)
  }

  /// Cancels a reading that nobody waits for.
  func stop() { state.withLock(\.progress).cancel() }
}

// What `/health` shows.
extension HealthFeed {
  func page(_ terminal: any Terminal) async -> String {
    let texts = await engine.screenTexts()
    let known = await engine.state.health
    if let note = known ?? state.withLock(\.arrived) {
      return page(note, texts).map { terminal.wrapped($0) }.joined(separator: "\n")
    }
    if state.withLock(\.isReading) { return terminal.wrapped(texts(.healthUnfinished)) }
    let words = texts(state.withLock(\.isRefused) ? .healthRefused : .healthNone)
    return terminal.wrapped(words + " " + texts(.healthConnect))
  }

  private func page(_ note: HealthNote, _ texts: ScreenTexts) -> [String] {
    var title = note.ageValues(on: today)
    title["source"] = note.source
    var lines = [texts(.healthTitle, title)]
    if let age = note.age(on: today), age > HealthNote.freshDays {
      lines.append(texts(.healthOld, ["days": "\(age)"]))
    }
    // What the data shows is put in English sentences, for the model too.
    if let fallback = texts.fallback { lines.append(fallback) }
    lines += section(texts(.healthFindings), note.forDoctor.map(\.text) + note.findings.map(\.text))
    lines += section(texts(.healthReadings), note.readings)
    lines += section(texts(.healthFigures), note.figures.map(\.text))
    return lines + ["", texts(.healthPrivacy)]
  }

  private func section(_ title: String, _ items: [String]) -> [String] {
    items.isEmpty ? [] : ["", title] + items.map { "- " + $0 }
  }
}

enum HealthTexts {
  /// Nil if the data is recent. Data that is new to the conversation is announced with its age, so
  /// only what to do about it is left to say.
  static func notice(
    ofAge note: HealthNote, isNew: Bool, _ today: String
  ) -> SessionOutput.Notice? {
    guard let age = note.age(on: today), age > HealthNote.freshDays else { return nil }
    let days = isNew ? "" : "\(age)"
    var notice = SessionOutput.Notice(
      code: "health-old", level: .info,
      text: ScreenTexts.english(.healthOld, ["days": days]))
    notice.values["days"] = days
    return notice
  }
}
