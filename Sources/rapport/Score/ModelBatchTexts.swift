import BatchScoring
import IncrementalJSON
import ModelScoring

/// What a run with a model says before and after.
enum ModelBatchTexts {
  static func beforehand(_ estimate: TokenEstimate, _ model: String?) -> String {
    var lines = [
      "\(estimate.conversations) conversations"
        + (estimate.finished > 0 ? ", \(estimate.finished) of them finished" : "")
        + (estimate.problems > 0 ? "; \(estimate.problems) lines that cannot be read" : ""),
      "\(estimate.requests) requests" + (model.map { " to \($0)" } ?? ""),
    ]
    lines.append(
      "about \(estimate.inputTokens) input tokens and \(estimate.outputTokens) output tokens")
    lines.append(
      "The tokens are an estimate (four bytes each); an answer that cannot be used is asked for once "
        + "more. Nothing was sent.")
    return lines.joined(separator: "\n")
  }

  static func json(_ estimate: TokenEstimate, _ model: String?) -> String {
    let value: JSONValue = [
      "conversations": JSONValue(estimate.conversations), "finished": JSONValue(estimate.finished),
      "problems": JSONValue(estimate.problems), "requests": JSONValue(estimate.requests),
      "inputTokens": JSONValue(estimate.inputTokens),
      "outputTokens": JSONValue(estimate.outputTokens),
      "model": model.map { .string($0) } ?? .null,
    ]
    return value.serialized()
  }

  static func afterwards(_ outcome: ModelBatchOutcome) -> String {
    let usage = outcome.usage
    var parts = ["\(outcome.batch.totals.conversations) conversations scored"]
    if outcome.skipped > 0 { parts.append("\(outcome.skipped) finished before") }
    if outcome.batch.failed > 0 {
      parts.append("\(outcome.batch.failed) lines could not be scored")
    }
    var text = parts.joined(separator: ", ") + "; \(usage.requests) requests"
    if usage.repeats > 0 { text += " (\(usage.repeats) sent again)" }
    text += ", \(usage.inputTokens) input and \(usage.outputTokens) output tokens"
    if usage.uncounted + usage.broken > 0 {
      text += " (not told for \(usage.uncounted + usage.broken))"
    }
    return text + "."
  }
}
