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
    notice: SessionOutput.Notice? = nil, words: String = "", today: Day = .today,
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
    state.withLock { ($0.notice, $0.isRefused) = (notice, isRefused) }
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
      let failure = explanation(of: error)
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
    state.withLock { $0.notice = $0.notice ?? old }
  }

  static func unread(_ error: HealthReadError, hasFallback: Bool) -> SessionOutput.Notice {
    .init(
      code: "health-unread", level: .warning,
      text: "I couldn't read your health data, so "
        + (hasFallback ? "I'm using what I saw before" : "we'll continue without it") + ": \(error)"
    )
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
    state.withLock { state in
      defer { state.notice = nil }
      return state.notice
    }
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
    let known = await engine.state.health
    if let note = known ?? state.withLock(\.arrived) { return page(note, terminal) }
    if state.withLock(\.isReading) {
      return terminal.wrapped("I'm still reading your health data.")
    }
    let words =
      state.withLock(\.isRefused)
      ? "You opted out of health data, so I don't have any."
      : "I don't have any health data from you."
    return terminal.wrapped(words + " " + HealthTexts.howToConnect)
  }

  private func page(_ note: HealthNote, _ terminal: any Terminal) -> String {
    var lines = ["Your health data (\(note.source), \(note.ageInWords(on: today)))."]
    if (note.age(on: today) ?? 0) > HealthNote.freshDays { lines += [HealthTexts.old(note, today)] }
    lines += section("What I see", note.forDoctor.map(\.text) + note.findings.map(\.text))
    lines += section("What I take as known", note.readings)
    lines += section("The figures I use", note.figures.map(\.text))
    lines += [
      "",
      "That's everything the model sees; your raw data stays on this computer. If you'd rather I "
        + "didn't use it, say \u{201C}Don't use my health data\u{201D} or run `rapport chat --no-health`.",
    ]
    return lines.map { terminal.wrapped($0) }.joined(separator: "\n")
  }

  private func section(_ title: String, _ items: [String]) -> [String] {
    items.isEmpty ? [] : ["", title] + items.map { "- " + $0 }
  }
}

enum HealthTexts {
  static let offer = "I can look at an Apple Health export before we start. /health tells you more."

  static let explanation =
    "To export your data on your iPhone, open Health, tap your picture, then Export All Health Data, "
    + "and copy export.zip to this computer. I read it here and keep only what I see in it, such as "
    + "your average steps and sleep. " + whatTheModelGets

  static let whatTheModelGets =
    "Those findings and figures go to the model with our conversation; your raw data never does."

  static let howToConnect =
    "To let me look, type /health and the path of your export.zip (on your iPhone: Health, your "
    + "picture, Export All Health Data)."

  static let reading = "I'm looking at it. " + whatTheModelGets

  static func old(_ note: HealthNote, _ today: String) -> String {
    "Your health data is \(note.age(on: today) ?? 0) days old. " + howToUpdate
  }

  private static let howToUpdate =
    "To update it, make a new export: `rapport chat --health export.zip`."

  /// Nil if the data is recent. Data that is new to the conversation is announced with its age, so
  /// only what to do about it is left to say.
  static func notice(
    ofAge note: HealthNote, isNew: Bool, _ today: String
  ) -> SessionOutput.Notice? {
    guard (note.age(on: today) ?? 0) > HealthNote.freshDays else { return nil }
    return .init(
      code: "health-old", level: .info, text: isNew ? howToUpdate : old(note, today))
  }
}
