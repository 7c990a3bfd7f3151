import Commands
import ContextQuality
import FoundationEssentials
import HealthRecords
import Intake
import SessionStore
import Startup
import Terminal

/// Decides at the start of a conversation whether to use health data, and which.
struct HealthConsent {
  let store: SessionStore
  let engine: IntakeEngine
  let rubric: Rubric
  let terminal: any Terminal
  /// Rehearsals and recordings use only the data named with `--health`.
  let speaksOnlyIfNamed: Bool
  var isRecorded = false
  /// A person can be asked; a program gets a notice instead.
  let asks: Bool
  let isForPrograms: Bool
  var today = Day.today
  var clock: any Clock<Duration> = ContinuousClock()

  /// - Parameters:
  ///   - file: The data named with `--health`; overrides what is remembered.
  ///   - isRefused: Opts out permanently.
  func link(_ file: HealthFile?, isRefused: Bool) async throws -> HealthFeed {
    if isRefused { return try await refused() }
    if let file { return reading(file) }
    if speaksOnlyIfNamed { return link() }
    guard let memory = try store.health() else { return try await offered() }
    guard let kept = memory.snapshot else { return link(isRefused: true) }
    return await remembered(kept)
  }

  private func link(
    isRefused: Bool = false, notice: SessionOutput.Notice? = nil,
    remedy: SessionOutput.Notice? = nil, words: String = ""
  ) -> HealthFeed {
    HealthFeed(
      engine: engine, isRefused: isRefused, entersBetweenSteps: isRecorded, notice: notice,
      remedy: remedy, words: words, today: today, clock: clock
    ) { [store] isRefused throws(StoreError) in
      if isRefused { try store.declineHealth(at: Date()) } else { try store.forgetHealth() }
    } connect: { feed, file in
      read(file, into: feed)
    }
  }

  private func refused() async throws -> HealthFeed {
    let memory = try store.health()
    let hadData = await engine.state.health != nil || memory?.snapshot != nil
    try store.declineHealth(at: Date())
    await engine.withdrawHealth()
    return link(isRefused: true, notice: hadData ? .healthWithdrawn : nil)
  }

  private func reading(
    _ file: HealthFile, fallback: HealthSnapshot? = nil
  ) -> HealthFeed {
    let link = link()
    read(file, fallback: fallback, into: link)
    return link
  }

  private func read(_ file: HealthFile, fallback: HealthSnapshot? = nil, into link: HealthFeed) {
    // A yes in a rehearsal, where nothing leaves the machine, doesn't count for a model.
    let memory = speaksOnlyIfNamed ? nil : store
    link.read(rubric, fallback: fallback) { snapshot in
      try memory?.rememberHealth(
        .init(
          json: try Health.text(snapshot, isPretty: false), file: file.path,
          fileChanged: file.changed ?? Date(), readAt: Date()))
    } _: { progress throws(HealthReadError) in
      try file.read(progress)
    }
  }

  /// The remembered snapshot, read again if the file has changed since.
  private func remembered(_ kept: HealthMemory.Snapshot) async -> HealthFeed {
    let snapshot = try? HealthSnapshot.reading(
      Array(kept.json.utf8), name: kept.file, today: today)
    let changed = HealthFile.changed(kept.file)
    if let changed, abs(changed.timeIntervalSince(kept.fileChanged)) >= 0.001 {
      do throws(HealthReadError) {
        return reading(try HealthFile(kept.file, today: today), fallback: snapshot)
      } catch {
        if let snapshot { await engine.take(HealthNote(snapshot, rubric: rubric, today: .today)) }
        return link(notice: HealthFeed.unread(error, hasFallback: snapshot != nil))
      }
    }
    guard let snapshot else { return link() }
    let note = HealthNote(snapshot, rubric: rubric, today: .today)
    let isNew = await engine.state.health?.through != note.through
    await engine.take(note)
    let old = HealthTexts.notice(ofAge: note, isNew: isNew, today.description)
    return isNew ? link(remedy: old) : link(notice: old)
  }

  /// For a first conversation without a yes or no yet.
  private func offered() async throws -> HealthFeed {
    guard engine.pack.readsHealth, await engine.state.transcript.messages.isEmpty,
      try store.sessions().allSatisfy({ $0.turns == 0 || $0.isRehearsal })
    else { return link() }
    if isForPrograms {
      return link(
        notice: .init(
          code: "health-offer", level: .info,
          text:
            "With --health FILE I read your health data first: an Apple Health export, or a JSON "
            + "snapshot of one. --no-health opts out."))
    }
    guard asks, terminal.isInteractive else { return link() }
    var offer = HealthOffer(terminal: terminal, engine: engine)
    switch await offer.answer() {
    case .connect(let file): return reading(file)
    case .skip:
      try store.declineHealth(at: Date())
      return link(isRefused: true)
    case .unanswered(let words): return link(words: words)
    case .left: throw ExitStatus.fine.exit
    }
  }
}
