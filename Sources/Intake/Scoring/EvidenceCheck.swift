package import ContextQuality
import Signals

/// Accepts only evidence that the user's own words support.
package struct EvidenceCheck {
  package let rubric: Rubric
  package let transcript: Transcript
  private let guarded: EvidenceGuard
  private let littleWords: Set<String>
  /// Whether to refuse quotes used for more facets than their words support. The offline scorer
  /// quotes whole clauses, and claims only what it has learned they say.
  package var refusesOverload: Bool

  package struct Result: Hashable, Sendable {
    package var evidence: [Evidence] = []
    package var retracted: [Retraction] = []
    package var dropped: [String: Int] = [:]
    /// Quotes used for more facets than their words support.
    var overusedQuotes: [String] = []
  }

  package init(pack: PromptPack, transcript: Transcript, refusesOverload: Bool = true) {
    (rubric, self.transcript) = (pack.rubric, transcript)
    self.refusesOverload = refusesOverload
    guarded = EvidenceGuard(pack.signals)
    littleWords = pack.signals.littleWords
  }

  package func check(_ answer: ScorerAnswer) -> Result {
    var result = Result(dropped: answer.dropped)
    let overloaded = refusesOverload ? overloaded(answer.evidence) : []
    result.overusedQuotes = Set(overloaded.map { answer.evidence[$0].quote.trimmed }).sorted()
    var seen: [Facet: Set<Int>] = [:]
    var turns: [Int: EvidenceGuard.Turn] = [:]
    for (index, claim) in answer.evidence.enumerated() {
      if let reason = refusal(of: claim, in: &turns)
        ?? (overloaded.contains(index) ? "overused quote" : nil)
      {
        result.dropped[reason, default: 0] += 1
      } else if seen[claim.facet, default: []].insert(claim.turn).inserted {
        result.evidence.append(
          Evidence(facet: claim.facet, quote: claim.quote.trimmed, turn: claim.turn))
      }
    }
    for claim in answer.retracted {
      if let reason = refusal(of: claim, in: &turns, isRetraction: true) {
        result.dropped["retraction: \(reason)", default: 0] += 1
      } else {
        result.retracted.append(
          Retraction(facet: claim.facet, quote: claim.quote.trimmed, turn: claim.turn))
      }
    }
    return result
  }

  private func refusal(
    of claim: ScorerAnswer.Claim, in turns: inout [Int: EvidenceGuard.Turn],
    isRetraction: Bool = false
  ) -> String? {
    guard rubric[claim.facet] != nil else { return "unknown facet" }
    guard let turn = read(claim.turn, &turns) else { return "no such turn" }
    if let refusal = QuoteVerifier.refusal(
      of: claim.quote, in: turn.folded, littleWords: littleWords)
    {
      return "quote \(refusal.rawValue)"
    }
    if isRetraction { return nil }
    if claim.isAboutOther { return "no evidence: \(EvidenceGuard.Refusal.somebodyElse.rawValue)" }
    return turn.refusal(of: claim.quote, facet: claim.facet)
      .map { "no evidence: \($0.rawValue)" }
  }

  /// Reads each turn once, no matter how many quotes cite it.
  private func read(
    _ number: Int, _ turns: inout [Int: EvidenceGuard.Turn]
  ) -> EvidenceGuard.Turn? {
    if let turn = turns[number] { return turn }
    turns[number] = transcript.userTurn(number).map { guarded.read(PlainText.visible($0)) }
    return turns[number]
  }

  private func overloaded(_ claims: [ScorerAnswer.Claim]) -> Set<Int> {
    var overloaded: Set<Int> = []
    for (turn, indices) in Dictionary(grouping: claims.indices, by: { claims[$0].turn }) {
      guard let text = transcript.userTurn(turn).map(PlainText.visible) else { continue }
      let offered = indices.map { (facet: claims[$0].facet, quote: claims[$0].quote) }
      overloaded.formUnion(EvidenceLoad.overloaded(offered, in: text).map { indices[$0] })
    }
    return overloaded
  }
}
