public import Cassettes
import FoundationEssentials
import IncrementalJSON
public import Intake
import WireFormats

/// Runs a suite's cassettes, several at a time.
public struct SuiteRunner: Sendable {
  public struct Options: Sendable {
    /// Whether drift is a failure.
    public var isStrict = false
    /// Runs only names that contain one of these; empty runs all.
    public var filters: [String] = []
    /// Runs only cassettes with one of these tags; empty runs all.
    public var tags: [String] = []
    public var stopsAtFirstFailure = false
    /// How often to run each conversation; the results must be identical.
    public var repeats = 1
    /// Conversations to run in parallel.
    public var width = 2
    /// Whether results keep their runs.
    public var keepsRuns = false

    public init() {}

    func include(_ tagged: [String]) -> Bool {
      tags.isEmpty || !Set(tags).isDisjoint(with: tagged)
    }
  }

  /// Plays a cassette: in the process, or over a socket.
  public typealias Play = @Sendable (Cassette) async -> ConversationRun

  private let options: Options
  private let packs: @Sendable (String) -> PromptPack?
  private let play: Play

  /// - Parameter packs: The packs of recorded journeys, by name.
  public init(
    options: Options,
    packs: @escaping @Sendable (String) -> PromptPack? = { try? PromptPack.embedded($0) },
    play: @escaping Play
  ) {
    self.options = options
    self.packs = packs
    self.play = play
  }

  /// Runs the suite and reports each result as it arrives.
  ///
  /// - Returns: All results, in the suite's order.
  public func run(
    _ suite: ConversationSuite, told: (ConversationResult) -> Void = { _ in }
  ) async -> [ConversationResult] {
    await suite.filtered(by: options.filters).results(width: options.width, of: result) { one, _ in
      told(one)
      return !options.stopsAtFirstFailure || one.failures.isEmpty
    }
  }

  /// Nil if the cassette is filtered out.
  private func result(of entry: ConversationSuite.Entry) async -> ConversationResult? {
    let start = ContinuousClock.now
    let cassette: Cassette
    do throws(FieldError) {
      if let journey = try entry.journey() { return await result(of: journey, in: entry) }
      cassette = try entry.load()
    } catch {
      return ConversationResult(
        name: entry.name, path: entry.path, title: "",
        status: .failed(
          [Mismatch(path: error.path, expected: "a recorded conversation", actual: error.reason)]
            .located(in: entry.path)))
    }
    guard options.include(cassette.tags) else { return nil }
    var result = ConversationResult(
      name: entry.name, path: entry.path, title: cassette.title, status: .passed)
    guard !cassette.script.isEmpty || cassette.expect != nil else {
      result.status = .skipped("it has no script: it was recorded for `rapport mock`")
      return result
    }
    if let missing = cassette.draft {
      result.status = .failed([missing].located(in: entry.path))
      return result
    }
    let run = await play(cassette)
    let verdict = ConversationVerdict(of: run, for: cassette, isStrict: options.isStrict)
    var failures = verdict.failures
    for number in 1..<max(1, options.repeats) + 1 where number > 1 {
      let again = await play(cassette)
      if let difference = run.difference(from: again) {
        failures.append(
          Mismatch(
            path: "run \(number) of \(options.repeats)", expected: difference.0,
            actual: difference.1, remark: "the results must be identical"))
        break
      }
    }
    if !failures.isEmpty { result.status = .failed(failures.located(in: entry.path)) }
    result.drift = verdict.drift
    result.duration = ContinuousClock.now - start
    result.run = options.keepsRuns ? run : nil
    result.userTurns = run.state?.turns.count ?? 0
    result.missingPack = run.missingPack
    return result
  }

  /// Nil if the walk is filtered out.
  private func result(
    of recording: JourneyRecording, in entry: ConversationSuite.Entry
  ) async -> ConversationResult? {
    let start = ContinuousClock.now
    guard options.include(recording.tags) else { return nil }
    var result = ConversationResult(
      name: entry.name, path: entry.path, title: recording.title, status: .passed)
    guard let pack = packs(recording.pack) else {
      result.missingPack = recording.pack
      result.status = .failed(
        [Mismatch(path: "pack", expected: recording.pack, actual: "no such pack here")])
      return result
    }
    var failures: [Mismatch] = []
    do {
      for _ in 0..<max(1, options.repeats) where failures.isEmpty {
        let play = try await recording.played(with: pack)
        let verdict = play.verdict(isStrict: options.isStrict)
        failures = (verdict?.failures ?? []) + recording.differences(from: play.recording)
        result.drift = verdict?.drift ?? []
      }
    } catch {
      failures = [Mismatch(path: "walk", expected: "a walk to its end", actual: "\(error)")]
    }
    result.userTurns = recording.json["walk"]?.arrayValue?.count ?? 0
    if !failures.isEmpty { result.status = .failed(failures.located(in: entry.path)) }
    result.duration = ContinuousClock.now - start
    return result
  }
}

extension ConversationRun {
  fileprivate var missingPack: String? {
    problems.lazy.compactMap { if case .otherPack(let pack, _) = $0 { pack } else { nil } }.first
  }

  /// What happened and was shown, apart from how the answers arrived.
  public var record: [String] {
    events.map { "\($0.at.timeIntervalSince1970) \($0.event?.comparable ?? $0.envelope.kind)" }
      + outputs.map(\.comparable)
  }

  /// The first line in which two runs differ, with some context.
  public func difference(from other: ConversationRun) -> (String, String)? {
    let (one, another) = (record, other.record)
    guard one != another else { return nil }
    let place = zip(one, another).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    let start = place ?? min(one.count, another.count)
    func text(_ lines: [String]) -> String {
      start < lines.count ? lines[start] : "(nothing more)"
    }
    return (text(one), text(another))
  }
}
