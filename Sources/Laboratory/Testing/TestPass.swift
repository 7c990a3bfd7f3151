import Cassettes
import FoundationEssentials
import Glibc
import Intake
import RapportTesting
import Startup
import Synchronization
import Terminal
import WireFormats

/// One run of a suite: replays, reports, sums up.
struct TestPass {
  let options: Test
  let pack: PromptPack
  let terminal: TTY

  /// - Returns: Whether anything failed.
  func run(_ suite: ConversationSuite) async throws -> Bool {
    let start = ContinuousClock.now
    let view: any TestView =
      options.json ? TestRecords(terminal: terminal) : TestLines(terminal: terminal)
    let stage = options.wire ? try await WireStage(conversations) : nil
    let packs = Mutex<Set<String>>([])
    let walked: @Sendable (String) -> PromptPack? = { [pack] name in
      packs.withLock { _ = $0.insert(name) }
      return name == pack.name ? pack : Test.pack(named: name)
    }
    let runner = SuiteRunner(options: suiteOptions, packs: walked) { [conversations] cassette in
      packs.withLock { _ = $0.insert(cassette.settings.pack) }
      return if let stage { await stage.run(cassette) } else { await conversations.run(cassette) }
    }
    let progress = ProgressLine(
      .things("conversations"), environment: ProcessInfo.processInfo.environment,
      noColor: options.noColor)
    var done = 0
    let results = await runner.run(suite) { result in
      progress.clear()
      view.show(result)
      done += 1
      progress.show(.init(count: done, share: Double(done) / Double(suite.entries.count)))
    }
    progress.clear()
    await stage?.close()
    var failed = FailedConversations.current
    failed.take(results)
    let totals = TestTotals(results, duration: ContinuousClock.now - start)
    view.show(totals, results)
    if let junit = options.junit {
      try OutputFile.write(JUnitReport(totals: totals, results: results).text, to: junit)
    }
    if let folder = options.promptFolder, !options.json {
      terminal.write("with the prompts in \(folder)\n", as: .dim)
    }
    if totals.passed + totals.failed == 0, !options.failFast {
      throw CommandFailure(.usage, "No conversation matches; nothing was tested.")
    }
    if options.prompts != nil, !packs.withLock({ $0.contains(pack.name) }) {
      throw CommandFailure(
        .usage,
        "No recording is for the pack \u{201C}\(pack.name)\u{201D}; each was played with its own pack."
      )
    }
    return totals.failed > 0
  }

  private var suiteOptions: SuiteRunner.Options {
    var suite = SuiteRunner.Options()
    suite.isStrict = options.strict
    suite.filters = options.filter
    suite.tags = options.tag
    suite.stopsAtFirstFailure = options.failFast
    suite.repeats = options.repeat
    suite.width = options.jobs ?? defaultWidth
    return suite
  }

  /// Runs that wait for recorded delays leave the processor to others.
  private var defaultWidth: Int {
    if options.speed == .none { return max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
    return 64
  }

  private var conversations: ConversationRunner {
    ConversationRunner(
      pack: pack, pace: options.speed, otherPacks: Test.pack(named:))
  }
}

/// Counts by result, and the time taken.
struct TestTotals {
  var passed = 0
  var failed = 0
  var skipped = 0
  var turns = 0
  var drifted = 0
  var duration: Duration

  init(_ results: [ConversationResult], duration: Duration) {
    self.duration = duration
    for result in results {
      switch result.status {
      case .passed: passed += 1
      case .failed: failed += 1
      case .skipped: skipped += 1
      }
      turns += result.userTurns
      if !result.drift.isEmpty { drifted += 1 }
    }
  }

  var line: String { "\(passed) passed, \(failed) failed, \(skipped) skipped" }
}

/// Shows the results of a suite.
protocol TestView {
  func show(_ result: ConversationResult)
  func show(_ totals: TestTotals, _ results: [ConversationResult])
}

/// Writes a whole file or nothing.
enum OutputFile {
  static func write(_ text: String, to path: String) throws {
    do {
      try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
    } catch {
      throw CommandFailure(.cannotWrite, "I couldn't write \(path): \(error)")
    }
  }
}
