import IncrementalJSON
import LanguageModels
import RapportTesting
import Terminal

/// One JSON object per conversation, and one for the totals.
struct TestRecords: TestView {
  let terminal: TTY

  func show(_ result: ConversationResult) { terminal.writeRecord(result.json.serialized()) }

  func show(_ totals: TestTotals, _ results: [ConversationResult]) {
    let summary: JSONValue = [
      "type": "summary", "passed": JSONValue(totals.passed), "failed": JSONValue(totals.failed),
      "skipped": JSONValue(totals.skipped), "turns": JSONValue(totals.turns),
      "drifted": JSONValue(totals.drifted), "seconds": .seconds(totals.duration),
    ]
    terminal.writeRecord(summary.serialized())
  }
}

extension JSONValue {
  /// To the millisecond.
  static func seconds(_ duration: Duration) -> JSONValue {
    JSONValue((duration / .milliseconds(1)).rounded() / 1_000) ?? .null
  }
}

extension ConversationResult {
  fileprivate var json: JSONValue {
    var members: [(String, JSONValue)] = [
      ("type", "conversation"), ("name", .string(name)), ("path", .string(path)),
      ("title", .string(title)), ("turns", JSONValue(userTurns)), ("seconds", .seconds(duration)),
    ]
    switch status {
    case .passed: members.append(("status", "passed"))
    case .skipped(let reason):
      members += [("status", "skipped"), ("reason", .string(reason))]
    case .failed(let failures):
      members += [("status", "failed"), ("failures", .array(failures.map(\.json)))]
    }
    if !drift.isEmpty { members.append(("drift", .array(drift.map(\.json)))) }
    return .object(JSONObject(members))
  }
}

extension Mismatch {
  fileprivate var json: JSONValue {
    .members([
      "path": path, "line": line, "expected": expected, "actual": actual,
      "remark": remark.map { .string($0) } ?? JSONValue.null,
    ])
  }
}

extension ConversationVerdict.PromptDrift {
  fileprivate var json: JSONValue {
    [
      "purpose": purpose.map { .string($0.rawValue) } ?? .null, "what": .string(what),
      "exchanges": .array(exchanges.map { JSONValue($0) }),
      "recorded": .array(recorded.map { .string($0) }), "sent": .array(sent.map { .string($0) }),
    ]
  }
}
