import LanguageModels
import Synchronization

/// What a cascade sent to its model, and what that cost.
public struct CascadeTotals: Hashable, Sendable {
  public var budget: ModelBudget
  public var conversations = 0
  /// Conversations chosen for the model.
  public var chosen = 0
  /// Of these, the ones that an earlier run had finished.
  public var finished = 0
  public var sent = 0
  /// Chosen conversations that kept the offline tiers' answer: the model failed, or was not asked.
  public var kept = 0
  /// Tokens as the provider counted them; estimated where it did not, and for earlier runs.
  public var tokens = 0
  /// Why nothing more was sent; nil if all that was chosen could be.
  public var halt: ModelBatchHalt?
}

/// Keeps to the budget, whatever the requests turn out to cost.
final class CascadeSpending: Sendable {
  private struct State {
    var totals: CascadeTotals
    /// What the requests under way are estimated to cost.
    var reserved = 0
    /// What the answered requests were estimated to cost.
    var estimated = 0
    /// By how much estimates have been too low so far.
    var correction: Double {
      estimated > 0 ? max(1, Double(totals.tokens - skipped) / Double(estimated)) : 1
    }
    var skipped = 0
    var failuresInARow = 0
  }

  private let state: Mutex<State>

  init(_ plan: CascadePlan, budget: ModelBudget) {
    var totals = CascadeTotals(budget: budget)
    (totals.conversations, totals.chosen) = (plan.candidates.count, plan.rank.count)
    state = Mutex(State(totals: totals))
  }

  var totals: CascadeTotals { state.withLock { $0.totals } }

  /// Counts what an earlier run sent.
  func skip(tokens estimate: Int) {
    state.withLock { state in
      state.totals.finished += 1
      state.totals.tokens += estimate
      state.skipped += estimate
    }
  }

  /// - Returns: Why the conversation cannot be sent; nil if it can.
  func reserve(tokens estimate: Int) -> String? {
    state.withLock { state in
      if state.totals.halt != nil {
        state.totals.kept += 1
        return Self.stopped
      }
      let next = Double(state.reserved + estimate) * state.correction
      if case .tokens(let most) = state.totals.budget,
        Double(state.totals.tokens) + next > Double(most)
      {
        state.totals.kept += 1
        return "not sent: the budget is spent"
      }
      state.reserved += estimate
      state.totals.sent += 1
      return nil
    }
  }

  static let stopped = "not sent: the model stopped answering"

  func answered(_ estimate: Int, _ usage: ModelUsage) {
    state.withLock { state in
      Self.settle(&state, estimate, usage)
      state.failuresInARow = 0
    }
  }

  /// - Parameter isAnswered: Whether the model said anything, so that others may work.
  /// - Returns: Whether so many failed that nothing more is sent.
  func failed(
    _ estimate: Int, _ usage: ModelUsage, _ reason: String, isAnswered: Bool
  ) -> Bool {
    state.withLock { state in
      Self.settle(&state, estimate, usage)
      state.totals.kept += 1
      state.failuresInARow = isAnswered ? 0 : state.failuresInARow + 1
      guard state.failuresInARow >= ModelBatchRun.mostFailuresInARow else { return false }
      state.totals.halt =
        state.totals.halt ?? .failures(state.failuresInARow, last: reason)
      return true
    }
  }

  /// No model is available, so nothing more is sent.
  ///
  /// - Returns: What to say of this conversation.
  func stop(_ estimate: Int, _ usage: ModelUsage, _ error: ModelError) -> String {
    state.withLock { state in
      Self.settle(&state, estimate, usage)
      state.totals.kept += 1
      // The end of the run prevented it; that isn't the reason for the end.
      if error.kind == .cancelled, state.totals.halt != nil {
        state.totals.sent -= 1
        return Self.stopped
      }
      state.totals.halt = state.totals.halt ?? .noModel(error)
      return error.description
    }
  }

  private static func settle(_ state: inout State, _ estimate: Int, _ usage: ModelUsage) {
    state.reserved -= estimate
    state.estimated += estimate
    let counted = usage.inputTokens + usage.outputTokens
    // A provider that doesn't count still charges.
    state.totals.tokens += counted > 0 || usage.uncounted == 0 ? counted : estimate
  }
}
