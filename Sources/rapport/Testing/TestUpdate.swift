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

  /// - Returns: Whether anything changed or failed to replay.
  func run() async throws -> Bool {
    var changed = 0
    var broken = 0
    for entry in suite.entries {
      switch try await update(entry) {
      case .same: break
      case .changed: changed += 1
      case .broken: broken += 1
      }
    }
    terminal.write(
      "\n\(suite.entries.count) \(suite.entries.count == 1 ? "cassette" : "cassettes"), "
        + "\(changed) changed, \(broken) can't be replayed\n",
      as: changed + broken == 0 ? .accent : .notice)
    if changed > 0 {
      terminal.write("Review the changes before you commit them; this run counts as failed.\n")
    }
    return changed + broken > 0
  }

  private enum Outcome { case same, changed, broken }

  private func update(_ entry: ConversationSuite.Entry) async throws -> Outcome {
    let before: Cassette
    do throws(FieldError) { before = try entry.load() } catch {
      terminal.write("✗ \(error)\n", as: .error)
      return .broken
    }
    guard !before.script.isEmpty, tags.isEmpty || !Set(tags).isDisjoint(with: before.tags) else {
      return .same
    }
    let runner = ConversationRunner(
      pack: pack, matching: .purpose, otherPacks: Test.pack(named:))
    let run = await runner.run(before)
    let keyed = before.completed(by: run, pack: runner.pack(for: before))
    // A request that was not expected or not answered needs a person.
    let verdict = ConversationVerdict(of: run, for: keyed.withoutExpectations)
    guard verdict.failures.isEmpty else {
      terminal.write("✗ \(entry.name)\n", as: .error)
      TestLines(terminal: terminal).show(all: verdict.failures)
      return .broken
    }
    let second = await ConversationRunner(pack: pack, otherPacks: Test.pack(named:)).run(keyed)
    let after = keyed.expecting(second)
    // A failed requirement that a person wrote is not overwritten.
    let remaining = ConversationVerdict(of: second, for: after).failures
    guard remaining.isEmpty else {
      terminal.write("✗ \(entry.name)\n", as: .error)
      TestLines(terminal: terminal).show(all: remaining)
      return .broken
    }
    guard after != before else { return .same }
    try OutputFile.write(after.text, to: entry.path)
    if before.expect == nil {
      terminal.write("+ \(entry.name)", as: .accent)
      terminal.write("  completed: \(run.summary)\n", as: .dim)
    } else {
      terminal.write("~ \(entry.name)\n", as: .notice)
      TestLines(terminal: terminal).showChange(before.readable, after.readable)
    }
    return .changed
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
    return "\(turns.count) \(turns.count == 1 ? "turn" : "turns")\(overall), \(outcome.rawValue)"
  }
}
