import Cassettes
import FoundationEssentials
import IncrementalJSON
import Intake
import RapportTesting
import Startup
import Terminal

/// `rapport test --check-secrets`: scans cassettes for secrets.
struct SecretCheck {
  let suite: ConversationSuite
  let pack: PromptPack
  let terminal: TTY
  let asJSON: Bool

  /// - Returns: Whether a key or another credential was found. Addresses and numbers are reported
  ///   but do not fail the check: a conversation may be about one.
  func run() throws -> Bool {
    var findings: [SecretScan.Finding] = []
    for entry in suite.entries {
      guard let data = FileManager.default.contents(atPath: entry.path) else {
        throw CommandFailure(.badData, "\(entry.path) can't be read.")
      }
      findings += SecretScan.findings(
        in: Array(data), file: entry.path, sparing: pack.fixedTexts)
    }
    for finding in findings { show(finding) }
    let bad = findings.count { !$0.kind.isWeak }
    if !asJSON {
      terminal.write(
        "\(suite.entries.count.counted("file")): \(bad) keys or other "
          + "credentials, \(findings.count - bad) addresses or numbers\n",
        as: bad > 0 ? .error : .accent)
    }
    return bad > 0
  }

  private func show(_ finding: SecretScan.Finding) {
    guard asJSON else {
      return terminal.write("\(finding)\n", as: finding.kind.isWeak ? .notice : .error)
    }
    terminal.writeRecord(
      JSONValue.object([
        "type": "secret", "file": .string(finding.file), "place": .string(finding.place),
        "kind": .string(finding.kind.rawValue), "excerpt": .string(finding.excerpt),
        "severity": finding.kind.isWeak ? "personal" : "credential",
      ]).serialized())
  }
}
