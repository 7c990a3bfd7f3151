import Cassettes
public import Intake
import WireFormats

/// Holds a suite's conversations on two sides and compares them, several at a time.
public struct LiveSuite: Sendable {
  public enum Side: Sendable {
    /// The recorded answers, played in this process.
    case recording
    case live(LiveRunner)
  }

  /// The result of one conversation.
  public struct Result: Sendable {
    public enum Outcome: Sendable {
      case compared(RunComparison)
      case failed(Place, reason: String)
      case skipped(String)
    }

    /// What did not complete.
    public enum Place: Hashable, Sendable {
      /// The recording is unreadable or cannot be played.
      case recording
      case left
      case right
    }

    public var name: String
    public var path: String
    public var outcome: Outcome

    public var comparison: RunComparison? {
      if case .compared(let comparison) = outcome { comparison } else { nil }
    }

    fileprivate var isWithoutModel: Bool {
      if case .failed(let place, _) = outcome { place != .recording } else { false }
    }
  }

  private let left: Side
  private let right: Side
  private let packs: [PromptPack]
  private let options: SuiteRunner.Options

  /// After this many failures without a success, no more conversations start.
  static let patience = 4

  /// - Parameters:
  ///   - packs: Packs to play recordings with, the most likely first.
  ///   - options: Only filters, tags and width apply.
  public init(left: Side, right: Side, packs: [PromptPack], options: SuiteRunner.Options) {
    self.left = left
    self.right = right
    self.packs = packs
    self.options = options
  }

  /// Runs the suite and reports each result as it arrives. A canceled task ends with what is done.
  ///
  /// - Returns: The results in the suite's order, without conversations that did not start or were
  ///   interrupted.
  @discardableResult
  public func run(
    _ suite: ConversationSuite, told: (Result) -> Void = { _ in }
  ) async -> [Result] {
    await suite.filtered(by: options.filters).results(width: options.width, of: result) {
      one, all in
      told(one)
      return all.count(where: \.isWithoutModel) < Self.patience
        || all.contains { $0.comparison != nil }
    }
  }

  /// Nil if the cassette is filtered out, or the task was canceled.
  private func result(of entry: ConversationSuite.Entry) async -> Result? {
    func result(_ outcome: Result.Outcome) -> Result {
      Result(name: entry.name, path: entry.path, outcome: outcome)
    }
    let cassette: Cassette
    do throws(FieldError) { cassette = try entry.load() } catch {
      let place = error.path.isEmpty ? "" : error.path + ": "
      return result(.failed(.recording, reason: place + error.reason))
    }
    guard options.include(cassette.tags) else { return nil }
    guard !cassette.script.isEmpty else {
      return result(.skipped("it has no script for the user"))
    }
    guard let outcome = await compare(cassette, entry.name) else { return nil }
    return result(outcome)
  }

  private func compare(_ cassette: Cassette, _ name: String) async -> Result.Outcome? {
    guard let pack = pack(for: cassette) else {
      return .failed(
        .recording,
        reason:
          "it was recorded with the prompt pack \(cassette.settings.pack), which is not available")
    }
    let recorded = await ConversationRunner(pack: pack).run(cassette)
    let script = LiveScript(cassette, recorded: recorded, consent: pack.consent)
    async let one = play(left, cassette, script, recorded)
    async let other = play(right, cassette, script, recorded)
    let (ofLeft, ofRight) = (await one, await other)
    if Task.isCancelled { return nil }
    switch (ofLeft, ofRight) {
    case (.success(let left), .success(let right)):
      return .compared(
        RunComparison(name: name, title: cassette.title, left: left, right: right))
    case (.failure(let failure), _):
      return .failed(failure.isRecorded ? .recording : .left, reason: failure.reason)
    case (_, .failure(let failure)): return .failed(.right, reason: failure.reason)
    }
  }

  private struct Failure: Error {
    var reason: String
    var isRecorded = false
  }

  private func play(
    _ side: Side, _ cassette: Cassette, _ script: LiveScript, _ recorded: ConversationRun
  ) async -> Swift.Result<RunSummary, Failure> {
    var run = recorded
    switch side {
    case .recording:
      if let reason = recorded.reasonItCannotBeHad {
        return .failure(Failure(reason: reason, isRecorded: true))
      }
    case .live(let runner):
      let (live, ending) = await runner.run(cassette, script)
      if case .failed(let reason) = ending { return .failure(Failure(reason: reason)) }
      run = live
    }
    return .success(RunSummary(run, readyAbove: cassette.settings.readyAbove))
  }

  /// The pack it was recorded with, or at least one with the same name.
  private func pack(for cassette: Cassette) -> PromptPack? {
    let named = packs.filter { $0.name == cassette.settings.pack }
    return named.first { $0.version == cassette.settings.packVersion } ?? named.first
  }
}

extension ConversationRun {
  fileprivate var reasonItCannotBeHad: String? {
    for problem in problems {
      switch problem {
      case .unmatched: return "the recording lacks some answers; see `rapport test`"
      case .failed(_, let reason): return "the recording can't be played: \(reason)"
      case .leftover, .emptyRecording, .noSuchMoment, .otherPack: break
      }
    }
    return nil
  }
}
