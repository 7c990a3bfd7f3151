import ContextQuality
import HealthRecords
import Intake
import SessionStore
import Synchronization
import Terminal

/// Brings health data into a conversation while it goes on.
///
/// The data are read on a thread of their own. The first reply waits a moment for them; what comes
/// later enters before the engine's next step.
final class HealthFeed: Sendable {
  /// How long the greeting waits.
  static let patience = Duration.seconds(2)

  private struct State {
    var isReading = false
    /// Whether the person said no.
    var isRefused = false
    /// Whatever is still being read is of no use any more.
    var isDropped = false
    var notice: SessionOutput.Notice?
    var waiting: [Int: AsyncStream<Never>.Continuation] = [:]
    var next = 0
    var hasWaited = false
    /// What the next step begins with.
    var arrived: HealthNote?
  }

  private let state = Mutex(State())
  private let progress = HealthReadProgress()
  private let engine: IntakeEngine
  private let clock: any Clock<Duration>
  private let today: String
  /// Deletes what is remembered, and keeps a no where there was one.
  private let drop: @Sendable (_ isRefused: Bool) throws(StoreError) -> Void
  /// Data never enter in the middle of a step: a recording says before which step they were there.
  private let entersBetweenSteps: Bool
  /// What the person wrote where they were asked about health data, for the first message.
  let words: String

  init(
    engine: IntakeEngine, isRefused: Bool = false, entersBetweenSteps: Bool = false,
    notice: SessionOutput.Notice? = nil, words: String = "", today: Day = .today,
    clock: any Clock<Duration> = ContinuousClock(),
    drop: @escaping @Sendable (_ isRefused: Bool) throws(StoreError) -> Void = { _ in }
  ) {
    self.engine = engine
    self.clock = clock
    self.today = today.description
    self.drop = drop
    self.entersBetweenSteps = entersBetweenSteps
    self.words = words
    state.withLock { ($0.notice, $0.isRefused) = (notice, isRefused) }
  }

  /// Begins to read.
  ///
  /// - Parameters:
  ///   - remember: Keeps the snapshot, on the reading's thread.
  ///   - fallback: What is used where the reading fails.
  func read(
    _ rubric: Rubric, fallback: HealthSnapshot? = nil,
    remember: @escaping @Sendable (HealthSnapshot) throws -> Void,
    _ work: @escaping @Sendable (HealthReadProgress) throws(HealthReadError) -> HealthSnapshot
  ) {
    state.withLock { $0.isReading = true }
    startThread {
      let outcome = Result { () throws(HealthReadError) in try work(self.progress) }
      let snapshot = (try? outcome.get()) ?? fallback
      if case .success(let snapshot) = outcome { self.keep(snapshot, remember) }
      if case .failure(let error) = outcome { self.note(error, goesOnWith: fallback) }
      Task {
        if let snapshot, !self.state.withLock(\.isDropped) {
          let note = HealthNote(snapshot, rubric: rubric, today: Day(self.today) ?? .today)
          self.noteAge(note)
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
      // Under the lock, so that a no that comes meanwhile is what is kept.
      try state.withLock { if !$0.isDropped { try remember(snapshot) } }
    } catch {
      let failure = explanation(of: error)
      state.withLock { $0.notice = failure.notice }
    }
  }

  private func note(_ error: HealthReadError, goesOnWith fallback: HealthSnapshot?) {
    guard error.reason != .cancelled else { return }
    state.withLock { $0.notice = Self.unread(error, hasFallback: fallback != nil) }
  }

  private func noteAge(_ note: HealthNote) {
    guard (note.age(on: today) ?? 0) > HealthNote.freshDays else { return }
    let old = SessionOutput.Notice(
      code: "health-old", level: .info, text: HealthTexts.old(note, today))
    state.withLock { $0.notice = $0.notice ?? old }
  }

  static func unread(_ error: HealthReadError, hasFallback: Bool) -> SessionOutput.Notice {
    .init(
      code: "health-unread", level: .warning,
      text: "I couldn't read your health data, so "
        + (hasFallback ? "I go by what I saw before" : "we go on without") + ": \(error)")
  }

  private func finish() {
    let waiting = state.withLock { state in
      state.isReading = false
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for continuation in waiting { continuation.finish() }
  }

  /// A step begins: waits until the data have been read, for ``patience`` at most, and once.
  func settle(_ terminal: any Terminal) async {
    await waitOnce(terminal)
    let arrived = state.withLock { state in
      defer { state.arrived = nil }
      return state.arrived
    }
    if let arrived { await engine.take(arrived) }
  }

  private func waitOnce(_ terminal: any Terminal) async {
    let waits = state.withLock { state in
      defer { state.hasWaited = true }
      return state.isReading && !state.hasWaited
    }
    guard waits else { return }
    terminal.showStatus("looking at your health data …")
    await withTaskGroup { group in
      group.addTask { await self.finished() }
      group.addTask { [clock] in try? await clock.sleep(for: Self.patience) }
      await group.next()
      group.cancelAll()
    }
    terminal.clearStatus()
  }

  /// Waits for the end of the reading.
  func finished() async { for await _ in arrival {} }

  /// Ends when the reading does.
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

  /// What there is to say about the data, once.
  func newNotice() -> SessionOutput.Notice? {
    state.withLock { state in
      defer { state.notice = nil }
      return state.notice
    }
  }

  /// The data are used no more: the person said so in the conversation, or they are another's.
  func drop(isRefused: Bool) throws(StoreError) {
    state.withLock { ($0.isRefused, $0.isDropped) = (isRefused, true) }
    stop()
    try drop(isRefused)
  }

  /// Ends a reading that nobody waits for any more.
  func stop() { progress.cancel() }
}

// What `/health` shows.
extension HealthFeed {
  func page(_ terminal: any Terminal) async -> String {
    let known = await engine.state.health
    if let note = known ?? state.withLock(\.arrived) { return page(note, terminal) }
    if state.withLock(\.isReading) {
      return terminal.wrapped("I'm still reading your health data.")
    }
    let words =
      state.withLock(\.isRefused)
      ? "You said no to health data, so I have none of yours."
      : "I have no health data of yours."
    return terminal.wrapped(words + " " + HealthTexts.howToConnect)
  }

  private func page(_ note: HealthNote, _ terminal: any Terminal) -> String {
    var lines = ["Your health data (\(note.source), \(note.ageInWords(on: today)))."]
    if (note.age(on: today) ?? 0) > HealthNote.freshDays { lines += [HealthTexts.old(note, today)] }
    lines += section("What I see", note.forDoctor.map(\.text) + note.findings.map(\.text))
    lines += section("What I count as known", note.readings)
    lines += section("The figures I go by", note.figures.map(\.text))
    lines += [
      "",
      "That is all the model gets of them; the data stay where they are. If you'd rather I didn't use "
        + "them: \u{201C}Don't use my health data\u{201D}, or `rapport chat --no-health`.",
    ]
    return lines.map { terminal.wrapped($0) }.joined(separator: "\n")
  }

  private func section(_ title: String, _ items: [String]) -> [String] {
    items.isEmpty ? [] : ["", title] + items.map { "- " + $0 }
  }
}

enum HealthTexts {
  static let offer =
    "Let me look at your health data to understand where you're at. On the iPhone, the Health app "
    + "makes an export of them: your picture, then Export All Health Data; bring that export.zip to "
    + "this computer. I read it here and keep only what I see in it, such as your average steps and "
    + "sleep. Those findings and figures go to the model with our conversation; the data never do."

  static let howToConnect =
    "`rapport chat --health export.zip` lets me look (on the iPhone: Health, your picture, Export All "
    + "Health Data)."

  static func old(_ note: HealthNote, _ today: String) -> String {
    "Your health data are \(note.age(on: today) ?? 0) days old. A new export brings me up to date: "
      + "`rapport chat --health export.zip`."
  }
}
