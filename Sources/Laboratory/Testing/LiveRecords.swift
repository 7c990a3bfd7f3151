import Cassettes
import ContextQuality
import IncrementalJSON
import Intake
import LanguageModels
import RapportTesting
import Terminal

/// One JSON object per conversation, and one for the totals.
struct LiveRecords: LiveView {
  let terminal: TTY

  func begin() {}

  func show(_ result: LiveSuite.Result) {
    var members: [(String, JSONValue)] = [
      ("type", "comparison"), ("name", .string(result.name)), ("path", .string(result.path)),
    ]
    switch result.outcome {
    case .compared(let comparison):
      members += [
        ("status", "compared"), ("title", .string(comparison.title)),
        ("left", comparison.left.json), ("right", comparison.right.json),
        ("gained", .array(comparison.gained.map(\.json))),
        ("lost", .array(comparison.lost.map(\.json))),
      ]
    case .failed(let place, let reason):
      members += [
        ("status", "failed"), ("place", .string("\(place)")), ("reason", .string(reason)),
      ]
    case .skipped(let reason):
      members += [("status", "skipped"), ("reason", .string(reason))]
    }
    terminal.writeRecord(JSONValue.object(JSONObject(members)).serialized())
  }

  func show(_ report: LiveReport) {
    let summary: JSONValue = [
      "type": "summary", "compared": JSONValue(report.comparisons.count),
      "failed": JSONValue(report.failures.count), "skipped": JSONValue(report.skipped),
      "left": report.left.json(report.names.left), "right": report.right.json(report.names.right),
    ]
    terminal.writeRecord(summary.serialized())
  }
}

extension RunSummary {
  fileprivate var json: JSONValue {
    [
      "outcome": .optional(outcome?.rawValue), "turns": JSONValue(turns.count),
      "turnsToReady": .optional(turnsToReady), "overall": .score(points),
      "questions": .array(asks.map(\.json)), "synthesis": profile?.json ?? .null,
      "usage": ["input": JSONValue(usage.input), "output": JSONValue(usage.output)],
    ]
  }
}

extension RunSummary.Ask {
  fileprivate var json: JSONValue {
    [
      "turn": JSONValue(turn), "components": .array(components.map { .string($0) }),
      "text": .string(text), "known": .array(known.map { .string($0.description) }),
    ]
  }
}

extension RunSummary.Profile {
  fileprivate var json: JSONValue {
    [
      "goal": .optional(goal), "deeper": .optional(deeper), "timeline": .optional(timeline),
      "firstAction": .optional(firstAction), "constraints": JSONValue(constraints),
      "unsupported": .array(unsupported.map { .string($0) }), "minimal": .bool(isMinimal),
    ]
  }
}

extension SideTotals {
  fileprivate func json(_ name: String) -> JSONValue {
    [
      "name": .string(name), "conversations": JSONValue(conversations),
      "ready": JSONValue(ready),
      "medianTurnsToReady": medianTurnsToReady.flatMap { JSONValue($0) } ?? .null,
      "meanOverall": .score(meanPoints), "questions": JSONValue(questions),
      "needlessQuestions": JSONValue(needlessQuestions),
      "usage": ["input": JSONValue(usage.input), "output": JSONValue(usage.output)],
    ]
  }
}
