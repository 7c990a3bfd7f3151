import BatchScoring
import IncrementalJSON
import Intake
import ModelScoring
import Startup

/// What a run with a model prints before and after.
enum ModelBatchTexts {
  static func beforehand(
    _ estimate: TokenEstimate, _ model: String?, finished: String = "already finished"
  ) -> String {
    var lines = [
      "\(estimate.conversations) conversations"
        + (estimate.finished > 0 ? " (\(estimate.finished) \(finished))" : "")
        + (estimate.problems > 0 ? "; \(estimate.problems) unreadable lines" : ""),
      "\(estimate.requests) requests" + (model.map { " to \($0)" } ?? ""),
    ]
    lines.append(
      "about \(estimate.inputTokens) input tokens and \(estimate.outputTokens) output tokens")
    lines.append(
      "Token counts are estimates (four bytes each). An unusable answer is requested once more. "
        + "Nothing was sent.")
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

  /// - Parameter things: What was scored.
  static func afterwards(
    _ outcome: ModelBatchOutcome, _ things: String = "conversations"
  ) -> String {
    let usage = outcome.usage
    var parts = [
      "\(outcome.batch.totals.conversations + outcome.batch.totals.leftOut) \(things) scored"
    ]
    if outcome.skipped > 0 { parts.append("\(outcome.skipped) already finished") }
    if outcome.batch.failed > 0 {
      let failed = things == "conversations" ? "lines" : things
      let named = outcome.batch.failed == 1 ? String(failed.dropLast()) : failed
      parts.append("\(outcome.batch.failed) \(named) could not be scored")
    }
    var text = parts.joined(separator: ", ") + "; \(usage.requests) requests"
    if usage.repeats > 0 { text += " (\(usage.repeats) retried)" }
    text += ", \(usage.inputTokens) input and \(usage.outputTokens) output tokens"
    if usage.uncounted + usage.broken > 0 {
      text += " (unknown for \(usage.uncounted + usage.broken))"
    }
    return text + "."
  }

  /// What a cascade sent and spent.
  static func spent(_ totals: CascadeTotals) -> String {
    var text =
      "The model was sent \(totals.sent) of \(totals.conversations) conversations"
    if totals.finished > 0 { text += " (and \(totals.finished) by an earlier run)" }
    if totals.kept > 0 {
      text += "; \(totals.kept) chosen for it kept the offline answer"
    }
    let sent = totals.sent + totals.finished
    switch totals.budget {
    case .share(let share):
      let most = Int((Double(totals.conversations) * share + 1e-9).rounded(.down))
      text +=
        "; budget: \(most) conversations, \(max(0, most - sent)) left; \(totals.tokens) tokens"
    case .tokens(let most):
      text +=
        "; budget: \(most) tokens, \(totals.tokens) spent, \(max(0, most - totals.tokens)) left"
    }
    return text + "."
  }

  static let keptOffline =
    "All records are complete; those that the model didn't read hold the offline answer."

  static let again = "Run the same command to continue."

  /// Why the run ended before its input did.
  static func failure(_ halt: ModelBatchHalt, wayOn: String) -> CommandFailure {
    switch halt {
    case .noModel(let error):
      let notice = SessionOutput.Notice(error, hadText: false, saved: false)
      return CommandFailure(.modelUnreachable, "\(notice.text) (\(error)) \(wayOn)")
    case .failures(let count, let last):
      return CommandFailure(
        .modelUnreachable,
        "I stopped after \(count) failures in a row. The last one: \(last) \(wayOn)")
    }
  }
}
