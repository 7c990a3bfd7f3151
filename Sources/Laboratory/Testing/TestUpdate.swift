import Cassettes
import ContextQuality
import Intake
import RapportTesting
import Terminal
import WireFormats

/// `rapport test --update`: makes the current results the expected ones.
struct TestUpdate {
  let suite: ConversationSuite
  let pack: PromptPack
  let terminal: TTY
  let tags: [String]
  /// Whether to drop what a person wrote and no longer holds.
  let drops: Bool

  /// - Returns: Whether anything changed or failed to replay.
  func run() async throws -> Bool {
    var changed = 0
    var kept = 0
    var broken = 0
    for entry in suite.entries {
      switch try await update(entry) {
      case .same: break
      case .changed: changed += 1
      case .kept: kept += 1
      case .broken: broken += 1
      }
    }
    terminal.write(
      "\n\(suite.entries.count.counted("conversation")), "
        + "\(changed) changed, "
        + (kept > 0 ? "\(kept) still \(kept == 1 ? "fails" : "fail"), " : "")
        + "\(broken) can't be replayed\n",
      as: changed + kept + broken == 0 ? .accent : .notice)
    if changed > 0 {
      terminal.write("Review the changes before you commit them; this run counts as failed.\n")
    }
    return changed + kept + broken > 0
  }

  /// `kept`: nothing was written, because what a person wrote would still fail.
  private enum Outcome { case same, changed, kept, broken }

  private func include(_ tagged: [String]) -> Bool {
    tags.isEmpty || !Set(tags).isDisjoint(with: tagged)
  }

  private func update(_ entry: ConversationSuite.Entry) async throws -> Outcome {
    let (journey, before): (JourneyRecording?, Cassette?)
    do throws(FieldError) {
      journey = try entry.journey()
      before = journey == nil ? try entry.load() : nil
    } catch {
      terminal.write("✗ \(error)\n", as: .error)
      return .broken
    }
    if let journey { return try await update(journey, entry) }
    guard let before, !before.script.isEmpty, include(before.tags) else { return .same }
    let runner = ConversationRunner(
      pack: pack, matching: .purpose, otherPacks: Test.pack(named:))
    let run = await runner.run(before)
    let keyed = before.completed(by: run, pack: runner.pack(for: before))
    // A request that was not expected or not answered needs a person.
    let verdict = ConversationVerdict(of: run, for: keyed.withoutExpectations)
    guard verdict.failures.isEmpty else {
      terminal.write("✗ \(entry.name)\n", as: .error)
      TestLines(terminal: terminal).show(verdict.failures, in: entry.path)
      return .broken
    }
    let second = await ConversationRunner(pack: pack, otherPacks: Test.pack(named:)).run(keyed)
    let kept = keyed.expecting(second)
    let failing = ConversationVerdict(of: second, for: kept).failures
    let after = drops && !failing.isEmpty ? keyed.expecting(second, dropsWhatFails: true) : kept
    let remaining = drops ? ConversationVerdict(of: second, for: after).failures : failing
    guard remaining.isEmpty else {
      show(remaining, keptIn: entry, canDrop: keyed.expecting(second, dropsWhatFails: true) != kept)
      return .kept
    }
    guard after != before else { return .same }
    try OutputFile.write(after.text, to: entry.path)
    show(dropped: failing, from: entry)
    if before.expect == nil {
      terminal.write("+ \(entry.name)", as: .accent)
      terminal.write("  completed: \(run.summary)\n", as: .dim)
    } else {
      terminal.write("~ \(entry.name)\n", as: .notice)
      TestLines(terminal: terminal).showChange(before.readable, after.readable)
    }
    return .changed
  }

  private func update(
    _ before: JourneyRecording, _ entry: ConversationSuite.Entry
  ) async throws -> Outcome {
    guard include(before.tags) else { return .same }
    guard let pack = before.pack == pack.name ? pack : Test.pack(named: before.pack) else {
      terminal.write("✗ \(entry.name): there's no pack \(before.pack)\n", as: .error)
      return .broken
    }
    let play = try await before.played(with: pack, matching: .purpose)
    if let failures = play.verdict()?.failures, !failures.isEmpty {
      terminal.write("✗ \(entry.name)\n", as: .error)
      TestLines(terminal: terminal).show(failures, in: entry.path)
      return .broken
    }
    let after = play.recording
    guard after != before else { return .same }
    try OutputFile.write(after.text, to: entry.path)
    terminal.write("~ \(entry.name)\n", as: .notice)
    TestLines(terminal: terminal).showChange(before.text, after.text)
    return .changed
  }

  private func show(
    _ failures: [Mismatch], keptIn entry: ConversationSuite.Entry, canDrop: Bool
  ) {
    terminal.write("✗ \(entry.name)", as: .error)
    terminal.write("  not updated: it would still fail\n", as: .dim)
    TestLines(terminal: terminal).show(failures, in: entry.path)
    let way = "  Change the expectation in \(entry.path) or the coach"
    terminal.write(canDrop ? way + ", or drop it with --update --drop.\n" : way + ".\n")
  }

  private func show(dropped failures: [Mismatch], from entry: ConversationSuite.Entry) {
    for failure in failures {
      terminal.write("! \(entry.name)", as: .notice)
      terminal.write("  dropped \(failure.path): \(failure.expected)\n")
    }
  }
}

extension Cassette {
  /// Without expectations; only what no run may do is checked.
  fileprivate var withoutExpectations: Cassette {
    var bare = self
    bare.expect = Expectations()
    bare.transcript = []
    return bare
  }

  /// What a person reviews when expectations change: prompts by line, answers not at all.
  fileprivate var readable: String {
    var shown = self
    for index in exchanges.indices {
      shown.exchanges[index].response = RecordedResponse(content: .body("…"))
    }
    return shown.text
  }
}

extension ConversationRun {
  fileprivate var summary: String {
    let overall = turns.last.map { ", overall \($0.components.overall)" } ?? ""
    return "\(turns.count.counted("turn"))\(overall), \(outcome.rawValue)"
  }
}
