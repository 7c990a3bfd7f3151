import Commands
import FoundationEssentials
import Intake
import LanguageModels
import RapportTesting
import Settings
import Startup
import Synchronization
import Terminal

/// One comparison: two sides, their conversations and the report.
struct LivePass {
  let options: Test
  let terminal: TTY

  /// The default number of parallel conversations.
  private static let usualWidth = 4

  func run() async throws {
    let suite = try options.suite()
    let packs = try self.packs()
    let sides = try await self.sides(packs)
    let names = SideNames(left: sides.left.name, right: sides.right.name)
    let live = LiveSuite(
      left: sides.left.side, right: sides.right.side,
      packs: try packs + PromptPack.embeddedNames.map { try PromptPack.embedded($0) },
      options: suiteOptions)
    let view: any LiveView =
      options.json
      ? LiveRecords(terminal: terminal)
      : LiveTable(
        terminal: terminal, names: names, isVerbose: options.liveOptions.verbose,
        entries: suite.entries.map(\.name))
    view.begin()
    // What completed before an interrupt is reported all the same.
    let had = Mutex<[LiveSuite.Result]>([])
    let outcome = try await InterruptMonitor.process.cancelling {
      await live.run(suite) { result in
        had.withLock { $0.append(result) }
        view.show(result)
      }
    }
    let results = had.withLock(\.self).inOrder(of: suite)
    let report = LiveReport(names: names, results: results, packs: packs)
    view.show(report)
    if let path = options.liveOptions.html, !report.comparisons.isEmpty {
      try OutputFile.write(LivePage(report: report).html, to: path)
    }
    if case .interrupted = outcome { throw ExitStatus.interrupted.exit }
    try leave(report)
  }

  private func leave(_ report: LiveReport) throws {
    guard report.comparisons.isEmpty else { return }
    if report.failures.isEmpty {
      throw CommandFailure(.usage, "No conversation matches; nothing was compared.")
    }
    guard report.failures.contains(where: \.isModel) else {
      throw CommandFailure(.badData, "None of the recordings can be used.")
    }
    throw CommandFailure(
      .modelUnreachable,
      "No conversation completed. After several early failures the rest were skipped.")
  }

  private var suiteOptions: SuiteRunner.Options {
    var suite = SuiteRunner.Options()
    suite.filters = options.filter
    suite.tags = options.tag
    suite.width = options.jobs ?? Self.usualWidth
    return suite
  }

  // MARK: Sides

  private typealias NamedSide = (name: String, side: LiveSuite.Side)

  /// The left one, and the right one if it is another.
  private func packs() throws -> [PromptPack] {
    let left = try options.pack()
    guard let against = options.liveOptions.against else { return [left] }
    let context = try CommandContext(flags: [.prompts: against], readsCredentials: false)
    return [left, try context.promptPack()]
  }

  private func sides(_ packs: [PromptPack]) async throws -> (left: NamedSide, right: NamedSide) {
    let live = options.liveOptions
    let models = try await ModelRoles(live.modelOptions.flags, terminal)
    func side(_ name: String, _ pack: PromptPack, _ models: ModelRoles) -> NamedSide {
      (name, .live(LiveRunner(pack: pack, models: models)))
    }
    if let against = live.against {
      let folder = options.prompts ?? "\(packs[0].name) \(packs[0].version)"
      return (side(folder, packs[0], models), side(against, packs[1], models))
    }
    let first = side(models.name, packs[0], models)
    guard let against = live.againstModel else { return (("recorded", .recording), first) }
    var flags = live.modelOptions.flags
    for role: Setting in [.model, .modelFast, .modelCoach, .modelDeep] { flags[role] = against }
    let others = try await ModelRoles(flags, terminal)
    return (first, side(others.name, packs[0], others))
  }
}

extension ModelRoles {
  /// The models as their servers spell them, without duplicates.
  fileprivate var name: String {
    var names: [String] = []
    for role in ModelRole.allCases where !names.contains(self[role].identity.model) {
      names.append(self[role].identity.model)
    }
    return names.joined(separator: ", ")
  }
}

extension [LiveSuite.Result] {
  fileprivate func inOrder(of suite: ConversationSuite) -> Self {
    let places = Dictionary(
      suite.entries.enumerated().map { ($0.element.path, $0.offset) },
      uniquingKeysWith: { first, _ in first })
    return sorted { places[$0.path, default: 0] < places[$1.path, default: 0] }
  }
}

/// The names of the two sides.
struct SideNames {
  var left: String
  var right: String

  subscript(place: LiveSuite.Result.Place) -> String {
    switch place {
    case .recording: "the recording"
    case .left: left
    case .right: right
    }
  }
}

/// Shows a comparison.
protocol LiveView: Sendable {
  func begin()
  func show(_ result: LiveSuite.Result)
  func show(_ report: LiveReport)
}
