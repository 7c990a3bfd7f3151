import Glibc
import LanguageModels
import RapportTesting
import Terminal

/// One line per conversation, failures with both sides, and a summary.
struct TestLines: TestView {
  let terminal: TTY
  /// The most rows of a comparison; the file has the rest.
  private static let mostRows = 60

  func show(_ result: ConversationResult) {
    if result.missingPack != nil { return }
    switch result.status {
    case .passed:
      terminal.write("✓ ", as: .accent)
      terminal.write(result.name)
      terminal.write("  \(result.size)\n", as: .dim)
    case .skipped(let reason):
      terminal.write("- \(result.name)  skipped: \(reason)\n", as: .dim)
    case .failed(let failures):
      terminal.write("✗ \(result.name)", as: .error)
      terminal.write("  \(result.size)\n", as: .dim)
      let heading = result.title.isEmpty ? result.path : "\(result.title) (\(result.path))"
      terminal.write("  \(heading)\n", as: .dim)
      for failure in failures { show(failure, in: result.path) }
    }
  }

  func show(_ totals: TestTotals, _ results: [ConversationResult]) {
    show(missingPacks: results.compactMap(\.missingPack))
    show(drift: results)
    let played = results.filter { $0.missingPack == nil }
    if played.count > 1 {
      terminal.write("\nSlowest\n", as: .dim)
      for result in played.sorted(by: { $0.duration > $1.duration }).prefix(10) {
        terminal.write("  \(result.duration.milliseconds)  \(result.name)\n", as: .dim)
      }
    }
    terminal.write("\n")
    terminal.write(totals.line, as: totals.failed > 0 ? .error : .accent)
    terminal.write("\n")
    terminal.write(
      "\(totals.turns) user \(totals.turns == 1 ? "turn" : "turns") in \(totals.duration.milliseconds)\n",
      as: .dim)
  }

  /// One line per pack, not per recording.
  private func show(missingPacks names: [String]) {
    for (name, all) in Dictionary(grouping: names, by: \.self).sorted(by: { $0.key < $1.key }) {
      let recordings = all.count.counted("recording needs", "recordings need")
      terminal.write("✗ \(recordings) the prompt pack \u{201C}\(name)\u{201D}", as: .error)
      terminal.write(", which isn't here. Choose its folder with --prompts.\n")
    }
  }

  func show(_ failures: [Mismatch], in path: String) {
    for failure in failures.located(in: path) { show(failure, in: path) }
  }

  /// Shows both sides of a failure.
  func showChange(_ before: String, _ after: String) {
    show(SideBySide(before, after), "before", "now")
    terminal.write("\n")
  }

  private func show(_ failure: Mismatch, in file: String) {
    terminal.write("\n")
    if !failure.path.isEmpty { terminal.write("  \(failure.path)", as: .bold) }
    if let line = failure.line { terminal.write("  \(file):\(line)", as: .dim) }
    terminal.write("\n")
    if let remark = failure.remark { terminal.write("  \(remark)\n", as: .dim) }
    show(SideBySide(failure.expected, failure.actual), "expected", "actual")
    terminal.write("\n")
  }

  /// Two columns.
  func show(
    _ both: SideBySide, _ left: String, _ right: String,
    as roles: (TextRole, TextRole) = (.accent, .error)
  ) {
    let columns = SideBySideColumns(terminal: terminal, roles: roles)
    columns.show([.init(left, .dim)], [.init(right, .dim)])
    for line in both.rows.prefix(Self.mostRows) {
      switch line {
      case .same(let text): columns.show([.init(text, .dim)], [.init(text, .dim)])
      case .different(let one, let other): columns.show(one?.shortened, other?.shortened)
      case .gap(let count):
        let text = "… \(count) more \(count == 1 ? "line" : "lines") unchanged"
        columns.show([.init(text, .dim)], [.init(text, .dim)])
      }
    }
    if both.rows.count > Self.mostRows {
      terminal.write("  … and \(both.rows.count - Self.mostRows) more rows\n", as: .dim)
    }
  }

  /// Shows what differs from the recordings, once for all conversations.
  private func show(drift results: [ConversationResult]) {
    var groups: [DriftGroup] = []
    for result in results {
      for drift in result.drift {
        if let place = groups.firstIndex(where: { $0.isSame(drift) }) {
          groups[place].add(result.name, drift)
        } else {
          groups.append(DriftGroup(result.name, drift))
        }
      }
    }
    guard !groups.isEmpty else { return }
    terminal.write(
      "\nPrompts differ from the recording (--strict makes this a failure)\n", as: .notice)
    for group in groups {
      let purpose = group.drift.purpose?.rawValue ?? "request"
      terminal.write("\n  \(purpose): ", as: .bold)
      terminal.write("\(group.drift.what)\n")
      terminal.write(
        "  \(group.exchanges.counted("request")) in "
          + "\(group.names.count.counted("conversation")), "
          + "first in \(group.names[0])\n", as: .dim)
      if !group.drift.recorded.isEmpty {
        show(
          SideBySide(
            group.drift.recorded.joined(separator: "\n"),
            group.drift.sent.joined(separator: "\n"), context: 1), "recorded", "now")
      }
    }
  }

  private struct DriftGroup {
    var drift: ConversationVerdict.PromptDrift
    var names: [String]
    var exchanges: Int

    init(_ name: String, _ drift: ConversationVerdict.PromptDrift) {
      self.drift = drift
      names = [name]
      exchanges = drift.exchanges.count
    }

    func isSame(_ other: ConversationVerdict.PromptDrift) -> Bool {
      drift.purpose == other.purpose && drift.what == other.what
    }

    mutating func add(_ name: String, _ other: ConversationVerdict.PromptDrift) {
      names.append(name)
      exchanges += other.exchanges.count
      if drift.recorded.isEmpty {
        drift.recorded = other.recorded
        drift.sent = other.sent
      }
    }
  }
}

extension ConversationResult {
  fileprivate var size: String {
    "\(userTurns.counted("turn")), \(duration.milliseconds)"
  }
}

extension Duration {
  /// Such as `12 ms`.
  var milliseconds: String {
    let count = self / .milliseconds(1)
    return count < 10 ? "\((count * 10).rounded() / 10) ms" : "\(Int(count.rounded())) ms"
  }
}

extension String {
  /// Cuts a line too long to read.
  fileprivate var shortened: String {
    let limit = 1_000
    return utf8.count <= limit ? self : String(prefix(limit)) + " … (\(utf8.count) bytes)"
  }
}
