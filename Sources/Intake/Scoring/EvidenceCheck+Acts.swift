import ContextQuality
import Signals

// What turns do, and whether they need care, as far as the user's words bear it out.
extension EvidenceCheck {
  struct Doing: Hashable, Sendable {
    /// Nil if the reading does not say what the turns do.
    var acts: [Act]?
    var care: CareMark?
    var dropped: [String: Int] = [:]
  }

  /// - Parameters:
  ///   - turns: The turns that were read. Acts of others count for nothing.
  ///   - kinds: The kinds of care that the pack knows.
  func doing(_ answer: ScorerAnswer, in turns: [Int], _ kinds: [CareKind]) -> Doing {
    var doing = Doing()
    var fitter = fitter
    if let acts = answer.acts {
      let fitted = acts.compactMap { fit($0, turns, &fitter, &doing.dropped) }
      // What was read and can't be shown is as good as unread.
      doing.acts = fitted.isEmpty && !acts.isEmpty ? nil : fitted
    }
    guard let claim = answer.care else { return doing }
    let words = try? fitter.fit(claim.quote, turn: claim.turn, isStatement: true)
    // A letter or two stand in every message.
    let shows = words.map { quote in
      quote.quote.utf8.count >= Self.leastOfCare
        || transcript.userTurn(quote.turn)?.trimmed == quote.quote.trimmed
    }
    guard shows == true || claim.isUrgent else {
      doing.dropped["care: quote \(QuoteFitter.Rejection.notVerbatim.rawValue)", default: 0] += 1
      return doing
    }
    let turn = words?.turn ?? claim.turn
    if claim.name == ScorerAnswer.lowMoment {
      if let words, doing.acts != nil {
        doing.acts?.append(Act(.confides, turn: turn, quote: words.quote))
      }
      return doing
    }
    let mark = claim.mark(turn: turn)
    if kinds.contains(mark.kind) { doing.care = mark }
    return doing
  }

  /// In bytes.
  private static let leastOfCare = 4

  private func fit(
    _ act: Act, _ turns: [Int], _ fitter: inout QuoteFitter, _ dropped: inout [String: Int]
  ) -> Act? {
    do throws(QuoteFitter.Rejection) {
      let fit = try fitter.fit(act.quote, turn: act.turn, isStatement: true)
      guard turns.contains(fit.turn) else {
        dropped["act: not a new turn", default: 0] += 1
        return nil
      }
      var act = act
      (act.quote, act.turn) = (fit.quote, fit.turn)
      act.facet = act.facet.flatMap { rubric[$0] == nil ? nil : $0 }
      return act
    } catch {
      dropped["act: quote \(error.rawValue)", default: 0] += 1
      return nil
    }
  }
}
