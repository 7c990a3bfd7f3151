import ContextQuality

/// Believes only what the user's own words carry.
struct EvidenceCheck {
  let rubric: Rubric
  let transcript: Transcript

  struct Result: Hashable, Sendable {
    var evidence: [Evidence] = []
    var retracted: [Retraction] = []
    var dropped: [String: Int] = [:]
    /// Quotes that were offered for more facets than one sentence can carry.
    var overusedQuotes: [String] = []
  }

  /// One sentence may be evidence for several facets, but not for all of them.
  static let mostFacetsPerQuote = 3

  func check(_ answer: ScorerAnswer) -> Result {
    var result = Result(dropped: answer.dropped)
    let overused = overusedQuotes(answer.evidence)
    result.overusedQuotes = overused.map(\.quote).sorted()
    var seen: Set<Facet> = []
    for claim in answer.evidence {
      if let reason = refusal(of: claim) ?? (overused.contains(key(claim)) ? "overused quote" : nil)
      {
        result.dropped[reason, default: 0] += 1
      } else if seen.insert(claim.facet).inserted {
        result.evidence.append(
          Evidence(facet: claim.facet, quote: claim.quote.trimmed, turn: claim.turn))
      }
    }
    for claim in answer.retracted {
      if let reason = refusal(of: claim, isRetraction: true) {
        result.dropped["retraction: \(reason)", default: 0] += 1
      } else {
        result.retracted.append(
          Retraction(facet: claim.facet, quote: claim.quote.trimmed, turn: claim.turn))
      }
    }
    return result
  }

  private func refusal(of claim: ScorerAnswer.Claim, isRetraction: Bool = false) -> String? {
    guard rubric[claim.facet] != nil else { return "unknown facet" }
    guard let stored = transcript.userTurn(claim.turn) else { return "no such turn" }
    let turn = PromptText.visible(stored)
    if let refusal = QuoteVerifier.refusal(of: claim.quote, in: turn) {
      return "quote \(refusal.rawValue)"
    }
    if isRetraction { return nil }
    return EvidenceGuard.refusal(of: claim.quote, in: turn, facet: claim.facet)
      .map { "no evidence: \($0.rawValue)" }
  }

  private struct Key: Hashable {
    var turn: Int
    var quote: String
  }

  private func key(_ claim: ScorerAnswer.Claim) -> Key {
    Key(turn: claim.turn, quote: claim.quote.trimmed.lowercased())
  }

  private func overusedQuotes(_ claims: [ScorerAnswer.Claim]) -> Set<Key> {
    var facets: [Key: Set<Facet>] = [:]
    for claim in claims { facets[key(claim), default: []].insert(claim.facet) }
    return Set(facets.filter { $0.value.count > Self.mostFacetsPerQuote }.keys)
  }
}
